"""Definitions from keywords: every field of a C struct can be given by its name, in SI units.

    shape={"type": "sphere", "center": [0, 1], "radius": 0.1}

Words stand for enums, sequences for vectors (what is missing is 0), dictionaries for structs and parameters. A value
over time (ct_track) is a vector, or {seconds: vector, ...}, with "interpolation": "linear", "smooth" or "step" beside.
`has_X` follows from X being given. What C only points to is kept alive by the struct.
"""

from __future__ import annotations

import ctypes
from typing import Any, Mapping

from . import _api as api
from ._library import number, text

POINTER_TO_TRIPLES = ctypes.POINTER(ctypes.c_double * 3)
POINTER_TO_TEXTS = ctypes.POINTER(ctypes.c_char_p)


def keep(struct: Any, thing: Any) -> Any:
    struct.__dict__.setdefault("_kept", []).append(thing)
    return thing


def tolist(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def vector(name: str, value: Any, length: int) -> list:
    value = tolist(value)
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of numbers, not {value!r}")
    numbers = []
    for item in value:
        item = tolist(item)
        numbers += [number(name, part) for part in item] if hasattr(item, "__iter__") and not isinstance(item, str) \
            else [number(name, item)]
    if not 0 < len(numbers) <= length:
        raise ValueError(f"{name} must have at most {length} numbers, not {len(numbers)}")
    return numbers + [0.0] * (length - len(numbers))


def square(name: str, value: Any) -> list:
    """A matrix of 2 x 2 or 3 x 3, as rows or in one row; a plane one is I along z."""
    rows = tolist(value)
    flat = vector(name, rows, 9)
    count = sum(len(tolist(row)) if hasattr(tolist(row), "__iter__") else 1 for row in rows)
    if count == 4:
        return [flat[0], flat[1], 0, flat[2], flat[3], 0, 0, 0, 1 if name == "deformation" else 0]
    if count != 9:
        raise ValueError(f"{name} must be a matrix of 2 x 2 or 3 x 3")
    return flat


def track(name: str, value: Any) -> api.ct_track:
    made = api.ct_track()
    value = tolist(value)
    if not isinstance(value, Mapping):
        constant = [value] if not hasattr(value, "__iter__") else value
        made.constant[:] = vector(name, constant, 3)
        return made
    keys = dict(value)
    made.interpolation = word(name, "ct_interpolation", keys.pop("interpolation", "linear"))
    try:
        times = sorted((number(name, time), place) for time, place in keys.items())
    except TypeError as reason:
        raise TypeError(f"{name}: keyframes are {{seconds: vector}}; {reason}") from None
    made.count = len(times)
    instants = (ctypes.c_double * len(times))(*(time for time, _ in times))
    places = (ctypes.c_double * 3 * len(times))()
    for k, (_, place) in enumerate(times):
        place = tolist(place)
        places[k][:] = vector(name, [place] if not hasattr(place, "__iter__") else place, 3)
    made.times = keep(made, instants)
    made.values = ctypes.cast(keep(made, places), POINTER_TO_TRIPLES)
    return made


def word(name: str, enum: str, value: Any) -> int:
    words = api.ENUMS[enum]
    if isinstance(value, str):
        if value in words:
            return words[value]
        raise ValueError(f"{name}: there is no '{value}'; there are {', '.join(words)}")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError(f"{name} must be one of {', '.join(words)}, not {value!r}")


def parameters(name: str, values: Any):
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} must be a dictionary of numbers, not {values!r}")
    array = (api.ct_parameter * len(values))()
    for entry, (key, value) in zip(array, values.items()):
        entry.name = text(name, key)
        entry.value = number(f"{name}.{key}", value)
    return array


def triples(name: str, value: Any):
    rows = [tolist(row) for row in tolist(value)]
    array = (ctypes.c_double * 3 * len(rows))()
    for to, row in zip(array, rows):
        to[:] = vector(name, row, 3)
    return array


COUNTS = {"bodies": "body_count", "points": "point_count", "point_velocities": None, "edges": "edge_count", "children": "child_count",
          "parameters": "parameter_count", "pairs": "pair_count"}


def fill(struct: Any, values: Mapping, where: str = "") -> Any:
    """Sets fields of a struct by name; raises TypeError, ValueError or KeyError by name."""
    kinds = {field[0]: field[1] for field in struct._fields_}
    for name, value in values.items():
        full = f"{where}{name}"
        if name == "cookie" or name not in kinds or name.startswith("has_") or name in COUNTS.values():
            raise TypeError(f"'{full}' is no such keyword; there are "
                            + ", ".join(key for key in kinds if key != "cookie" and not key.startswith("has_")
                                        and key not in COUNTS.values()))
        set_field(struct, name, kinds[name], value, full)
        if "has_" + name in kinds:
            setattr(struct, "has_" + name, True)
    return struct


def set_field(struct: Any, name: str, kind: Any, value: Any, full: str) -> None:
    if name in struct._enums_:
        setattr(struct, name, word(full, struct._enums_[name], value))
    elif kind is api.ct_track:
        made = keep(struct, track(full, value))
        setattr(struct, name, made)
    elif name == "parameters":
        array = keep(struct, parameters(full, value))
        struct.parameters = array
        struct.parameter_count = len(array)
    elif name == "children":
        array = (api.ct_shape_def * len(value))()
        for k, child in enumerate(value):
            array[k] = keep(struct, shape(child, f"{full}[{k}]."))
        struct.children = keep(struct, array)
        struct.child_count = len(array)
    elif name == "pairs":
        array = (api.ct_contact_pair_def * len(value))()
        for k, one in enumerate(value):
            array[k] = keep(struct, pair(one, f"{full}[{k}]."))
        struct.pairs = keep(struct, array)
        struct.pair_count = len(array)
    elif kind is api.ct_shape_def:
        setattr(struct, name, keep(struct, shape(value, full + ".")))
    elif kind == POINTER_TO_TRIPLES:
        array = keep(struct, triples(full, value))
        setattr(struct, name, ctypes.cast(array, POINTER_TO_TRIPLES))
        if COUNTS.get(name):
            setattr(struct, COUNTS[name], len(array))
    elif isinstance(kind, type) and issubclass(kind, ctypes.Structure):
        if not isinstance(value, Mapping):
            raise TypeError(f"{full} must be a dictionary, not {value!r}")
        inner = getattr(struct, name)
        fill(inner, value, full + ".")
        keep(struct, inner)
    elif isinstance(kind, type) and issubclass(kind, ctypes.Array) and kind._type_ is ctypes.c_double:
        numbers = square(full.rpartition(".")[2], value) if kind._length_ == 9 else vector(full, value, kind._length_)
        getattr(struct, name)[:] = numbers
    elif kind == POINTER_TO_TEXTS:
        texts = [text(f"{full}[{k}]", item) for k, item in enumerate(value)]
        array = keep(struct, (ctypes.c_char_p * len(texts))(*texts))
        setattr(struct, name, ctypes.cast(array, POINTER_TO_TEXTS))
        setattr(struct, COUNTS[name], len(texts))
    elif kind is ctypes.c_char_p:
        setattr(struct, name, keep(struct, text(full, value)))
    elif kind is ctypes.c_bool:
        setattr(struct, name, bool(value))
    elif kind in (ctypes.c_double, ctypes.c_float):
        setattr(struct, name, number(full, value))
    elif kind in (ctypes.c_int, ctypes.c_uint, ctypes.c_uint64, ctypes.c_size_t):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{full} must be a whole number, not {value!r}")
        bits = 8 * ctypes.sizeof(kind)
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if kind is ctypes.c_int else (0, 2**bits)
        if not least <= value.__index__() < most:
            raise ValueError(f"{full}: {value} is not from {least} to {most - 1}")
        setattr(struct, name, value.__index__())
    else:
        raise TypeError(f"{full} cannot be set from Python")


def shape(value: Any, where: str = "shape.") -> api.ct_shape_def:
    """A shape from {"type": "sphere", "radius": 0.1, ...}."""
    from ._library import library

    if not isinstance(value, Mapping) or "type" not in value:
        raise TypeError(f"{where[:-1]} must be a dictionary with a 'type': "
                        + ", ".join(api.ENUMS["ct_shape_type"]))
    return fill(library.ct_default_shape_def(), value, where)


def pair(value: Any, where: str) -> api.ct_contact_pair_def:
    """A pair of materials from {"material": 0, "on": 1, "friction": 0.3}."""
    from ._library import library

    if not isinstance(value, Mapping) or "material" not in value or "on" not in value:
        raise TypeError(f"{where[:-1]} must be a dictionary with 'material' and 'on': numbers of two materials")
    return fill(library.ct_default_contact_pair_def(), value, where)
