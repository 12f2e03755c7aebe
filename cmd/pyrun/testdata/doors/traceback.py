# exit: 1
import sys
print("before")
print("also", file=sys.stderr)
{}["missing"]
