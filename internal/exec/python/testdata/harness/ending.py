import atexit
import sys
import threading
import time


class Last:
    def __del__(self):
        print("del")


last = Last()


@atexit.register
def handler():
    print("atexit", sys.exc_info(), repr(getattr(sys, "last_value", None)))
    raise OSError("in atexit")


def late():
    time.sleep(0.2)
    print("thread")


threading.Thread(target=late).start()
raise LookupError("end")
