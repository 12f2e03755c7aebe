import sys

del sys.path, sys.path_hooks, sys.meta_path, sys.base_prefix
sys.modules = None
print("x")
