import sys


def hook(kind, error, trace):
    raise ValueError("in the hook")


sys.excepthook = hook
raise RuntimeError("x")
