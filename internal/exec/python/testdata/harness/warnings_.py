import warnings

x = "\d"


def f():
    return 1 is 1


warnings.warn("here")
warnings.warn("caller", stacklevel=2)
warnings.warn("old", DeprecationWarning)
print(f())
