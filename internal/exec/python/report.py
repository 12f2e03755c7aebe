"""What is told of a script that has ended: the frames that protocol.go reads."""
import sys

try:
    import posix
except ImportError:  # Windows calls it otherwise, and has less in it
    import nt as posix

OWNER = posix.getpid()  # a forked child that falls off the script's end reports nothing
NOTES = []  # what could not be done


def variable(name):
    """A variable of the environment, read without os; None when it is not set."""
    if posix.__name__ == "nt":
        return posix.environ.get(name)
    value = posix.environ.get(name.encode())
    return value and value.decode("utf-8", "surrogateescape")


def opened(path, flags, *also):
    """A descriptor of a file, as bytes and for this process alone, with the flags that there are here."""
    for name in ("O_CLOEXEC", "O_BINARY", "O_NOINHERIT") + also:
        flags |= getattr(posix, name, 0)
    return posix.open(path, flags, 0o600)


def write(error, value=None):
    """Writes the report. It must not fail: the script's own end comes first."""
    if posix.getpid() != OWNER:
        return
    try:
        frames = [(b"N", clip(note, 512)) for note in NOTES[:16]]
        if value is not None:
            try:
                frames.append((b"V", clip(repr(value), 4096)))
            except BaseException as broken:
                frames.append((b"N", clip("the value's repr raised " + name(broken), 512)))
        if error is not None and not isinstance(error, SystemExit):
            frames += describe(error)
        if not frames:
            return  # there is no report then
        frames.append((b".", b""))
        data = b"".join([tag + len(text).to_bytes(4, "big") + text for tag, text in frames])
        # What a script may have put in its place is not followed and not waited for.
        fd = opened(REPORT, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, "O_NOFOLLOW", "O_NONBLOCK")
        try:
            while data:
                data = data[posix.write(fd, data):]
        finally:
            posix.close(fd)
    except BaseException:
        pass


def describe(error):
    """The error as its traceback's last line has it, and where in the script it came from."""
    line, text = 0, None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SCRIPT:
            line = trace.tb_lineno
        trace = trace.tb_next
    syntax = isinstance(error, SyntaxError)
    try:
        message = str(error.msg if syntax else error)
    except BaseException:
        message = "<exception str() failed>"
    if syntax and error.filename == SCRIPT and isinstance(error.lineno, int):
        line, text = error.lineno, error.text
    if line > 0 and not text:
        with open(SCRIPT, "rb") as file:
            source = file.read().replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        text = source[line - 1].decode("utf-8", "replace") if line <= len(source) else ""
    return [
        (b"T", clip(name(error), 256)),
        (b"M", clip(message, 2048)),
        (b"L", b"%d" % line),
        (b"C", clip((text or "").strip("\ufeff\r\n"), 400)),
    ]


def name(error):
    kind = type(error)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return kind.__module__ + "." + kind.__qualname__


def clip(text, most):
    data = text[:most].encode("utf-8", "backslashreplace")
    return data if len(data) <= most else data[:most].decode("utf-8", "ignore").encode()


