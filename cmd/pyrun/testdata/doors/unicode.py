import sys

sys.stdout.buffer.write(b"\xff\xfe\n\x00\x1b[31m\x7f\xc2\x85\n")
print("\u2028\u202e\u200b\U000e0001")
