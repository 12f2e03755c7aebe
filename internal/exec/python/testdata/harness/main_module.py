import sys

names = [n for n in list(globals()) if n != "sys"]
print(names)
print(__name__, __file__, __doc__, __package__, __spec__, type(__loader__).__name__, __loader__.name, __loader__.path)
print(__builtins__ is __import__("builtins"), getattr(sys.modules["__main__"], "__cached__", "absent"))
print(sys.modules["__main__"].__dict__ is globals(), sys.argv, sys.stdin, sys.stdout.encoding)
if hasattr(sys, "orig_argv"):
    print(sys.orig_argv[-3:])
print(sys.gettrace(), sys.getprofile(), sys.getrecursionlimit(), __import__("warnings").filters[:2])
