"""The example that opens continua.h compiles without a warning and does what it says."""

import os
import re
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LIBRARY = os.environ["CT_LIBRARY"]  # libcontinua.so of the build


def main():
    with open(os.path.join(ROOT, "include", "continua", "continua.h")) as file:
        opening = file.read().split("*/")[0]
    lines = re.findall(r"^ \*     (.*)$", opening.split("Rules that hold")[0], re.M)
    assert len(lines) > 15, "the example is gone"
    program = "#include <continua/continua.h>\n#include <stdio.h>\n#include <stdlib.h>\n\nint main(void)\n{\n"
    program += "\n".join(lines) + "\n    return 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "example.c"), os.path.join(folder, "example")
        with open(source, "w") as file:
            file.write(program)
        build = os.path.dirname(LIBRARY)
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Werror", "-I",
                        os.path.join(ROOT, "include"), source, "-o", binary, LIBRARY, f"-Wl,-rpath,{build}"], check=True)
        said = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    height = float(re.fullmatch(r"the first particle is at y = (\S+) m\n", said)[1])
    fallen = 9.81 * 0.1**2 / 2
    assert -0.1 - 1.2 * fallen < height < 0.1 - 0.8 * fallen, said
    print("header example: good")


if __name__ == "__main__":
    main()
