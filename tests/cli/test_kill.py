"""kill -9 at random moments: resumed each time, the run ends in the same bits, with whole frames and each row once.

CT_KILLS kills (5 without it) are drawn from the seed CT_KILL_SEED, 2D and 3D, float and double, MPM and peridynamics in turn.
"""

import os
import random
import signal
import subprocess
import time

from support import Case, main, read_text

# Rubber whose bonds stay, wet sand that is sorted as it falls, honey that comes while the run goes on and sets in the end.
PERI = """\
method: peridynamics
dimension: 2
time: {end: 0.4 s, frame: 0.02 s}
grid: {spacing: 1 cm}
domain: {min: [0, 0], max: [1, 1]}
walls: {default: no_slip}
step: {fixed: 2 ms}
materials:
  rubber: {preset: rubber}
  sand: {preset: wet_sand}
  honey: {preset: honey}
bodies:
  ball: {material: rubber, shape: {type: sphere, center: [0.3, 0.6], radius: 0.1}, velocity: [0, -2]}
  heap: {material: sand, shape: {type: box, min: [0.1, 0], max: [0.5, 0.4]}}
sources:
  spoon: {material: honey, velocity: [0, -1], shape: {type: box, min: [0.7, 0.6], max: [0.75, 0.65]}}
changes:
  set: {from: spoon, material: rubber, time: 0.3 s}
output:
  fields: [velocity, J, body, id]
"""

VARIANTS = [dict(dimension=2, precision="float", per_cell=36), dict(text=PERI), dict(dimension=3, precision="double", spacing=0.05),
            dict(dimension=2, precision="double", per_cell=25), dict(dimension=3, precision="float", spacing=0.05)]


class Kill(Case):
    def test_random_kills(self):
        kills, seed = int(os.environ.get("CT_KILLS", "5")), int(os.environ.get("CT_KILL_SEED", "1"))
        chance = random.Random(seed)
        done = self.before_checkpoint = 0
        for variant in range(10 * kills):
            changes = VARIANTS[variant % len(VARIANTS)]
            done += self.kill_run("run%d" % variant, changes, min(kills - done, 4 if kills > 5 else 2), chance)
            if done == kills:
                break
        self.assertEqual(done, kills)
        self.assertGreater(self.before_checkpoint, 0)
        print("%d kills, %d of them before the first checkpoint, seed %d" % (done, self.before_checkpoint, seed))

    def kill_run(self, name, changes, wanted, chance):
        """One run that is killed `wanted` times on its way; returns how often it really was."""
        scene = self.write(name + ".yaml", changes["text"]) if "text" in changes else self.scene(name + ".yaml", end=0.4, **changes)
        start = time.monotonic()
        whole = self.hash_of("run", scene, "-o", name + "_whole")
        duration = time.monotonic() - start
        arguments = ["run", scene, "-o", name, "--checkpoint-every", "%g" % max(0.05, duration / 12)]
        killed = 0
        while killed < wanted:
            process = self.start(*arguments, stdout=subprocess.DEVNULL)
            early = killed == 0  # the first kill of a run is meant to be before its first checkpoint
            time.sleep(chance.uniform(0, duration / 12 if early else duration / 2))
            process.send_signal(signal.SIGKILL)
            _, complaints = process.communicate()
            if process.returncode == 0:
                break  # it was faster; what follows still has to hold
            self.assertEqual(process.returncode, -signal.SIGKILL, complaints)
            killed += 1
            self.before_checkpoint += not os.path.exists(self.path(name, "checkpoint.ctc"))
            self.check_frames_so_far(name)
            if os.path.exists(self.path(name)):  # otherwise it was killed before the folder appeared: start again
                arguments = ["resume", name] + arguments[-2:]
        self.assertEqual(whole, self.hash_of(*arguments))
        self.check_run(name, 21)
        self.assertEqual(read_text(self.path(name, "stats.csv")), read_text(self.path(name + "_whole", "stats.csv")))
        return killed

    def check_frames_so_far(self, name):
        """What has its name is whole, whenever the kill came."""
        folder = self.path(name, "frames")
        if not os.path.exists(folder):
            return
        self.assertTrue(os.path.exists(self.path(name, "used.yaml")))
        for file in os.listdir(folder):
            if file.endswith(".vtu"):
                self.check_frame(os.path.join(folder, file))


if __name__ == "__main__":
    main()
