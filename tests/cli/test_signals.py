"""Ctrl-C, SIGTERM and SIGUSR1: a run that is interrupted and resumed equals one that was not."""

import os
import signal
import time

from support import PATIENCE, Case, find_hash, main, read_text


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.scene_file = self.scene(per_cell=16)
        self.whole = self.hash_of("run", self.scene_file, "-o", "whole")

    def start_and_wait(self, *arguments, frame=2):
        process = self.start(*arguments)
        self.wait_for("run/frames/frame_%06d.vtu" % frame, process)
        return process

    def wait_for(self, name, process):
        while not os.path.exists(self.path(name)):
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.002)

    def check_resumed(self, command):
        words = command.split()
        self.assertEqual(words[1:], ["resume", "run"])
        self.assertEqual(self.whole, self.hash_of(*words[1:]))
        self.check_run("run", 26)
        self.assertEqual(read_text(self.path("run/stats.csv")), read_text(self.path("whole/stats.csv")))
        for number in range(26):
            name = "frames/frame_%06d.vtu" % number
            with open(self.path("run", name), "rb") as one, open(self.path("whole", name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)

    def interrupt(self, number, code):
        process = self.start_and_wait("run", self.scene_file, "-o", "run")
        process.send_signal(number)
        output, complaints = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, output + complaints)
        self.assertNotEqual(find_hash(output), self.whole)
        info = self.succeed("info", "run").stdout
        self.assertEqual(find_hash(output), find_hash(info))
        self.assertIn("can be resumed", info)
        self.check_resumed([line for line in output.splitlines() if " resume " in line][0])

    def test_interrupt(self):
        self.interrupt(signal.SIGINT, 130)

    def test_terminate(self):
        self.interrupt(signal.SIGTERM, 143)

    def test_quiet_still_says_that_it_was_interrupted(self):
        process = self.start_and_wait("run", self.scene_file, "-o", "run", "--quiet")
        process.send_signal(signal.SIGTERM)
        output, complaints = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 143)
        self.assertEqual(len(output.splitlines()), 1)
        self.assertIn("interrupted", complaints)
        self.check_resumed(complaints[complaints.index("Go on with: ") + 12:])

    def test_interrupt_again_and_again(self):
        process = self.start_and_wait("run", self.scene_file, "-o", "run", frame=0)
        times = 0
        while True:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, 130)
            times += 1
            frame = 6 * times
            if frame >= 25:
                break
            process = self.start_and_wait("resume", "run", frame=frame)
        self.assertGreaterEqual(times, 2)
        self.check_resumed("continua resume run")

    def test_second_interrupt_quits(self):
        process = self.start_and_wait("run", self.scene_file, "-o", "run", "--threads", "1")
        process.send_signal(signal.SIGSTOP)  # so that the two arrive before a step can end
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        output, _ = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, (130, 143))
        self.assertNotIn("state hash", output)
        self.check_resumed("continua resume run")

    def test_checkpoint_on_request(self):
        process = self.start_and_wait("run", self.scene_file, "-o", "run")
        self.assertFalse(os.path.exists(self.path("run/checkpoint.ctc")))
        process.send_signal(signal.SIGUSR1)
        self.wait_for("run/checkpoint.ctc", process)
        process.kill()
        process.communicate()
        self.assertNotEqual(0.0, float([line for line in self.succeed("info", "run").stdout.splitlines()
                                        if line.startswith("time:")][0].split()[1]))
        self.check_resumed("continua resume run")


if __name__ == "__main__":
    main()
