"""Pictures and films."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
import zlib
from typing import Any, Optional

from ._arrays import numpy
from ._library import FileError, UsageError


class Picture:
    """Pixels, sRGB, first row on top. Notebooks show it by themselves."""

    def __init__(self, width: int, height: int, pixels: bytes) -> None:
        self.width, self.height, self.pixels = width, height, pixels

    @property
    def array(self) -> Any:
        """[height, width, 3] of bytes: a NumPy array, without NumPy a memoryview."""
        if numpy is not None:
            return numpy.frombuffer(self.pixels, "u1").reshape(self.height, self.width, 3)
        return memoryview(self.pixels).cast("B", (self.height, self.width, 3))

    def _repr_png_(self) -> bytes:
        row = 3 * self.width
        rows = b"".join(b"\0" + self.pixels[k * row : (k + 1) * row] for k in range(self.height))

        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")

    def save(self, path: Any) -> None:
        """Writes a PNG."""
        try:
            with open(path, "wb") as file:
                file.write(self._repr_png_())
        except OSError as reason:
            raise FileError(f"cannot write '{path}': {reason}") from None

    def __repr__(self) -> str:
        return f"<picture of {self.width} x {self.height} pixels>"


def copy_pixels(picture: Any) -> Picture:
    size = 3 * picture.width * picture.height
    return Picture(picture.width, picture.height, ctypes.string_at(picture.pixels, size))


class Film:
    """Pictures one after the other as a film (H.264), by ffmpeg.

        with continua.Film("film.mp4", fps=24) as film:
            w.run(2, frame=1/24, on_frame=lambda w: film.add(w.render()))
    """

    def __init__(self, path: Any, fps: float = 24) -> None:
        if not fps > 0:
            raise ValueError(f"fps must be positive, not {fps}")
        self.path, self.fps = path, fps
        self._process: Optional[subprocess.Popen] = None
        self._size = (0, 0)

    def add(self, picture: Picture) -> None:
        if self._process is None:
            self._open(picture)
        if (picture.width, picture.height) != self._size:
            raise ValueError(f"all pictures of a film have one size, {self._size}")
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(picture.pixels)

    def _open(self, picture: Picture) -> None:
        program = shutil.which("ffmpeg")
        if not program:
            raise UsageError("there is no ffmpeg to make a film with")
        self._size = (picture.width, picture.height)
        self._process = subprocess.Popen(
            [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
             f"{picture.width}x{picture.height}", "-r", str(self.fps), "-i", "-", "-pix_fmt", "yuv420p", "-vf",
             "pad=ceil(iw/2)*2:ceil(ih/2)*2", str(self.path)],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def close(self) -> None:
        """The film is there when this returns."""
        if self._process is None:
            return
        process, self._process = self._process, None
        _, said = process.communicate()
        if process.returncode:
            raise FileError(f"ffmpeg could not write '{self.path}': {said.decode(errors='replace').strip()}")

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
