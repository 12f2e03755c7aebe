import os
import sys

print("before", flush=True)
child = os.fork()
if child == 0:
    print("child", flush=True)
    raise SystemExit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
child = os.fork()
if child == 0:
    sys.stderr = open(os.devnull, "w")
    1 / 0
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
