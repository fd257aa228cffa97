"""`continua reproduce` and `continua verify`: listing, running, failing, reporting."""

import json
import os
import re
import shutil

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
        once = min(json.loads(self.reproduce("fall", "--again", "--json").stdout)[0]["seconds"] for _ in range(3))
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
        self.trial(control="also", criterion=CRITERION.replace("measures:", '  also: {set: ["gravity=[1, -10]"]}\nmeasures:'))
        self.assertIn("proves nothing", self.reproduce("fall", code=1).stdout)

    def test_controls_that_cannot_fail_are_refused(self):
        """With its place: compared with itself, the same run, never asked; and a check of a case against itself."""
        more = "  again: {}\n  slow: {set: [\"gravity=[0, -5]\"]}\nmeasures:"
        criterion = CRITERION.replace("measures:", more)
        ratio = criterion.replace("value: height, equals", "value: height / floats.height, equals")
        self.check_mistakes(ratio, (("CONTROL", "floats", r"criterion.yaml:11:\d+: error: the control 'floats' is compared with itself"),))
        self.check_mistakes(criterion, (
                ("CONTROL", "falls", r"criterion.yaml:11:\d+: error: the control 'falls' is the same run as 'falls'"),
                ("CONTROL", "again", r"criterion.yaml:11:\d+: error: the control 'again' is the same run as 'falls'"),
                ("value: height,", "value: slow.height,", r"criterion.yaml:11:\d+: error: all names of the check say of which case"),
                ("value: height,", "value: height / falls.height,", r"criterion.yaml:11:\d+: error: the check compares 'falls' with itself"),
                ("value: height,", "value: height / again.height,", r"criterion.yaml:11:\d+: error: the check compares 'falls' with itself")))
        self.trial(criterion=ratio.replace("EXPECTED", "2").replace("floats.height", "slow.height"))
        self.assertRegex(self.reproduce("fall").stdout, r"(?m)^pass")  # a real one: 0 is not twice as far

    SCATTER = """\
title: Where a ball of random particles is
claim: Its centre is near the origin, as near as chance allows.
seeds: 5
cases:
  right: {set: ["bodies.ball.shape.center=[0.2, 0]"]}
  left: {set: ["bodies.ball.shape.center=[-0.2, 0]"]}
measures:
  x: {of: position, axis: x, take: start}
checks:
  - {say: it is to the right, value: x, at_least: BOUND, fails_for: left}
"""

    def test_seeds_give_mean_spread_and_interval(self):
        self.trial(criterion=self.SCATTER.replace("BOUND", "0.1"))
        check = json.loads(self.reproduce("fall", "--json").stdout)[0]["checks"][0]
        self.assertEqual(check["n"], 5)
        self.assertTrue(check["holds"])
        self.assertGreater(check["spread"], 1e-5)
        self.assertAlmostEqual(check["interval"], 2.77645 * check["spread"] / 5 ** 0.5, delta=1e-4 * check["interval"])
        self.assertAlmostEqual(check["value"], 0.2, delta=0.01)
        self.assertLess(check["control"], 0)
        self.assertRegex(self.reproduce("fall").stdout, r"\+- \S+ \(n = 5, spread \S+\)")
        # The control: a bound below the mean by less than the scatter, and one as far above it, are not told apart from it.
        for side in (-0.5, 0.5):
            bound = "%.9g" % (check["value"] + side * check["interval"])
            self.trial(criterion=self.SCATTER.replace("BOUND", bound))
            self.assertIn("cannot be told from the bound", self.reproduce("fall", code=1).stdout)
        # Just outside of the interval it holds on one side, and fails on the other.
        bound = "%.9g" % (check["value"] - 1.01 * check["interval"])
        self.trial(criterion=self.SCATTER.replace("BOUND", bound))
        self.reproduce("fall")
        bound = "%.9g" % (check["value"] + 1.01 * check["interval"])
        self.trial(criterion=self.SCATTER.replace("BOUND", bound))
        self.assertIn("is below", self.reproduce("fall", code=1).stdout)

    def test_a_control_must_fail_by_more_than_the_scatter(self):
        self.trial(criterion=self.SCATTER.replace("BOUND", "0.1"))
        found = json.loads(self.reproduce("fall", "--json").stdout)[0]["checks"][0]
        bound = "%.9g" % (found["control"] + 0.5 * found["control_interval"])
        self.trial(criterion=self.SCATTER.replace("BOUND", bound))
        self.assertRegex(self.reproduce("fall", code=1).stdout, "of its control 'left' .* cannot be told from the bound")

    def test_formulas_over_seeds(self):
        checks = "\n".join("  - {say: %s, value: %s, %s}" % one for one in (
                ("the mean is the mean", "mean(x) - x + mean(x)", "equals: mean(x), within: 1"),
                ("of one seed it is not", "abs(x - mean(x))", "at_most: 4 * spread(x)"),
                ("spread and error go together", "error(x) * sqrt(5) / spread(x)", "equals: 2.77645, within: 1e-4")))
        self.trial(criterion=self.SCATTER[:self.SCATTER.index("  - {say")] + checks + "\n")
        self.reproduce("fall")

    def test_seeds_of_a_check_are_alike(self):
        criterion = self.SCATTER.replace("BOUND", "0.1")
        self.check_mistakes(criterion, (
                ("seeds: 5", "seeds: 1.5", r"error: 'seeds' says with how many seeds"),
                ("left: {set", "left: {seeds: 3, set", r"criterion.yaml:10:\d+: error: the cases of a check need the same 'seeds', here 3 and 5")))
        self.trial(criterion=criterion.replace("measures:", "set: [bodies.ball.sampling.pattern=lattice]\nmeasures:"))
        self.assertIn("case right comes out the same with every seed", self.reproduce("fall").stdout)

    def test_seeds_in_formulas_of_places(self):
        """Peridynamic particles lie on a lattice; a place that knows the seed gives them their disorder."""
        self.trial(criterion=self.SCATTER.replace("BOUND", "0.1").replace(
                "measures:", "set: [method=peridynamics, materials.soft.type=elastic]\nplace: [x + 1e-3 * seed, y]\nmeasures:"))
        check = json.loads(self.reproduce("fall", "--json").stdout)[0]["checks"][0]
        self.assertAlmostEqual(check["spread"], 1e-3 * 2.5 ** 0.5, delta=1e-5)  # of 0, 1, 2, 3, 4

    def test_not_confirmed_is_a_state_of_its_own(self):
        """Declared with its reason, it neither passes nor fails; where it holds after all the declaration is wrong."""
        declared = CRITERION.replace("fails_for", "not_confirmed: nothing falls upwards, fails_for")
        self.trial(expected="0.05", criterion=declared)
        text = self.reproduce("fall").stdout
        self.assertRegex(text, r"(?m)^not_confirmed +fall")
        self.assertIn("not confirmed: nothing falls upwards", text)
        self.assertIn("1 not confirmed", text)
        self.assertRegex(self.reproduce().stdout, r"fall +not confirmed +A ball falls")
        self.assertEqual(json.loads(self.reproduce("fall", "--json").stdout)[0]["state"], "not_confirmed")
        self.trial(expected="-0.05", criterion=declared)
        self.assertIn("it holds, though the trial says that it does not", self.reproduce("fall", code=1).stdout)
        # a case that gives no result confirms nothing either: that is a failure
        self.trial(expected="0.05", criterion=declared.replace("falls: {}", "falls: {velocity: [1e300 * x * x, 1e300 * y]}"))
        self.assertIn("'falls' diverged", self.reproduce("fall", code=1).stdout)
        # another check that fails is a failure
        self.trial(expected="0.05", criterion=declared.replace("plots:", "  - {say: no, value: height, at_least: 1}\nplots:"))
        self.assertRegex(self.reproduce("fall", code=1).stdout, r"(?m)^fail +fall")

    def kept(self, *arguments):
        return ", kept)" in self.reproduce("fall", *arguments).stdout

    def test_finished_cases_are_kept(self):
        """Until something that they depend on changes, or --again is given."""
        self.trial()
        self.assertFalse(self.kept())
        first = json.loads(read_text(self.path("out/reproduce/fall/result.json")))
        self.assertTrue(self.kept())
        again = json.loads(read_text(self.path("out/reproduce/fall/result.json")))
        self.assertEqual(first, again)
        self.assertFalse(self.kept("--again"))
        self.trial(criterion=CRITERION.replace("within: 6%", "within: 7%"))
        self.assertTrue(self.kept(), "a bound changes no run")
        self.trial(criterion=CRITERION.replace("of: moved, axis: y", "of: moved, axis: y, to: 0.09"), expected="-0.034")
        self.assertFalse(self.kept(), "a measure does")
        self.trial()
        self.assertFalse(self.kept())
        self.edit_scene("young: 1 Pa", "young: 2 Pa")
        self.assertFalse(self.kept(), "so does a scene")
        self.assertTrue(self.kept())
        with open(self.path("out/reproduce/fall/kept/falls"), "r+b") as stream:
            stream.truncate(1000)
        self.assertTrue(self.kept(), "of two cases one is whole")
        shutil.rmtree(self.path("out/reproduce/fall/kept"))
        self.assertFalse(self.kept())

    def edit_scene(self, old, new):
        with open(self.path("trials/fall/scene.yaml"), "w") as stream:
            stream.write(SCENE.replace(old, new))

    def test_results_say_when_they_are_stale(self):
        def listed():
            one = json.loads(self.reproduce("--json").stdout)[0]
            return one["stale"], "(stale)" in self.reproduce().stdout
        self.trial()
        self.reproduce("fall")
        self.assertEqual(listed(), (False, False))
        self.trial(criterion=CRITERION.replace("Bodies fall", "All bodies fall"))
        self.assertEqual(listed(), (False, False), "words decide no number")
        for change in (lambda: self.edit_scene("-10]", "-9.9]"), lambda: self.trial(criterion=CRITERION.replace("6%", "7%"))):
            change()
            self.assertEqual(listed(), (True, True))
            self.trial()
            self.assertEqual(listed(), (False, False))
        path = self.path("out/reproduce/fall/result.json")
        found = json.loads(read_text(path))
        found[0]["sources"] = "0123456789abcdef"  # another program
        with open(path, "w") as stream:
            json.dump(found, stream)
        self.assertEqual(listed(), (True, True))

    def test_files_that_a_scene_names_count(self):
        self.trial()
        for place in ("0, 0", "0.1, 0"):
            with open(self.path("trials/fall/points.csv"), "w") as stream:
                stream.write("x,y\n%s\n" % place)
            self.edit_scene("{type: sphere, center: [0, 0], radius: 0.3}", "{type: particles, file: points.csv}")
            self.assertFalse(self.kept(), place)
            self.assertTrue(self.kept())

    def test_where_numbers_come_from(self):
        self.trial()
        one = json.loads(self.reproduce("fall", "--json").stdout)[0]
        self.assertEqual((one["quick"], one["seeds"]), (False, 1))
        for key in ("commit", "sources", "definition", "date"):
            self.assertRegex(one[key], r"^[0-9a-z+-]{7,}$")
        self.assertGreater(one["particles"], 10)
        self.assertGreater(one["seconds"], 0)

    def test_reduced_sizes_do_not_replace_full_ones(self):
        self.trial(criterion=CRITERION.replace("floats:", "floats: {full_only: true, set: [\"gravity=[0, 0]\"]}\n  rises:")
                   .replace("fails_for: CONTROL", "at_most: 0"))
        self.reproduce("fall", "--quick")
        self.assertRegex(self.reproduce().stdout, r"fall +pass +A ball falls \(reduced size\)")
        self.reproduce("fall")
        self.reproduce("fall", "--quick", "--again")
        self.assertRegex(self.reproduce().stdout, r"(?m)fall +pass +A ball falls$")
        self.assertFalse(json.loads(read_text(self.path("out/reproduce/fall/result.json")))[0]["quick"])

    def test_figures_of_papers_beside_ours(self):
        self.trial()
        index = """\
groups:
  f:
    title: Falling
    paper: Galilei
    figures:
      - {figure: Figure 1, shows: A ball falls from a tower, ours: [fall]}
      - {figure: Figure 2, shows: A feather, missing: it needs air}
"""
        self.index(index)
        self.reproduce("all", "--report", self.path("page"))
        page = read_text(self.path("page/index.html"))
        self.assertIn("A ball falls from a tower", page)
        self.assertIn("it needs air", page)
        self.assertEqual(page.count("data:image/svg+xml"), 2)  # beside the figure, and at the trial
        self.assertIn("Judged 1 of 1, full size", page)
        self.assertIn("Of 1 checks 1 have a control, 0 have none", page)
        self.index(index.replace(", missing: it needs air", ""))
        self.assertRegex(self.reproduce(code=3).stderr, r"index.yaml:7:\d+: error: a figure needs")
        os.remove(self.path("trials/index.yaml"))
        self.reproduce("fall", "--quick", "--report", self.path("page"))
        self.assertIn("Judged 0 of 1, full size", read_text(self.path("page/index.html")))

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

    def test_refine(self):
        """Free fall by the symplectic step is off by g t dt / 2: with the step halved, the order is 1 and the limit exact."""
        self.trial()
        (found,) = json.loads(self.reproduce("fall", "--refine", "3", "--json").stdout)
        (check,) = found["checks"]
        for value, step in zip(check["values"], (5e-3, 2.5e-3, 1.25e-3)):
            self.assertAlmostEqual(value, -0.05 - 10 * 0.1 * step / 2, delta=1e-6)
        self.assertAlmostEqual(check["order"], 1, delta=0.01)
        self.assertAlmostEqual(check["limit"], -0.05, delta=1e-5)
        self.assertAlmostEqual(check["exact"], -0.05, delta=1e-12)
        self.assertAlmostEqual(check["error_order"], 1, delta=0.01)
        self.assertEqual([(one["case"], one["measure"]) for one in found["measures"]], [("falls", "height"), ("floats", "height")])
        said = self.reproduce("fall", "--refine", "3").stdout
        self.assertRegex(said, r"it falls by g t\^2 / 2 +-0\.0525 +-0\.05125 +-0\.050625 +1\.00 +-0\.05 +-0\.05 +1\.00")
        self.trial(criterion="refine: [grid.spacing]\n" + CRITERION)  # the control: nothing that matters is divided
        (found,) = json.loads(self.reproduce("fall", "--refine", "3", "--json").stdout)
        self.assertLess(found["checks"][0]["error_order"], 0.01)
        self.trial(criterion="refine: [grid.spacing, step.max]\n" + CRITERION)
        self.assertIn("no number 'step.max' to refine", self.reproduce("fall", "--refine", "2", code=3).stderr)
        self.trial(criterion="refine: [grid.spacing^9]\n" + CRITERION)
        self.assertRegex(self.reproduce("fall", code=3).stderr, r"criterion.yaml:1:\d+: error: 'refine' lists keys")
        self.trial()
        self.assertIn("leave out", self.reproduce("fall", "--refine", "2", "--report", "x", code=2).stderr)
        self.assertIn("wants a trial", self.reproduce("--refine", "2", code=2).stderr)

    def test_all_that_come_along_can_be_read(self):
        for command in ("reproduce", "verify"):
            listed = self.succeed(command).stdout
            for name in os.listdir(os.path.join(SOURCE, command)):
                if os.path.exists(os.path.join(SOURCE, command, name, "criterion.yaml")):
                    self.assertRegex(listed, r"(?m)^  %s " % name)

    def test_every_experiment_of_the_papers_is_listed_once(self):
        listed = re.findall(r"(?m)^  ([A-E]\d+) ", self.succeed("reproduce").stdout)
        papers = {"A": 15, "B": 13, "C": 14, "D": 19, "E": 15}
        self.assertEqual(listed, ["%s%d" % (paper, k) for paper, last in papers.items() for k in range(1, last + 1)])

    def test_figures_name_experiments_that_there_are(self):
        listed = set(re.findall(r"(?m)^  ([A-E]\d+) ", self.succeed("reproduce").stdout))
        named = set(re.findall(r"\w+", " ".join(re.findall(r"ours: \[(.*?)\]", read_text(os.path.join(SOURCE, "reproduce", "index.yaml"))))))
        self.assertEqual(named - listed, set())
        self.assertEqual(listed - named, set(), "every experiment repeats a figure")

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
