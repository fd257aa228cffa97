"""Every function of the header with NULL for each of its pointers: no crash, and CT_BAD_USAGE where it may not be."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p

import continua
import pytest
from conftest import make_world
from continua import _api as api
from continua._library import library

BAD_USAGE = 2
POINTERS = {name: [k for k, kind in enumerate(kinds) if kind in (c_void_p, c_char_p) or hasattr(kind, "contents")]
            for name, (_, kinds) in api.FUNCTIONS.items()}
# Numbers, callbacks and what is given back by value come as they are.
NAMES = [name for name, places in POINTERS.items() if places]
SCENE = (b"{materials: {m: {preset: jelly}}, bodies: {b: {material: m, shape: {type: sphere, radius: 1}}}, "
         b"time: {end: 1, frame: 1}, grid: {spacing: 0.2}}")


class Arguments:
    """Something sound for each argument of a function."""

    def __init__(self, name, folder):
        self.name, self.folder, self.kept, self.worlds = name, folder, [], []

    def scene(self):
        pointer, error = c_void_p(), api.ct_error()
        assert library.ct_scene_parse(b"s.yaml", SCENE, len(SCENE), None, 0, byref(pointer), byref(error)) == 0, error.message
        return pointer

    def handle(self, place):
        if place == 0 and self.name in ("ct_world_from_scene", "ct_run_start") or self.name.startswith("ct_scene"):
            return self.scene()
        if place == 0 and self.name.startswith("ct_run"):
            run, error = c_void_p(), api.ct_error()
            given = library.ct_default_run_def()
            path = str(self.folder / f"run{len(list(self.folder.iterdir()))}").encode()
            assert library.ct_run_start(self.scene(), path, byref(given), byref(run), byref(error)) == 0, error.message
            return run
        if place == 0 or self.name == "ct_view_release":
            self.worlds.append(make_world(continua))
            return c_void_p(self.worlds[-1]._pointer)
        return ctypes.cast(ctypes.create_string_buffer(4096), c_void_p)

    def value(self, place, kind):
        if kind is c_void_p:
            return self.handle(place)
        if kind is c_char_p:
            return str(self.folder / "x.png").encode() if self.name in ("ct_picture_save",) else b"velocity"
        if not hasattr(kind, "contents"):
            return kind() if hasattr(kind, "argtypes") else 0
        struct = kind._type_
        make = getattr(library, "ct_default_" + getattr(struct, "__name__", "")[3:], None)
        made = make() if make and isinstance(struct, type) and issubclass(struct, ctypes.Structure) else None
        if made is None:
            made = (struct * 64)()
            self.kept.append(made)
            return ctypes.cast(made, kind)
        self.kept.append(made)
        return byref(made)


@pytest.mark.parametrize("name", NAMES)
def test_null(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what is saved under a name of nothing
    result, kinds = api.FUNCTIONS[name]
    function = getattr(library, name)
    nothing = [None if k in POINTERS[name] else kind() for k, kind in enumerate(kinds)]
    status = function(*nothing)
    if result is c_int and POINTER(api.ct_error) in kinds:
        assert status == BAD_USAGE
    if name in ("ct_world_destroy", "ct_scene_destroy", "ct_run_close"):
        return
    for null in POINTERS[name]:
        arguments = Arguments(name, tmp_path)
        values = [None if k == null else arguments.value(k, kind) for k, kind in enumerate(kinds)]
        status = function(*values)
        is_needed = kinds[null] is not POINTER(api.ct_error) and null == 0
        if result is c_int and POINTER(api.ct_error) in kinds and is_needed:
            assert status == BAD_USAGE


def test_all_functions_are_there():
    assert len(NAMES) > 60
