# Runs pip for an environment that is made in one place and stands in another.
# argv: the folder that holds pip, the interpreter as it will stand, pip's words.
import sys

sys.path.append(sys.argv[1])
final, words = sys.argv[2], sys.argv[3:]

from pip._internal.cli.main import main

sys.executable = final  # the first line of the programs that pip writes
sys.exit(main(words))
