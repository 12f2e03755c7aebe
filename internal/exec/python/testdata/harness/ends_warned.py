import warnings

warnings.simplefilter("always")


async def forgotten():
    pass


class Ring:
    def __init__(self):
        self.own = self


called = forgotten()
file = open("/dev/null")
ring = Ring()
ring.called, ring.file = forgotten(), open("/dev/null")
