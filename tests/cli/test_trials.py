"""`continua reproduce` and `continua verify`: listing, running, failing, reporting."""

import json
import os
import re

from support import SOURCE, Case, main, read_text

SCENE = """\
dimension: 2
gravity: [0, -10]
time: {end: 0.1, frame: 0.02}
grid: {spacing: 0.1}
step: {fixed: 5 ms}
materials: {soft: {type: fixed_corotated, density: 1000, young: 1 Pa, poisson: 0.3}}
bodies: {ball: {material: soft, shape: {type: sphere, center: [0, 0], radius: 0.3}}}
"""

CRITERION = """\
title: A ball falls
claim: Bodies fall with gravity.
cases:
  falls: {}
  floats: {set: ["gravity=[0, 0]"]}
measures:
  height: {of: moved, axis: y}
checks:
  - {say: it falls by g t^2 / 2, value: height, equals: EXPECTED, within: 6%, fails_for: CONTROL}
plots: [{of: height}]
picture: true
"""


class Trials(Case):
    def trial(self, name="fall", expected="-0.05", control="floats", criterion=CRITERION):
        os.makedirs(self.path("trials/" + name), exist_ok=True)
        text = criterion.replace("EXPECTED", expected).replace("CONTROL", control)
        for file, content in (("scene.yaml", SCENE), ("criterion.yaml", text)):
            with open(self.path("trials", name, file), "w") as stream:
                stream.write(content)

    def index(self, text):
        with open(self.path("trials", "index.yaml"), "w") as stream:
            stream.write(text)

    def reproduce(self, *arguments, code=0):
        environment = dict(os.environ, CONTINUA_REPRODUCE=self.path("trials"))
        return self.fail_with(code, "reproduce", *arguments, env=environment)

    def test_a_trial_that_holds(self):
        self.trial()
        self.assertRegex(self.reproduce().stdout, r"fall +ready +A ball falls")
        self.assertRegex(self.reproduce("fall").stdout, r"(?m)^pass +fall")
        self.assertRegex(self.reproduce().stdout, r"fall +pass +A ball falls")
        for file in ("plot.svg", "plot.png", "falls.png", "floats.png", "result.json"):
            self.assertTrue(os.path.getsize(self.path("out/reproduce/fall", file)) > 100, file)

    def test_json(self):
        self.trial()
        self.trial("later", criterion="title: A dream\nclaim: None.\nnot_yet: there is nothing yet\n")
        found = json.loads(self.reproduce("all", "--json").stdout)
        self.assertEqual([(one["id"], one["state"]) for one in found], [("fall", "pass"), ("later", "not_yet")])
        for key in ("title", "claimed", "measured", "reason"):
            self.assertIn(key, found[0])
        self.assertEqual(found[1]["reason"], "there is nothing yet")
        listed = json.loads(self.reproduce("--json").stdout)
        self.assertEqual([(one["id"], one["state"]) for one in listed], [("fall", "pass"), ("later", "not_yet")])

    def test_what_a_build_may_lack(self):
        """A trial that needs CHOLMOD passes with it; without it that is told, and the others go on."""
        self.trial()
        self.trial("solved", criterion="needs: cholmod\n" + CRITERION)
        found = {one["id"]: one for one in json.loads(self.reproduce("all", "--json").stdout)}
        self.assertEqual(found["fall"]["state"], "pass")
        if found["solved"]["state"] != "pass":
            self.assertEqual(found["solved"]["state"], "not_yet")
            self.assertIn("CHOLMOD", found["solved"]["reason"])
        self.trial("solved", criterion="needs: magic\n" + CRITERION)
        self.assertIn("not 'magic'", self.reproduce("solved", code=3).stderr)

    def test_fields_by_formulas(self):
        """Particles thrown apart, v = 2 x, are where the formula says, and not where another one does."""
        self.trial(criterion="""\
title: A cloud flies apart
claim: Each particle keeps its velocity.
set: ["gravity=[0, 0]"]
velocity: [2 * x, "0"]
measures:
  error: {of: moved, axis: x, minus: 2 * x * t, statistic: max}
  upper: {of: moved, axis: x, minus: 2 * x * t, statistic: max, within: [[0, 0], [1, 1]]}
  other: {of: moved, axis: x, minus: 2.2 * x * t, statistic: max}
checks:
  - {say: where it should be, value: error, equals: 0, within: 3e-3}
  - {say: so is a quarter, value: upper, equals: 0, within: 3e-3}
  - {say: and not elsewhere, value: other, at_least: 4e-3}
""")
        self.reproduce("fall")
        self.trial(criterion=CRITERION.replace("axis: y}", "axis: y, minus: 3 * w}"))
        self.assertRegex(self.reproduce("fall", code=3).stderr, r"criterion.yaml:7:\d+: error: in the formula '3 \* w'")

    def test_misfit_is_blind_to_rigid_motion_alone(self):
        self.trial(criterion="""\
title: A ball is put elsewhere
claim: A rigid motion changes no shape; a mirror image is another one, though its distances are the same.
set: [method=peridynamics, materials.soft.type=elastic, precision=double]
cases:
  turned:   {place: [1 - y, x]}
  mirrored: {place: [y, x]}
  grown:    {place: [1.1 * x, 1.1 * y]}
measures:
  misfit: {of: misfit, take: start}
  size: {of: position, statistic: rms, take: start}
checks:
  - {say: turned it is the same, value: misfit, of: turned, at_most: 1e-7, fails_for: mirrored}
  - {say: grown it is off by its growth, value: misfit, of: grown, equals: size * 0.1 / 1.1, within: 1e-7, fails_for: turned}
""")
        self.reproduce("fall")

    def test_a_case_over_a_key(self):
        """A step of 5 ms falls by g t (t + 5 ms) / 2."""
        criterion = """\
title: A ball falls for two times
claim: The way grows with the square of the time.
over: time.end
at: [0.04, 0.08]
measures:
  height: {of: moved, axis: y}
  size: {of: particles}
checks:
  - {say: twice the time, value: height@0.08 / height@0.04, equals: (0.08 * 0.085) / (0.04 * 0.045), within: 1e-3}
  - {say: the last is meant, value: height, equals: height@0.08}
plots: [{of: height}, {of: height, against: size, log_x: true}]
"""
        self.trial(criterion=criterion)
        self.reproduce("fall")
        self.assertIn("time.end", read_text(self.path("out/reproduce/fall/plot.svg")))
        once = min(json.loads(self.reproduce("fall", "--json").stdout)[0]["seconds"] for _ in range(3))
        self.trial(criterion=criterion.replace("at:", "turns: 30\nat:"))  # what does not vary is the same in all turns
        self.assertGreater(json.loads(self.reproduce("fall", "--json").stdout)[0]["seconds"], 2 * once)
        self.check_mistakes(criterion, (
                ("height@0.04", "height@0.05", r"criterion.yaml:9:\d+: error: in the formula .*nothing is called"),
                ("over: time.end\n", "", r"error: 'over' names a key of the scene, 'at' lists its values: both or none"),
                ("[0.04, 0.08]", "[0.04, long]", r"error: 'at' "),
                ("at: [0.04, 0.08]", "at: [0.04, 0.08]\nturns: 1.5", r"error: 'turns' says how often"),
                ("against: size", "against: sise", r"criterion.yaml:11:\d+: error: a plot is 'against'")))

    def test_what_fails_says_why(self):
        self.trial(expected="-0.06")
        text = self.reproduce("fall", code=1).stdout
        self.assertRegex(text, r"(?m)^fail +fall")
        self.assertIn("off -0.06", text)

    def test_a_control_that_holds_is_a_failure(self):
        self.trial(control="falls")
        self.assertIn("proves nothing", self.reproduce("fall", code=1).stdout)

    def test_report_stands_alone(self):
        self.trial()
        self.reproduce("all", "--report", self.path("page"))
        page = read_text(self.path("page/index.html"))
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:|#)', page), [])
        self.assertIn("Bodies fall with gravity.", page)
        self.assertEqual(page.count("data:image/png"), 2)

    def check_mistakes(self, criterion, mistakes):
        for wrong, right, message in mistakes:
            self.trial(criterion=criterion.replace(wrong, right))
            self.assertRegex(self.reproduce("fall", code=3).stderr, message)

    def test_mistakes_have_a_place(self):
        self.check_mistakes(CRITERION, (
                ("of: moved", "off: moved", r"criterion.yaml:7:\d+: error: unknown key 'off'; did you mean 'of'"),
                ("value: height", "value: heigth", r"criterion.yaml:9:\d+: error: in the formula 'heigth'"),
                ("axis: y", "axis: up", r"criterion.yaml:7:\d+: error: 'axis' expects x, y or z"),
                ("fails_for: CONTROL", "fails_for: nobody", r"criterion.yaml:9:\d+: error: there is no case 'nobody'"),
                ("[{of: height}]", "[{of: width}]", r"criterion.yaml:10:\d+: error: a plot is 'of' one of the measures")))
        self.trial()
        self.assertIn("did you mean 'fall'", self.reproduce("fal", code=2).stderr)

    def test_all_that_come_along_can_be_read(self):
        for command in ("reproduce", "verify"):
            listed = self.succeed(command).stdout
            for name in os.listdir(os.path.join(SOURCE, command)):
                if os.path.exists(os.path.join(SOURCE, command, name, "criterion.yaml")):
                    self.assertRegex(listed, r"(?m)^  %s " % name)

    def test_every_experiment_of_the_papers_is_listed_once(self):
        listed = re.findall(r"(?m)^  ([A-E]\d+) ", self.succeed("reproduce").stdout)
        papers = {"A": 12, "B": 12, "C": 14, "D": 16, "E": 14}
        self.assertEqual(listed, ["%s%d" % (paper, k) for paper, last in papers.items() for k in range(1, last + 1)])

    def test_a_folder_replaces_a_line_of_the_index(self):
        self.trial()
        index = "groups: {f: {title: Falling, paper: Galilei}}\nnot_yet:\n"
        for name in ("fall", "rise"):
            index += "  %s: {title: Later, claim: Something., not_yet: no time}\n" % name
        self.index(index)
        listed = self.reproduce().stdout
        self.assertRegex(listed, r"(?m)^Galilei\n  fall +ready +A ball falls")
        self.assertRegex(listed, r"(?m)^  rise +not yet +Later\n +no time")
        self.assertRegex(self.reproduce("rise").stdout, r"(?m)^not_yet +rise")
        self.index(index.replace("title: Later", "titel: Later"))
        self.assertRegex(self.reproduce(code=3).stderr, r"index.yaml:3:\d+: error: unknown key 'titel'; did you mean 'title'")
        self.index(index.replace(", not_yet: no time", ""))
        self.assertRegex(self.reproduce(code=3).stderr, r"index.yaml:3:\d+: error: 'not_yet' is missing")


if __name__ == "__main__":
    main()
