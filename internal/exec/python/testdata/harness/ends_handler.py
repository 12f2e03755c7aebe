import atexit
import logging
import tempfile


class Last:
    def __del__(self):
        print("del", logging is None)


last = Last()
folder = tempfile.TemporaryDirectory()
atexit.register(lambda: print("handler", last is None))
