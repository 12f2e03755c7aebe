"""The smallest script there is: pyrun run examples/hello.py"""

import sys

print(f"Hello from {sys.version_info.major}.{sys.version_info.minor}")
