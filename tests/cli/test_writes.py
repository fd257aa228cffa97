"""Each call that changes a file fails once: the exit code says so, nothing crashes, and what is there is whole.

CT_FAILURES is the number of calls tried (16 without it), spread over all that there are.
"""

import os
import shutil

from support import PATIENCE, Case, find_hash, main


class Writes(Case):
    def setUp(self):
        super().setUp()
        if os.environ.get("CT_SANITIZE"):
            self.skipTest("sanitizers bring calls of their own")
        self.count = int(os.environ.get("CT_FAILURES", "16"))

    def fail_each(self, arguments, calls, before=lambda: None, after=lambda: None):
        """`calls` is about how many the command makes. Returns how often it failed."""
        failed = 0
        for at in sorted({1 + k * calls // self.count for k in range(self.count)}):
            before()
            environment = dict(os.environ, LD_PRELOAD=os.environ["CT_FAIL_WRITE"], CT_FAIL_AT=str(at))
            result = self.run_program(*arguments, env=environment, timeout=PATIENCE)
            self.assertIn(result.returncode, (0, 5), "call %d: %s%s" % (at, result.stdout, result.stderr))
            failed += result.returncode == 5
            after()
        return failed

    def check_frames(self, name):
        folder = self.path(name, "frames")
        for file in os.listdir(folder) if os.path.exists(folder) else []:
            if file.endswith(".vtu"):
                self.check_frame(os.path.join(folder, file))

    def test_run(self):
        scene = self.scene(end=0.06, spacing=0.1)
        whole = self.hash_of("run", scene, "-o", "whole")

        def after():
            self.check_frames("run")
            if os.path.exists(self.path("run")):
                self.assertEqual(whole, self.hash_of("resume", "run"))

        failed = self.fail_each(["run", scene, "-o", "run"], 60, before=lambda: shutil.rmtree(self.path("run"), ignore_errors=True), after=after)
        self.assertGreater(failed, self.count // 3)
        self.assertEqual([], [name for name in os.listdir(self.folder) if "partial" in name])

    def test_resume(self):
        scene = self.scene(end=0.06, spacing=0.1)
        whole = self.hash_of("run", scene, "-o", "whole")
        self.succeed("run", scene, "-o", "part", "--frames", "1")

        def before():
            shutil.rmtree(self.path("run"), ignore_errors=True)
            shutil.copytree(self.path("part"), self.path("run"))

        def after():
            self.check_frames("run")
            self.assertEqual(whole, find_hash(self.succeed("resume", "run").stdout))

        self.assertGreater(self.fail_each(["resume", "run"], 40, before=before, after=after), self.count // 3)

    def test_convert(self):
        self.succeed("run", self.scene(end=0.06, spacing=0.1), "-o", "run")
        self.succeed("convert", "run", "--to", "ply", "-o", "good")

        def after():
            for file in os.listdir(self.path("bad")) if os.path.exists(self.path("bad")) else []:
                self.assertTrue(file.endswith(".ply"), file)
                with open(self.path("bad", file), "rb") as one, open(self.path("good", file), "rb") as other:
                    self.assertEqual(one.read(), other.read())
            shutil.rmtree(self.path("bad"), ignore_errors=True)

        self.assertGreater(self.fail_each(["convert", "run", "--to", "ply", "-o", "bad"], 20, after=after), 3)


if __name__ == "__main__":
    main()
