"""What memory a copy touches: a zygote finds out before it makes any.

harness.go puts this file behind zygote.py, whose imports it uses.
"""


def mapped(name):
    try:
        fd = posix.open("/proc/self/" + name, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return []
    text = slurp(fd)
    posix.close(fd)
    return text.splitlines()


def trial():
    """Has a child do all that a copy does for a script, and returns what it touched; None in the child.

    That is two counts, of the spans of pages that are written and of those that
    are read, then their addresses and sizes. A copy gets them all at once.
    """
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    out, tell = posix.pipe()
    script, text = posix.pipe()  # all of them above 15: a copy closes what is below
    posix.write(text, b"print('touch')")  # what every run touches; a rehearsal touches more
    posix.close(text)
    pid = posix.fork()
    if pid == 0:
        global END
        END = lambda _: tell_touched(tell)
        ours.close()
        posix.dup2(theirs.fileno(), 3)
        for fd in (1, 2):
            posix.dup2(0, fd)  # which is the null device
        return None
    theirs.close()
    posix.close(tell)
    words = sys.argv[:1] + ["site" if sys.flags.no_site else "-", "/dev/null", "/proc/self/fd/%d" % script]
    try:
        ours.recv(16)
        ours.send(pack("<I?I", 0, False, len(ENV)) + ENV + "\0".join(words).encode())
    except OSError:
        pass  # it has ended, and so will say nothing
    found = slurp(out)
    posix.waitpid(pid, 0)
    ours.close()
    for fd in (out, script):
        posix.close(fd)
    return found if len(found) >= 8 else pack("<II", 0, 0)


def tell_touched(fd):
    """In the trial's child, at its end: what it has that the zygote has not."""
    page, most = resource.getpagesize(), 1000
    table = posix.open("/proc/self/pagemap", posix.O_RDONLY)
    wrote, read = [], []
    for line in mapped("maps"):
        words = line.split(None, 2)
        start, end = [int(word, 16) for word in words[0].split(b"-")]
        if words[1][:1] != b"r" or words[1][3:] != b"p" or start >> 47 or end - start > 1 << 30:
            continue
        written = words[1][1:2] == b"w"
        # In the top byte of an entry: 0x80 for a page that is there, 0x20 for a
        # file's, 0x01 for one that nobody else has.
        mask, wanted, to = (0xA1, 0x81, wrote) if written else (0xA0, 0xA0, read)
        last = -2
        posix.lseek(table, start // page * 8, 0)
        for n, entry in enumerate(memoryview(posix.read(table, (end - start) // page * 8)).cast("Q")):
            if entry >> 56 & mask != wanted:
                continue
            if last == n - 1:
                to[-1][1] += page
            else:
                to.append([start + n * page, page])
            last = n
    wrote, read = wrote[:most], read[:most]
    text = pack("<II", len(wrote), len(read)) + b"".join([pack("<QQ", *span) for span in wrote + read])
    while text:
        text = text[posix.write(fd, text):]
    posix._exit(0)


def slurp(fd):
    text = b""
    while part := posix.read(fd, 1 << 16):
        text += part
    return text
