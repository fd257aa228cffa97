"""read_checkpoint.py PAGE: runs the reader that the checkpoint format's page shows on the example that it shows."""
import re
import sys

page = open(sys.argv[1]).read()
dump = re.findall(r"^[0-9a-f]{8}  ((?:[0-9a-f]{2} {1,2}){1,16})", page, re.MULTILINE)
example = bytes.fromhex("".join(dump))
reader = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
shown = {"__name__": "shown"}
exec(compile(reader, sys.argv[1], "exec"), shown)

sections = shown["read_container"](example)
assert sections == {"time": (0.5,), "id": (0, 1, 2)}, sections

damaged = bytearray(example)
damaged[0x1f] ^= 1  # within 0.5: zstd's checksum of the piece tells
try:
    shown["read_container"](bytes(damaged))
except Exception as error:
    print("the page's reader reads the page's example, and refuses it damaged:", error)
else:
    sys.exit("a damaged example was read")
