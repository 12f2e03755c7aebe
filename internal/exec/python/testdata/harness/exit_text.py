import sys

print("out")
sys.exit("bye")
