# Runs pip for an environment that is made in one place and stands in another, by
# the interpreter that it is made from: nothing in the environment is started, and
# its folder of packages is not searched, however late pip imports something.
# argv: the folder that holds pip, the environment, its interpreter as it will
# stand, pip's words.
import sys

sys.path.append(sys.argv[1])
root, final, words = sys.argv[2], sys.argv[3], sys.argv[4:]
sys.prefix = sys.exec_prefix = root  # as the site module does in an environment

from pip._internal.cli.main import main

sys.executable = final  # the first line of the programs that pip writes
sys.exit(main(words))
