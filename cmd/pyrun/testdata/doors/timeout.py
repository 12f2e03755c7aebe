# timeout: 2
import time

print("before")
time.sleep(30)
