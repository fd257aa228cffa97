"""Work without end, small limits, full devices, frames in several formats, numbers that are not finite."""

import os
import resource
import signal
import subprocess
import time

from support import PATIENCE, PROGRAM, Case, main, read_text, scene_text

# More particles than a test waits for.
GIANT = """\
dimension: 3
time: {end: 1 s}
grid: {spacing: %s}
materials:
  water: {preset: water}
bodies:
  sea: {material: water, shape: {type: box, min: [0, 0, 0], max: [1, 1, 0.5]}, sampling: {pattern: %s, per_cell: 8}}
"""


class Endless(Case):
    def refused(self, says, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        for command in (["run", "-o", "run"], ["check"]):
            result = self.fail_with(3, command[0], self.scene(), *command[1:], *words, says=says, timeout=60)
            self.assertIn("error:", result.stderr)
        self.assertFalse(os.path.exists(self.path("run")))

    def test_times_without_end(self):
        self.refused("no run gets there", "time.end=1e18", "time.frame=1e15")
        self.refused("frames until 'end'", "time.frame=1e-300")
        self.refused("frames until 'end'", "time.end=1e8")
        self.refused("rows until 'end'", "output.stats_every=1e-300")

    def test_sampling_can_be_interrupted(self):
        for pattern, spacing in (("lattice", "2 mm"), ("poisson", "8 mm")):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(pattern=pattern, signal=number):
                    process = self.start("run", self.write("giant.yaml", GIANT % (spacing, pattern)), "-o", "run")
                    time.sleep(0.3)
                    begin = time.monotonic()
                    process.send_signal(number)
                    _, complaints = process.communicate(timeout=PATIENCE)
                    self.assertEqual(process.returncode, 128 + number, complaints)
                    self.assertLess(time.monotonic() - begin, 5)
                    self.assertIn("nothing was written", complaints)
                    self.assertEqual(os.listdir(self.folder), ["giant.yaml"])

    def test_sampling_ends_with_max_wall(self):
        begin = time.monotonic()
        self.fail_with(1, "run", self.write("giant.yaml", GIANT % ("2 mm", "jittered")), "-o", "run", "--max-wall", "0.2 s", says="--max-wall")
        self.assertLess(time.monotonic() - begin, 5)
        self.assertFalse(os.path.exists(self.path("run")))


class Small(Case):
    def test_file_size_limit_kills_nothing(self):
        """SIGXFSZ as the shell leaves it: its default would end the program."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        result = self.fail_with(5, "run", self.scene(end=0.04), "-o", "run", preexec_fn=limit)
        self.assertIn("File too large", result.stderr)
        self.succeed("resume", "run")

    def test_small_stack(self):
        script = 'ulimit -s 64; exec "$0" "$@"'
        for arguments in (["run", self.scene(end=0.04), "-o", "run", "--threads", "2"], ["resume", "run"], ["info", "run"],
                          ["convert", "run", "--to", "ply"], ["check", "scene.yaml"]):
            result = subprocess.run(["sh", "-c", script, PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                                    timeout=PATIENCE)
            if "ulimit" in result.stderr or os.environ.get("CT_SANITIZE"):
                self.skipTest("the stack cannot be made so small here")
            self.assertEqual(result.returncode, 0, (arguments, result.stdout, result.stderr))

    def test_the_folder_one_is_in(self):
        scene = self.path(self.scene(end=0.02))
        os.mkdir(self.path("here"))
        result = subprocess.run([PROGRAM, "run", scene, "-o", "."], cwd=self.path("here"), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_run("here", 2)
        again = subprocess.run([PROGRAM, "run", scene, "-o", "."], cwd=self.path("here"), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(again.returncode, 2, again.stderr)

    def test_full_stdout(self):
        scene = self.scene(end=0.02, dimension=3, spacing=0.1)
        self.succeed("run", scene, "-o", "done")
        commands = [["run", scene, "-o", "run"], ["run", scene, "-o", "quiet", "-q"], ["run", scene, "-o", "json", "--log", "json"],
                    ["resume", "done"], ["check", scene], ["check", scene, "--json"], ["info", "done"], ["info", "done", "--json"],
                    ["info", "--build"], ["convert", "done", "--to", "csv"], ["mesh", "done"], ["render", "done"], ["plot", "done"],
                    ["schema"], ["examples"], ["help"], ["version"]]
        for arguments in commands:
            with self.subTest(command=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                        timeout=PATIENCE)
                self.assertEqual(result.returncode, 5, result.stderr)
        self.check_run("run", 2)  # the results themselves are there

    def test_one_maximum_of_threads(self):
        scene = self.scene(end=0.02)
        self.succeed("run", scene, "-o", "done")
        for arguments in (["run", scene], ["check", scene], ["mesh", "done"], ["render", "done"], ["bench"], ["compare", scene], ["resume", "done"]):
            result = self.fail_with(2, *arguments, "--threads", "5000", says="256")
            self.assertNotIn("4096", result.stderr)


class Building(Case):
    def test_mistakes_that_show_while_building(self):
        lines = scene_text().splitlines()
        ball = 1 + lines.index("  ball:")
        for change, says in [("radius: 0.2", "no particle is inside the shape"), ("center: [0.5, 0.45]", "farther than")]:
            text = scene_text().replace(change, {"radius: 0.2": "radius: 1e-9", "center: [0.5, 0.45]": "center: [1e9, 0]"}[change])
            self.write("scene.yaml", text)
            for command in (["run", "scene.yaml", "-o", "run"], ["check", "scene.yaml"]):
                self.fail_with(3, *command, says="scene.yaml:%d:3: error: body 'ball': " % ball)
                self.fail_with(3, *command, says=says)

    def test_what_is_no_mistake_of_the_scene(self):
        self.fail_with(2, "run", self.scene(), "-o", "run", says="CONTINUA_ISA", env=dict(os.environ, CONTINUA_ISA="abacus"))

    def test_missing_frame(self):
        self.succeed("run", self.scene(end=0.02), "-o", "run")
        for command in (["convert", "--to", "csv"], ["mesh"], ["render"]):
            self.fail_with(5, command[0], "run/frames/frame_000077.vtu", *command[1:], says="frame_000077")


class Formats(Case):
    def test_several_formats(self):
        self.succeed("run", self.scene(end=0.04, dimension=3, spacing=0.1, formats="[vtu, xyz, obj, csv, bgeo]"), "-o", "run")
        for command in (["convert", "--to", "ply"], ["mesh"], ["render", "-o", "film.png", "--frames", "1:1"]):
            self.succeed(command[0], "run", *command[1:])
        self.assertEqual(len(os.listdir(self.path("run/ply"))), 3)
        self.assertIn(b"velocity_x", open(self.path("run/ply/frame_000000.ply"), "rb").read(4000), "made of the VTU")

    def test_ply_alone(self):
        self.succeed("run", self.scene(end=0.04, formats="[ply, xyz]"), "-o", "run")
        self.succeed("convert", "run", "--to", "csv")
        self.succeed("render", "run", "-o", "picture.png", "--frames", "1:1")

    def test_none_that_can_be_read(self):
        self.succeed("run", self.scene(end=0.02, formats="[xyz]"), "-o", "run")
        self.fail_with(5, "convert", "run", "--to", "ply", says="vtu, ply and csv")


# Bonds so stiff that the pressure passes what a float holds, at rest.
STIFF = """\
method: peridynamics
dimension: 2
time: {end: 0.1 s, frame: 0.02 s}
step: {fixed: 2 ms}
grid: {spacing: 2 cm}
materials: {m: {type: elastic, density: 1000, young: 1e37, poisson: 0.25}}
bodies: {a: {material: m, shape: {type: box, min: [0, 0], max: [0.2, 0.2]}}}
output: {fields: [velocity, pressure]}
"""


class Finite(Case):
    def test_peridynamics(self):
        self.fail_with(4, "run", self.write("stiff.yaml", STIFF), "-o", "run", says="'pressure'")
        self.assertEqual(os.listdir(self.path("run/frames")), [])

    def test_derived_quantities(self):
        """Positions and velocities are finite, the energy of a particle is not: float ends at 3.4e38."""
        text = scene_text(end=0.04).replace("young: 100000.0", "young: 1e38").replace("fields: [velocity, J, body, id]", "fields: [velocity, pressure, stress]")
        text = text.replace("    material: rubber\n", "    material: rubber\n    deformation: [[100, 0], [0, 100]]\n").replace("density: 1000", "density: 1e30")
        result = self.run_program("run", self.write("scene.yaml", text), "-o", "run")
        self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
        for name in os.listdir(self.path("run/frames")):
            content = open(self.path("run/frames", name), "rb").read()
            self.assertNotIn(b"\x00\x00\x80\x7f", content, "an infinity in a frame")


if __name__ == "__main__":
    main()
