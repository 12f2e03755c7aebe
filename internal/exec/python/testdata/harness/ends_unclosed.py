import gc
import io


def function():  # holds this module's names in a ring
    pass


out = open(1, "w", closefd=False)
out.write("a file, kept back\n")
wrapped = io.TextIOWrapper(open(1, "wb", closefd=False))
wrapped.write("wrapped, kept back\n")
