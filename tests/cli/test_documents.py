"""The man page, the completions and the manual name every command and option; examples and the schema are in order."""

import json
import os
import re

from support import SOURCE, Case, main, read_text


def source(*parts):
    return read_text(os.path.join(SOURCE, *parts))


class Documents(Case):
    def options(self):
        """{command: {long options}}, from the program's own tables."""
        commands = re.findall(r"(?m)^  ([a-z]+) +\S", self.succeed("help").stdout.split("To begin")[0])
        self.assertGreaterEqual(len(commands), 10)
        return {command: set(re.findall(r"(?m)^  (?:-\w, |   +)--([a-z-]+)", self.succeed(command, "--help").stdout)) - {"help"}
                for command in commands}

    def test_options_are_found(self):
        options = self.options()
        self.assertEqual(options["info"], {"json", "build"})
        self.assertIn("checkpoint-every", options["resume"])
        self.assertEqual(options["version"], set())

    def test_man_page(self):
        page = source("packaging", "continua.1").replace("\\-", "-")
        for command, options in self.options().items():
            start = page.find('.SS "%s' % command)
            self.assertGreater(start, 0, "the man page has no part for " + command)
            part = page[start:page.find(".SS" if ".SS" in page[start + 3:] else ".SH", start + 3)]
            for option in options:
                self.assertIn("--" + option, part, "%s --%s is not in the man page" % (command, option))

    def test_completions(self):
        for shell in ["bash", "zsh", "fish"]:
            text = source("packaging", "completion", "continua." + shell)
            for command, options in self.options().items():
                self.assertRegex(text, r"\b%s\b" % command)
                for option in options:
                    mark = r"-l %s\b" if shell == "fish" else r"--%s\b"
                    self.assertRegex(text, mark % option, "%s --%s is not in the %s completion" % (command, option, shell))

    def test_manual(self):
        text = source("docs", "manual.md")
        for command, options in self.options().items():
            self.assertIn("continua " + command, text)
            for option in options:
                self.assertIn("--" + option, text, "%s --%s is not in the manual" % (command, option))


class Examples(Case):
    def test_list_print_copy(self):
        listed = self.succeed("examples").stdout
        names = re.findall(r"(?m)^  (\w+) +[23]D +[\d.]+k  \d", listed)
        self.assertEqual(sorted(names), sorted(name for name in os.listdir(os.path.join(SOURCE, "examples"))
                                       if os.path.exists(os.path.join(SOURCE, "examples", name, "scene.yaml"))))
        self.assertEqual(names[0], "jelly", "what the themes begin with")
        themes = [entry.split(" ") for line in source("examples", "themes.txt").splitlines() for entry in line.split(": ")[1].split(", ")]
        self.assertEqual(names, [name for name, size in themes], "every example has a theme")
        for name in ("tilt", "twist", "two_discs"):  # small ones
            facts = json.loads(self.succeed("check", os.path.join(SOURCE, "examples", name, "scene.yaml"), "--json").stdout)
            self.assertAlmostEqual(facts["particles_at_end"] / 1000, float(dict(themes)[name].rstrip("k")), delta=0.06)
        self.assertEqual(self.succeed("examples", "jelly").stdout, source("examples", "jelly", "scene.yaml"))
        self.succeed("examples", "jelly", "-o", "copy/of")
        self.assertEqual(read_text(self.path("copy/of/scene.yaml")), source("examples", "jelly", "scene.yaml"))
        self.assertTrue(os.path.exists(self.path("copy/of/README.md")))
        self.fail_with(2, "examples", "jelly", "-o", "copy/of", says="there already")
        self.fail_with(2, "examples", "jely", says="did you mean 'jelly'?")
        self.fail_with(2, "examples", "-o", "x", says="name it")
        for name in names:
            self.succeed("info", os.path.join(SOURCE, "examples", name, "scene.yaml"))

    def test_folder_can_be_chosen(self):
        os.makedirs(self.path("mine/drop"))
        os.rename(self.path(self.scene()), self.path("mine/drop/scene.yaml"))
        environment = dict(os.environ, CONTINUA_EXAMPLES=self.path("mine"))
        self.assertIn("A ball falls in a box", self.succeed("examples", env=environment).stdout)
        os.makedirs(self.path("mine/drop/meshes"))
        with open(self.path("mine/drop/meshes/cup.obj"), "w") as file:
            file.write("v 0 0 0\n")
        self.succeed("examples", "drop", "-o", "copied", env=environment)
        self.assertEqual(read_text(self.path("copied/meshes/cup.obj")), "v 0 0 0\n")
        environment["CONTINUA_EXAMPLES"] = self.path("nowhere")
        self.fail_with(5, "examples", says="nowhere", env=environment)


class Schema(Case):
    def test_schema_is_json(self):
        schema = json.loads(self.succeed("schema").stdout)
        self.assertIn("2020-12", schema["$schema"])
        self.assertIn("gravity", schema["properties"])

    def test_reference(self):
        self.assertIn("gravity", self.succeed("schema", "--reference").stdout)
        self.write("reference.yaml", self.succeed("schema", "--reference-scene").stdout)
        self.succeed("info", "reference.yaml")


if __name__ == "__main__":
    main()
