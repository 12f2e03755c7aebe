for i in range(300_000):
    print(i)
