"""Runs one script as `python script.py` runs it, then says what became of it.

    python -I ... importlib_bootstrap.pyc OPTIONS REPORT SCRIPT [ARGUMENT...]

OPTIONS is `-` or words joined by commas: `value` reports the repr of the last
expression, `figures` turns matplotlib's figures into files. REPORT is the file
that protocol.go reads; it is made when the script has ended, so that nothing is
open while it runs.

Only sys and posix (nt on Windows), all compiled in, are imported before the
script: every import here would be paid by every run. Must work on CPython 3.9
and newer.

No trace is left for the script to stumble over: the names below live in the
module that Python made for this file; the script gets a __main__ of its own.
harness.go puts report.py and leave.py before this file and figures.py into it.
What stays visible is one more frame at the bottom of the stack. This file's
name holds "importlib" and "_bootstrap" because the warnings module skips frames
of such files: a warning with a stacklevel then names the line it names elsewhere.
"""
import sys

__name__ = "pyrun"  # or the classes below would claim to be the script's
OPTIONS, REPORT, SCRIPT = sys.argv[1:4]
OPTIONS = OPTIONS.split(",")
FIGURES = ""  # harness.go puts figures.py here
FOLDER = variable("ARTIFACTS_DIR") or "."
WINDOWS = posix.__name__ == "nt"
ZYGOTE = ""  # and zygote.py here
COPY = None  # in a copy of a zygote, what zygote.py made


def furnish():
    """Makes sys.path and __main__ as a plain start has them, but for the script's name."""
    # Last, so that no input and no script shadows a standard module or a package.
    for folder in (variable("INPUTS_DIR"), posix.getcwd()):
        if folder and folder not in sys.path:
            sys.path.append(folder)
    main = type(sys)("__main__")
    space = main.__dict__
    loader = sys.modules["_frozen_importlib_external"].SourceFileLoader
    space["__loader__"] = loader("__main__", "")
    if sys.version_info < (3, 14):
        space["__annotations__"] = {}
    space["__builtins__"] = sys.modules["builtins"]
    space["__file__"] = ""
    if sys.version_info < (3, 15):
        space["__cached__"] = None
    sys.modules["__main__"] = main


def enter():
    """Makes argv what a plain start has, and names the script."""
    given = getattr(sys, "orig_argv", None)  # since 3.10
    if given is not None:
        sys.orig_argv = given[: len(given) - len(sys.argv)] + sys.argv[3:]
    sys.argv = sys.argv[3:]
    space = sys.modules["__main__"].__dict__
    space["__file__"] = space["__loader__"].path = SCRIPT
    if "site" in OPTIONS:
        site()
    if "figures" in OPTIONS and Figures.care is None:
        sys.meta_path.insert(0, Figures())


def site():
    """Puts in place what the site module would: pyrun passed -S where there are no packages to find.

    It saves the imports of site and os. The three long texts are fetched when somebody looks at them.
    """
    import _sitebuiltins

    builtins = sys.modules["builtins"]

    class Late:
        def __init__(self, name):
            self.name = name

        def real(self):
            import site

            site.setcopyright()
            return getattr(builtins, self.name)

        def __repr__(self):
            return repr(self.real())

        def __call__(self):
            self.real()()

    for word in ("quit", "exit"):
        setattr(builtins, word, _sitebuiltins.Quitter(word, "Ctrl-Z plus Return" if WINDOWS else "Ctrl-D (i.e. EOF)"))
    for word in ("copyright", "credits", "license"):
        setattr(builtins, word, Late(word))
    builtins.help = _sitebuiltins._Helper()


def unsite():
    """In a copy that would have been started without: takes away what the zygote put in place."""
    for word in ("quit", "exit", "copyright", "credits", "license", "help"):
        delattr(sys.modules["builtins"], word)


def load():
    """Compiles the script: the code to run and, when its value is wanted, the last expression."""
    source = contents()
    try:
        if "value" in OPTIONS:
            return split(compile(source, SCRIPT, "exec", 0x400, dont_inherit=True))  # 0x400: to a tree only
        return COPY is None and swift(source) or compile(source, SCRIPT, "exec", dont_inherit=True), None
    except (SyntaxError, ValueError) as error:
        if not WINDOWS and unreadable(source, error):
            # Python words these otherwise for a file than for bytes, so let it read the file.
            # Not on Windows, where exec is a new process and the end of this one.
            write(error)
            again = ["-I", "-X", "utf8", "-X", "faulthandler", "-u", "-B"] + ["-S"] * sys.flags.no_site
            posix.execv(sys.executable, [sys.executable] + again + sys.argv)
        raise


def contents():
    """The script's bytes, read without the io module, which takes its time."""
    fd = opened(SCRIPT, posix.O_RDONLY)
    try:
        parts, size = [b" "], 1 << 12
        while parts[-1]:
            parts.append(posix.read(fd, size))
            size = min(4 * size, 1 << 20)
    finally:
        posix.close(fd)
    return b"".join(parts[1:])


def swift(source):
    """Compiles without compile(), or returns None.

    compile() first makes the types of the ast module, which takes longer than
    all else in this file (2 to 3 ms). exec does without, but does not hand out
    the code; so a profile hook takes it from the frame before its first
    instruction and stops there. A warning counts as a failure here: compile()
    then gives it again under the script's own name.
    """
    if len(source) > 1 << 20:
        return None
    import _imp
    import _warnings

    space, found = {}, []

    def hook(frame, event, arg):
        if frame.f_globals is space:
            found.append(frame.f_code)
            raise StopIteration

    _warnings.filters.insert(0, ("error", None, Warning, None, 0))
    sys.setprofile(hook)
    try:
        exec(source, space)
    except BaseException:
        pass
    finally:
        sys.setprofile(None)
        del _warnings.filters[0]
    if not found:
        return None
    _imp._fix_co_filename(found[0], SCRIPT)
    return found[0]


def split(tree):
    """Parts the last expression from what stands before it; lines and __future__ stay."""
    import _ast

    last = tree.body[-1] if tree.body else None
    if not isinstance(last, _ast.Expr) or (len(tree.body) == 1 and isinstance(last.value, _ast.Constant)):
        return compile(tree, SCRIPT, "exec", dont_inherit=True), None  # a lone string is the docstring
    tree.body.pop()
    code = compile(tree, SCRIPT, "exec", dont_inherit=True)
    future = code.co_flags & 0x1FE0000  # the CO_FUTURE_ flags
    return code, compile(_ast.Expression(last.value), SCRIPT, "eval", future, dont_inherit=True)


def unreadable(source, error):
    if sys.version_info < (3, 10) or b"\0" in source or "encoding" in str(error):
        return True
    try:
        source.decode()
    except UnicodeDecodeError:
        return True
    return False


def quiet(hook, trace):
    """Before 3.11 a re-raise cannot lose this file's frame; a hook for one call can."""

    def once(kind, error, whole):
        sys.last_traceback = trace
        BaseException.with_traceback(error, trace)
        if hook is None:  # the script has taken it away
            del sys.excepthook
            print("sys.excepthook is missing", file=sys.stderr)
            return sys.__excepthook__(kind, error, trace)
        sys.excepthook = hook
        try:
            hook(kind, error, trace)
        except SystemExit:
            raise
        except BaseException as broken:  # as PyErr_Print words it
            print("Error in sys.excepthook:", file=sys.stderr)
            sys.__excepthook__(type(broken), broken, BaseException.with_traceback(broken, broken.__traceback__.tb_next))
            print("\nOriginal exception was:", file=sys.stderr)
            sys.__excepthook__(kind, BaseException.with_traceback(error, trace), trace)

    return once


class Figures:
    """Waits on sys.meta_path for pyplot, to have figures.py take care of it."""

    care = None

    def find_spec(self, wanted, path=None, target=None):
        if wanted != "matplotlib.pyplot":
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec(wanted)
        loader = spec and spec.loader
        if hasattr(loader, "exec_module"):
            run = loader.exec_module

            def exec_module(module):
                del loader.exec_module
                run(module)
                Figures.take(module)

            loader.exec_module = exec_module
        return spec

    @classmethod
    def take(cls, pyplot):
        cls.care = {"__name__": "pyrun", "NOTES": NOTES, "FOLDER": FOLDER}
        exec(compile(FIGURES, "<pyrun: figures>", "exec"), cls.care)
        cls.care["adopt"](pyplot)


def leave(error, value):
    """What the end of the script sets off, before Python's own end."""
    if Figures.care is not None and posix.getpid() == OWNER:
        try:
            Figures.care["save_all"]()
        except Exception as broken:
            NOTES.append("figures: " + name(broken) + ": " + str(broken))
    write(error, value)
    global SPACE, STATUS
    SPACE, STATUS = None, None if watched() else ends(error)  # the script's names are nobody's but its own


def dress(source):
    """What a zygote and its copies do ahead of a run: all that a run does, to no effect."""
    global OPTIONS, REPORT, SCRIPT, STATUS
    OPTIONS, REPORT, SCRIPT = ["-"], "/dev/null", "/dev/null"
    furnish()
    enter()
    load()
    space = sys.modules["__main__"].__dict__
    exec(compile(source, SCRIPT, "exec"), space)
    try:
        raise ValueError("dress rehearsal")
    except ValueError as error:
        describe(error)
    leave(None, None)
    STATUS = None
    if Figures.care is None and "matplotlib.pyplot" in sys.modules:
        Figures.take(sys.modules["matplotlib.pyplot"])  # a package has loaded it: nobody will import it any more
    NOTES.clear()


if OPTIONS[0] == "zygote":
    if "site" in OPTIONS:
        site()
    COPY = {"__name__": "pyrun", "atexit": atexit, "gc": gc, "leave_soon": leave_soon, "settled": settled, "flush": flush}
    exec(compile(ZYGOTE, "<pyrun: zygote>", "exec"), COPY)
    COPY["serve"](dress, furnish, sys.argv[4:])
    OPTIONS, REPORT, SCRIPT = sys.argv[1:4]
    OPTIONS = OPTIONS.split(",")
    OWNER = posix.getpid()
    if Figures.care is not None and "figures" not in OPTIONS:
        Figures.care["give_back"]()
        Figures.care = None
    if sys.flags.no_site:
        if "site" not in OPTIONS:
            unsite()
        else:
            OPTIONS.remove("site")
else:
    if not WINDOWS:
        begin()
    furnish()
enter()
if COPY is None and not WINDOWS:
    # But the two that importlib, when it is loaded, gives a __file__.
    settled([word for word in sys.modules if not word.startswith(("__main__", "_frozen_importlib", "importlib._"))])
SPACE = sys.modules["__main__"].__dict__  # a script may take the module away
try:
    CODE, LAST = load()
    if LAST is None:
        exec(CODE, SPACE)
        leave(None, None)
    else:
        exec(CODE, SPACE)
        leave(None, eval(LAST, SPACE))
except BaseException:
    # Raised again with this file's frames taken off, it leaves for Python's own
    # handling: SystemExit, KeyboardInterrupt, sys.excepthook, the exit status.
    ERROR = sys.exc_info()[1]
    TRACE = ERROR.__traceback__
    while TRACE is not None and TRACE.tb_frame.f_globals is globals():
        TRACE = TRACE.tb_next
    BaseException.with_traceback(ERROR, TRACE)
    leave(ERROR, None)
    if sys.version_info < (3, 11) and not isinstance(ERROR, SystemExit):
        sys.excepthook = quiet(sys.__dict__.get("excepthook"), TRACE)
    del ERROR, TRACE
    raise
