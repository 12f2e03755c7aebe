def f(x):
    return 1 / x


def g():
    try:
        f(0)
    except ZeroDivisionError as e:
        raise KeyError("né") from e


g()
