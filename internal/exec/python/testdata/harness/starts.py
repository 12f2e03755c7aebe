import sys

print("atexit" in sys.modules, "gc" in sys.modules, sorted(set(dir()) - {"__cached__"}))
import gc

print(gc.isenabled(), gc.get_freeze_count(), gc.get_threshold(), gc.callbacks, gc.garbage)
print(any(o is sys.__dict__ for o in gc.get_objects()))
