# args: a -b "c d" é
import sys

print(sys.argv[1:], __name__, sys.stdin.read() == "")
