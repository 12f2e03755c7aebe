import io
import sys


class Stream:
    def write(self, text):
        return sys.__stdout__.write("<" + text + ">")

    def flush(self):
        sys.__stdout__.write("flush\n")


text = io.TextIOWrapper(open(1, "wb", closefd=False))
text.write("kept back\n")
sys.stdout = Stream()
print("x")
