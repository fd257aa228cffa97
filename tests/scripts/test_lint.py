"""scripts/lint over a small tree: nothing to say, and one planted violation at a time, named by file and line."""

import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

README = """\
# A tree

## Map of the source

```
include/continua/   the public header
src/core/           low
src/grid/           in the middle
src/peri/           a method
src/*.c             the world
src/scene/          high
app/                the command
```

## Another part

```
src/absent/         no row of the map
```
"""

# Clean: a file of every row, and each kind of include that is allowed.
TREE = {
    "README.md": README,
    "include/continua/continua.h": "typedef enum ct_method { CT_METHOD_MPM, CT_METHOD_PERIDYNAMICS } ct_method;\n",
    "src/core/error.h": '#include "continua/continua.h"\n\n#include <stdio.h>\n',
    "src/grid/grid.h": '#include "core/error.h"\n#include "grid/blocks.h"\n',
    "src/grid/blocks.h": "int ct_blocks(void);\n",
    "src/peri/peri.h": '#include "grid/grid.h"\n',
    "src/method_info.c": '#include "method_info.h"\n\n#include "peri/peri.h"\n\n'
                         "int ct_is_mpm(int method)\n{\n    return method == CT_METHOD_MPM;\n}\n",
    "src/method_info.h": "int ct_is_mpm(int method);\n",
    "src/numerics.c": '#include "peri/peri.h"\n',
    "src/world.h": '#include "grid/grid.h"\n#include "method_info.h"\n',
    "src/step.h": '#include "world.h"\n',
    "src/scene/scene.c": '#include "world.h"\n\nint ct_is_mpm_here(int method)\n{\n    return method == CT_METHOD_MPM;\n}\n',
    "app/main.c": '#include "app.h"\n#include "scene/scene.h"\n#include "world.h"\n',
    "app/app.h": "int main(void);\n",
}

# Name, file, lines to append to it, and the line that must be named.
VIOLATIONS = [
    ("a higher folder", "src/core/error.h", '#include "grid/grid.h"\n', 4),
    ("the world from below", "src/grid/grid.h", '#include "world.h"\n', 3),
    ("the step from below", "src/peri/peri.h", '#include "step.h"\n', 2),
    ("a scene from below", "src/grid/grid.h", '#include "scene/scene.h"\n', 3),
    ("a scene from the world", "src/world.h", '#include "scene/scene.h"\n', 3),
    ("a folder that is not in the map", "src/grid/grid.h", '#include "elsewhere/a.h"\n', 3),
    ("a method's folder from the world", "src/world.h", '#include "peri/peri.h"\n', 3),
    ("a method's folder from above", "src/scene/scene.c", '#include "peri/peri.h"\n', 7),
    ("a method's folder from the command", "app/main.c", '#include "peri/peri.h"\n', 4),
    ("a method's number, on the right", "src/world.h", "#define A(m) ((m) == CT_METHOD_PERIDYNAMICS)\n", 3),
    ("a method's number, on the left", "src/world.h", "#define A(m) (CT_METHOD_MPM != (m))\n", 3),
    ("a method's number in a switch", "app/main.c", "#define A case CT_METHOD_MPM:\n", 4),
    ("a method's name", "app/main.c", '#define A(m) (!strcmp(m, "peridynamics"))\n', 4),
]


class Lint(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="continua-lint-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in TREE.items():
            self.append(name, text)
        os.mkdir(self.path("scripts"))
        for name in ("scripts/lint", "scripts/lint-includes", ".clang-format"):
            shutil.copy(os.path.join(SOURCE, name), self.path(name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def append(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "a", encoding="utf-8") as file:
            file.write(text)

    def lint(self, script):
        result = subprocess.run([self.path("scripts/" + script)], capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout + result.stderr

    def complains(self, script, place, says=""):
        code, text = self.lint(script)
        self.assertEqual(code, 1, text)
        named = [line for line in text.splitlines() if line.startswith(place + ":")]
        self.assertEqual(len(named), 1, text)
        self.assertIn(says, named[0])

    def test_a_clean_tree(self):
        self.assertEqual(self.lint("lint-includes"), (0, ""))

    def test_each_violation_is_named(self):
        for name, file, lines, number in VIOLATIONS:
            with self.subTest(name):
                clean = TREE[file]
                self.append(file, lines)
                self.complains("lint-includes", "%s:%d" % (file, number))
                with open(self.path(file), "w", encoding="utf-8") as again:
                    again.write(clean)
        self.assertEqual(self.lint("lint-includes"), (0, ""))

    def test_order_is_that_of_the_map(self):
        text = README.replace("src/core/           low\n", "").replace("src/peri/", "src/core/           low\nsrc/peri/")
        with open(self.path("README.md"), "w", encoding="utf-8") as file:
            file.write(text)
        self.complains("lint-includes", "src/grid/grid.h:1", "core/error.h")

    def test_map_and_folders_are_the_same(self):
        self.append("src/body/body.c", "int ct_body(void);\n")
        self.complains("lint-includes", "README.md:7", "src/body/")
        shutil.rmtree(self.path("src/body"))
        shutil.rmtree(self.path("src/peri"))
        code, text = self.lint("lint-includes")
        self.assertEqual(code, 1)
        self.assertIn("README.md:9: the map lists src/peri/", text)

    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_lint_as_a_whole(self):
        code, text = self.lint("lint")
        self.assertEqual(code, 0, text)
        self.append("src/grid/grid.h", '#include "world.h"\n')
        self.complains("lint", "src/grid/grid.h:3", "world.h")

    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_lint_of_words_calls_and_format(self):
        for lines, place in (("int ct_print(void)\n{\n    return puts(ct_text);\n}\n", "src/step.h:4"),
                             ("/* TO" + "DO: the rest */\n", "src/step.h:2"),
                             ("int  ct_wide(void);\n", "src/step.h:2:4")):
            self.append("src/step.h", lines)
            self.complains("lint", place)
            with open(self.path("src/step.h"), "w", encoding="utf-8") as file:
                file.write(TREE["src/step.h"])


unittest.main()
