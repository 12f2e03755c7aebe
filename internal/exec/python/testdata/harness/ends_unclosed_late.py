import gc


class Holder:
    def __init__(self, text):
        self.out = open(1, "w", closefd=False)
        self.out.write(text)
        self.me = self


first = Holder("kept back first\n")
gc.collect()
second = Holder("kept back second\n")
