"""Parses sources that nobody has read and tells of each what only Python can know.

    python -I [-S] ... validate.py

Frames come in on stdin: a tag, a length (4 bytes, big endian), that many bytes.
`K` replaces the names whose import needs no look, one a line; `!` before a name
says that it needs one though it is in the standard library. `S` is a source that
runs as a script, `M` one that lies in a package. validation.go reads what goes
out: one line of JSON when ready, then one for each source.

Nothing of a source is run. A source is compiled once; the modules it imports are
read from its code. Only one that imports something without a name in `K` is
parsed again, to a tree, which takes longer than all the rest: the tree knows
where an import stands and under which conditions. Must work on CPython 3.9 and
newer.
"""
import sys
import _ast
import os
import opcode

try:
    from _json import encode_basestring_ascii as quote  # json itself takes 5 ms to import
except ImportError:
    from json import dumps as quote

NAME = "<source>"
CODE = type(compile("", NAME, "exec"))
TREE, AWAIT = 0x400, 0x2000  # PyCF_ONLY_AST, PyCF_ALLOW_TOP_LEVEL_AWAIT
IMPORT = opcode.opmap["IMPORT_NAME"]
CONST = opcode.opmap["LOAD_CONST"]
EXTENDED = opcode.EXTENDED_ARG
SMALL = opcode.opmap.get("LOAD_SMALL_INT", -1)  # since 3.14
READABLE = sys.version_info < (3, 15)  # the code below knows this bytecode
MOST = 100_000  # characters told of the imports of one source
DEEP = 16  # conditions told of one import
CLIP = 1000  # characters of a source line


def standard():
    """The names of the standard library."""
    names = getattr(sys, "stdlib_module_names", None)  # since 3.10
    if names is not None:
        return set(names) | {"test", "__main__"}
    folder = os.path.dirname(os.__file__)
    names = {"test", "__main__"} | set(sys.builtin_module_names) | modules(folder) | modules(os.path.join(folder, "lib-dynload"))
    # Of other systems, or left out by a distribution.
    names |= set("_winapi msilib msvcrt nt winreg winsound distutils ensurepip idlelib lib2to3 tkinter turtle venv".split())
    return names


def modules(folder):
    """The top-level names that a folder of sys.path offers."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return set()
    names = set()
    for entry in entries:
        name, dot, end = entry.name.partition(".")
        if name.isidentifier() and (end == "py" or end.endswith("so") or end.endswith("pyd") or not dot and entry.is_dir()):
            names.add(name)
    return names - {"__pycache__"}


def installed():
    """What can be imported beside the standard library, metadata or not."""
    names = set()
    for folder in sys.path:
        if folder.rstrip("/").endswith(("site-packages", "dist-packages")) or not folder.startswith(sys.base_prefix + "/"):
            names |= modules(folder)
    return names


def imported(code, module, names):
    """Adds what code imports to names; None among them says that a look at the tree is needed."""
    text = code.co_code
    kinds = text[::2]
    at = kinds.find(IMPORT)
    while at >= 0:
        level = None
        if READABLE and at >= 2 and kinds[at - 1] == CONST and (at < 3 or kinds[at - 3] != EXTENDED):  # the usual three
            if kinds[at - 2] == SMALL:
                level = text[2 * at - 3]
            elif kinds[at - 2] == CONST:
                level = code.co_consts[text[2 * at - 3]]
        if level == 0:
            names.add(code.co_names[text[2 * at + 1]])
        elif level is None or not module:
            names.add(None)
        at = kinds.find(IMPORT, at + 1)
    for constant in code.co_consts:
        if constant.__class__ is CODE:
            imported(constant, module, names)


def answer(source, module, known):
    try:
        code = compile(source, NAME, "exec", dont_inherit=True)
    except Exception as error:
        return failure(source, error)
    names = set()
    imported(code, module, names)
    for name in names:
        if name is None or name.partition(".")[0] not in known:
            break
    else:
        if b"import_module" not in source and b"__import__" not in source:
            return "{}"
    del code
    look = Look(source, module, known, None if None in names else names)
    look.all(compile(source, NAME, "exec", TREE, dont_inherit=True).body)
    return '{"imports":[%s]}' % ",".join(look.found)


def failure(source, error):
    """What compile() said, with columns in characters."""
    if not isinstance(error, SyntaxError):
        return '{"failed":%s}' % quote(type(error).__name__)
    message, line, column = str(error.msg), error.lineno or 0, error.offset or 0
    end, last = getattr(error, "end_lineno", 0) or 0, getattr(error, "end_offset", 0) or 0
    await_ = False
    try:
        lines = decoded(source)
        compile("\n".join(lines), NAME, "exec", TREE, dont_inherit=True)
    except SyntaxError as again:
        if again.lineno == line:  # before 3.13 characters are counted in text only, in bytes bytes
            column, last = again.offset or 0, getattr(again, "end_offset", 0) or 0
    except Exception:
        pass
    else:
        # Not the parser's word but the compiler's, who counts bytes of UTF-8.
        column, last = characters(lines, line, column), characters(lines, end, last)
        if "async" in message or "await" in message:
            try:
                compile(source, NAME, "exec", AWAIT, dont_inherit=True)
                await_ = True
            except Exception:
                pass
    return '{"error":{"message":%s,"place":[%d,%d,%d,%d],"await":%s,"text":%s}}' % (
        quote(message[:500]), line, column, end, last, "true" if await_ else "false", quote(shown(source, line)),
    )


def decoded(source):
    """The lines as Python reads them."""
    try:
        if b"coding" in source[:500]:
            raise ValueError
        text = source.decode("utf-8-sig")
    except ValueError:
        import importlib.util

        text = importlib.util.decode_source(source).lstrip("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def characters(lines, line, column):
    if not 0 < line <= len(lines) or column < 1:
        return column
    return len(lines[line - 1].encode()[: column - 1].decode("utf-8", "ignore")) + 1


def utf8(source):
    try:
        source.decode()
    except ValueError:
        return False
    return True


def shown(source, line):
    """A line, for a reader who cannot decode it."""
    try:
        return "" if utf8(source) or line < 1 else decoded(source)[line - 1][:CLIP]
    except (ValueError, LookupError, SyntaxError):
        return ""


class Look:
    """Walks the statements of one source, and expressions where it must, for imports."""

    def __init__(self, source, module, known, names):
        self.module, self.known, self.names = module, known, names
        self.lines, self.plain, self.room = decoded(source), utf8(source), MOST
        self.dynamic = b"import_module" in source or b"__import__" in source
        self.groups = 0
        self.found = []

    def all(self, nodes):
        """Not by recursion: a thousand elif are a thousand levels."""
        waiting = [(node, ()) for node in reversed(nodes)]
        while waiting:
            node, guards = waiting.pop()
            waiting.extend(reversed(self.one(node, guards)))

    def one(self, node, guards):
        """Looks at a statement; what lies in it comes back, each with its guards."""
        kind = node.__class__.__name__
        if kind == "Import":
            self.imports(node, [(alias.name, 0) for alias in node.names], guards)
        elif kind == "ImportFrom":
            self.imports(node, [(node.module or "", node.level)], guards)
        elif kind in ("Try", "TryStar") and any(catches(handler.type) for handler in node.handlers):
            self.groups += 1
            parts = (node.body, "caught"), (node.handlers, "fallback"), (node.orelse, "else")
            inner = [(child, guards + ((how, self.groups),)) for part, how in parts for child in part]
            return inner + [(child, guards) for child in node.finalbody]
        elif kind == "If":
            yes, no = condition(node.test)
            self.expressions(node.test, guards)
            return [(child, guards + yes) for child in node.body] + [(child, guards + no) for child in node.orelse]
        else:
            if kind == "With" and any(suppresses(item.context_expr) for item in node.items):
                guards += (("caught", 0),)
            inner = []
            for field in node._fields:
                value = getattr(node, field, None)
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, _ast.stmt) or child.__class__.__name__ in ("ExceptHandler", "match_case"):
                        inner.append((child, guards))
                    elif isinstance(child, _ast.AST):
                        self.expressions(child, guards)
            return inner
        return []

    def expressions(self, node, guards):
        """Calls of import_module and __import__ with a literal name."""
        if not self.dynamic:
            return
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node.__class__.__name__ == "Call" and node.args and name(node.func) in ("import_module", "__import__"):
                wanted = getattr(node.args[0], "value", None)
                if isinstance(wanted, str) and wanted and not wanted.startswith("."):
                    self.tell(node.args[0], wanted, 0, guards, True)
            for field in node._fields:
                value = getattr(node, field, None)
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, _ast.AST):
                        waiting.append(child)

    def imports(self, node, wanted, guards):
        after = 0
        for text, level in wanted:
            after = self.tell(node, text, level, guards, False, after)

    def tell(self, node, wanted, level, guards, dynamic, after=0):
        if not level and wanted.partition(".")[0] in self.known or level and self.module:
            return after
        if not level and not dynamic and self.names is not None and wanted not in self.names:
            return after  # the compiler left it out: it cannot be reached
        if self.room < 0:
            return after
        place = self.find(node, "." * level + wanted, after)
        told = ",".join('{"kind":"%s","group":%d}' % guard for guard in guards[-DEEP:])
        text = "" if self.plain else self.lines[place[0] - 1][:CLIP]
        item = '{"name":%s,"level":%d,"dynamic":%s,"place":[%d,%d,%d,%d],"guards":[%s],"text":%s}' % (
            (quote(wanted[:200]), level, "true" if dynamic else "false") + place + (told, quote(text))
        )
        self.room -= len(item)
        self.found.append(item)
        return place[3] if place[0] == node.lineno else after

    def find(self, node, wanted, after):
        """Where a name stands in its statement: the tree says it of no version's every import."""
        first, last = node.lineno, node.end_lineno
        start = max(characters(self.lines, first, node.col_offset + 1), after)
        for line in range(first, min(last, first + 50) + 1):
            text = self.lines[line - 1] if line <= len(self.lines) else ""
            at = text.find(wanted, start - 1 if line == first else 0) if wanted.strip(".") or line == first else -1
            while at >= 0:
                around = text[at - 1 : at] + text[at + len(wanted) : at + len(wanted) + 1]
                if not around.replace("_", "a").isidentifier() and not around[-1:].isalnum():
                    return line, at + 1, line, at + 1 + len(wanted)
                at = text.find(wanted, at + 1)
        return first, start, last, characters(self.lines, last, node.end_col_offset + 1)


def name(node):
    """The last part of a dotted name."""
    return getattr(node, "attr", None) or getattr(node, "id", None)


def catches(node):
    """Whether an except clause takes an ImportError."""
    if node is None:
        return True
    kinds = node.elts if node.__class__.__name__ == "Tuple" else [node]
    return any(name(kind) in ("ImportError", "ModuleNotFoundError", "Exception", "BaseException") for kind in kinds)


def suppresses(node):
    return node.__class__.__name__ == "Call" and name(node.func) == "suppress" and any(catches(kind) for kind in node.args)


def condition(node):
    """The guards of an if statement's two branches."""
    turned = False
    while node.__class__.__name__ == "UnaryOp" and node.op.__class__.__name__ == "Not":
        node, turned = node.operand, not turned
    if name(node) == "TYPE_CHECKING":
        only = (("checking", 0),)
        return ((), only) if turned else (only, ())
    waiting, seen = [node], 0
    while waiting and seen < 100:
        node, seen = waiting.pop(), seen + 1
        owner = name(getattr(node, "value", None))
        if owner == "sys" and name(node) in ("platform", "version_info", "implementation", "hexversion", "version"):
            return (("condition", 0),), (("condition", 0),)
        if (owner, name(node)) in (("os", "name"), ("platform", "system")) or name(node) == "find_spec":
            return (("condition", 0),), (("condition", 0),)
        for field in node._fields:
            value = getattr(node, field, None)
            waiting += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, _ast.AST)]
    return (), ()


def main():
    import _warnings

    _warnings.filters.insert(0, ("ignore", None, Warning, None, 0))
    read, write, flush = sys.stdin.buffer.read, sys.stdout.write, sys.stdout.flush
    stdlib, ours = standard(), installed()
    known = stdlib
    write('{"stdlib":[%s],"installed":[%s]}\n' % (",".join(map(quote, sorted(stdlib))), ",".join(map(quote, sorted(ours)))))
    flush()
    while True:
        head = read(5)
        if len(head) < 5:
            return
        data = read(int.from_bytes(head[1:], "big"))
        if head[:1] == b"K":
            names = data.decode().split("\n")
            known = (stdlib | set(names)) - {name[1:] for name in names if name[:1] == "!"}
            continue
        try:
            told = answer(data, head[:1] == b"M", known)
        except Exception as error:  # what follows compile() can be too deep as well
            told = '{"failed":%s}' % quote(type(error).__name__)
        write(told + "\n")
        flush()


main()
