import asyncio
import dataclasses
import inspect
import subprocess
import sys
import typing
import unittest


@dataclasses.dataclass
class Item:
    """An item."""

    name: str
    more: typing.ClassVar[int] = 3


async def main():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6 * 7)", stdout=subprocess.PIPE)
    return (await process.communicate())[0]


class Case(unittest.TestCase):
    def test(self):
        self.assertEqual(Item("a").name, "a")


print(Item("x"), typing.get_type_hints(Item), inspect.getsource(Item), inspect.getfile(Item) == __file__)
print(asyncio.run(main()), inspect.getmodule(main).__name__, inspect.getsourcelines(main)[1])
print(subprocess.run([sys.executable, __file__, "again"], capture_output=True).returncode if len(sys.argv) == 3 else 0)
print(unittest.main(argv=["x"], exit=False, testRunner=unittest.TextTestRunner(stream=open("/dev/null", "w"))).result.wasSuccessful())
