"""A checkout that was moved or copied builds: make forgets the paths of its old place, and no others."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Moved(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def tree(self, name):
        tree = os.path.join(self.folder, name)
        os.makedirs(os.path.join(tree, "build", "CMakeFiles"))
        shutil.copy(os.path.join(ROOT, "Makefile"), tree)
        with open(os.path.join(tree, "build", "CMakeCache.txt"), "w", encoding="utf-8") as file:
            file.write("CMAKE_BUILD_TYPE:STRING=Release\nCMAKE_CACHEFILE_DIR:INTERNAL=%s/build\n" % tree)
        return tree

    def kept(self, tree):
        """What is left of the configuration after make has looked at it."""
        subprocess.run(["make", "-C", tree, "help"], check=True, stdout=subprocess.DEVNULL)
        return [name for name in ("CMakeCache.txt", "CMakeFiles") if os.path.exists(os.path.join(tree, "build", name))]

    def test_in_its_place(self):
        self.assertEqual(self.kept(self.tree("here")), ["CMakeCache.txt", "CMakeFiles"])

    def test_behind_a_link(self):
        os.symlink(self.tree("here"), os.path.join(self.folder, "link"))
        self.assertEqual(self.kept(os.path.join(self.folder, "link")), ["CMakeCache.txt", "CMakeFiles"])

    def test_moved(self):
        there = os.path.join(self.folder, "there with blanks")
        os.rename(self.tree("here"), there)
        self.assertEqual(self.kept(there), [])

    def test_copied(self):
        here, there = self.tree("here"), os.path.join(self.folder, "there")
        shutil.copytree(here, there)
        self.assertEqual(self.kept(there), [])
        self.assertEqual(self.kept(here), ["CMakeCache.txt", "CMakeFiles"])


if __name__ == "__main__":
    sys.exit(unittest.main())
