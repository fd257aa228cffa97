"""render --quality high: mistakes, the same bytes for any number of threads, films that go on after an interruption."""

import os
import signal
import time

from support import Case, main

SMALL = ["--quality", "high", "--size", "64x36", "--samples", "4", "--shutter", "0.01"]


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Tracing(Case):
    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene(end=0.06, dimension=3, spacing=0.05), "-o", "run")
        probe = self.run_program("render", "run", "--frames", "0:0", "-o", "probe.png", *SMALL)
        if "libembree-dev" in probe.stderr:
            self.assertEqual(probe.returncode, 1)
            self.skipTest("built without Embree")
        self.assertEqual(probe.returncode, 0, probe.stderr)

    def pictures(self, folder):
        names = sorted(name for name in os.listdir(self.path(folder)) if name.endswith(".png"))
        return {name: read_bytes(self.path(folder, name)) for name in names}

    def times(self, folder):
        return {name: os.stat(self.path(folder, name)).st_mtime_ns for name in self.pictures(folder)}

    def test_mistakes(self):
        self.fail_with(2, "render", "run", "--quality", "best", says="'fast' or 'high'")
        self.fail_with(2, "render", "run", "--samples", "4", says="--samples needs --quality high")
        self.fail_with(2, "render", "run", "--quality", "high", "--aperture", "-1", says="--aperture")
        self.succeed("run", self.scene("flat.yaml", end=0.02), "-o", "flat")
        self.fail_with(2, "render", "flat", "-o", "flat.png", *SMALL, says="3D")

    def test_the_same_bytes_for_any_number_of_threads(self):
        self.succeed("render", "run", "-o", "one", "--threads", "1", *SMALL)
        self.succeed("render", "run", "-o", "two", "--threads", "2", *SMALL)
        one = self.pictures("one")
        self.assertEqual(one, self.pictures("two"))
        self.assertEqual(len(set(one.values())), len(one), "every frame is another picture")

    def test_finished_pictures_are_kept(self):
        self.succeed("render", "run", "-o", "film", *SMALL)
        drawn, before = self.pictures("film"), self.times("film")
        lost = sorted(drawn)[1]
        os.remove(self.path("film", lost))
        self.succeed("render", "run", "-o", "film", *SMALL)
        self.assertEqual(self.pictures("film"), drawn)
        again = [name for name, when in self.times("film").items() if when != before[name]]
        self.assertEqual(again, [lost])
        # Other settings, and a frame that is newer, are drawn again.
        self.succeed("render", "run", "-o", "film", *SMALL, "--light")
        light = self.pictures("film")
        self.assertFalse(set(light.values()) & set(drawn.values()))
        before = self.times("film")
        os.utime(self.path("run", "frames", "frame_000002.vtu"))
        self.succeed("render", "run", "-o", "film", *SMALL, "--light")
        again = [name for name, when in self.times("film").items() if when != before[name]]
        self.assertEqual(again, ["picture_000002.png"])

    def test_an_interrupted_film_goes_on(self):
        options = ["render", "run", "-o", "film", "--quality", "high", "--size", "160x90", "--samples", "32"]
        process = self.start(*options)
        first = self.path("film", "picture_000000.png")
        for _ in range(600):
            if os.path.exists(first):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("the same command goes on", said)
        kept = self.times("film")
        self.assertLess(len(kept), 4)
        self.succeed(*options)
        times = self.times("film")
        self.assertEqual(len(times), 4)
        for name, when in kept.items():
            self.assertEqual(times[name], when)


if __name__ == "__main__":
    main()
