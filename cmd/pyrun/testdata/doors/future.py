"""doc"""
# /// script
# requires-python = ">=3.9"
# ///
from __future__ import annotations

def f(x: Missing): return x

print(__doc__, f(1))
raise RuntimeError("line 10")
