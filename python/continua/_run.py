"""Runs: what `continua run` does, with frames, statistics and checkpoints in a folder."""

from __future__ import annotations

import csv
import ctypes
import glob
import os
import shutil
import subprocess
import weakref
from ctypes import byref
from typing import Any, Callable, Dict, List, Optional

from . import _api as api
from ._arrays import numpy
from ._define import fill
from ._library import FileError, UsageError, as_dict, check, fail, library, text
from ._progress import Progress
from ._scene import Scene
from ._world import World


class Run:
    """A scene and the folder of its results. `Run.start(scene, folder)`, or `Run.resume(folder)`.

    Options: threads (0: one per core), force (replace the run in the folder), read_only, from_start, checkpoint_every
    (s of wall time). A run that is killed at any moment and resumed gives the same bits as one that never was.
    """

    def __init__(self, pointer: Any, folder: Any) -> None:
        self._pointer, self.folder = pointer, os.fspath(folder)
        self._error = api.ct_error()
        self._worlds: Any = weakref.WeakSet()

    @classmethod
    def start(cls, source: Any, folder: Any, settings: Any = None, **options: Any) -> "Run":
        """Begins a run in a folder, which must be empty, unless `force`."""
        raw, where = fill(library.ct_default_run_def(), options), text("folder", folder)
        scene = Scene(source, settings)
        taken, scene._pointer = scene._pointer, None  # the run's from here on
        pointer = ctypes.c_void_p()
        check(library.ct_run_start, taken, where, byref(raw), byref(pointer))
        return cls(pointer.value, folder)

    @classmethod
    def resume(cls, folder: Any, **options: Any) -> "Run":
        """Goes on with a run at its newest checkpoint."""
        raw = fill(library.ct_default_run_def(), options)
        pointer = ctypes.c_void_p()
        check(library.ct_run_resume, text("folder", folder), byref(raw), byref(pointer))
        return cls(pointer.value, folder)

    def _handle(self) -> Any:
        if not self._pointer:
            raise UsageError("the run is closed")
        return self._pointer

    def step(self) -> None:
        """One time step, and what is due after it."""
        if library.ct_run_step(self._handle(), byref(self._error)):
            fail(self._error)

    def run(self, on_frame: Optional[Callable[["Run"], Any]] = None, progress: Optional[bool] = False) -> "Run":
        """Steps to the end; `on_frame(run)` after each frame, which may return False to stop. Ctrl-C stops between two
        steps and leaves a checkpoint."""
        state = library.ct_run_get_progress(self._handle())
        bar = Progress(progress, state.time, state.end)
        try:
            while not state.is_done:
                frames = state.frames_written
                self.step()
                state = library.ct_run_get_progress(self._handle())
                bar.show(state.time, state.step, state.dt)
                if state.frames_written > frames and on_frame is not None and on_frame(self) is False:
                    break
        except KeyboardInterrupt:
            self.checkpoint()
            raise
        finally:
            bar.close()
        return self

    def checkpoint(self) -> None:
        """Writes the state now."""
        check(library.ct_run_checkpoint, self._handle())

    @property
    def progress(self) -> Dict[str, Any]:
        """frames_written, frames, time and end (s), step, particles, dt (s), limited_by, is_done, ..."""
        return as_dict(library.ct_run_get_progress(self._handle()))

    @property
    def is_done(self) -> bool:
        return library.ct_run_get_progress(self._handle()).is_done

    @property
    def world(self) -> World:
        """Its world, to look at, until the run is closed."""
        world = World._around(library.ct_run_world(self._handle()), None, self)
        self._worlds.add(world)
        return world

    @property
    def frames(self) -> List[str]:
        """The files of the frames so far."""
        return sorted(glob.glob(os.path.join(glob.escape(self.folder), "frames", "frame_[0-9]*")))

    @property
    def stats(self) -> Dict[str, Any]:
        """stats.csv by columns: numbers as arrays (lists without NumPy), words as lists."""
        return read_table(os.path.join(self.folder, "stats.csv"))

    def view(self) -> subprocess.Popen:
        """Opens the viewer on its folder, in the browser."""
        return view(self.folder)

    def close(self) -> None:
        """Ends it; its files stay, and its world is gone."""
        for world in list(self._worlds):
            world._pointer = None
        if self._pointer:
            library.ct_run_close(self._pointer)
        self._pointer = None

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self.close()

    def __reduce_ex__(self, _: Any) -> Any:
        raise TypeError("a run cannot be copied or pickled; its folder has all of it")

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._pointer:
            return f"<run in '{self.folder}', closed>"
        state = library.ct_run_get_progress(self._pointer)
        return f"<run in '{self.folder}': {state.time:g} of {state.end:g} s>"


def read_table(path: str) -> Dict[str, Any]:
    """A CSV with a header, by columns."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
    except OSError as reason:
        raise FileError(f"cannot read '{path}': {reason}") from None
    table: Dict[str, Any] = {}
    for k, name in enumerate(rows[0] if rows else []):
        column: Any = [row[k] for row in rows[1:]]
        try:
            column = [float(value) for value in column]
            if numpy is not None:
                column = numpy.array(column)
        except ValueError:
            pass
        table[name.strip()] = column
    return table


def run(source: Any, folder: Any, settings: Any = None, *, progress: Optional[bool] = None,
        on_frame: Optional[Callable[[Run], Any]] = None, **options: Any) -> Run:
    """Runs a scene in a folder to its end, as `continua run` does: the same files, the same bits. Returns the Run."""
    started = Run.start(source, folder, settings, **options)
    return started.run(on_frame, progress)


def view(folder: Any) -> subprocess.Popen:
    """Opens the viewer on a run, a scene or a folder of them: `continua view`, in a process of its own."""
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.environ.get("CONTINUA") or shutil.which("continua")
    beside = os.path.join(here, "..", "..", "build", "continua")
    if not program and os.path.exists(beside):
        program = beside
    if not program:
        raise UsageError("there is no command 'continua' in the path to open the viewer with")
    return subprocess.Popen([program, "view", os.fspath(folder), "--open"])
