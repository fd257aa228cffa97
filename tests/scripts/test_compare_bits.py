"""scripts/compare-bits: a build against itself, against one that differs, and a comparison that goes on."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("CONTINUA", "continua"))

# A build that differs in one thing, and one that notes its runs.
WRAPPER = """\
#!/bin/sh
echo "$1" >>"{log}"
if [ "$1" = run ]; then exec "{program}" "$@" {extra}; fi
exec "{program}" "$@"
"""


class CompareBits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="continua-bits-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def wrap(self, name, extra=""):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(WRAPPER.format(log=self.path(name + ".log"), program=PROGRAM, extra=extra))
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def runs_of(self, name):
        with open(self.path(name + ".log"), encoding="utf-8") as file:
            return file.read().split().count("run")

    def compare(self, *arguments):
        result = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "compare-bits"), "--steps", "20", "--state",
                                 self.path("state.jsonl"), *arguments], capture_output=True, text=True, timeout=240)
        return result.returncode, result.stdout + result.stderr

    def test_itself_is_equal(self):
        code, text = self.compare(PROGRAM, PROGRAM, "verify/budget", "verify/extension")
        self.assertEqual(code, 0, text)
        self.assertIn("2 scenes, 8 pairs of runs, 0 different", text)
        row = next(line.split() for line in text.splitlines() if line.startswith("verify/budget"))
        self.assertEqual(row[1], "2D")
        self.assertGreaterEqual(int(row[2]), 20)  # steps
        self.assertGreater(int(row[3]), 0)        # emitted
        self.assertEqual(row[6:], ["equal"] * 4)

    def test_a_difference_is_seen(self):
        other = self.wrap("other", "--set 'gravity=[0, -9.82]'")
        code, text = self.compare(PROGRAM, other, "verify/free_fall")
        self.assertEqual(code, 1, text)
        self.assertIn("1 scenes, 4 pairs of runs, 4 different", text)

    def test_goes_on_where_it_was(self):
        before, after = self.wrap("before"), self.wrap("after")
        first = self.compare(before, after, "verify/extension")
        self.assertEqual(first[0], 0, first[1])
        self.assertEqual((self.runs_of("before"), self.runs_of("after")), (5, 4))
        with open(self.path("state.jsonl"), "rb+") as file:  # stopped while it wrote the last result
            file.truncate(os.path.getsize(self.path("state.jsonl")) - 9)
        self.assertEqual(self.compare(before, after, "verify/extension"), first)
        self.assertEqual((self.runs_of("before"), self.runs_of("after")), (5, 5))

    def test_what_cannot_be_run(self):
        code, text = self.compare(PROGRAM, self.path("absent"))
        self.assertEqual(code, 2)
        self.assertIn("no program", text)
        code, text = self.compare(PROGRAM, PROGRAM, "no_such_scene")
        self.assertEqual(code, 2)
        self.assertIn("no scene", text)


unittest.main()
