"""The structs of _api.py lie in memory as a C compiler lays them out, and are those of the header."""

import ctypes
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from continua import _api as api


def test_the_mirror_is_fresh():
    subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "python-api"), "--check"], check=True)


def test_sizes_and_offsets(tmp_path):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    structs = [kind for kind in vars(api).values() if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
               and kind is not ctypes.Structure]
    assert len(structs) > 30
    lines, expected = [], []
    for kind in structs:
        name = kind.__name__
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append(ctypes.sizeof(kind))
        for field in kind._fields_:
            lines.append(f'printf("%zu %zu\\n", offsetof({name}, {field[0]}), sizeof((({name} *)0)->{field[0]}));')
            place = getattr(kind, field[0])
            expected.append((place.offset, place.size))
    source = tmp_path / "layout.c"
    source.write_text("#include <continua/continua.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    program = tmp_path / "layout"
    subprocess.run([compiler, "-std=c17", "-I", os.path.join(ROOT, "include"), source, "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    found = [tuple(map(int, line.split())) if " " in line else int(line) for line in printed]
    assert found == expected
