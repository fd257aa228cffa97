"""Going on with a run: what is refused, what may have changed, and whose files are touched."""

import os
import re
import shutil
import signal
import struct
import time

from support import PATIENCE, Case, main, read_text


def listing(folder):
    """Every file below a folder with its content."""
    files = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                files[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return files


class Moved(Case):
    def start_and_stop(self, *arguments):
        """A run that has begun and stands still."""
        process = self.start("run", self.scene(per_cell=36, end=2), "-o", "out/r", *arguments)
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists(self.path("out/r/frames/frame_000001.vtu")) and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGSTOP)
        return process

    def finish(self, process):
        process.send_signal(signal.SIGCONT)
        _, complaints = process.communicate(timeout=PATIENCE)
        return process.returncode, complaints

    def test_another_run_in_its_place(self):
        process = self.start_and_stop()
        os.rename(self.path("out/r"), self.path("out/old"))
        self.succeed("run", self.scene("other.yaml", end=0.1, young=2e5), "-o", "out/r")
        before = listing(self.path("out/r"))
        code, complaints = self.finish(process)
        self.assertEqual(code, 5, complaints)
        self.assertIn("moved", complaints)
        self.assertIn("out/old", complaints)
        self.assertEqual(before, listing(self.path("out/r")), "another run's files were touched")
        self.assertNotIn("checkpoint", "".join(name for name in before if "new" in name))
        step = int(re.search(r'"step":\s*(\d+)', self.succeed("info", "out/old", "--json").stdout).group(1))
        self.assertGreater(step, 0, "the state is saved where the run went")
        self.succeed("resume", "out/old", "--frames", "30")

    def test_interrupted_after_it_was_moved(self):
        process = self.start_and_stop()
        os.rename(self.path("out/r"), self.path("out/old"))
        os.mkdir(self.path("out/r"))
        process.send_signal(signal.SIGINT)
        code, complaints = self.finish(process)
        self.assertEqual(code, 5, complaints)
        self.assertEqual(os.listdir(self.path("out/r")), [])
        self.assertTrue(os.path.exists(self.path("out/old/checkpoint.ctc")))

    def test_removed(self):
        process = self.start_and_stop()
        shutil.rmtree(self.path("out/r"))
        code, complaints = self.finish(process)
        self.assertEqual(code, 5, complaints)
        self.assertFalse(os.path.exists(self.path("out/r")))


class Refused(Case):
    """A checkpoint that cannot be used is no reason to begin anew."""

    def setUp(self):
        super().setUp()
        self.scene_file = self.scene(end=0.2)
        self.succeed("run", self.scene_file, "-o", "run", "--frames", "3")
        self.succeed("resume", "run", "--frames", "5")

    def refused(self, *says, **options):
        before = listing(self.path("run"))
        result = self.fail_with(5, "resume", "run", says="--from-start", **options)
        for words in says:
            self.assertIn(words, result.stderr)
        self.assertEqual(before, listing(self.path("run")), "a refused run was changed")

    def edit(self, pattern, replacement):
        text = read_text(self.path("run/used.yaml"))
        changed = re.sub(pattern, replacement, text, count=1, flags=re.M)
        self.assertNotEqual(text, changed, pattern)
        self.write("run/used.yaml", changed)

    def test_format_version(self):
        with open(self.path("run/checkpoint.ctc"), "r+b") as file:
            file.seek(8)
            file.write(struct.pack("<I", 2))
        self.refused("checkpoint.ctc", "version 2")

    def test_no_permission(self):
        options = {}
        if os.geteuid() == 0:  # root may read everything
            options = dict(user=65534, group=65534, extra_groups=[])
            for path, _, names in os.walk(self.folder):
                for name in names + ["."]:
                    os.chmod(os.path.join(path, name), 0o777)
        os.chmod(self.path("run/checkpoint.ctc"), 0)
        result = self.run_program("resume", "run", **options)
        self.assertEqual(result.returncode, 5, result.stdout + result.stderr)
        self.assertIn("Permission denied", result.stderr)

    def test_both_damaged(self):
        for name in ["checkpoint.ctc", "checkpoint.previous.ctc"]:
            os.truncate(self.path("run", name), 200)
        self.refused("cut short")

    def test_edited_scenes(self):
        text = read_text(self.path("run/used.yaml"))
        for pattern, replacement, key in [
                (r"^  frame: .*", "  frame: 0.05 s", "time.frame"),
                (r"^bodies:", "bodies:\n  cube: {material: rubber, shape: {type: box, min: [0.1, 0.1], max: [0.2, 0.2]}}", "bodies.cube"),
                (r"young: .*", "young: 3e5 Pa", "materials.rubber.young"),
                (r"^gravity: .*", "gravity: [0, -1]", "gravity"),
                (r"^seed: .*", "seed: 99", "seed"),
                (r"radius: .*", "radius: 0.1 m", "bodies.ball.shape.radius"),
                (r"^  energy_budget: .*", "  energy_budget: false", "output.energy_budget")]:
            with self.subTest(key=key):
                self.write("run/used.yaml", text)
                self.edit(pattern, replacement)
                self.refused(key)

    def test_what_may_change(self):
        self.edit(r"^  end: .*", "  end: 0.25 s")
        self.edit(r"^  checkpoint_every: .*", "  checkpoint_every: 1 s")
        self.edit(r"^title: .*", "title: another")
        self.succeed("resume", "run", "--threads", "1")
        self.assertEqual(len(self.check_run("run", 14)), 14)  # 0 ... 0.24, and 0.25

    def test_other_formats(self):
        """run.pvd lists the frames that are there."""
        self.succeed("run", self.scene("csv.yaml", end=0.1, formats="[csv]"), "-o", "other", "--frames", "2")
        text = read_text(self.path("other/used.yaml"))
        self.write("other/used.yaml", text.replace("formats: [csv]", "formats: [csv, vtu]"))
        self.succeed("resume", "other")
        listed = re.findall(r'file="([^"]*)"', read_text(self.path("other/run.pvd")))
        self.assertEqual(listed, ["frames/frame_%06d.vtu" % number for number in range(3, 6)])

    def test_longer_after_an_end_between_frames(self):
        self.edit(r"^  end: .*", "  end: 0.15 s")
        self.succeed("resume", "run")
        self.edit(r"^  end: .*", "  end: 0.2 s")
        self.succeed("resume", "run")
        rows = [float(line.split(",")[0]) for line in read_text(self.path("run/stats.csv")).splitlines()[1:]]
        self.assertEqual(rows, sorted(set(rows)), "time runs forwards")
        self.assertEqual([0.14, 0.15, 0.16, 0.18], rows[7:11], "frame 8 is that of 0.16 s")
        self.assertEqual(len(os.listdir(self.path("run/frames"))), 11)
        last = read_text(self.path("run/run.pvd")).splitlines()[-3]
        self.assertIn('timestep="0.2"', last.replace("0.20000000000000001", "0.2"))

    def test_an_end_that_has_passed(self):
        self.edit(r"^  end: .*", "  end: 0.05 s")
        self.refused("time.end")

    def test_from_start(self):
        whole = self.hash_of("run", self.scene_file, "-o", "whole")
        self.write("run/notes.txt", "mine")
        self.edit(r"^  frame: .*", "  frame: 0.04 s")
        self.refused("time.frame")
        self.succeed("resume", "run", "--from-start")
        self.check_run("run", 6)
        self.assertEqual(len(os.listdir(self.path("run/frames"))), 6)
        self.assertEqual(read_text(self.path("run/notes.txt")), "mine")
        self.edit(r"^  frame: .*", "  frame: 0.02 s")
        self.assertEqual(whole, self.hash_of("resume", "run", "--from-start"))

    def test_tables_that_lost_rows(self):
        whole = read_text(self.path("run/stats.csv"))
        for content in [whole[:100], "", None]:
            with self.subTest(bytes=len(content or "")):
                os.remove(self.path("run/stats.csv"))
                if content is not None:
                    self.write("run/stats.csv", content)
                self.fail_with(5, "resume", "run", says="stats.csv")
                left = read_text(self.path("run/stats.csv")) if os.path.exists(self.path("run/stats.csv")) else ""
                self.assertNotIn("\0", left)
                self.write("run/stats.csv", whole)
        self.succeed("resume", "run")
        self.check_run("run", 11)

    def test_killed_after_a_damaged_checkpoint_was_passed_over(self):
        """The good checkpoint is not replaced by the damaged one."""
        os.truncate(self.path("run/checkpoint.ctc"), 200)
        previous = listing(self.path("run"))["checkpoint.previous.ctc"]
        self.succeed("resume", "run", "--frames", "6")
        self.assertEqual(previous, listing(self.path("run"))["checkpoint.previous.ctc"])

    def test_after_divergence_with_another_step(self):
        self.assertEqual(4, self.run_program("run", self.scene_file, "-o", "wild", "--set", "step.fixed=20 ms").returncode)
        text = read_text(self.path("wild/used.yaml"))
        self.write("wild/used.yaml", text.replace("fixed: 0.02 s", "fixed: 0.0001 s"))
        self.succeed("resume", "wild")


class Shown(Case):
    def test_bytes_of_a_damaged_table_are_not_printed(self):
        self.succeed("run", self.scene(end=0.04), "-o", "run")
        with open(self.path("run/stats.csv"), "r+b") as file:
            text = file.read()
            file.seek(text.rindex(b",") + 1)
            file.write(b"\x1b[31m\x84\x07:3;sound:1\n")
        for form in ([], ["--json"]):
            result = self.run_program("info", "run", *form, errors="surrogateescape")
            self.assertEqual(result.returncode, 0)
            self.assertNotRegex(result.stdout, "[\x00-\x09\x0b-\x1f\udc80-\udcff]")


class Theirs(Case):
    """Files that the program did not make stay."""

    THEIRS = ["thesis.part", "frame_sketch.vtu.part", "frame_1.vtu", "frame_000001.vtu.part.gz", "frame_000001.txt.part",
              "colliders_red.ply", "colliders_plan.part"]

    def setUp(self):
        super().setUp()
        self.scene_file = self.scene(end=0.04)
        self.succeed("run", self.scene_file, "-o", "run", "--frames", "1")

    def put(self, folder):
        for name in self.THEIRS:
            self.write(os.path.join(folder, name), "mine")

    def check(self, folder):
        for name in self.THEIRS:
            self.assertEqual(read_text(self.path(folder, name)), "mine", name)

    def test_resume(self):
        self.put("run")
        self.put("run/frames")
        self.write("run/frames/frame_000002.vtu.part", "half")
        self.write("run/stats.csv.part", "half")
        self.succeed("resume", "run")
        self.check("run")
        self.check("run/frames")
        self.assertFalse(os.path.exists(self.path("run/stats.csv.part")))

    def test_force(self):
        self.put("run")
        self.put("run/frames")
        self.succeed("run", self.scene_file, "-o", "run", "--force")
        self.check("run")
        self.check("run/frames")

    def test_linked_frames(self):
        """What a link leads to belongs to somebody else."""
        shutil.move(self.path("run/frames"), self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), self.path("run/frames"))
        self.put("elsewhere")
        self.write("elsewhere/frame_000009.vtu.part", "mine")
        before = listing(self.path("elsewhere"))
        self.fail_with(5, "run", self.scene_file, "-o", "run", "--force", says="link")
        self.assertEqual(before, listing(self.path("elsewhere")))
        self.succeed("resume", "run")
        self.check("elsewhere")
        self.assertTrue(os.path.exists(self.path("elsewhere/frame_000009.vtu.part")))


if __name__ == "__main__":
    main()
