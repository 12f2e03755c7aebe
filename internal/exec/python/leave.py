"""The end of a run: what was there before the script is not taken apart.

What can be noticed of Python's own end is done: threads and exit functions have
had their turn, the script's objects go, in that order, and the streams are
flushed. Where it cannot be done just so, it is left to Python.
"""
from _weakref import ref


def builtin(name):
    """A module of Python's own, made without the search for it, which takes its time, and for nobody else to find."""
    if name in sys.modules:
        return sys.modules[name]
    import _imp

    spec = type(sys.__spec__)(name, None)
    module = _imp.create_builtin(spec)
    _imp.exec_builtin(module)
    sys.modules.pop(name, None)  # where making it has put it there
    return module


def nowhere(function):
    """Places what goes while function runs where Python places what goes at its own end: warnings name the place."""
    code = function.__code__
    size, lines = len(code.co_code), {"co_lnotab": b""}  # no table: all of it is on the first line
    if sys.version_info >= (3, 11):  # entries for 8 units of 2 bytes: no columns, the same line again
        lines = {"co_linetable": b"\xef\0" * (size // 16) + bytes([0xE7 + size // 2 % 8, 0]) * (size % 16 > 0)}
    elif sys.version_info >= (3, 10):
        lines = {"co_linetable": b"\xfe\0" * (size // 254 + 1)}
    at = ("<sys>", 0) if sys.version_info >= (3, 13) else ("sys", 1)
    function.__code__ = code.replace(co_filename=at[0], co_firstlineno=at[1], **lines)
    return function


atexit, gc = builtin("atexit"), builtin("gc")
gettrace, getprofile = sys.gettrace, sys.getprofile
STATUS = None  # what the script ends with, once that is known
BEGAN = None  # what was there when the script began
PREFIX = sys.base_prefix
SHOWS = ("io", "traceback", "linecache")  # without which, at its end, Python shows no source
RAISED = ("last_type", "last_value", "last_traceback") + ("last_exc",) * (sys.version_info >= (3, 12))  # of an error, in sys
PLAIN = (type(None), bool, int, float, str, bytes)
# Parts of Python that leave something to C's exit functions and buffers, or to Python's own end.
OTHERS = ("_ctypes", "_curses", "readline", "_tkinter", "_interpreters", "_xxsubinterpreters")


def begin():
    """Has a run end by leave_soon."""
    atexit.register(leave_soon, None, posix._exit)
    gc.freeze()  # to and fro: what is there now counts as having lived long
    gc.unfreeze()


def settled(watched):
    """Says that what is there now is not the script's, and which modules have names of their own alone."""
    global BEGAN
    spaces = [getattr(sys.modules[word], "__dict__", {}) for word in watched]
    BEGAN = frozenset(sys.modules), spaces, named(spaces), tally()


def named(spaces):
    """How many names there are, those aside that errors put in sys."""
    return sum(map(len, spaces)) - sum(name in sys.__dict__ for name in RAISED)


def tally():
    """How often rubbish was looked for, which moves what lives among what has lived long."""
    return [generation["collections"] for generation in gc.get_stats()]


def ends(error):
    """What the status will be, when nothing that a script has put in place can change it."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if type(error) is not SystemExit:
            return None  # another may have a code of its own, which is to be asked for once
        code = error.code
        if type(code) is int:
            return code & 0xFF if -1 << 63 <= code < 1 << 63 else 0xFF
        return {type(None): 0, str: 1}.get(type(code))
    space = sys.__dict__  # where a script may have taken a name away
    plain = space.get("excepthook") is space.get("__excepthook__") is not None
    return 1 if plain and not isinstance(error, KeyboardInterrupt) else None


def watched():
    """Whether a script looks on and would see all that leave_soon does."""
    if gc.callbacks or gettrace() is not None or getprofile() is not None:
        return True
    monitoring = sys.__dict__.get("monitoring")  # since 3.12
    return monitoring is not None and any(monitoring.get_tool(tool) is not None for tool in range(6))


@nowhere
def leave_soon(flush_c, end):
    """The last exit function; end ends the process. flush_c is None where C has nothing to flush."""
    if STATUS is None or BEGAN is None or posix.getpid() != OWNER or not flush():
        return
    space, modules = sys.__dict__, sys.modules
    if type(modules) is not dict:
        return
    fresh, spaces, least, looked = BEGAN
    names = added(modules, fresh)
    if named(spaces) > least + sum(name.rpartition(".")[0] in fresh for name in names):
        return  # what a script has put into a module that is kept would never go
    if varied(modules.get("_contextvars")):
        return
    if flush_c is None and any(foreign(name, modules.get(name)) for name in names):
        return
    space["is_finalizing"] = True.__bool__
    # What lives since before the script is looked through only if some of the script's may be among it.
    # (Where the last threshold is 0, old objects are looked through bit by bit.)
    shallow = looked == tally() and gc.get_threshold()[2] > 0
    # First, as Python does, while all is in place. It also puts what is held behind its holder, as
    # a file's buffer behind the file: the order in which they go later, when nothing holds them.
    gc.collect(0 if shallow else 2)
    # What only Python itself would miss is not worth taking apart.
    keep = [space.get(name) for name in ("path", "path_hooks", "path_importer_cache", "meta_path")]
    keep += [modules.get(name) for name in SHOWS]
    for name in ("path", "argv", "ps1", "ps2", "path_hooks", "path_importer_cache", "meta_path") + RAISED:
        space[name] = None
    for name in ("stdin", "stdout", "stderr"):
        space[name] = space.get("__%s__" % name)
    made, held = [], False
    for name in names:
        try:
            made.append((ref(modules[name]), loader_of(modules[name])))
        except (KeyError, TypeError):
            pass
        modules[name] = None
    for name in SHOWS:
        modules[name] = None
    depth = 1 if shallow else 2
    gc.collect(depth)
    if any(link() is None and loader() is not None for link, loader in made):
        return  # a module has gone and its names have not: an exit function, whom Python has yet to drop, holds them
    for link, _ in reversed(made):
        module = link()
        if module is not None:
            empty(module.__dict__)
            held = True
        del module
    if held:
        gc.collect(depth)
    if not flush():
        return
    if flush_c is not None:
        flush_c(None)
    end(STATUS)


def added(modules, fresh):
    """__main__ and the names that came after fresh, in their order.

    A script that takes as many out of sys.modules as it puts behind those that
    were there leaves with some of its modules not emptied.
    """
    names = []
    for name in reversed(modules):
        if name in fresh:
            break
        names.append(name)
    if len(names) + len(fresh) != len(modules):
        return [name for name in modules if name not in fresh or name == "__main__"]
    return ["__main__"] + names[::-1]  # as it nearly always is, and no page of the others was touched


def foreign(name, module):
    """Whether a module has C code of its own, with exit functions and buffers that it may count on."""
    if name in OTHERS:
        return True
    return type(module) is type(sys) and type(module.__dict__.get("__loader__")).__name__ == "ExtensionFileLoader"


def varied(contextvars):
    """Whether a context variable holds what may have an end of its own, which comes after that of all modules."""
    try:
        return contextvars is not None and not all(
            type(value) in PLAIN or type(value).__module__ == "decimal" for value in contextvars.copy_context().values()
        )
    except Exception:
        return True


def loader_of(module):
    """A look at what only the names of a module hold, if it is no library's."""
    space = module.__dict__ if type(module) is type(sys) else {}
    file = space.get("__file__")
    try:
        if type(file) is str and file.startswith(PREFIX) or isinstance(space["__loader__"], type):
            return nobody
        return ref(space["__loader__"])
    except (KeyError, TypeError):
        return nobody


def nobody():
    return None


def flush():
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
    except BaseException:
        return False  # Python tries again and says so
    return True


@nowhere
def empty(space):
    """As Python empties a module that somebody still holds."""
    for hidden in (True, False):
        for name in list(space):
            private = name[:1] == "_" and name[1:2] != "_"
            if private == hidden and name != "__builtins__":
                space[name] = None


