"""Every command of the tutorials and of the README works, in their order, on the scenes that they print."""

import os
import re
import shlex
import shutil
import subprocess

from support import PROGRAM, SOURCE, Case, main, read_text

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


SHORT = {"run": ["--set", "time.end=0.05s"], "compare": ["--set", "time.end=0.05s"]}


class Readme(Case):
    """Its commands are for the source tree: here that is a folder with links to the program and the examples. Runs are cut
    short."""

    def setUp(self):
        super().setUp()
        self.text = read_text(os.path.join(SOURCE, "README.md"))
        os.mkdir(self.path("build"))
        os.symlink(os.path.abspath(PROGRAM) if os.sep in PROGRAM else shutil.which(PROGRAM), self.path("build", "continua"))
        os.symlink(os.path.join(SOURCE, "examples"), self.path("examples"))
        self.write("my_scene.yaml", re.search(r"(?ms)^```yaml\n(.*?)^```", self.text)[1])
        (self.makes, self.blocks) = ([], [])
        for line in re.findall(r"(?ms)^```sh\n(.*?)^```", self.text):
            for words in (shlex.split(command, comments=True) for command in line.strip().splitlines()):
                (self.makes if words[0] == "make" else self.blocks).append(words)

    def test_commands(self):
        said = []
        for words in self.blocks:
            self.assertEqual(words[0], "build/continua")
            said.append(words[1])
            if words[1] == "view":  # serves until it is stopped
                words = words[:2] + ["--help"]
            self.succeed(*words[1:], *SHORT.get(words[1], []))
        self.assertEqual(said, ["examples", "run", "check", "compare", "view", "resume"])
        self.assertTrue(os.path.exists(self.path("out", "bounce", "film.mp4")) or not shutil.which("ffmpeg"))

    def test_commands_in_the_text(self):
        """Those in the tables and sentences: of each the subcommand and its options are known."""
        commands = set(re.findall(r"`(?:build/)?continua ([a-z][^`]*)`", self.text))
        self.assertGreaterEqual(len(commands), 8)
        for command in sorted(commands):
            words = shlex.split(command)
            help_text = self.succeed(words[0], "--help").stdout
            for option in (word for word in words[1:] if word.startswith("--")):
                self.assertIn(option, help_text, command)

    def test_targets_of_make(self):
        targets = {words[1] for words in self.makes} | set(re.findall(r"`make ([a-z]+)`", self.text))
        self.assertGreaterEqual(targets, {"demo", "test", "view", "docs"})
        listed = subprocess.run(["make", "-C", SOURCE, "help"], capture_output=True, text=True, check=True).stdout
        for target in targets:
            self.assertRegex(listed, r"\bmake ([a-z-]+ )*%s\b" % target)


if __name__ == "__main__":
    main()
