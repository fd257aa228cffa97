"""What the tests of the command share: a small scene, running the program, and reading what it wrote.

Only Python's standard library is used. The program is the one that the environment variable CONTINUA names.
"""

import array
import csv
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
import xml.etree.ElementTree as ElementTree

PROGRAM = os.environ.get("CONTINUA", "continua")

# Seconds until a program counts as hanging. Sanitizers on a busy machine make seconds into minutes.
PATIENCE = 300
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A rubber ball falls in a box. In 2D a run takes a fraction of a second; `per_cell` makes it take longer.
SCENE = """\
name: drop
title: A ball falls in a box
dimension: {dimension}
precision: {precision}
time: {{end: {end}, frame: {frame}}}
grid: {{spacing: {spacing}}}
domain: {{min: {low}, max: {high}}}
walls: {{default: separate}}
materials:
  rubber: {{type: fixed_corotated, density: 1000, young: {young}, poisson: 0.3}}
bodies:
  ball:
    material: rubber
    shape: {{type: sphere, center: {center}, radius: 0.2}}
    sampling: {{pattern: jittered, per_cell: {per_cell}}}
output:
  fields: [velocity, J, body, id]
  formats: {formats}
  checkpoint_every: {checkpoint_every}
  energy_budget: true
"""

DEFAULTS = dict(dimension=2, precision="float", end=0.5, frame=0.02, spacing=0.02, young=1e5, per_cell=4,
                formats="[vtu]", checkpoint_every=0)


def scene_text(**changes):
    values = dict(DEFAULTS, **changes)
    flat = values["dimension"] == 2
    values["low"], values["high"] = ("[0, 0]", "[1, 1]") if flat else ("[0, 0, 0]", "[1, 1, 1]")
    values["center"] = "[0.5, 0.45]" if flat else "[0.5, 0.45, 0.5]"
    return SCENE.format(**values)


class Case(unittest.TestCase):
    """A test with a folder of its own, which is also the working directory of every program it starts."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="continua-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def scene(self, name="scene.yaml", **changes):
        return self.write(name, scene_text(**changes))

    def run_program(self, *arguments, timeout=PATIENCE, **options):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, **options)

    def start(self, *arguments, **options):
        options = dict(dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True), **options)
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()

    def succeed(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def fail_with(self, code, *arguments, says="", **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn(says, result.stderr)
        return result

    def hash_of(self, *arguments, **options):
        return find_hash(self.succeed(*arguments, **options).stdout)

    def check_run(self, name, frames):
        """Every frame is whole and in its place, every row of stats.csv is there once."""
        for number in range(frames):
            self.check_frame(self.path(name, "frames", "frame_%06d.vtu" % number))
        with open(self.path(name, "stats.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        times = [float(row["time"]) for row in rows]
        self.assertEqual(times, sorted(set(times)), "a row is missing its place or there twice")
        self.assertEqual(len(rows), frames)
        for row in rows:
            self.assertNotIn(None, row, "a row with too many columns")
            self.assertNotIn(None, row.values(), "a row with too few columns")
        listed = re.findall(r'file="([^"]*)"', read_text(self.path(name, "run.pvd")))
        self.assertEqual(listed, ["frames/frame_%06d.vtu" % number for number in range(frames)])
        self.assertEqual([], [file for _, _, files in os.walk(self.path(name)) for file in files if file.endswith(".part")])
        return rows

    def check_frame(self, path):
        points, arrays = read_vtu(path)
        self.assertGreater(points, 0)
        return points, arrays


def find_hash(text):
    """The state hash, which must be the last line."""
    match = re.fullmatch(r"state hash: ([0-9a-f]{32})", text.splitlines()[-1])
    assert match, "no state hash in the last line of:\n" + text
    return match.group(1)


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


CODES = {"Float32": "f", "Float64": "d", "UInt8": "B", "UInt16": "H", "UInt32": "I", "Int32": "i", "Int64": "q", "UInt64": "Q"}


def read_png(path):
    """Rows of (red, green, blue) of a PNG with 8 bits a channel and no alpha, as continua writes them."""
    with open(path, "rb") as file:
        content = file.read()
    place, data = 8, b""
    while place < len(content):
        size, kind = struct.unpack_from(">I4s", content, place)
        if kind == b"IHDR":
            width, height = struct.unpack_from(">II", content, place + 8)
        if kind == b"IDAT":
            data += content[place + 8:place + 8 + size]
        place += size + 12
    data, stride, before, rows = zlib.decompress(data), 3 * width, bytes(3 * width), []
    for y in range(height):
        kind, line = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a, b, c = (line[x - 3] if x > 2 else 0), before[x], (before[x - 3] if x > 2 else 0)
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[x] = (line[x] + [0, a, b, (a + b) // 2, nearest][kind]) & 255
        rows.append([tuple(line[k:k + 3]) for k in range(0, stride, 3)])
        before = bytes(line)
    return rows


def read_vtu(path):
    """Number of points and {name: numbers} of a VTU with appended raw data. Fails where any part is not whole."""
    with open(path, "rb") as file:
        content = file.read()
    opening = content.index(b"<AppendedData")
    begin = content.index(b"_", opening) + 1
    end = content.rindex(b"</AppendedData>")
    assert content.rstrip().endswith(b"</VTKFile>"), path
    head = content[:opening].decode() + "</VTKFile>"
    tree = ElementTree.fromstring(head)
    piece = tree.find(".//Piece")
    points = int(piece.get("NumberOfPoints"))
    arrays = {}
    for node in piece.iter("DataArray"):
        if node.get("format") != "appended":
            continue
        offset = begin + int(node.get("offset"))
        length, = struct.unpack_from("<Q", content, offset)
        assert offset + 8 + length <= end, "%s: %s is cut off" % (path, node.get("Name"))
        numbers = array.array(CODES[node.get("type")], content[offset + 8:offset + 8 + length])
        assert len(numbers) % int(node.get("NumberOfComponents", "1")) == 0, path
        arrays[node.get("Name")] = numbers
    assert points > 0 and arrays, path
    return points, arrays


def main():
    unittest.main(verbosity=2)
