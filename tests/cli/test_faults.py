"""Disks that fill, folders that cannot be written, checkpoints that are damaged, runs that diverge."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from support import PATIENCE, PROGRAM, Case, find_hash, main, read_text


class DiskFull(Case):
    def check_after(self, result, name):
        self.assertEqual(result.returncode, 5, result.stdout + result.stderr)
        self.assertRegex(result.stderr, "cannot write .*(No space left|File too large)")
        self.assertIn("resume", result.stderr)
        frames = [file for file in os.listdir(os.path.join(name, "frames"))]
        self.assertTrue(all(file.endswith(".vtu") for file in frames), frames)
        for file in frames:
            self.check_frame(os.path.join(name, "frames", file))
        rows = read_text(os.path.join(name, "stats.csv"))
        self.assertTrue(rows.endswith("\n"), "half a row must not stay")
        return len(frames)

    def test_small_tmpfs(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True)
        if mounted.returncode:
            self.skipTest("mounting a tmpfs is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], capture_output=True)
        scene = self.scene(per_cell=9, checkpoint_every=0.05)
        whole = self.hash_of("run", scene, "-o", "whole")
        result = self.run_program("run", scene, "-o", "disk/run", "--checkpoint-every", "0.05")
        self.assertGreater(self.check_after(result, self.path("disk/run")), 2)
        self.assertEqual(5, self.run_program("resume", "disk/run").returncode, "still full")
        subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
        self.assertEqual(whole, self.hash_of("resume", "disk/run"))
        self.check_run("disk/run", 26)

    def test_file_size_limit(self):
        """The same without root: frames grow over the limit of a file's size."""
        scene = self.scene(end=0.1)
        frame = self.hash_of("run", scene, "-o", "whole") and os.path.getsize(self.path("whole/frames/frame_000000.vtu"))

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (frame - 100, frame - 100))

        result = self.run_program("run", scene, "-o", "run", preexec_fn=limit)
        self.assertEqual(0, self.check_after(result, self.path("run")))
        self.assertEqual(find_hash(self.succeed("info", "whole").stdout), self.hash_of("resume", "run"))


class ReadOnly(Case):
    def test_read_only_folder(self):
        """Root may write anywhere, so root becomes nobody for this."""
        options = {}
        if os.geteuid() == 0:
            options = dict(user=65534, group=65534, extra_groups=[])
            os.chmod(self.folder, 0o755)
            probe = subprocess.run([PROGRAM, "--version"], capture_output=True, **options)
            if probe.returncode:
                self.skipTest("the program cannot be run by another user here")
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        scene = self.scene(end=0.02)
        self.fail_with(5, "run", scene, "-o", "locked/run", says="Permission denied", **options)
        self.fail_with(5, "run", scene, "-o", "locked", says="Permission denied", **options)
        self.assertEqual(os.listdir(self.path("locked")), [])


class Damage(Case):
    def setUp(self):
        super().setUp()
        self.scene_file = self.scene(per_cell=9)
        self.whole = self.hash_of("run", self.scene_file, "-o", "whole")
        for frame in ["5", "9"]:
            self.succeed(*(["run", self.scene_file, "-o"] if frame == "5" else ["resume"]), "run", "--frames", frame)

    def damage(self, name):
        with open(self.path("run", name), "r+b") as file:
            file.seek(os.path.getsize(file.name) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 0x10]))

    def test_newest_is_damaged(self):
        self.damage("checkpoint.ctc")
        self.fail_with(5, "info", "run/checkpoint.ctc", says="checkpoint.ctc")
        result = self.succeed("resume", "run")
        self.assertIn("checkpoint.previous.ctc", result.stderr)
        self.assertEqual(self.whole, find_hash(result.stdout))
        self.check_run("run", 26)

    def test_newest_is_cut_short(self):
        os.truncate(self.path("run/checkpoint.ctc"), 100)
        self.assertEqual(self.whole, self.hash_of("resume", "run"))

    def test_newest_is_missing(self):
        os.remove(self.path("run/checkpoint.ctc"))
        self.assertEqual(self.whole, self.hash_of("resume", "run"))

    def test_both_are_damaged(self):
        self.damage("checkpoint.ctc")
        self.damage("checkpoint.previous.ctc")
        self.fail_with(5, "resume", "run", says="--from-start")
        self.assertEqual(self.whole, self.hash_of("resume", "run", "--from-start"))
        self.check_run("run", 26)

    def test_checkpoint_of_another_run(self):
        self.succeed("run", self.scene("other.yaml", dimension=3, spacing=0.1, end=0.02), "-o", "other")
        shutil.copy(self.path("other/checkpoint.ctc"), self.path("run/checkpoint.ctc"))
        self.fail_with(5, "resume", "run", says="dimension")

    def test_damaged_scene(self):
        self.write("run/used.yaml", "name: [")
        self.fail_with(3, "resume", "run", says="used.yaml:")


class Together(Case):
    def test_two_processes_one_folder(self):
        scene = self.scene(per_cell=36)
        process = self.start("run", scene, "-o", "run")
        while not os.path.exists(self.path("run/frames/frame_000000.vtu")):
            time.sleep(0.005)
        self.fail_with(1, "resume", "run", says="another process")
        self.fail_with(1, "run", scene, "-o", "run", "--force", says="another process")
        self.assertIn("drop", self.succeed("info", "run").stdout, "looking is allowed")
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        self.check_run("run", 26)


class Divergence(Case):
    def test_diverges(self):
        scene = self.scene(end=1)
        result = self.run_program("run", scene, "-o", "run", "--set", "step.fixed=20 ms")
        self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
        for word in ["particle", "rubber", "step"]:
            self.assertIn(word, result.stderr)
        self.check_frame(self.path("run/frames/frame_diverged.vtu"))
        self.succeed("info", "run/checkpoint.ctc")
        self.assertEqual(self.run_program("resume", "run").returncode, 4, "the same state diverges the same way")


if __name__ == "__main__":
    main()
