# Run once outside the walls, with -I -S: says on one line of JSON what this
# interpreter is, and compiles the harness that comes on stdin. It must be
# readable to every Python there ever was, so that an old one can be named.
import sys, json

implementation = getattr(getattr(sys, "implementation", None), "name", "cpython")
answer = {"version": "%d.%d.%d" % sys.version_info[:3], "implementation": implementation}


def facts():
    import os, site

    folder = "python%d.%d" % sys.version_info[:2]
    prefix = sys.prefix
    system = True
    # Before 3.14 it is the site module that finds a virtual environment, so -S hides it.
    above = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    if os.path.isfile(os.path.join(above, "pyvenv.cfg")):
        prefix, system = above, False
        with open(os.path.join(above, "pyvenv.cfg"), encoding="utf-8") as config:
            for line in config:
                key, _, value = line.partition("=")
                if key.strip().lower() == "include-system-site-packages":
                    system = value.strip().lower() == "true"
    sites = []
    if prefix != sys.base_prefix and os.name == "nt":
        sites.append(os.path.join(prefix, "Lib", "site-packages"))
    elif prefix != sys.base_prefix:
        sites += [os.path.join(prefix, lib, folder, "site-packages") for lib in ("lib", "lib64")]
    if system:
        sites += site.getsitepackages([sys.base_prefix, sys.base_exec_prefix])
    try:
        import _ssl

        cafile = _ssl.get_default_verify_paths()[1]
    except ImportError:
        cafile = ""
    answer.update(
        executable=os.path.abspath(sys.executable), real=os.path.realpath(sys.executable), prefix=prefix,
        base_prefix=sys.base_prefix, base_exec_prefix=sys.base_exec_prefix, path=sys.path,
        sites=[s for s in dict.fromkeys(sites) if os.path.isdir(s)], cafile=cafile,
        dynload=[p for p in sys.path if p.endswith("lib-dynload")],
    )


def harness():
    import base64, importlib.util, marshal

    # Optimised, or its docstrings would be read at every start; flags 1 is
    # "a hash that nobody checks", as there is no source beside it.
    code = compile(sys.stdin.buffer.read(), sys.argv[1], "exec", dont_inherit=True, optimize=2)
    data = importlib.util.MAGIC_NUMBER + b"\1\0\0\0" + bytes(8) + marshal.dumps(code)
    answer["harness"] = base64.b64encode(data).decode()


if implementation == "cpython" and sys.version_info >= (3, 9):
    facts()
    harness()
print(json.dumps(answer))
