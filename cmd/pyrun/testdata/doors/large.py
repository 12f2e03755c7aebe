import os

open(os.path.join(os.environ["ARTIFACTS_DIR"], "large.bin"), "wb").write(bytes(6 << 20))
