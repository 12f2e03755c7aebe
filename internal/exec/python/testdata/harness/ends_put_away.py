import builtins
import os
import sys


class Last:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


sys.of_the_script = Last("sys")
builtins.of_the_script = Last("builtins")
