"""The shared library: found, loaded, its functions typed, its statuses turned into exceptions."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import Any, Optional

from . import _api as api


class Error(Exception):
    """Any failure of the library. `status` is the number that the command would exit with."""

    status = api.CT_FAILED


class UsageError(Error, ValueError):
    """An argument or a definition that makes no sense, or a part that this build does not have."""

    status = api.CT_BAD_USAGE


class SceneError(Error, ValueError):
    """A mistake in a scene, mesh or particle file: file, line, column, reason, hint; one line per mistake."""

    status = api.CT_BAD_SCENE


class DivergedError(Error, ArithmeticError):
    """Numbers that are not finite. The state before the step stands."""

    status = api.CT_DIVERGED


class FileError(Error, OSError):
    """A file that cannot be read or written: missing, full disk, damaged checkpoint."""

    status = api.CT_BAD_IO


class OutOfMemoryError(Error, MemoryError):
    """Memory that could not be had. The world is as it was."""

    status = api.CT_NO_MEMORY


BY_STATUS = {kind.status: kind for kind in (UsageError, SceneError, DivergedError, FileError, OutOfMemoryError)}


def candidates():
    """Where the library may be: what CONTINUA_LIBRARY says, beside this file (a wheel), up a prefix (an installation),
    in the build folder of a source tree, where the system looks."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = ("libcontinua.so.0", "libcontinua.so", "libcontinua.dylib")
    if os.environ.get("CONTINUA_LIBRARY"):
        yield os.environ["CONTINUA_LIBRARY"]
        return
    folders = [os.path.join(here, "lib"), os.path.join(here, "..", "..", "build", "src")]
    prefix = here
    for _ in range(4):  # PREFIX/lib/python3/dist-packages/continua
        prefix = os.path.dirname(prefix)
        folders += [prefix, os.path.join(prefix, "lib"), os.path.join(prefix, "lib64")]
    for folder in folders:
        for name in names:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                yield path
    yield from names


def load_dependencies(path: str) -> None:
    """Of a wheel: the libraries that came with it, those that others need first."""
    order = os.path.join(os.path.dirname(path), "order.txt")
    if not os.path.exists(order):
        return
    with open(order, encoding="utf-8") as file:
        for name in file.read().split():
            ctypes.CDLL(os.path.join(os.path.dirname(path), name), mode=ctypes.RTLD_GLOBAL)


def load() -> ctypes.CDLL:
    tried = []
    for path in candidates():
        try:
            load_dependencies(path)
            library = ctypes.CDLL(path)
            break
        except OSError as reason:
            tried.append(f"{path}: {reason}")
    else:
        raise ImportError("continua: the library libcontinua was not found; set CONTINUA_LIBRARY to its path, or run "
                          "'make' in the source tree.\n" + "\n".join(tried))
    for name, (result, arguments) in api.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"continua: {path} has no {name}: it is of another version than this module") from None
        function.restype = result
        function.argtypes = arguments
    if library.ct_version() // 100 != (api.CT_VERSION_MAJOR * 10000 + api.CT_VERSION_MINOR * 100) // 100:
        raise ImportError(f"continua: {path} has version {library.ct_version_text().decode()}")
    return library


library = load()


def fail(error: api.ct_error) -> None:
    raise BY_STATUS.get(error.status, Error)(error.message.decode(errors="replace"))


def check(function: Any, *arguments: Any) -> None:
    """Calls a function that takes an error at its end; raises what it says."""
    error = api.ct_error()
    if function(*arguments, byref(error)):
        fail(error)


def text(name: str, value: Any, is_optional: bool = False) -> Optional[bytes]:
    """An argument that must be text, or a path."""
    if value is None and is_optional:
        return None
    if isinstance(value, (str, os.PathLike)):
        encoded = os.fsencode(value)
        if b"\0" not in encoded:
            return encoded
    raise TypeError(f"{name} must be text, not {value!r}")


def number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None


def walk(function: Any, info: Any, *before: Any):
    """What a list of the library has: structs, index 0, 1, ... until it ends."""
    index = 0
    while True:
        entry = info()
        if not function(*before, index, byref(entry)):
            return
        yield entry
        index += 1


def plain(value: Any) -> Any:
    """A field of a struct as Python has it."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, ctypes.Array):
        return [plain(item) for item in value]
    return value


def as_dict(struct: Any) -> dict:
    """A struct's plain fields; enums by their names."""
    found = {}
    for field in struct._fields_:
        name = field[0]
        value = plain(getattr(struct, name))
        if name in struct._enums_:
            names = {number: word for word, number in api.ENUMS[struct._enums_[name]].items()}
            value = names.get(value, value)
        found[name] = value
    return found


def main_version() -> str:
    return library.ct_version_text().decode()


__all__ = ["Error", "UsageError", "SceneError", "DivergedError", "FileError", "OutOfMemoryError"]
