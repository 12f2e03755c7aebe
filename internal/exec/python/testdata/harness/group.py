# python: 3.11
def f():
    try:
        raise ValueError("inner")
    except ValueError as e:
        return e


raise ExceptionGroup("several", [f(), KeyError(2), ExceptionGroup("deep", [OSError(2, "no", "x")])])
