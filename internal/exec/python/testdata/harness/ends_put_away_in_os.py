import os


class Last:
    def __del__(self):
        print("del")


os.of_the_script = Last()
os.log = open("log", "w")
os.log.write("kept back")
