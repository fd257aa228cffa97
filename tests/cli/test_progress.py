"""What a run shows on a terminal, and what happens when there is nobody to show it to."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

from support import PATIENCE, Case, main, read_text


class OnTerminal(Case):
    def show(self, *arguments, width=80, variables=None):
        """Runs on a pseudo-terminal; returns what it printed, and the times at which it did."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        environment = dict(os.environ, TERM="xterm", **(variables or {}))
        if not variables:
            environment.pop("NO_COLOR", None)
        process = self.start(*arguments, stdout=slave, stderr=slave, stdin=slave, env=environment)
        os.close(slave)
        output, pieces = b"", 0
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            output += piece
            pieces += piece.count(b"\r") - piece.count(b"\r\n")
        os.close(master)
        self.assertEqual(process.wait(timeout=PATIENCE), 0, output)
        return output.decode(), pieces

    def test_progress_line(self):
        scene = self.scene(end=1, per_cell=16)
        start = time.monotonic()
        output, drawn = self.show("run", scene, "-o", "run")
        elapsed = time.monotonic() - start
        self.assertGreater(drawn, 1)
        self.assertLessEqual(drawn, 10 * elapsed + 2, "drawn more than ten times per second")
        lines = [re.sub("\033\\[[0-9]*m", "", part) for part in re.split("[\r\n]+", output) if "frame" in part]
        self.assertTrue(any(re.search(r"frame \d+/50  [\d.]+/1 s  dt [\d.]+ \wss? \((sound|velocity)(, \w+)?\).*left", line)
                            for line in lines), lines[-3:])
        for line in lines:
            self.assertLess(len(line), 80)
        self.assertIn("particle-steps/s", output)
        self.assertIn("\033[1m", output)

    def test_narrow_and_without_colour(self):
        output, _ = self.show("run", self.scene(end=0.2), "-o", "run", width=30, variables={"NO_COLOR": "1"})
        self.assertNotIn("\033", output)
        for part in output.split("\r"):
            if part.startswith("frame"):
                self.assertLess(len(part.split("\n")[0]), 30)


class Gone(Case):
    """Nobody reads: the run goes on, says so in run.log, and loses nothing."""

    def finish(self, process, whole):
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        self.check_run("run", 26)
        self.assertIn("state hash: " + whole, read_text(self.path("run/run.log")))

    def test_closed_pipe(self):
        scene = self.scene(per_cell=16)
        whole = self.hash_of("run", scene, "-o", "whole")
        process = self.start("run", scene, "-o", "run")
        process.stdout.readline()
        process.stdout.close()
        self.finish(process, whole)
        self.assertIn("stdout is gone", read_text(self.path("run/run.log")))

    def test_closed_terminal(self):
        scene = self.scene(per_cell=16)
        whole = self.hash_of("run", scene, "-o", "whole")
        master, slave = pty.openpty()
        process = self.start("run", scene, "-o", "run", stdout=slave, stderr=slave, stdin=slave, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        os.read(master, 1)
        os.close(master)  # the kernel sends SIGHUP, and writes fail from now on
        self.finish(process, whole)
        self.assertRegex(read_text(self.path("run/run.log")), "SIGHUP|stdout is gone")

    def test_hangup(self):
        scene = self.scene(per_cell=16)
        whole = self.hash_of("run", scene, "-o", "whole")
        process = self.start("run", scene, "-o", "run", stdout=subprocess.DEVNULL)
        while not os.path.exists(self.path("run/frames/frame_000001.vtu")):
            time.sleep(0.005)
        process.send_signal(signal.SIGHUP)
        self.finish(process, whole)
        self.assertIn("SIGHUP", read_text(self.path("run/run.log")))

    def test_no_descriptors_at_all(self):
        def close_all():
            for descriptor in (0, 1, 2):
                os.close(descriptor)

        process = self.start("run", self.scene(end=0.1), "-o", "run", stdout=None, stderr=None, stdin=None,
                             preexec_fn=close_all)
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        self.check_run("run", 6)


if __name__ == "__main__":
    main()
