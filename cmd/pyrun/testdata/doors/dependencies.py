# /// script
# dependencies = ["requests"]
# ///
print("never")
