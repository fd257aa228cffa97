"""What the pages point at is there: links and their headings, files, and functions named as `file.c: function`."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = r"\w[\w./-]*\.(?:c|h|py|mjs|js|cmake)"
NAMES = r"\w+(?:, \w+)*"


def files_below(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return listed.stdout.split("\n")[:-1]
    return [os.path.relpath(path, root) for path in glob.glob(os.path.join(root, "**"), recursive=True) if os.path.isfile(path)]


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Pages:
    def __init__(self, root):
        self.root = root
        self.files = files_below(root)
        self.complaints = []

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def found(self, name):
        """The files that a name may mean: from the root, or the end of a path."""
        return [path for path in self.files if path == name or path.endswith("/" + name)]

    def complain(self, page, text, at, what):
        self.complaints.append("%s:%d: %s" % (page, text.count("\n", 0, at) + 1, what))

    def check_links(self, page, text):
        for link in re.finditer(r"\]\(([^)\s]+)\)", text):
            target, _, anchor = link[1].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
            if not os.path.exists(os.path.join(self.root, path)):
                self.complain(page, text, link.start(), "no file '%s'" % path)
            elif anchor and path.endswith(".md"):
                headings = re.findall(r"(?m)^#+ (.*)$", self.read(path))
                if anchor not in [slug(heading) for heading in headings]:
                    self.complain(page, text, link.start(), "no heading '#%s' in %s" % (anchor, path))

    def check_code(self, page, text):
        for reference in re.finditer(r"`(%s)(?:: (%s))?`" % (SOURCE, NAMES), text):
            paths = self.found(reference[1])
            if not paths:
                self.complain(page, text, reference.start(), "no file '%s'" % reference[1])
                continue
            for name in reference[2].split(", ") if reference[2] else []:
                if not any(re.search(r"\b%s\b" % name, self.read(path)) for path in paths):
                    self.complain(page, text, reference.start(), "no '%s' in %s" % (name, ", ".join(paths)))

    def check(self, pages):
        for page in pages:
            text = self.read(page)
            prose = re.sub(r"(?ms)^```.*?^```", lambda block: "\n" * block[0].count("\n"), text)
            self.check_links(page, prose)
            self.check_code(page, prose)
        return self.complaints


class References(unittest.TestCase):
    # Files that these pages tell the reader to add.
    EXAMPLES = {"docs/adding-a-method.md": ["src/points/method.c", "src/NAME/method.c"],
                "docs/adding-a-material.md": ["src/material/NAME.c", "src/material/neo_hookean_quadratic.c"]}

    def test_pages(self):
        pages = Pages(ROOT)
        found = pages.check([path for path in pages.files if path.endswith(".md")])
        found = [line for line in found
                 if not any(line.startswith(page) and name in line for page, names in self.EXAMPLES.items() for name in names)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_mistakes_are_seen(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src"))
            for path, text in {"src/a.c": "int there(void);\n",
                               "page.md": "# One\n[x](other.md) [y](#two) [z](#one) `a.c: there` `src/a.c: gone`\n`b.c`\n```\n`c.c`\n```\n"}.items():
                with open(os.path.join(root, path), "w") as file:
                    file.write(text)
            self.assertEqual(Pages(root).check(["page.md"]), [
                "page.md:2: no file 'other.md'", "page.md:2: no heading '#two' in page.md",
                "page.md:2: no 'gone' in src/a.c", "page.md:3: no file 'b.c'"])


if __name__ == "__main__":
    sys.exit(unittest.main())
