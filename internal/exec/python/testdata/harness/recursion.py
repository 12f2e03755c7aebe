def f(n):
    return f(n + 1)


try:
    f(0)
except RecursionError as e:
    print(e)
class Loud(Exception):
    def __str__(self):
        raise ValueError


raise Loud
