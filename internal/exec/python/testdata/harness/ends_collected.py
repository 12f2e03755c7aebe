import gc


class Last:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


old = Last("old")
for _ in range(3):
    gc.collect()  # what lives now has lived long
young = Last("young")
gc.disable()
