import sys


def hook(kind, error, trace):
    frames = []
    while trace:
        frames.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    print("hook", kind, error, frames, sys.last_value is error, file=sys.stderr)


assert sys.excepthook is sys.__excepthook__
sys.excepthook = hook
raise RuntimeError("x")
