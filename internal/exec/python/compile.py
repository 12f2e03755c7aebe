# Compiles a library folder ahead: compileall without its imports, as one of
# several processes. argv: the folder as it stands, the folder as scripts will
# see it, which part of the files, of how many. The .pyc carry a hash that
# nobody checks (PEP 552), as the folder is read-only from then on.
import sys, os, marshal
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash

root, inside, part, parts = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sources = sorted(
    os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".py")
)


def compile_one(path):
    with open(path, "rb") as file:
        source = file.read()
    try:
        code = compile(source, inside + path[len(root):], "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return  # a template, a test of bad syntax, or a file made to break a parser
    target = cache_from_source(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(MAGIC_NUMBER + b"\1\0\0\0" + source_hash(source) + marshal.dumps(code))


try:
    for path in sources[part::parts]:
        compile_one(path)
except OSError as error:
    print(error.errno, error, file=sys.stderr)
    sys.exit(28 if error.errno == 28 else 1)
