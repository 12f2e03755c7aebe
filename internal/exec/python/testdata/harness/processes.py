import concurrent.futures
import multiprocessing
import pickle
import sys


class Point:
    def __init__(self, x):
        self.x = x


def square(p):
    return Point(p.x**2), __name__


if __name__ == "__main__":
    assert pickle.loads(pickle.dumps(Point(2))).x == 2
    for method in ("fork", "forkserver", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, [(p.x, name) for p, name in pool.map(square, map(Point, range(3)))])
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        print([p.x for p, _ in pool.map(square, [Point(5)])])
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=queue.put, args=(1,))
    child.start()
    print(queue.get(), child.join(), child.exitcode)
