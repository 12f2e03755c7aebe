"""A Python that has done its start-up and makes copies of itself, one for each script.

bootstrap.py runs this text when it is started as a zygote: serve() returns in
each copy, with sys.argv as a start of its own would have it, and bootstrap.py
goes on as ever. From there it has atexit, gc and what leave.py knows of a run's
end. What is said on which descriptor is written in the sandbox's
zygote_linux.go; this side decides nothing.
"""
import sys
import posix
import ctypes
import resource
import _socket
from struct import pack, unpack_from

TOUCH = b"""
import sys
def outer(n, *more, key=None):
    return [i + 1 for i in range(n) if i] + list(more)
class Thing:
    def __init__(self): self.kept = {"a": 1.5, "b": ("x", None)}
    def __repr__(self): return f"{self.kept!r} {len(self.kept):>4}"
try:
    print("touch", outer(3, 4), Thing(), sorted("cab"), "%s" % 1, b"x")
    raise ValueError("touch")
except ValueError as error:
    print(error, file=sys.stderr)
with open("/dev/null") as file:
    file.read()
"""
PANDAS = b"""
import pandas
frame = pandas.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.5, 3.5], "c": list("xyx")})
print(frame.describe(), frame.groupby("c").sum(), frame["a"].mean())
"""
NUMPY = b"""
import numpy
print(numpy.arange(6).reshape(2, 3) @ numpy.ones((3, 2)), numpy.linspace(0, 1, 5).mean())
"""

END = posix._exit


class Job:
    """What the server said of one run."""

    def __init__(self, text):
        (count,) = unpack_from("<I", text)
        self.limits = [unpack_from("<QQQ", text, 4 + 24 * i) for i in range(count)]
        at = 4 + 24 * count
        self.stdin, size = unpack_from("<?I", text, at)
        at += 5
        self.env = text[at:at + size]
        self.argv = text[at + size:].decode("utf-8", "surrogateescape").split("\0")


class Player:
    """The sandbox's machine code and its list, at the addresses that it was written for."""

    def __init__(self, libc, text, code, listed):
        self.mmap = libc.mmap
        self.mmap.restype = ctypes.c_void_p
        self.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        ops, self.size, self.ops, self.data, self.offset = unpack_from("<IIQQQ", text)
        read, write, run, private, only = 1, 2, 4, 0x02, 0x100000  # the last: where nothing is
        start = self.map(None, posix.fstat(code).st_size, read | run, private, code, 0)
        self.map(self.ops, ops, read, private | only, listed, 0)
        self.map(self.data, self.size, read | write, private | only, listed, self.offset)
        self.call = ctypes.PYFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)(start)
        self.listed = listed
        posix.close(code)

    def map(self, at, size, access, flags, fd, offset):
        got = self.mmap(at, size, access, flags, fd, offset)
        if got is None or got == 2**64 - 1 or at not in (None, got):
            raise OSError("cannot map the list")
        return got

    def play(self, block):
        self.map(self.data, self.size, 1 | 2, 0x02 | 0x10, self.listed, self.offset)  # afresh, over the last one
        ctypes.memmove(self.data + 16, block, len(block))
        return self.call(self.ops, self.data)


def serve(dress, furnish, names):
    """Makes copies until the server is gone; returns in a copy that has a job."""
    if copies(dress, names):
        rehearse(dress)
    forget()
    gc.freeze()  # all but what is the script's, which is to go at its end
    furnish()
    wait_for_job()


def copies(dress, names):
    """Returns in a copy: whether there is time for a rehearsal."""
    server = take_socket()
    libc = ctypes.CDLL(None)
    atexit.register(leave_soon, ctypes.PyDLL(None).fflush, end)  # by which no other thread may run meanwhile
    left = []
    one_thread = {name: b"1" for name in posix.environ if name.endswith(b"_NUM_THREADS")}
    given = {name: posix.environ[name] for name in one_thread}
    set_all(one_thread)  # what is started while loading would be missing in every copy
    for name in names:
        try:
            __import__(name)
        except BaseException as error:
            left.append("%s: %s" % (name, error))
        if threads() > 1 or shares():
            server.send(pack("<4QII", 0, 0, 0, 0, 0, 0) + name.encode())
            posix._exit(0)
    rehearse(dress)
    for name in ("pandas", "numpy"):
        if threads() > 1 and name in sys.modules:  # what is made at first use
            server.send(pack("<4QII", 0, 0, 0, 0, 0, 0) + name.encode())
            posix._exit(0)
    set_all(given)
    global ENV
    ENV = pairs()
    settled(["sys", "builtins"])  # looking at each would cost every copy its pages
    gc.collect()
    gc.disable()
    gc.freeze()
    spans = trial()
    if spans is None:
        return False
    hooks = [ctypes.pythonapi.PyOS_BeforeFork, libc.fork, ctypes.pythonapi.PyOS_AfterFork_Parent, ctypes.pythonapi.PyOS_AfterFork_Child]
    server.send(pack("<4Q", *[ctypes.cast(hook, ctypes.c_void_p).value for hook in hooks]) + spans + "\n".join(left).encode()[:4096])
    text, fds = receive(server)
    player = Player(libc, text, *fds)
    while True:
        text, fds = receive(server)
        if not text:
            posix._exit(0)
        early = text[0]
        result = player.play(pack("<%di" % len(fds), *fds) + text[1:])
        if result == 0:
            break
        for fd in fds:
            posix.close(fd)
        server.send(pack("<i", result))
    server.detach()  # the sandbox has closed it, and its number may be another's
    return early


def end(status):
    """Ends a copy; what trial() makes has another END."""
    END(status)


def threads():
    try:
        return len(posix.listdir("/proc/self/task"))
    except OSError:  # the server looks too
        return 1


def shares():
    """Whether there is memory that all copies would write in common."""
    return any(line.split(None, 2)[1][1::2] == b"ws" for line in mapped("maps"))  # the server looks too


def take_socket():
    """Moves the socket away from where the standard input belongs."""
    fd = posix.dup(0)
    null = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    posix.dup2(null, 0)
    # The list puts a copy's descriptors where low numbers are, so the zygote's
    # own and those that are sent to it have higher ones.
    while null < 16:
        null = posix.dup(null)
    high = posix.dup(fd)
    posix.dup2(null, fd, False)
    sys.stdin = sys.__stdin__ = standard_input()
    return _socket.socket(fileno=high)


def standard_input():
    """As Python makes it from whatever descriptor 0 is."""
    import io

    raw = open(0, "rb", closefd=False)
    raw.raw.name = "<stdin>"
    text = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline="\n", write_through=True)
    text.mode = "r"
    return text


def receive(sock):
    text, control, _, _ = sock.recvmsg(1 << 17, _socket.CMSG_SPACE(4 * 16), _socket.MSG_CMSG_CLOEXEC)
    fds = []
    for level, kind, data in control:
        if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
            fds += unpack_from("<%di" % (len(data) // 4), data)
    return text, fds


def wait_for_job():
    """Says that it is ready, takes one job and becomes what a start with it would be."""
    sock = _socket.socket(fileno=3)
    sock.send(pack("<QQ", 5, 0))
    text, fds = receive(sock)
    if not text:
        posix._exit(0)
    sock.detach()
    for fd in fds:
        posix.dup2(fd, 0)
    posix.closerange(3, 16)  # the socket too, and where there is no getrandom, what Python keeps open of /dev/urandom
    become(Job(text))
    gc.enable()


def become(job):
    """Makes of this process what a start with the job's words would have made."""
    for kind, soft, hard in job.limits:
        resource.setrlimit(kind, (soft, hard))
    if job.stdin:
        sys.stdin = sys.__stdin__ = standard_input()
    environ(job.env)
    given = getattr(sys, "orig_argv", None)  # since 3.10
    if given is not None:
        sys.orig_argv = given[: len(given) - len(sys.argv)] + job.argv
    sys.argv = job.argv
    logging = sys.modules.get("logging")
    if logging is not None:
        logging._startTime = logging.time.time_ns() if sys.version_info >= (3, 13) else logging.time.time()


ENV = None  # what is in place, as pairs words it


def pairs():
    """The environment: NAME=VALUE, each with a NUL behind it."""
    return b"".join(name + b"=" + value + b"\0" for name, value in posix.environ.items())


def environ(text):
    """Puts in place what pairs words so."""
    if text == ENV:
        return
    wanted = dict(pair.split(b"=", 1) for pair in text.split(b"\0")[:-1])
    have = posix.environ  # os.environ looks into this very dictionary
    for name in [name for name in have if name not in wanted]:
        posix.unsetenv(name)
        del have[name]
    set_all(wanted)


def set_all(wanted):
    have = posix.environ
    for name, value in wanted.items():
        if have.get(name) != value:
            posix.putenv(name, value)
            have[name] = value


def forget():
    """Makes anew what would be the same in every copy."""
    modules = sys.modules
    # random's own generator is seeded by its hook for forks.
    numpy = modules.get("numpy.random")
    if numpy is not None:
        numpy.seed()
    threading = modules.get("threading")
    if threading is not None:
        threading.main_thread()._set_native_id()
    if "tempfile" in modules:
        modules["tempfile"]._name_sequence = None
    if "uuid" in modules:
        modules["uuid"]._last_timestamp = None
    process = modules.get("multiprocessing.process")
    if process is not None:
        process._current_process._config["authkey"] = process.AuthenticationString(posix.urandom(32))


def rehearse(dress):
    """Does what a run does, so that it is done, and leaves nothing of it."""
    global ENV
    keep = posix.dup(1), posix.dup(2)
    null = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    posix.dup2(null, 1), posix.dup2(null, 2)
    argv, given, path, main = sys.argv, getattr(sys, "orig_argv", None), list(sys.path), sys.modules["__main__"]
    try:
        sys.argv = argv[:1] + ["-", "/dev/null", "/dev/null"]
        env = pairs()
        become(Job(pack("<I?I", 0, False, len(env)) + env + "\0".join(sys.argv).encode()))
        dress(TOUCH)
        for name, source in (("numpy", NUMPY), ("pandas", PANDAS)):
            if name in sys.modules:
                dress(source)
        flush()
        ENV = pairs()  # packages may have set something
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = argv, path, main
        if given is not None:
            sys.orig_argv = given
        for fd, at in zip(keep, (1, 2)):
            posix.dup2(fd, at)
            posix.close(fd)
        posix.close(null)
