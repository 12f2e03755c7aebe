# The smallest program that speaks a zygote's protocol (zygote_linux.go). A copy
# prints what it was told and, when that is "sleep", waits. A word on its command
# line makes it break the protocol in one way.
import _socket, ctypes, posix, sys, time
from struct import pack, unpack_from

def receive(sock):
    text, control, _, _ = sock.recvmsg(1 << 16, 256, _socket.MSG_CMSG_CLOEXEC)
    return text, [fd for _, _, data in control for fd in unpack_from("<%di" % (len(data) // 4), data)]

null = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
server = posix.dup(0)
posix.dup2(null, 0)
while null < 16:
    null = posix.dup(null)
server = _socket.socket(fileno=posix.dup(server))
mode = sys.argv[1] if len(sys.argv) > 1 else ""
if mode == "dies":
    print("out of luck", file=sys.stderr)
    posix._exit(4)
if mode == "silent":
    time.sleep(60)
if mode == "garbage":
    server.send(b"hello")
if mode == "huge":
    server.send(b"x" * 150000)
    time.sleep(60)
if mode == "threads":
    import _thread
    _thread.start_new_thread(time.sleep, (60,))
if mode == "shares":
    import mmap

    common = mmap.mmap(-1, 4096)
libc, api = ctypes.CDLL(None), ctypes.pythonapi
# Memory that a copy is to get at once, and, between, an address where there is none.
area, page = ctypes.create_string_buffer(b"x" * (66 << 16)), 1 << 16
area_at = -(-ctypes.addressof(area) // page) * page
spans = pack("<II6Q", 2, 1, area_at, 32 * page, 1 << 46, page, area_at + 32 * page, page)
server.send(pack("<4Q", *[ctypes.cast(f, ctypes.c_void_p).value for f in (
    api.PyOS_BeforeFork, libc.fork, api.PyOS_AfterFork_Parent, api.PyOS_AfterFork_Child)]) + spans + b"ready")
text, (code, listed) = receive(server)
ops, size, at, data, offset = unpack_from("<IIQQQ", text)
mmap = libc.mmap
mmap.restype, mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
start = mmap(None, posix.fstat(code).st_size, 5, 2, code, 0)
mmap(at, ops, 1, 2 | 0x100000, listed, 0)
play = ctypes.PYFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)(start)
while True:
    text, fds = receive(server)
    if not text:
        posix._exit(0)
    if mode == "deaf":
        time.sleep(60)
    if mode == "leaves":
        posix._exit(5)
    if mode in ("liar", "refuses", "babbles"):
        for fd in fds:
            posix.close(fd)
        server.send({"liar": pack("<i", 77), "refuses": pack("<i", -11), "babbles": b"what?"}[mode])
        continue
    mmap(data, size, 3, 2 | 0x10, listed, offset)
    block = pack("<%di" % len(fds), *fds) + text[1:]
    ctypes.memmove(data + 16, block, len(block))
    result = play(at, data)
    if result == 0:
        break
    for fd in fds:
        posix.close(fd)
    server.send(pack("<i", result))
server.detach()
job = _socket.socket(fileno=3)
if mode == "copy exits":
    posix._exit(6)
if mode == "copy babbles":
    job.send(b"what?")
if mode == "copy lies":
    job.send(pack("<QQ", 9, 9))
if mode == "copy claims failure":
    job.send(pack("<QQ", 1 << 60, 1))
if mode == "copy shouts":
    job.send(b"x" * 150000)
if mode == "copy sends descriptors":
    job.sendmsg([pack("<QQ", 5, 0)], [(1, 1, pack("<20i", *[3] * 20))])
if mode == "copy closes":
    job.close()
    time.sleep(60)
if mode == "copy is killed":
    posix.kill(2, 9)
if mode == "copy talks":
    posix.write(1, b"early\n" * 1000)
    posix.write(2, b"early\n")
job.send(pack("<QQ", 5, 0))
if mode == "copy leaves early":
    posix._exit(6)
text, fds = receive(job)
job.close()
for i, fd in enumerate(fds):
    posix.dup2(fd, i)
    posix.close(fd)
if text[4:] == b"touched":  # whose the pages are that were to be written, and the ones behind
    with open("/proc/self/pagemap", "rb", 0) as table:
        size = posix.sysconf("SC_PAGESIZE")
        table.seek(area_at // size * 8)
        own = [entry >> 56 & 1 for entry in memoryview(table.read(64 * page // size * 8)).cast("Q")]
    half = len(own) // 2
    print(sum(own[:half]) == half, sum(own[half:]) < half // 2, end=" ")
print(text[4:].decode(), flush=True)
if text[4:] == b"sleep":
    time.sleep(60)
posix._exit(3)
