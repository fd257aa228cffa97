"""A line that tells how far a run is: in a terminal, or in a notebook's cell."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional

EVERY = 0.1  # s of wall time


class Progress:
    def __init__(self, is_wanted: Optional[bool], begin: float, end: float) -> None:
        self.begin, self.end, self.last = begin, end, 0.0
        self.display: Any = None
        self.is_terminal = sys.stderr is not None and sys.stderr.isatty()
        in_notebook = "ipykernel" in sys.modules
        self.is_on = (self.is_terminal or in_notebook) if is_wanted is None else is_wanted
        if self.is_on and in_notebook:
            try:
                from IPython.display import display

                self.display = display({"text/plain": ""}, raw=True, display_id=True)
            except ImportError:
                pass

    def show(self, now: float, step: int, dt: float) -> None:
        if not self.is_on or time.monotonic() - self.last < EVERY:
            return
        self.last = time.monotonic()
        share = (now - self.begin) / (self.end - self.begin) if self.end > self.begin else 1
        width = 30
        bar = "#" * int(share * width)
        self.write(f"[{bar:<{width}}] {100 * share:3.0f}%  {now:.4g} of {self.end:.4g} s, step {step}, dt {dt:.2g} s")

    def write(self, line: str) -> None:
        if self.display is not None:
            self.display.update({"text/plain": line}, raw=True)
        elif self.is_terminal:
            sys.stderr.write("\r" + line + "\x1b[K")
            sys.stderr.flush()

    def close(self) -> None:
        if self.is_on and self.display is None and self.is_terminal and self.last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
