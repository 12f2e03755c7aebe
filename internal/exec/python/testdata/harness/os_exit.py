import os

print("gone", flush=True)
os._exit(5)
