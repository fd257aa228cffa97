"""continua compare: several runs of one scene, one table."""

import csv
import json
import os
import shutil
import signal
import time

from support import Case, main, read_text

# A disc of jelly that spins and falls freely: APIC keeps its angular momentum, PIC does not.
SPINNING = """\
name: spin
dimension: 2
precision: double
time: {end: 0.1 s, frame: 0.02 s}
grid: {spacing: 5 cm}
materials:
  jelly: {type: fixed_corotated, density: 1000, young: 20 kPa, poisson: 0.3}
bodies:
  disc:
    material: jelly
    shape: {type: sphere, center: [3, 0.5], radius: 0.3}
    velocity: [1, 0]
    spin: {rate: 5 rad/s}
"""


class Compare(Case):
    def compare(self, *arguments, **options):
        return json.loads(self.succeed("compare", *arguments, "--threads", "1", "--json", **options).stdout)

    def test_table_and_files(self):
        scene = self.write("spin.yaml", SPINNING)
        facts = self.compare(scene, "--schemes", "pic,apic,asflip:alpha=0.9:beta_max=0.5")
        self.assertEqual(facts["folder"], "out/compare-spin")
        runs = {run["name"]: run for run in facts["runs"]}
        self.assertEqual(list(runs), ["pic", "apic", "asflip alpha=0.9 beta_max=0.5"])
        # In free fall angular momentum about the centre of mass stays; gravity trades height for speed.
        self.assertAlmostEqual(runs["apic"]["angular_momentum_kept"], 1, delta=1e-12)
        self.assertLess(runs["pic"]["angular_momentum_kept"], 0.9)
        self.assertLess(runs["pic"]["energy_kept"], runs["apic"]["energy_kept"])
        # A disc of radius R has the spread R / sqrt 2; the particles are jittered.
        self.assertAlmostEqual(runs["apic"]["spread_at_start"], 0.3 / 2 ** 0.5, delta=0.01)
        for run in facts["runs"]:
            self.assertEqual((run["state"], run["time"]), ("done", 0.1))
            self.check_run(run["folder"], 6)
            self.assertGreater(run["seconds"], 0)
            self.assertGreater(run["ns_per_particle_step"], 0)
        with open(self.path("out/compare-spin/compare.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row, run in zip(rows, facts["runs"], strict=True):
            self.assertEqual(row["name"], run["name"])
            self.assertEqual(float(row["spread"]), run["spread"])
            self.assertEqual(int(row["steps"]), run["steps"])
        plot = read_text(self.path("out/compare-spin/compare.svg"))
        for word in ["Total energy", "Angular momentum", "Spread", ">apic<", ">asflip alpha=0.9 beta_max=0.5<"]:
            self.assertIn(word, plot)
        for name in ["compare.png", "picture.png"]:
            with open(self.path("out/compare-spin", name), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        text = self.succeed("compare", scene, "--schemes", "pic,apic,asflip:alpha=0.9:beta_max=0.5").stdout
        self.assertIn("apic: 456 particles -> out/compare-spin/apic (done already)", text)
        self.assertIn("100.00 %", text)

    def test_reused_replaced_refused(self):
        scene = self.write("spin.yaml", SPINNING)
        first = self.compare(scene, "--schemes", "apic", "-o", "all")
        before = os.stat(self.path("all/apic/frames/frame_000005.vtu")).st_mtime_ns
        again = self.compare(scene, "--schemes", "apic,pic", "-o", "all")
        for run in again["runs"][0], first["runs"][0]:
            del run["energy_kept"]  # what it is a share of depends on the other runs
        self.assertEqual(again["runs"][0], first["runs"][0], "a finished run is taken as it is, time by the clock included")
        self.assertEqual(os.stat(self.path("all/apic/frames/frame_000005.vtu")).st_mtime_ns, before)
        self.compare(scene, "--schemes", "apic", "-o", "all", "--force")
        self.assertGreater(os.stat(self.path("all/apic/frames/frame_000005.vtu")).st_mtime_ns, before)
        self.fail_with(2, "compare", scene, "--schemes", "apic", "-o", "all", "--set", "grid.spacing=6cm", says="other settings")

    def test_interrupted_goes_on(self):
        scene = self.scene(end=0.3, per_cell=16)
        arguments = ["compare", scene, "--schemes", "pic,apic", "-o", "cut", "--threads", "1", "--quiet"]
        process = self.start(*arguments)
        frame = self.path("cut/pic/frames/frame_000003.vtu")
        deadline = time.time() + 60
        while not os.path.exists(frame) and process.poll() is None and time.time() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130, process.stderr.read())
        self.assertFalse(os.path.exists(self.path("cut/compare.csv")))
        self.succeed(*arguments)
        self.succeed("compare", scene, "--schemes", "pic,apic", "-o", "whole", "--threads", "1", "--quiet")
        for name in ["pic", "apic"]:
            self.assertEqual(read_text(self.path("cut", name, "stats.csv")), read_text(self.path("whole", name, "stats.csv")))

    def test_values_and_combinations(self):
        scene = self.write("spin.yaml", SPINNING)
        facts = self.compare(scene, "--set-each", "grid.spacing=5cm,6cm", "--schemes", "pic,apic", "--set", "time.end=0.04",
                             "--set-each", "bodies.disc.velocity=[1, 0],[0, 1]")
        self.assertEqual([run["name"] for run in facts["runs"]][:3],
                         ["pic spacing=5cm velocity=[1, 0]", "pic spacing=5cm velocity=[0, 1]", "pic spacing=6cm velocity=[1, 0]"])
        self.assertEqual(len(facts["runs"]), 8)
        with open(self.path("out/compare-spin/compare.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(next(csv.DictReader(file))["name"], "pic spacing=5cm velocity=[1, 0]")

    def test_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg")
        self.compare(self.write("spin.yaml", SPINNING), "--schemes", "pic,apic", "--set", "time.end=0.04", "--film")
        self.assertGreater(os.path.getsize(self.path("out/compare-spin/film.mp4")), 1000)

    def test_divergence_is_a_result(self):
        text = SPINNING + "step: {fixed: 0.05 s}\n"
        scene = self.write("wild.yaml", text.replace("young: 20 kPa", "young: 20 MPa"))
        result = self.run_program("compare", scene, "--schemes", "apic,pic", "--threads", "1", "--json")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("'apic' diverged", result.stderr)
        self.assertIn("diverged", [run["state"] for run in json.loads(result.stdout)["runs"]])

    def test_mistakes(self):
        scene = self.write("spin.yaml", SPINNING)
        for schemes, says in [("apik", "did you mean 'apic'?"), ("zebra", "there are apic, rpic"), ("apic,apic", "twice"),
                              ("flip:alfa=1", "did you mean 'alpha'?"), ("flip:alpha", "needs a value"), ("pic:alpha=1", "no parameter"),
                              ("", "no scheme ''")]:
            self.fail_with(2, "compare", scene, "--schemes", schemes, says=says)
        self.fail_with(3, "compare", scene, "--schemes", "pic,flip:alpha=7", says="'alpha' is 7")
        self.fail_with(2, "compare", scene, "--schemes", "pic,rpic", "--set", "grid.kernel=linear", says="moment of inertia")
        self.fail_with(2, "compare", scene, "--set-each", "grid.spacing", says="KEY=VALUE")
        self.fail_with(2, "compare", scene, "--set-each", "seed=" + ",".join(map(str, range(20))), says="more than 16")
        self.fail_with(3, "compare", scene, "--set-each", "grid.spacin=1,2", says="did you mean 'spacing'")
        self.fail_with(2, "compare", says="SCENE")
        self.assertFalse(os.path.exists(self.path("out")), "a mistake is found before anything is run")


if __name__ == "__main__":
    main()
