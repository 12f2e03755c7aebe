x = "abc
print(1)
