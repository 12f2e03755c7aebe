import io


class Raw(io.RawIOBase):
    def writable(self):
        return True

    def write(self, data):
        raise OSError("full")


out = io.BufferedWriter(Raw())
out.write(b"kept back")
