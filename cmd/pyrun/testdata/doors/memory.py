b = []
while True:
    b.append(bytearray(16 << 20))
