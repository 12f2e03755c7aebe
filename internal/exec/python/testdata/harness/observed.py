import cProfile
import dis
import pstats
import sys


def work(n):
    t = 0
    for i in range(n):
        t += i
    return t


seen = []


def trace(frame, event, arg):
    seen.append((frame.f_code.co_name, event, frame.f_lineno))
    return trace


sys.settrace(trace)
work(2)
sys.settrace(None)
print(seen)
seen.clear()
sys.setprofile(lambda frame, event, arg: seen.append((frame.f_code.co_name, event)))
work(2)
sys.setprofile(None)
print(seen)
profile = cProfile.Profile()
profile.runcall(work, 10)
print(sorted((k[2], v[0]) for k, v in pstats.Stats(profile).stats.items()))
dis.dis(work)
dis.dis(work.__code__)
if hasattr(sys, "monitoring"):
    tool = sys.monitoring
    tool.use_tool_id(3, "x")
    tool.register_callback(3, tool.events.LINE, lambda code, line: print("line", line))
    tool.set_local_events(3, tool.events.LINE and work.__code__, tool.events.LINE)
    work(2)
    tool.free_tool_id(3)
