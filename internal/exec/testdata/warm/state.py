# Prints all that a script can find out about the Python that it was started in.
import sys
before = sorted(sys.modules)
frames = []
frame = sys._getframe()
while frame is not None:
    frames.append((frame.f_code.co_name, frame.f_code.co_filename))
    frame = frame.f_back
import os, stat
s = {"fds": []}
for fd in range(256):
    try:
        s["fds"].append((fd, stat.S_IFMT(os.fstat(fd).st_mode), os.get_inheritable(fd)))
    except OSError:
        pass
import atexit, builtins, codecs, contextvars, decimal, gc, io, json, locale, logging, os, platform, resource
import signal, stat, tempfile, threading, time, warnings

s["flags"] = repr(sys.flags)
s["argv"] = sys.argv
s["orig_argv"] = getattr(sys, "orig_argv", None)
s["path"] = sys.path
s["meta_path"] = [getattr(f, "__name__", type(f).__name__) for f in sys.meta_path]
s["path_hooks"] = len(sys.path_hooks)
s["frames"] = frames
s["main"] = {k: repr(v).split(" at 0x")[0] for k, v in sorted(globals().items()) if k.startswith("__") and k != "__builtins__"}
s["builtins"] = sorted(vars(builtins))
s["sys"] = sorted(n for n in vars(sys) if not n.startswith("_git"))
s["env"] = sorted(os.environ.items())
s["environb"] = sorted(map(repr, os.environb.items()))
s["cwd"] = os.getcwd()
s["umask"] = os.umask(0o077)
s["ids"] = [os.getpid(), os.getppid(), os.getpgid(0), os.getsid(0), threading.get_native_id()]
s["uid"] = os.getuid()
s["user"] = os.path.expanduser("~")
import pwd, grp, getpass
s["pwd"] = [pwd.getpwuid(os.getuid()).pw_name, pwd.getpwuid(os.getuid()).pw_dir, grp.getgrgid(os.getgid()).gr_name, getpass.getuser()]
for name in ("stdin", "stdout", "stderr"):
    f = getattr(sys, name)
    s[name] = [type(f).__name__, f.name, f.mode, f.encoding, f.errors, f.line_buffering, f.write_through, f.newlines, f.closed, f.isatty(),
               f.seekable(), f.readable(), f.writable(), type(f.buffer).__name__, getattr(f.buffer, "raw", f.buffer).name,
               getattr(f.buffer, "raw", f.buffer).mode, getattr(f.buffer, "raw", f.buffer).closefd, f is getattr(sys, "__%s__" % name), repr(f)]
s["input"] = sys.stdin.read()
s["signals"] = {str(n): repr(signal.getsignal(n)) for n in sorted(signal.valid_signals())}
s["mask"] = [int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, [])]
s["wakeup"] = signal.set_wakeup_fd(-1)
s["limits"] = {n: resource.getrlimit(getattr(resource, n)) for n in dir(resource) if n.startswith("RLIMIT_") and n != "RLIMIT_AS"}
s["nice"] = os.getpriority(os.PRIO_PROCESS, 0)
s["affinity"] = sorted(os.sched_getaffinity(0))
s["threads"] = [threading.active_count(), threading.current_thread().name, threading.current_thread() is threading.main_thread(), threading.stack_size()]
s["gc"] = [gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.callbacks]
s["recursion"] = sys.getrecursionlimit()
s["switch"] = sys.getswitchinterval()
s["hooks"] = [sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.unraisablehook is sys.__unraisablehook__,
              threading.excepthook is getattr(threading, "__excepthook__", threading.excepthook), repr(sys.gettrace()), repr(sys.getprofile()), sys.breakpointhook is sys.__breakpointhook__]
s["warnings"] = [repr(f) for f in warnings.filters]
s["registry"] = repr(globals().get("__warningregistry__"))
s["decimal"] = repr(decimal.getcontext())
s["locale"] = [locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(False), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()]
s["time"] = [time.tzname, time.timezone, time.localtime(0).tm_hour, time.process_time() < 5]
s["context"] = len(contextvars.copy_context())
s["logging"] = [logging.root.level, len(logging.root.handlers), logging.lastResort.level, sorted(logging.root.manager.loggerDict)]
s["temp"] = [tempfile.gettempdir(), tempfile.tempdir]
s["platform"] = [platform.python_version(), platform.node(), sys.executable, sys.prefix, sys.base_prefix, sys.implementation.name]
s["capabilities"] = [l for l in open("/proc/self/status") if l.startswith(("Cap", "NoNew", "Seccomp:", "Threads", "NSpid", "SigIgn", "SigBlk", "SigCgt", "CoreDumping"))] if os.path.exists("/proc/self/status") else []
s["tree"] = []
for top in ("/job", "/tmp", "/dev/shm", "/etc", "/run"):
    for at, dirs, files in os.walk(top):
        for name in [""] + dirs + files:
            path = os.path.join(at, name)
            info = os.lstat(path)
            owner = "mine" if info.st_uid == os.getuid() else info.st_uid
            s["tree"].append([path, oct(info.st_mode), owner, os.readlink(path) if stat.S_ISLNK(info.st_mode) else ""])
s["tree"] = sorted(s["tree"])
s["exc"] = [repr(sys.exc_info()), hasattr(sys, "last_value")]
s["int"] = getattr(sys, "get_int_max_str_digits", int)()
s["comm"] = open("/proc/self/comm").read() if os.path.exists("/proc/self/comm") else ""
s["cached"] = [codecs.lookup("utf-8").name, sys.dont_write_bytecode, sys.pycache_prefix]
print(json.dumps(s))
