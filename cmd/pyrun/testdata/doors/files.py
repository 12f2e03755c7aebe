import os

folder = os.environ["ARTIFACTS_DIR"]
open(os.path.join(folder, "text.csv"), "w").write("a,b\n1,2\n")
open(os.path.join(folder, "empty"), "w").close()
open(os.path.join(folder, "bytes.bin"), "wb").write(bytes(range(256)))
os.makedirs(os.path.join(folder, "deep", "er"))
open(os.path.join(folder, "deep", "er", "x.json"), "w").write("{}")
os.symlink("/etc/passwd", os.path.join(folder, "link"))
os.mkfifo(os.path.join(folder, "pipe"))
