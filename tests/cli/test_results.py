"""What can be done with a run: info, check and convert."""

import array
import csv
import json
import os
import re

from support import Case, find_hash, main, read_png, read_text, read_vtu, scene_text


class Info(Case):
    def test_run(self):
        end = self.hash_of("run", self.scene(end=0.1), "-o", "run")
        text = self.succeed("info", "run").stdout
        order = [text.index(f"\n{name}:") for name in ("state", "time", "frames", "particles", "limited by", "spacing", "state hash")]
        self.assertEqual(order, sorted(order), "what matters first")
        self.assertEqual(find_hash(text), end)
        facts = json.loads(self.succeed("info", "run", "--json").stdout)
        self.assertEqual(facts["state_hash"], end)
        self.assertEqual(facts["frames"], 6)
        self.assertEqual(facts["state"], "done")
        self.assertEqual(facts["time"], 0.1)
        self.assertEqual(sum(facts["limited_by"].values()), facts["step"])

    def test_spacing_that_is_used(self):
        """Walls lie where the scene says, so cells of an axis may be other than it asks: both are told."""
        scene = self.scene(end=0.02)
        self.assertNotIn("spacing_used", json.loads(self.succeed("info", scene, "--json").stdout), "the control: 50 cells")
        text = scene_text(end=0.02).replace("max: [1, 1]", "max: [1, 1.031]")
        self.succeed("run", self.write("fit.yaml", text), "-o", "run")
        for what in ("fit.yaml", "run"):
            facts = json.loads(self.succeed("info", what, "--json").stdout)
            cells = round(1.031 / facts["spacing"])
            self.assertEqual(len(facts["spacing_used"]), 2)
            self.assertAlmostEqual(facts["spacing_used"][0], facts["spacing"], delta=1e-15)
            self.assertAlmostEqual(facts["spacing_used"][1], 1.031 / cells, delta=1e-15)
            self.assertIn("to fit the domain", self.succeed("info", what).stdout)

    def test_peridynamics(self):
        """What its solver did in the last step, as stats.csv has it; runs of MPM have no such thing."""
        self.succeed("run", self.scene(end=0.04), "-o", "mpm")
        self.assertNotIn("iterations", json.loads(self.succeed("info", "mpm", "--json").stdout), "the control")
        scene = self.write("peri.yaml", """
name: block
method: peridynamics
dimension: 2
time: {end: 0.04 s, frame: 0.02 s}
grid: {spacing: 5 cm}
peridynamics: {iterations: 7}
materials:
  rubber: {type: elastic, density: 1000 kg/m^3, young: 100 kPa, poisson: 0.25}
bodies:
  block: {material: rubber, shape: {type: box, min: [0, 0], max: [0.3, 0.3]}, hold: {type: box, min: [0, 0], max: [0.3, 0.05]}}
""")
        self.assertRegex(self.succeed("run", scene, "-o", "stiff").stdout,
                         r"frame 2/2 .*  NOT SOLVED: \d+% of the forces missing")
        shown = self.succeed("run", scene, "-o", "peri", "--set", "materials.rubber.young=10kPa").stdout
        self.assertRegex(shown, r"frame 2/2 .*  7 iterations, residual \d\.\de-\d+")
        facts = json.loads(self.succeed("info", "peri", "--json").stdout)
        with open(self.path("peri/stats.csv"), encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertEqual((facts["method"], facts["iterations"]), ("peridynamics", 7))
        self.assertEqual(facts["residual"], float(last["residual"]))
        self.assertGreater(facts["residual"], 0)

    def test_frames_without_ghosts(self):
        """Ghosts of rods, three a particle, are part of the state, and of no file of a frame. The control: no ghosts."""
        text = """
name: rod
method: peridynamics
time: {end: 0.02 s, frame: 0.02 s}
grid: {spacing: 5 cm}
materials:
  wire: {type: elastic, density: 1000 kg/m^3, young: 1 MPa, poisson: 0.25}
bodies:
  rod: {material: wire, shape: {type: polyline, points: [[0, 0, 0], [1, 0, 0]], twist: TWIST}}
output: {fields: [id]}
"""
        particles, ids = {}, {}
        for twist in ("true", "false"):
            self.succeed("run", self.write(twist + ".yaml", text.replace("TWIST", twist)), "-o", twist)
            particles[twist] = json.loads(self.succeed("info", twist, "--json").stdout)["particles"]
            for frame in (0, 1):
                points, arrays = read_vtu(self.path(twist, "frames/frame_%06d.vtu" % frame))
                self.assertEqual(points, 21)
                ids[twist] = list(arrays["id"])
        self.assertEqual((particles["true"], particles["false"]), (84, 21))
        self.assertEqual(ids["true"], ids["false"], "those of the line")

    def test_scene_checkpoint_build(self):
        scene = self.scene(end=0.02)
        facts = json.loads(self.succeed("info", scene, "--json").stdout)
        self.assertEqual((facts["scene"], facts["dimension"], facts["bodies"], facts["frames"]), ("drop", 2, 1, 2))
        self.succeed("run", scene, "-o", "run")
        self.assertIn("whole", self.succeed("info", "run/checkpoint.ctc").stdout)
        build = self.succeed("info", "--build").stdout
        for word in ["version", "compiler", "3D float", "2D double", "zstd", "libyaml"]:
            self.assertIn(word, build)
        json.loads(self.succeed("info", "--build", "--json").stdout)


class Check(Case):
    def test_prediction(self):
        scene = self.scene(end=1)
        facts = json.loads(self.succeed("check", scene, "--json", "--set", "time.end=0.2").stdout)
        self.succeed("run", scene, "-o", "run", "--set", "time.end=0.2")
        run = json.loads(self.succeed("info", "run", "--json").stdout)
        self.assertEqual(facts["particles"], run["particles"])
        self.assertEqual(facts["frames"], run["frames_in_all"])
        self.assertAlmostEqual(facts["frame_bytes"] * facts["frames"] / run["frame_bytes"], 1, delta=0.02)
        # Frames cut steps short, which the prediction does not do: up to one more step per frame.
        self.assertGreaterEqual(run["step"], 0.9 * facts["steps"])
        self.assertLessEqual(run["step"], 1.1 * facts["steps"] + facts["frames"])
        self.assertGreater(facts["memory_bytes"], 100 * facts["particles"])
        text = self.succeed("check", scene).stdout
        for word in ["particles", "blocks", "memory", "disk", "dt", "steps", "time"]:
            self.assertIn(word, text)
        self.assertFalse(os.path.exists(self.path("out")), "checking writes nothing here")

    def test_advice(self):
        """A stiff material that limits the steps is named with the value that would cut them, which comes true."""
        stiff = self.scene("stiff.yaml", end=0.02, young=1e9)
        advice = re.search(r"waves in 'rubber' limit .* (\d+) times.*--set (materials\.rubber\.young=\S+);",
                           self.succeed("check", stiff).stdout, re.S)
        self.assertIsNotNone(advice)
        dt = [json.loads(self.succeed("check", stiff, "--json", *more).stdout)["dt"]
              for more in ([], ["--set", advice[2]])]
        self.assertAlmostEqual(dt[1] / dt[0] / float(advice[1]), 1, delta=0.2)
        self.assertNotIn("advice", self.succeed("check", stiff, "--set", advice[2]).stdout)

    def test_advice_without_a_domain(self):
        """What falls for the whole run is as fast as gravity makes it: 9.81 m/s after a second, so waves of 98 m/s are enough."""
        open_space = re.sub("(?m)^(domain|walls):.*\n", "", scene_text(end=1, young=1e9))
        said = json.loads(self.succeed("check", self.write("open.yaml", open_space), "--json").stdout)["advice"]
        self.assertTrue(said.startswith("materials.rubber.young="), said)
        # c^2 = E (1 - nu)/((1 + nu)(1 - 2 nu) rho) with nu = 0.3, rounded up to two digits
        young = 98.1**2 * 1000 * 1.3 * 0.4 / 0.7
        self.assertAlmostEqual(float(said.split("=")[1]) / young, 1.03, delta=0.04)
        said = json.loads(self.succeed("check", self.scene(end=1), "--json").stdout)
        self.assertEqual(said["advice"], "", "the control: soft already")

    def test_who_limits_the_step(self):
        """The line of dt names the material where there are several."""
        two = scene_text(end=0.02).replace("bodies:", "  soft: {type: fixed_corotated, density: 1000, young: 1e3, poisson: 0.3}\nbodies:")
        self.assertRegex(self.succeed("check", self.write("two.yaml", two)).stdout, r"dt .* \(sound in 'rubber'\)")
        self.assertRegex(self.succeed("check", self.scene(end=0.02)).stdout, r"dt .* \(sound\)")

    def test_viscosity_and_previews(self):
        thick = scene_text(end=100, spacing=0.01).replace("type: fixed_corotated, density: 1000, young: 100000.0, poisson: 0.3",
                                                          "type: fluid, density: 1000, bulk: 1e5, viscosity: 1e4")
        said = self.succeed("check", self.write("thick.yaml", thick)).stdout
        self.assertIn("the viscosity of 'rubber' limits the steps; 'method: fluid'", said)
        self.assertIn("for a preview --set grid.spacing=0.02", said)
        self.assertNotIn("preview", self.succeed("check", self.scene(end=0.02)).stdout, "the control: a short run")

    def test_a_body_outside_the_domain(self):
        high = scene_text().replace("center: [0.5, 0.45]", "center: [0.5, 0.9]")
        line = next(n for n, text in enumerate(high.splitlines(), 1) if text.startswith("  ball:"))
        self.fail_with(3, "check", self.write("high.yaml", high),
                       says=f"high.yaml:{line}:3: error: body 'ball': it has a particle at")
        self.fail_with(3, "check", "high.yaml", says="outside the domain: along y that is from 0 m to 1 m")

    def test_matter_that_begins_inside_a_collider(self):
        """A plate 1 cm thick through the ball is told; below it, or where it holds what is inside it, it is not."""
        for bottom, contact, is_told in ((0.45, "slip", True), (0.1, "slip", False), (0.45, "sticky", False)):
            plate = f"colliders:\n  plate:\n    shape: {{type: box, min: [0.1, {bottom}], max: [0.9, {bottom + 0.01:.2f}]}}\n"
            scene = self.write("plate.yaml", scene_text() + plate + f"    contact: {{type: {contact}}}\n")
            depth = json.loads(self.succeed("check", scene, "--json", "--set", "time.end=0.02").stdout)["embedded"]
            told = "matter begins inside collider 'plate'" in self.succeed("check", scene, "--set", "time.end=0.02").stdout
            self.assertEqual((depth > 0, told), (is_told, is_told))
            self.assertLessEqual(depth, 5.1e-3, "half of the plate")

    def warned(self, collider):
        """What `check` warns of, with this collider below the ball; and its facts."""
        scene = self.write("walled.yaml", scene_text(spacing=0.0625) + "colliders:\n  wall:\n" + collider)
        said = self.succeed("check", scene, "--set", "time.end=0.02").stdout
        facts = json.loads(self.succeed("check", scene, "--json", "--set", "time.end=0.02").stdout)
        return [line for line in said.splitlines() if "warning" in line], facts

    def test_thin_walls(self):
        """Of cells of 1/16 m: a plate of 0.8 cells is told where sides are not kept, one of 0.04 always, a block never."""
        for thickness, keys, told in ((0.05, "keep_sides: false", "0.8 cells thick: material seeps"),
                                      (0.05, "sharp: true", "0.8 cells thick: 'sharp' needs"),
                                      (0.0025, "sharp: false", "0.04 cells thick: particles may cross"),
                                      (0.05, "sharp: false", None), (0.14, "keep_sides: false", None)):
            warnings, facts = self.warned("    shape: {type: box, min: [0.1, %g], max: [0.9, 0.15]}\n    %s\n" % (0.15 - thickness, keys))
            if told:
                self.assertEqual(len(warnings), 1)
                self.assertIn(told, warnings[0])
                self.assertAlmostEqual(facts["thin"], thickness * 16, delta=0.02)
            else:
                self.assertEqual((warnings, facts["thin"]), ([], 0))

    def test_a_pivot_outside_of_its_mesh(self):
        """A cube far from the origin of its file, that is turned: told, unless the scene gives the pivot."""
        corners = [(x, y, z) for x in (0.4, 0.6) for y in (0.05, 0.15) for z in (-0.1, 0.1)]
        quads = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
        self.write("far.obj", "".join("v %g %g %g\n" % c for c in corners) + "".join("f %d %d %d %d\n" % q for q in quads))
        for pivot, is_told in (("", True), ("pivot: [0.5, 0.1], ", False)):
            warnings, facts = self.warned("    shape: {type: mesh, file: far.obj}\n    motion: {%sspin: {rate: 1 rpm}}\n" % pivot)
            self.assertEqual([line for line in warnings if "outside its mesh" in line] != [], is_told, warnings)
            self.assertAlmostEqual(facts["pivot_away"], (0.4**2 + 0.05**2) ** 0.5 if is_told else 0, places=6)


class Plot(Case):
    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene(end=0.1), "-o", "one")

    def test_one_run(self):
        self.assertEqual(self.succeed("plot", "one").stdout.split(), ["one/plot.svg", "one/plot.png"])
        text = read_text(self.path("one/plot.svg"))
        for word in ["Energy", "kinetic", "Momentum", "Time step", "sound"]:
            self.assertIn(">" + word, text)
        with open(self.path("one/plot.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_several_runs(self):
        self.succeed("run", self.scene(end=0.1), "-o", "two", "--set", "grid.spacing=0.04")
        self.succeed("plot", "one", "two/", "-o", "both.svg", "--title", "Side by side", "--range", "0:0.05")
        text = read_text(self.path("both.svg"))
        for word in [">one<", ">two<", "Side by side", "Total energy"]:
            self.assertIn(word, text)
        self.succeed("plot", "one", "--columns", "particles,momentum", "--dark", "--log", "-o", "p.svg")
        self.assertIn(">particles<", read_text(self.path("p.svg")))

    def test_mistakes(self):
        self.fail_with(2, "plot", "one", "--columns", "enrgy", says="no run has a column 'enrgy'")
        self.fail_with(2, "plot", "one", "-o", "plot.pdf", says=".svg or .png")
        self.fail_with(2, "plot", "one", "--size", "10", says="--size")
        self.fail_with(2, "plot", "one", "--range", "2:1", says="a below b")
        self.fail_with(5, "plot", "nowhere", says="nowhere")
        self.write("odd.csv", "a,b\n1,2\n")
        self.fail_with(5, "plot", "odd.csv", says="no column 'time'")


class Render(Case):
    COLLIDERS = '''colliders:
  post: {{shape: {{type: sphere, center: {center}, radius: 0.1}}, motion: {{velocity: {velocity}}}}}
  floor: {{shape: {{type: half_space, point: {low}, normal: {up}}}}}
'''

    def picture(self, name, *options):
        self.succeed("render", name, "-o", "p.png", "--frames", "2:2", "--size", "160x90", *options)
        with open(self.path("p.png"), "rb") as file:
            return file.read()

    def check(self, name, colliders, **changes):
        """With and without the colliders in used.yaml, of the same frames: only the drawing differs."""
        self.succeed("run", self.write(name + ".yaml", scene_text(end=0.04, **changes) + colliders), "-o", name)
        seen = self.picture(name, "--threads", "1")
        self.assertTrue(seen == self.picture(name, "--threads", "2"), "threads change the picture")
        used = read_text(self.path(name, "used.yaml"))
        bare = re.sub(r"(?m)^colliders:\n(?:[ #].*\n)*", "", used)
        self.assertNotEqual(used, bare)
        self.write(name + "/used.yaml", bare)
        self.assertTrue(seen != self.picture(name), "no collider is seen")

    def test_colliders_are_in_the_picture(self):
        # An arm that reaches far beyond the ball ends within the picture.
        arm = "colliders:\n  arm: {shape: {type: box, min: [0.3, 0.05], max: [0.95, 0.1]}, color: '#ff0000'}\n"
        self.succeed("run", self.write("arm.yaml", scene_text(end=0.02) + arm), "-o", "arm")
        self.succeed("render", "arm", "--frames", "0:0", "-o", "arm.png", "--size", "320x180")
        pixels = read_png(self.path("arm.png"))
        reds = [x for row in pixels for x, (r, g, b) in enumerate(row) if r > 2 * max(g, b) and r > 100]
        self.assertTrue(reds and 170 < max(reds) < 315, reds[-5:])

    def test_colliders_are_seen(self):
        self.check("flat", self.COLLIDERS.format(center="[0.62, 0.6]", velocity="[0.1, 0]", low="[0.5, 0.28]", up="[0.1, 1]"))
        self.check("space", self.COLLIDERS.format(center="[0.62, 0.6, 0.5]", velocity="[0.1, 0, 0]", low="[0.5, 0.28, 0.5]",
                                                  up="[0, 1, 0]"), dimension=3, spacing=0.05)
        self.assertTrue(self.picture("space") != self.picture("space", "--surface"))


class Mesh(Case):
    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene(end=0.04, dimension=3, spacing=0.05, per_cell=8), "-o", "run")

    def test_formats(self):
        said = self.succeed("mesh", "run", "--frames", "1:1").stdout
        self.assertRegex(said, r"^run/mesh/frame_000001.obj: \d+ triangles\n$")
        lines = read_text(self.path("run/mesh/frame_000001.obj")).splitlines()
        faces = [[int(corner.split("//")[0]) for corner in line.split()[1:]] for line in lines if line.startswith("f ")]
        vertices = [[float(x) for x in line.split()[1:]] for line in lines if line.startswith("v ")]
        edges = {(face[k], face[(k + 1) % 3]) for face in faces for k in range(3)}
        self.assertEqual(len(edges), 3 * len(faces))
        self.assertTrue(all((b, a) in edges for a, b in edges), "not closed")
        # A ball of radius 0.2 whose middle has fallen from 0.45 for 0.02 s: the grid's cells are 0.05.
        for vertex in vertices:
            distance = sum((a - b) ** 2 for a, b in zip(vertex, [0.5, 0.448, 0.5])) ** 0.5
            self.assertAlmostEqual(distance, 0.2, delta=0.04)
        for kind in ["ply", "vtu", "usda", "bgeo", "hdf"]:
            self.succeed("mesh", "run/frames/frame_000001.vtu", "--to", kind, "-o", "out", "--smooth", "0", "--round")
            self.assertTrue(os.path.exists(self.path("out/frame_000001." + kind)))
        one, two = (self.succeed("mesh", "run", "--threads", n, "-o", "t" + n).stdout.replace("t" + n, "") for n in "12")
        self.assertEqual(one, two)
        self.assertEqual(read_text(self.path("t1/frame_000002.obj")), read_text(self.path("t2/frame_000002.obj")))

    def test_mistakes(self):
        self.fail_with(2, "mesh", "run", "--to", "stl", says="there are vtu, ply")
        self.fail_with(2, "mesh", "run", "--cell", "-1", says="--cell")
        self.fail_with(2, "mesh", "run", "--fields", "colour", says="no frame has a field 'colour'")
        self.succeed("run", self.scene(name="flat.yaml", end=0.02), "-o", "flat")
        self.fail_with(2, "mesh", "flat", says="dimension 2")
        self.assertFalse(os.path.exists(self.path("flat/mesh")), "an empty folder is left")


class Convert(Case):
    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene(end=0.06), "-o", "run")

    def test_round_trip(self):
        for format_name in ["ply", "csv", "vtu"]:
            self.succeed("convert", "run", "--to", format_name, "-o", "as_" + format_name)
            self.assertEqual(sorted(os.listdir(self.path("as_" + format_name))),
                             ["frame_%06d.%s" % (number, format_name) for number in range(4)])
            self.succeed("convert", "as_%s/frame_000003.%s" % (format_name, format_name), "--to", "vtu", "-o", "back")
            points, arrays = read_vtu(self.path("run/frames/frame_000003.vtu"))
            points_back, arrays_back = read_vtu(self.path("back/frame_000003.vtu"))
            self.assertEqual(points, points_back)
            self.assertEqual(set(arrays), set(arrays_back))
            for name, numbers in arrays.items():  # CSV does not keep types: compare as what they were
                back = array.array(numbers.typecode, map(int, arrays_back[name]) if numbers.typecode in "BHIiqQ" else arrays_back[name])
                self.assertEqual(numbers, back, "%s by way of %s" % (name, format_name))

    def test_step_and_names_are_kept(self):
        step = json.loads(self.succeed("info", "run", "--json").stdout)["step"]
        self.assertGreater(step, 0)
        self.succeed("convert", "run", "--to", "ply", "--frames", "3:3", "-o", "one")
        self.succeed("convert", "one/frame_000003.ply", "--to", "vtu", "-o", "two")
        self.succeed("convert", "two/frame_000003.vtu", "--to", "ply", "-o", "three")
        for folder in ["one", "three"]:
            with open(self.path(folder, "frame_000003.ply"), "rb") as file:
                head = file.read().split(b"end_header")[0].decode()
            self.assertIn("comment step %d\n" % step, head)
        self.succeed("convert", "run", "--to", "ply", "--frames", "3:3", "-o", "run/again")
        with open(self.path("run", "again", "frame_000003.ply"), "rb") as file:
            self.assertIn(b"comment body 0 ball\n", file.read())

    def test_csv_holds_the_numbers(self):
        self.succeed("convert", "run", "--to", "csv", "--frames", "2:2", "--fields", "id,velocity")
        self.assertEqual(os.listdir(self.path("run/csv")), ["frame_000002.csv"])
        with open(self.path("run/csv/frame_000002.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        points, arrays = read_vtu(self.path("run/frames/frame_000002.vtu"))
        self.assertEqual(len(rows), points)
        self.assertNotIn("J", rows[0])
        velocity = arrays["velocity"]
        for number in (0, points // 2, points - 1):
            self.assertAlmostEqual(float(rows[number]["velocity_y"]), velocity[3 * number + 1], delta=1e-6)
            self.assertEqual(int(float(rows[number]["id"])), number)

    def test_refused(self):
        self.fail_with(2, "convert", "run", "--to", "csv", "--frames", "9:", says="no such frames")
        self.fail_with(2, "convert", "run", "--to", "csv", "--frames", "3:1", says="--frames")
        self.fail_with(2, "convert", "run", "--to", "csv", "--fields", "velocity,colour", says="'colour'")
        self.fail_with(2, "convert", "run/frames/frame_000000.vtu", "--to", "vtu", says="would be overwritten")
        self.write("broken.vtu", read_text(self.path("run/used.yaml")))
        self.fail_with(3, "convert", "broken.vtu", "--to", "csv", says="broken.vtu")


if __name__ == "__main__":
    main()
