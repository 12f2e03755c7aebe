import ctypes

ctypes.CDLL(None).printf(b"from C")
