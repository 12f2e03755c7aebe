"""A Python that has done its start-up and makes copies of itself, one for each script.

bootstrap.py runs this text when it is started as a zygote: serve() returns in
each copy, with sys.argv as a start of its own would have it, and bootstrap.py
goes on as ever. What is said on which descriptor is written in the sandbox's
zygote_linux.go; this side decides nothing.
"""
import sys
import posix
import atexit
import gc
import ctypes
import resource
import _socket
from _weakref import ref
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
    end = ctypes.PyDLL(None)  # by which no other thread may run meanwhile
    atexit.register(leave_soon, end)
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
    global FRESH
    FRESH = frozenset(sys.modules)
    gc.collect()
    gc.disable()
    gc.freeze()
    spans = trial(end)
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


def mapped(name):
    try:
        fd = posix.open("/proc/self/" + name, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return []
    text = slurp(fd)
    posix.close(fd)
    return text.splitlines()


def trial(end):
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
        ours.close()
        posix.dup2(theirs.fileno(), 3)
        for fd in (1, 2):
            posix.dup2(0, fd)  # which is the null device
        end._exit = lambda _: tell_touched(tell)
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


def mapped(name):
    try:
        fd = posix.open("/proc/self/" + name, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return []
    text = slurp(fd)
    posix.close(fd)
    return text.splitlines()


def trial(end):
    """Has a child do all that a copy does for a script, and returns what it touched; None in the child.

    Two counts, of what is written and of what is read, then for each span of
    pages address and size. A copy is given them all at once, which costs a third of
    what it costs when each is missed.
    """
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    out, tell = posix.pipe()
    script, text = posix.pipe()  # all of them above 15, as a copy's are not
    posix.write(text, b"print('touch')")  # what every run touches; a rehearsal touches more
    posix.close(text)
    pid = posix.fork()
    if pid == 0:
        ours.close()
        posix.dup2(theirs.fileno(), 3)
        for fd in (1, 2):
            posix.dup2(0, fd)  # which is the null device
        end._exit = lambda _: tell_touched(tell)
        return None
    theirs.close()
    posix.close(tell)
    words = sys.argv[:1] + ["site" if sys.flags.no_site else "-", "/dev/null", "/proc/self/fd/%d" % script]
    null = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    try:
        ours.recv(16)
        ours.sendmsg([pack("<I?I", 0, False, len(ENV)) + ENV + "\0".join(words).encode()],
                     [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, pack("<3i", null, null, null))])
    except OSError:  # it has ended, which the other end of the pipe shows too
        pass
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
        span, access = line.split(None, 2)[:2]
        start, end = [int(word, 16) for word in span.split(b"-")]
        if access[3:] != b"p" or access[:1] != b"r" or start >> 47 or end - start > 1 << 30:
            continue
        posix.lseek(table, start // page * 8, 0)
        entries = memoryview(posix.read(table, (end - start) // page * 8)).cast("Q")
        spans, last = [], None
        for n, entry in enumerate(entries):
            if entry >> 56 & 0xA1 == (0x81 if access[1:2] == b"w" else 0xA0) or access[1:2] != b"w" and entry >> 56 & 0xA0 == 0xA0:
                if last == n - 1:
                    spans[-1][1] += page
                else:
                    spans.append([start + n * page, page])
                last = n
        (wrote if access[1:2] == b"w" else read).extend(spans)
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
    global OWNER
    OWNER = posix.getpid()


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
    global STATUS, ENV
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
        sys.argv, sys.path[:], sys.modules["__main__"], STATUS = argv, path, main, None
        if given is not None:
            sys.orig_argv = given
        for fd, at in zip(keep, (1, 2)):
            posix.dup2(fd, at)
            posix.close(fd)
        posix.close(null)


STATUS = None  # what a copy's script ends with, once that is known
OWNER = None  # the process of a copy: what it forks ends as anything does
SHOWS = ("io", "traceback", "linecache")  # without which, at its end, Python shows no source
FRESH = frozenset()  # the names of modules that it began with


def ends(error):
    """What the status will be, when nothing that a script has put in place can change it."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        code = error.code
        if type(code) is int:
            return code & 0xFF if -1 << 63 <= code < 1 << 63 else 0xFF
        return {type(None): 0, str: 1}.get(type(code))
    return 1 if sys.excepthook is sys.__excepthook__ and not isinstance(error, KeyboardInterrupt) else None


def leave_soon(libc):
    """The last exit function: ends a copy without taking apart what the zygote has loaded.

    What can be noticed of Python's own end is done: the script's objects go, in
    that order, and the streams are flushed. Where it cannot be done just so, it
    is left to Python.
    """
    if STATUS is None or posix.getpid() != OWNER:
        return
    if not flush():
        return
    space, modules = sys.__dict__, sys.modules
    if type(modules) is not dict:
        return
    # What only Python itself would miss is not worth taking apart.
    keep = [space.get(name) for name in ("path", "path_hooks", "path_importer_cache", "meta_path")]
    keep += [modules.get(name) for name in SHOWS]
    for name in ("path", "argv", "ps1", "ps2", "last_exc", "last_type", "last_value", "last_traceback",
                 "path_hooks", "path_importer_cache", "meta_path"):
        space[name] = None
    for name in ("stdin", "stdout", "stderr"):
        space[name] = space.get("__%s__" % name)
    made, held = [], False
    for name in added(modules):
        try:
            made.append(ref(modules[name]))
        except TypeError:
            pass
        modules[name] = None
    for name in SHOWS:
        modules[name] = None
    gc.collect()
    for link in reversed(made):
        module = link()
        if module is not None:
            empty(module.__dict__)
            held = True
        del module
    if held:
        gc.collect()
    if not flush():
        return
    libc.fflush(None)
    libc._exit(STATUS)


def added(modules):
    """__main__ and the names that came after FRESH, in their order.

    A script that takes as many out of sys.modules as it puts behind those that
    were there leaves with some of its modules not emptied.
    """
    names = []
    for name in reversed(modules):
        if name in FRESH:
            break
        names.append(name)
    if len(names) + len(FRESH) != len(modules):
        return [name for name in modules if name not in FRESH or name == "__main__"]
    return ["__main__"] + names[::-1]  # as it nearly always is, and no page of the others was touched


def flush():
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
    except BaseException:
        return False  # Python tries again and says so
    return True


def empty(space):
    """As Python empties a module that somebody still holds."""
    for hidden in (True, False):
        for name in list(space):
            private = name[:1] == "_" and name[1:2] != "_"
            if private == hidden and name != "__builtins__":
                space[name] = None
