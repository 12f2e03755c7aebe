# Compiles a library folder ahead: compileall without its imports, one process a
# core. argv: the folder as it stands, the folder as scripts will see it, how
# many processes. The .pyc carry a hash that nobody checks (PEP 552), as the
# folder is read-only from then on.
import sys, os, marshal
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash

root, inside, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
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


children = []
for worker in range(workers):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for path in sources[worker::workers]:
                compile_one(path)
            status = 0
        except OSError as error:
            os.write(2, ("%d %s\n" % (error.errno, error)).encode())
            status = 28 if error.errno == 28 else 1
        finally:
            os._exit(status)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
if min(codes) < 0:
    sys.exit("a file of it ends the interpreter with signal %d" % -min(codes))
sys.exit(max(codes))
