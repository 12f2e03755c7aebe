import os

print([fd for fd in range(3, 64) if os.path.exists("/proc/self/fd/%d" % fd)])
