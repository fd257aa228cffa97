"""Help, options, exit codes, and the ways to change a scene from the command line."""

import json
import os

from support import Case, find_hash, main, read_text

COMMANDS = ["run", "resume", "check", "info", "convert", "mesh", "groom", "render", "plot", "schema", "examples", "bench", "help",
            "version"]


class Help(Case):
    def test_every_command_has_help(self):
        overview = self.succeed("help").stdout
        for command in COMMANDS:
            self.assertRegex(overview, r"(?m)^  %s +\S" % command)
            help_text = self.succeed(command, "--help").stdout
            self.assertIn("Usage: continua " + command, help_text)
            self.assertIn("--help", help_text)
            self.assertEqual(help_text, self.succeed("help", command).stdout)
            self.assertEqual(help_text, self.succeed(command, "-h").stdout)

    def test_top_level(self):
        self.assertEqual(self.succeed("--help").stdout, self.succeed("help").stdout)
        self.assertRegex(self.succeed("--version").stdout, r"^continua \d+\.\d+\.\d+\n$")
        self.assertEqual(self.run_program().returncode, 2)

    def test_unknown_command_is_guessed(self):
        self.fail_with(2, "rnu", says="did you mean 'run'?")
        self.fail_with(2, "help", "shcema", says="did you mean 'schema'?")
        self.assertNotIn("did you mean", self.fail_with(2, "qqqqqqqqqqq", says="no command").stderr)

    def test_unknown_option_is_guessed(self):
        self.fail_with(2, "run", "scene.yaml", "--treads", "2", says="did you mean '--threads'?")
        self.fail_with(2, "run", "scene.yaml", "-x", says="unknown option '-x'")
        self.fail_with(2, "resume", "folder", "--set", "a=b", says="unknown option '--set'")


class Usage(Case):
    def test_arguments(self):
        self.fail_with(2, "run", says="expects SCENE")
        self.fail_with(2, "run", "a", "b", says="'b'")
        self.fail_with(2, "run", "a", "--threads", says="needs a value")
        self.fail_with(2, "run", "a", "--quiet=1", says="takes no value")
        self.fail_with(2, "info", says="expects")
        self.fail_with(2, "info", "x", "--build", says="expects")
        self.fail_with(2, "convert", "x", says="--to is necessary")
        self.fail_with(2, "convert", "x", "--to", "gif", says="no format 'gif'")

    def test_values(self):
        for option, value in [("--threads", "0"), ("--threads", "two"), ("--threads", "3x"), ("--frames", "-1"),
                              ("--until", "5 m"), ("--max-wall", "-3"), ("--log", "xml"), ("--checkpoint-every", "soon")]:
            self.fail_with(2, "run", "scene.yaml", option, value, says=option)

    def test_scene_errors(self):
        self.fail_with(3, "run", "missing.yaml", says="missing.yaml")
        self.write("bad.yaml", "gravty: [0, -9.81, 0]\n")
        self.fail_with(3, "run", "bad.yaml", says="bad.yaml:1:1: error: unknown key 'gravty'")
        self.fail_with(3, "check", "bad.yaml", says="did you mean 'gravity'?")
        self.fail_with(3, "info", "bad.yaml", says="gravty")
        self.assertFalse(os.path.exists(self.path("out")), "a scene that is wrong leaves no folder")

    def test_resume_needs_a_run(self):
        self.fail_with(5, "resume", "nowhere", says="no run")
        os.mkdir(self.path("empty"))
        self.fail_with(5, "resume", "empty", says="used.yaml")


class Running(Case):
    def test_default_folder_and_set(self):
        scene = self.scene()
        self.succeed("run", scene, "--set", "time.end=0.06", "--set", "name=a b")
        self.check_run("out/a_b", 4)
        used = read_text(self.path("out/a_b/used.yaml"))
        self.assertIn("0.06", used)

    def test_set_errors(self):
        scene = self.scene()
        self.fail_with(3, "run", scene, "--set", "grid.spacng=1", says="grid.spacng")
        self.fail_with(3, "run", scene, "--set", "grid.spacing", says="--set")
        self.fail_with(3, "run", scene, "--seed", "-1", says="seed")

    def test_used_scene_gives_the_same(self):
        scene = self.scene()
        first = self.hash_of("run", scene, "-o", "first", "--set", "time.end=0.1", "--set", "materials.rubber.young=2e5")
        self.assertEqual(first, self.hash_of("run", "first/used.yaml", "-o", "second"))
        other = self.hash_of("run", scene, "-o", "third", "--set", "time.end=0.1")
        self.assertNotEqual(first, other)

    def test_seed(self):
        scene = self.scene(end=0.04)
        hashes = [self.hash_of("run", scene, "-o", "run%d" % i, "--seed", seed) for i, seed in enumerate(["1", "2", "1"])]
        self.assertEqual(hashes[0], hashes[2])
        self.assertNotEqual(hashes[0], hashes[1])

    def test_threads_give_the_same(self):
        scene = self.scene(end=0.1)
        hashes = {self.hash_of("run", scene, "-o", "run" + n, "--threads", n) for n in "123"}
        self.assertEqual(len(hashes), 1)

    def test_force(self):
        scene = self.scene(end=0.06)
        first = self.hash_of("run", scene, "-o", "a/b/run")
        self.check_run("a/b/run", 4)
        self.write("a/b/run/notes.txt", "mine")
        self.write("a/b/run/frames/mine.vtu", "mine")
        before = read_text(self.path("a/b/run/stats.csv"))
        self.fail_with(2, "run", scene, "-o", "a/b/run", says="--force")
        self.assertEqual(before, read_text(self.path("a/b/run/stats.csv")), "a refused run must change nothing")
        self.assertNotEqual(first, self.hash_of("run", scene, "-o", "a/b/run", "--force", "--set", "time.end=0.04"))
        self.check_run("a/b/run", 3)
        self.assertFalse(os.path.exists(self.path("a/b/run/frames/frame_000003.vtu")))
        self.assertEqual("mine", read_text(self.path("a/b/run/notes.txt")), "files of others stay")
        self.assertEqual("mine", read_text(self.path("a/b/run/frames/mine.vtu")))

    def test_an_empty_folder_is_fine_and_a_file_is_not(self):
        scene = self.scene(end=0.02)
        os.mkdir(self.path("run"))
        self.succeed("run", scene, "-o", "run/")
        self.fail_with(2, "run", scene, "-o", scene, "--force", says="is a file")
        self.assertEqual(sorted(os.listdir(self.folder)), ["run", "scene.yaml"], "nothing else is left")

    def test_quiet(self):
        result = self.succeed("run", self.scene(end=0.04), "--quiet")
        self.assertEqual(len(result.stdout.splitlines()), 1)
        find_hash(result.stdout)

    def test_plain_lines(self):
        result = self.succeed("run", self.scene(end=0.1))
        for number in range(6):
            self.assertEqual(result.stdout.count("frame %d/5 " % number), 1)
        self.assertNotIn("\r", result.stdout)
        self.assertNotIn("\033", result.stdout)
        self.assertIn("stats.csv", result.stdout)
        find_hash(result.stdout)

    def test_json_lines(self):
        result = self.succeed("run", self.scene(end=0.1), "--log", "json")
        events = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([event["event"] for event in events], ["start"] + 6 * ["frame"] + ["done"])
        self.assertEqual([event["frame"] for event in events[1:-1]], list(range(6)))
        self.assertEqual(events[-1]["state_hash"], find_hash(self.succeed("info", "out/drop").stdout))
        self.assertIn(events[-2]["limited_by"], ["sound", "velocity"])
        self.assertEqual(events[-2]["limited_material"], "rubber")
        self.assertGreater(events[-2]["particle_steps_per_second"], 0)

    def test_limits_can_be_resumed(self):
        scene = self.scene(end=0.2)
        whole = self.hash_of("run", scene, "-o", "whole")
        self.succeed("run", scene, "-o", "part", "--frames", "3")
        rows = self.check_run("part", 4)
        self.assertEqual(float(rows[-1]["time"]), 3 * 0.02)
        self.assertNotEqual(whole, self.hash_of("resume", "part", "--until", "0.13 s"))
        self.check_run("part", 7)
        self.assertIn("resume part", self.succeed("resume", "part", "--max-wall", "0").stdout)
        self.assertEqual(whole, self.hash_of("resume", "part"))
        self.check_run("part", 11)
        self.assertEqual(read_text(self.path("part/stats.csv")), read_text(self.path("whole/stats.csv")))
        self.assertEqual(whole, self.hash_of("resume", "part"), "a run that is done stays as it is")

    def test_what_conducts_is_known_after_a_resume(self):
        scene = self.write("hot.yaml", """
name: hot
dimension: 2
time: {end: 0.1 s, frame: 0.05 s}
grid: {spacing: 4 cm}
domain: {min: [0, 0], max: [1, 0.6]}
materials: {hot: {preset: lava, temperature: 900 degC, bulk: 2 kPa, shear: 200 Pa, conductivity: 400 kW/(m K)}}
bodies: {block: {material: hot, shape: {type: box, min: [0.2, 0.05], max: [0.5, 0.3]}}}
""")
        whole = self.hash_of("run", scene, "-o", "whole")
        self.assertIn("conduction", self.succeed("info", "whole").stdout)
        self.succeed("run", scene, "-o", "part", "--until", "0.04 s")
        self.assertEqual(whole, self.hash_of("resume", "part"))

    def test_last_frame_is_at_the_end(self):
        self.succeed("run", self.scene(end=0.05), "-o", "run")
        rows = self.check_run("run", 4)
        self.assertEqual([float(row["time"]) for row in rows], [0, 0.02, 0.04, 0.05])

    def test_stats_every(self):
        self.succeed("run", self.scene(end=0.04), "-o", "run", "--set", "output.stats_every=1 ms")
        rows = read_text(self.path("run/stats.csv")).splitlines()
        self.assertGreater(len(rows), 12)
        self.assertTrue(rows[0].startswith("time,step,dt,limited_by,particles,blocks,mass,center_x"))
        limits = sum(int(part.split(":")[1]) for row in rows[1:] for part in row.split(",")[-1].split(";") if part)
        self.assertEqual(limits, int(rows[-1].split(",")[1]), "the ledger counts every step once")


if __name__ == "__main__":
    main()
