import gc
import sys


class Watch:
    def __init__(self):
        self.out = open(1, "w", closefd=False)
        self.out.write("kept back\n")

    def __call__(self, phase, info):
        print(phase, info["generation"])


gc.disable()
if sys.version_info >= (3, 10):  # before, this is the end of Python itself
    gc.callbacks.append(Watch())
else:
    gc.callbacks.append(lambda phase, info: print(phase, info["generation"]))
