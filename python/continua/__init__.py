"""continua: simulation of solids, liquids and granular matter, in 2D and 3D.

    import continua

    w = continua.load("scene.yaml")     # or a dictionary with the same keys
    w.run(1.0)                          # to t = 1 s
    x = w.read("position")              # [n, 3], m: a NumPy array (a memoryview without NumPy)

Units are SI throughout. Mistakes are exceptions: SceneError, UsageError, DivergedError, FileError, OutOfMemoryError.
Worlds are independent: each may be used by a thread of its own, and the library lets go of Python's lock meanwhile.
"""

from typing import Any, Dict, List, Optional

from . import _api
from ._arrays import View
from ._library import (DivergedError, Error, FileError, OutOfMemoryError, SceneError, UsageError, as_dict, library,
                       main_version, plain, walk)
from ._picture import Film, Picture
from ._run import Run, run, view
from ._scene import Scene, load
from ._world import Collider, ForcePoints, World

__version__ = main_version()


def methods() -> Dict[str, str]:
    """The kinds of matter: name -> meaning."""
    return {plain(i.name): plain(i.doc) for i in walk(library.ct_library_method, _api.ct_library_method_info)}


def models(method: Optional[str] = None) -> Dict[str, Dict[str, Any]]:
    """The material models: name -> title, doc, paper, method, methods, and parameters with unit, default and range.
    Several methods may have a model of one name: that of `method` ("mpm", "elements", ...), else of the first."""
    found = {}
    for index, info in enumerate(walk(library.ct_library_model, _api.ct_library_model_info)):
        entry = as_dict(info)
        entry["parameters"] = {
            plain(p.name): as_dict(p) for p in walk(library.ct_library_parameter, _api.ct_library_parameter_info, index)}
        _list(found, entry, method)
    return _of_method(found, method)


def presets(method: Optional[str] = None) -> Dict[str, Dict[str, Any]]:
    """Materials by name: doc, keys as in a scene, source of the numbers, method, methods. Several methods may have a
    preset of one name: that of `method`, else of the first."""
    found: Dict[str, Dict[str, Any]] = {}
    for info in walk(library.ct_library_preset, _api.ct_library_preset_info):
        _list(found, as_dict(info), method)
    return _of_method(found, method)


def _list(found: Dict[str, Dict[str, Any]], entry: Dict[str, Any], method: Optional[str]) -> None:
    known = found.get(entry["name"])
    all_of_them = (known["methods"] if known else []) + [entry["method"]]
    kept = entry if known is None or entry["method"] == method else known
    kept["methods"] = all_of_them
    found[entry["name"]] = kept


def _of_method(found: Dict[str, Dict[str, Any]], method: Optional[str]) -> Dict[str, Dict[str, Any]]:
    if method is None:
        return found
    if method not in methods():
        raise UsageError(f"there is no method {method!r}; there are {', '.join(methods())}")
    return {name: entry for name, entry in found.items() if entry["method"] == method}


def formats() -> Dict[str, str]:
    """Formats of frames: name -> meaning."""
    return {plain(i.name): plain(i.doc) for i in walk(library.ct_library_format, _api.ct_library_format_info)}


def quantities() -> List[str]:
    """Names that World.read takes."""
    return list(World(dimension=2, spacing=1).quantities)


__all__ = ["Collider", "DivergedError", "Error", "Film", "FileError", "ForcePoints", "OutOfMemoryError", "Picture", "Run", "Scene",
           "SceneError", "UsageError", "View", "World", "formats", "load", "methods", "models", "presets",
           "quantities", "run", "view"]
