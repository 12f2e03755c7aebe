import sys


class Last:
    def __init__(self):
        self.me = self

    def __del__(self):
        print("finalizing", sys.is_finalizing(), hasattr(sys, "last_exc"))


last = Last()
