print(exit, quit, help, copyright, credits)
print(license)
license.__call__
help
exit(3)
