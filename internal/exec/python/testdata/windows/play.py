# Starts the harness as Windows would: no posix, and an nt that has what nt.txt
# names (CPython 3.14's own). argv: nt.txt, the harness, the harness's words.
import os, posix, sys

nt = type(sys)("nt")
with open(sys.argv[1]) as file:
    for name in file.read().split():
        if hasattr(posix, name):
            setattr(nt, name, getattr(posix, name))
nt.environ = dict(os.environ)  # of str, not of bytes
nt.O_BINARY, nt.O_NOINHERIT = 1 << 28, 1 << 29


def nt_open(path, flags, mode):
    assert flags & nt.O_BINARY and flags & nt.O_NOINHERIT, flags
    return posix.open(path, flags & ~nt.O_BINARY & ~nt.O_NOINHERIT, mode)


def nt_execv(path, argv):
    os.write(2, b"execv: whoever waits for this process is told that it has ended\n")
    os._exit(0)


nt.open, nt.execv = nt_open, nt_execv
sys.modules["nt"], sys.modules["posix"] = nt, None
sys.argv = sys.argv[2:]
with open(sys.argv[0], "rb") as file:
    code = compile(file.read(), sys.argv[0], "exec", dont_inherit=True, optimize=2)
exec(code, {"__name__": "__main__", "__builtins__": __builtins__})
