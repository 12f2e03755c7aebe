# timeout: 1
import time

print("before")
time.sleep(30)
