"""Runs of several ranks: resumed on another number, killed, refused; what they say, and say once."""

import os
import random
import signal
import time

from ranks import SCENES, Ranks
from support import main

SCENE = SCENES["water in a box"]


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def ranks_of(mpirun):
    """Process ids of the command below mpirun."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if int(fields[1]) == mpirun.pid and words and words[0].endswith(b"continua"):
                found.append(int(entry))
    return found


class Runs(Ranks):
    def test_resume_on_other_ranks(self):
        scene = self.write("scene.yaml", SCENE.replace("0.1}", "0.02}"))
        whole = self.compute(0, "run", scene, "-o", "whole")
        for first, second in ((3, 0), (0, 3), (2, 4)):
            part = f"part{first}{second}"
            self.compute(first, "run", scene, "-o", part, "--until", "0.07")
            self.assertEqual(self.compute(second, "resume", part), whole, f"{first} ranks, then {second}")
            for table in ("stats.csv", "run.pvd"):
                self.assertEqual(read_bytes(self.path(part, table)), read_bytes(self.path("whole", table)))
            for frame in sorted(os.listdir(self.path("whole", "frames"))):
                self.assertEqual(read_bytes(self.path(part, "frames", frame)), read_bytes(self.path("whole", "frames", frame)), frame)

    def test_killed_rank(self):
        draw = random.Random(int(os.environ.get("CT_KILL_SEED", "1")))
        scene = self.write("scene.yaml", SCENE.replace("0.1}", "0.01}").replace("checkpoint_every: 0", "checkpoint_every: 0.01"))
        whole = self.compute(0, "run", scene, "-o", "whole")
        for kill in range(int(os.environ.get("CT_KILLS", "2"))):
            folder = f"killed{kill}"
            process = self.start(3, "run", scene, "-o", folder)
            deadline = time.monotonic() + 60
            while not os.path.exists(self.path(folder, "checkpoint.ctc")) and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.2))
            ranks = ranks_of(process)
            if ranks:
                os.kill(draw.choice(ranks), signal.SIGKILL)
            code, _, err = self.finish(process)
            if ranks and code:
                self.assertIn("signal 9", err)  # mpirun says which rank
            self.assertEqual(self.compute(draw.choice((0, 2, 3)), "resume", folder), whole, f"kill {kill}")

    def test_refused_by_name(self):
        cases = {
            "forces": ("forces: {wind: {type: acceleration, acceleration: [1, 0]}}\nmaterials: {water: {density: 1000, type: fluid, bulk: 1e5}}", "forces"),
            "implicit": ("integration: implicit\nmaterials: {water: {density: 1000, type: fixed_corotated, young: 1e5, poisson: 0.3}}", "implicit"),
            "rigid": ("method: rigid\nmaterials: {water: {density: 1000, type: rigid}}", "rigid"),
        }
        for name, (text, word) in cases.items():
            with self.subTest(name):
                lines = [text if line.startswith("materials") else line for line in SCENE.replace(", kernel: quadratic", "").splitlines()]
                scene = self.write(f"{name}.yaml", "\n".join(lines) + "\n")
                code, out, err = self.finish(self.start(2, "run", scene, "-o", name))
                self.assertEqual(code, 3, err)
                self.assertIn(word, err)
                self.assertEqual(err.count("several ranks cannot share"), 1, err)
                self.assertFalse(os.path.exists(self.path(name)))
                self.assertEqual(out, "")

    def test_mistake_is_told_once(self):
        scene = self.write("scene.yaml", SCENE.replace("walls:", "wals:"))
        code, _, err = self.finish(self.start(3, "run", scene, "-o", "out"))
        self.assertEqual(code, 3)
        self.assertEqual(err.count("unknown key"), 1, err)

    def test_folder_in_use_is_told_once(self):
        scene = self.write("scene.yaml", SCENE)
        os.makedirs(self.path("out"))
        self.write("out/other.txt", "not ours")
        code, _, err = self.finish(self.start(2, "run", scene, "-o", "out"))
        self.assertEqual(code, 2, err)
        self.assertEqual(err.count("is not empty"), 1, err)

    def test_diverged(self):
        text = SCENE.replace("walls: {default: separate}", "walls: {default: separate}\nstep: {fixed: 5 ms}")
        scene = self.write("scene.yaml", text)
        code, _, err = self.finish(self.start(0, "run", scene, "-o", "one"))
        several, _, told = self.finish(self.start(3, "run", scene, "-o", "several"))
        self.assertEqual((code, several), (4, 4), told)
        self.assertEqual(told.count("continua: "), err.count("continua: "))
        self.assertEqual(sorted(os.listdir(self.path("several", "frames"))), sorted(os.listdir(self.path("one", "frames"))))


if __name__ == "__main__":
    main()
