# Evaluates markers with pip's own reader of them. argv: the folder that holds
# pip; stdin: a JSON list of markers; stdout: for each true, false or what is wrong.
import sys, json

sys.path.insert(0, sys.argv[1])
from pip._vendor.packaging.markers import Marker


def answer(text):
    try:
        return Marker(text).evaluate({"extra": ""})
    except Exception as error:
        return str(error).splitlines()[0] or type(error).__name__


print(json.dumps([answer(text) for text in json.load(sys.stdin)]))
