"""run --film: the film is drawn as the run goes, whatever happens to the run and to the film."""

import json
import os
import shutil
import subprocess

from support import Case, find_hash, main, read_text

WITHOUT_FFMPEG = dict(os.environ, PATH="/nonexistent")
PICTURES = ["picture_%06d.png" % k for k in range(6)]


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Film(Case):
    def setUp(self):
        super().setUp()
        self.name = self.scene(end=0.1)

    def pictures(self, run):
        folder = self.path(run, "pictures")
        self.assertEqual(sorted(os.listdir(folder)), PICTURES)
        return [read_bytes(os.path.join(folder, name)) for name in PICTURES]

    def test_resumed_run_has_the_same_pictures(self):
        whole = self.succeed("run", self.name, "-o", "whole", "--film", env=WITHOUT_FFMPEG)
        self.assertIn("no ffmpeg", whole.stdout)
        self.assertNotIn("again", whole.stdout)
        self.succeed("run", self.name, "-o", "parts", "--film", "--frames", "2", env=WITHOUT_FFMPEG)
        self.assertEqual(sorted(os.listdir(self.path("parts", "pictures"))), PICTURES[:3])
        resumed = self.succeed("resume", "parts", "--film", env=WITHOUT_FFMPEG)
        self.assertEqual(find_hash(resumed.stdout), find_hash(whole.stdout))
        pictures = self.pictures("whole")
        self.assertEqual(self.pictures("parts"), pictures)
        self.assertEqual(len(set(pictures)), len(pictures), "every frame is another picture")
        self.assertEqual(read_bytes(self.path("parts", "picture.png")), read_bytes(self.path("whole", "picture.png")))

    def test_drawn_again_where_the_camera_was_wrong(self):
        # In a box far too large the ball would be a dot in the picture.
        self.write("free.yaml", read_text(self.path(self.name)).replace("max: [1, 1]", "max: [9, 9]"))
        text = self.succeed("run", "free.yaml", "-o", "free", "--film", env=WITHOUT_FFMPEG).stdout
        self.assertIn("again", text)
        self.succeed("render", "free", "-o", "known", env=WITHOUT_FFMPEG)
        self.assertEqual(self.pictures("free")[3], read_bytes(self.path("known", PICTURES[3])))

    def test_says_nothing_into_json(self):
        text = self.succeed("run", self.name, "-o", "run", "--film", "--log", "json", env=WITHOUT_FFMPEG).stdout
        events = [json.loads(line)["event"] for line in text.splitlines()]
        self.assertEqual((events[0], events[-1]), ("start", "done"))

    def test_a_film_that_fails_does_not_stop_the_run(self):
        plain = self.hash_of("run", self.name, "-o", "plain")
        os.makedirs(self.path("bin"))
        self.write("bin/ffmpeg", "#!/bin/sh\necho out of colours >&2\nexit 3\n")
        os.chmod(self.path("bin/ffmpeg"), 0o755)
        result = self.run_program("run", self.name, "-o", "run", "--film", env=dict(os.environ, PATH=self.path("bin")))
        self.assertEqual(result.returncode, 5)
        self.assertIn("out of colours", result.stderr)
        self.assertEqual(find_hash(result.stdout), plain)

    def test_ffmpeg_gets_every_frame(self):
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            self.skipTest("no ffmpeg")
        self.succeed("run", self.name, "-o", "run", "--film", "--frames", "2")
        self.assertEqual(self.frames_of("run"), "3")
        self.succeed("resume", "run", "--film")
        self.assertEqual(self.frames_of("run"), "6")

    def frames_of(self, run):
        return subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                               "stream=nb_read_frames", "-of", "csv=p=0", self.path(run, "film.mp4")],
                              capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
