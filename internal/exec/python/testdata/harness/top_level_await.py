print("never")
await x
