"""Tries what must fail behind the walls and says what it saw, as one line of JSON.

    attest.py '{"hidden": [PATH...], "processes": N, "open_files": N, "file_size": N, "disk": N}'

It runs as any script runs and judges nothing: attest.go compares. An attempt
answers with the name of its error, or with "" when it was allowed. Must work on
CPython 3.9 and newer, without packages and, as some builds lack it, without ctypes.
"""
import errno
import json
import os
import resource
import socket
import stat
import sys

ASKED = json.loads(sys.argv[1])
TRIES = {}
LIBRARY = os.path.dirname(os.__file__)  # of the interpreter: shown, never to be written


def attempt(name, what, *args):
    try:
        what(*args)
        TRIES[name] = ""
    except OSError as error:
        TRIES[name] = errno.errorcode.get(error.errno, type(error).__name__)


def create(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def connect(family, *address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect(address)


def loopback():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        connect(socket.AF_INET, *server.getsockname())


def new_socket(family, kind, protocol):
    socket.socket(family, kind, protocol).close()


def many_files():
    found = []
    try:
        while len(found) <= ASKED["open_files"]:
            found.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for fd in found:
            os.close(fd)


def many_processes():
    r, w = os.pipe()
    children = []
    try:
        while len(children) <= ASKED["processes"]:
            pid = os.fork()
            if pid == 0:  # lives until the pipe's other end is closed by all
                os.close(w)
                os.read(r, 1)
                os._exit(0)
            children.append(pid)
    finally:
        os.close(r)
        os.close(w)
        for pid in children:
            os.waitpid(pid, 0)


def large_file():
    fd = os.open("attest.tmp", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.pwrite(fd, b"x", ASKED["file_size"])
    finally:
        os.close(fd)
        os.unlink("attest.tmp")


def full_disk():
    names = []
    piece = b"x" * ASKED["file_size"]
    try:
        while len(names) * len(piece) <= ASKED["disk"]:
            names.append("attest.%d" % len(names))
            fd = os.open(names[-1], os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                written = 0
                while written < len(piece):
                    written += os.write(fd, piece[written:])
            finally:
                os.close(fd)
    finally:
        for name in names:
            os.unlink(name)


def device_call():
    """Landlock knows no such call on a device that it was not told of (version 5)."""
    import array
    import fcntl
    import termios

    with open("/dev/zero", "rb") as zero:
        fcntl.ioctl(zero, termios.FIONREAD, array.array("i", [0]))


CALLS = {  # name: number on x86_64, on aarch64; with -1 for every argument none of them can do anything
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "pivot_root": (155, 41), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "keyctl": (250, 219), "bpf": (321, 280), "userfaultfd": (323, 282),
    "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "memfd_create": (319, 279),
}


def raw():
    """What only system calls tell; nothing without ctypes."""
    try:
        import ctypes
    except ImportError:
        return None
    libc = ctypes.CDLL(None, use_errno=True)

    def call(*args):
        if libc.syscall(*args) == -1:
            raise OSError(ctypes.get_errno(), "")

    at = 1 if os.uname().machine == "aarch64" else 0
    for name, numbers in CALLS.items():
        attempt("call " + name, call, numbers[at], -1, -1, -1, -1, -1)
    bounding = sum(libc.prctl(23, cap, 0, 0, 0) == 1 for cap in range(64))  # PR_CAPBSET_READ
    return {"seccomp": libc.prctl(21, 0, 0, 0, 0), "no_new_privs": libc.prctl(39, 0, 0, 0, 0), "bounding": bounding}


def status():
    """The fields of /proc/self/status; none where there is no /proc."""
    try:
        with open("/proc/self/status", encoding="utf-8", errors="replace") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return {}


def namespaces():
    try:
        return {name: os.readlink("/proc/self/ns/" + name) for name in os.listdir("/proc/self/ns")}
    except OSError:
        return {}


def descriptors():
    found = []
    for fd in range(3, 1024):
        try:
            os.fstat(fd)
            found.append(fd)
        except OSError:
            pass
    return found


def devices():
    modes = {name: os.lstat("/dev/" + name).st_mode for name in os.listdir("/dev")}
    return sorted(name for name, mode in modes.items() if stat.S_ISCHR(mode) or stat.S_ISBLK(mode))


STORE = os.statvfs(".")
SEEN = {
    "pid": os.getpid(), "parent": os.getppid(), "uids": os.getresuid(),
    "root": os.listdir("/"), "devices": devices(), "descriptors": descriptors(), "environment": list(os.environ),
    "room": STORE.f_blocks * STORE.f_frsize,
    "flags": {name: os.statvfs(path).f_flag for name, path in (("root", "/"), ("library", LIBRARY), ("job", "."))},
    "namespaces": namespaces(), "status": status(), "tries": TRIES,
}
attempt("write /", create, "/attest.tmp")
attempt("write the library", create, LIBRARY + "/attest.tmp")
for path in ASKED["hidden"]:
    attempt("see " + path, os.lstat, path)
attempt("read pid 1's environment", os.open, "/proc/1/environ", os.O_RDONLY)
attempt("reach out", connect, socket.AF_INET, "192.0.2.1", 80)  # addresses kept for documentation
attempt("reach out by IPv6", connect, socket.AF_INET6, "2001:db8::1", 80)
attempt("loopback", loopback)
attempt("netlink socket", new_socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)
attempt("packet socket", new_socket, socket.AF_PACKET, socket.SOCK_RAW, 0)
attempt("raw socket", new_socket, socket.AF_INET, socket.SOCK_RAW, 1)
attempt("setuid", os.setuid, 0)
attempt("setgroups", os.setgroups, [0])
attempt("chroot", os.chroot, "/")
attempt("signal pid 1", os.kill, 1, 0)
attempt("device call", device_call)
SEEN["raw"] = raw()
attempt("open files", many_files)
attempt("file size", large_file)
if ASKED["disk"]:  # else it is too large to be filled
    attempt("disk", full_disk)
attempt("processes", many_processes)

print(json.dumps(SEEN), flush=True)
sys.stdin.buffer.read()  # to be looked at from outside as long as that takes
