"""Every command of the tutorials works, in their order, on the scenes that they print."""

import os
import re
import shlex

from support import SOURCE, Case, main, read_text

FOLDER = os.path.join(SOURCE, "docs", "tutorials")
BLOCK = re.compile(r"(?ms)^```(sh|yaml \S+)\n(.*?)^```")


class Tutorials(Case):
    def pages(self):
        return sorted(name for name in os.listdir(FOLDER) if name[0].isdigit())

    def test_commands(self):
        commands = 0
        for page in self.pages():
            for kind, text in BLOCK.findall(read_text(os.path.join(FOLDER, page))):
                if kind != "sh":
                    self.write(kind.split()[1], text)
                    continue
                for line in text.strip().splitlines():
                    words = shlex.split(line, comments=True)
                    self.assertEqual(words[0], "continua", page)
                    self.succeed(*words[1:])
                    commands += 1
        self.assertGreaterEqual(commands, 20)

    def test_predictions(self):
        """What the first page shows of `check` is what comes, but for times."""
        text = read_text(os.path.join(FOLDER, "1-first-scene.md"))
        self.write("drop.yaml", BLOCK.search(text)[2])
        shown = re.search(r"(?m)^    (drop.yaml: the scene.*\n(?:    .*\n)+)", text)[1]
        said = self.succeed("check", "drop.yaml").stdout
        for line in shown.splitlines():
            if "..." not in line and "dt" not in line and "steps" not in line:
                self.assertIn(line.strip(), said)

    def test_mistake(self):
        text = read_text(os.path.join(FOLDER, "1-first-scene.md"))
        mistake = re.search(r"(?m)^    (drop.yaml:\d+:\d+: error: .*)$", text)[1]
        self.write("drop.yaml", BLOCK.search(text)[2].replace("material: jelly", "material: jely"))
        self.fail_with(3, "check", "drop.yaml", says=mistake)

    def test_the_list_is_whole(self):
        listed = re.findall(r"\]\((\d[\w-]*\.md)\)", read_text(os.path.join(FOLDER, "README.md")))
        self.assertEqual(listed, self.pages())


if __name__ == "__main__":
    main()
