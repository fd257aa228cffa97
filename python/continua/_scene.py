"""Scenes: files, texts and dictionaries in one language (docs/reference)."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref
from typing import Any, Iterable, Mapping, Optional, Union

from ._library import check, library, plain, text

Source = Union[str, "os.PathLike[str]", Mapping, "Scene"]


def _settings(settings: Any) -> Any:
    if settings is None:
        return None, 0
    if isinstance(settings, str):
        raise TypeError("settings must be a dictionary or a list of texts")
    lines = settings
    if isinstance(settings, Mapping):
        lines = [f"{key}={value if isinstance(value, str) else json.dumps(value, default=_plain)}"
                 for key, value in settings.items()]
    encoded = [text("a setting", line) for line in lines]
    return (ctypes.c_char_p * len(encoded))(*encoded), len(encoded)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene cannot hold {value!r}")


class Scene:
    """What a scene file says, checked. It never changes; `load` makes a world of it, `run` a run in a folder.

    `source` is the path of a file, or a dictionary with the same keys: {"time": {"end": "2 s"}, ...}. `settings`
    override it: {"grid.spacing": "5 mm"}. Mistakes raise SceneError with file, line and column.
    """

    def __init__(self, source: Source, settings: Optional[Union[Mapping[str, Any], Iterable[str]]] = None,
                 name: str = "scene.json") -> None:
        self._pointer = None
        self._source = (source, settings, name)
        if isinstance(source, Scene):
            source, self._source = source._source[0], (source._source[0], settings or source._source[1], name)
        self._pointer = self._read()

    def _read(self) -> Any:
        source, settings, name = self._source
        array, count = _settings(settings)
        pointer = ctypes.c_void_p()
        if isinstance(source, Mapping):
            written = json.dumps(source, default=_plain, indent=1, allow_nan=False).encode()
            check(library.ct_scene_parse, text("name", name), written, len(written), array, count, byref(pointer))
        else:
            check(library.ct_scene_load, text("a scene", source), array, count, byref(pointer))
        return pointer.value

    @property
    def info(self) -> dict:
        """Name, title, dimension, end and frame in s, number of frames, fields and formats of frames, counts."""
        raw = library.ct_scene_get_info(self._pointer)
        info = {field[0]: plain(getattr(raw, field[0])) for field in raw._fields_}
        for what in ("field", "format"):
            info[what + "s"] = [plain(getattr(raw, what + "s")[k]) for k in range(info.pop(what + "_count"))]
        return info

    @property
    def end(self) -> float:
        """s"""
        return library.ct_scene_get_info(self._pointer).end

    def frame_times(self) -> list:
        """The instants of all frames, s."""
        count = library.ct_scene_get_info(self._pointer).frames
        return [library.ct_scene_frame_time(self._pointer, k) for k in range(count)]

    def text(self) -> str:
        """The scene with every key at its final value, as YAML."""
        length = ctypes.c_size_t()
        check(library.ct_scene_print, self._pointer, None, 0, byref(length))
        buffer = ctypes.create_string_buffer(length.value + 1)
        check(library.ct_scene_print, self._pointer, buffer, len(buffer), byref(length))
        return buffer.value.decode()

    def load(self, threads: int = 0) -> Any:
        """The scene's world, with its bodies. `threads`: 0 is one per core."""
        from ._world import World

        return World._of_scene(self, threads)

    def run(self, folder: Any, **options: Any) -> Any:
        """A run in a folder, done: see `continua.run`."""
        from ._run import run

        return run(self, folder, **options)

    def __reduce__(self) -> Any:
        return Scene, self._source

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            library.ct_scene_destroy(self._pointer)
            self._pointer = None

    def __repr__(self) -> str:
        info = self.info
        return f"<scene '{info['name']}': {info['dimension']}D, {info['end']:g} s>"


def load(source: Source, settings: Optional[Union[Mapping[str, Any], Iterable[str]]] = None, threads: int = 0) -> Any:
    """The world of a scene: `continua.load("scene.yaml")`, or of a dictionary. See Scene and World."""
    return Scene(source, settings).load(threads)


