import sys


class Last:
    def __del__(self):
        print("del")


made = type(sys)("made")
sys.modules["made"] = made
made.last = Last()
del made
sys.modules["nothing"] = None
sys.modules["no module"] = Last()
