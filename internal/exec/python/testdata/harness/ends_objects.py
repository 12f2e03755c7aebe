import weakref


class Last:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name, type(print).__name__, weakref is None)


a, _b, c = Last("a"), Last("_b"), Last("c")
ring = [Last("in a ring")]
ring.append(ring)
weakref.finalize(a, print, "finalized")
