"""Each of the first allocations fails once: the exit code says so, nothing crashes, and what was written stays whole.

CT_FAILURES is the number of allocations tried (200 without it).
"""

import os
import shutil

from support import PATIENCE, Case, find_hash, main


class Memory(Case):
    def setUp(self):
        super().setUp()
        if os.environ.get("CT_SANITIZE"):
            self.skipTest("sanitizers bring allocators of their own")
        self.count = int(os.environ.get("CT_FAILURES", "200"))

    def fail_each(self, arguments, before=lambda: None, after=lambda: None):
        failed = 0
        for at in range(1, self.count + 1):
            before()
            environment = dict(os.environ, LD_PRELOAD=os.environ["CT_FAIL_ALLOCATION"], CT_FAIL_AT=str(at))
            result = self.run_program(*arguments, env=environment, timeout=PATIENCE)
            self.assertIn(result.returncode, (0, 6), "allocation %d: %s%s" % (at, result.stdout, result.stderr))
            if result.returncode == 6:
                failed += 1
                self.assertIn("memory", result.stderr)
            after()
        return failed

    def test_run(self):
        scene = self.scene(end=0.02, spacing=0.1)
        fresh = lambda: shutil.rmtree(self.path("run"), ignore_errors=True)
        failed = self.fail_each(["run", scene, "-o", "run", "--threads", "1"], before=fresh)
        self.assertGreater(failed, self.count // 2)
        leftovers = [name for name in os.listdir(self.folder) if "partial" in name]
        self.assertEqual(leftovers, [])

    def test_convert(self):
        """No field and no name is left out for want of memory."""
        self.succeed("run", self.scene(end=0.02, spacing=0.1), "-o", "run")
        self.succeed("convert", "run", "--to", "ply", "-o", "good")

        def after():
            for name in os.listdir(self.path("bad")) if os.path.exists(self.path("bad")) else []:
                with open(self.path("bad", name), "rb") as one, open(self.path("good", name), "rb") as other:
                    self.assertEqual(one.read(), other.read())
            shutil.rmtree(self.path("bad"), ignore_errors=True)

        self.fail_each(["convert", "run", "--to", "ply", "-o", "bad"], after=after)

    def test_resume(self):
        scene = self.scene(end=0.04, spacing=0.1)
        whole = self.hash_of("run", scene, "-o", "whole")
        self.succeed("run", scene, "-o", "part", "--frames", "1")

        def before():
            shutil.rmtree(self.path("run"), ignore_errors=True)
            shutil.copytree(self.path("part"), self.path("run"))

        failed = self.fail_each(["resume", "run", "--threads", "1"], before=before)
        self.assertGreater(failed, self.count // 2)
        self.assertEqual(whole, find_hash(self.succeed("resume", "run").stdout))


if __name__ == "__main__":
    main()
