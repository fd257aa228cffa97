"""Arrays of particles: copies and views, with NumPy or without."""

from __future__ import annotations

import ctypes
from typing import Any, Tuple

from . import _api as api
from ._library import check, library, text

try:
    import numpy
except ImportError:  # everything works without it: arrays are memoryviews then
    numpy = None  # type: ignore[assignment]

# ct_type -> (format of struct and memoryview, type string of NumPy, code of DLPack, bytes)
TYPES = {
    api.CT_TYPE_FLOAT32: ("f", "<f4", 2, 4),
    api.CT_TYPE_FLOAT64: ("d", "<f8", 2, 8),
    api.CT_TYPE_UINT16: ("H", "<u2", 1, 2),
    api.CT_TYPE_UINT32: ("I", "<u4", 1, 4),
}


def empty(kind: int, shape: Tuple[int, ...]) -> Tuple[Any, int, int]:
    """A new array, its address and its size in bytes."""
    letter, word, _, size = TYPES[kind]
    if numpy is not None:
        array = numpy.empty(shape, word)
        return array, array.ctypes.data, array.nbytes
    count = 1
    for length in shape:
        count *= length
    memory = (ctypes.c_char * max(count * size, 1))()
    flat = memoryview(memory).cast("B")[: count * size].cast(letter)
    array = flat.cast("B").cast(letter, shape) if count else flat
    return array, ctypes.addressof(memory), count * size


def borrow(kind: int, shape: Tuple[int, ...], address: Any) -> Any:
    """An array of what lies at an address, good as long as that is."""
    letter, word, _, size = TYPES[kind]
    count = 1
    for length in shape:
        count *= length
    memory = (ctypes.c_char * (count * size)).from_address(address) if count else (ctypes.c_char * 1)()
    if numpy is not None:
        return numpy.frombuffer(memory, word, count).reshape(shape)
    flat = memoryview(memory).cast("B")[: count * size]
    return flat.cast(letter, shape) if count else flat.cast(letter)


def contiguous(name: str, kind: int, shape: Tuple[int, ...], values: Any) -> Tuple[Any, int, int]:
    """What a caller gives as an array of that type and shape: something to keep alive, its address and size."""
    letter, word, _, size = TYPES[kind]
    if numpy is not None:
        array = numpy.ascontiguousarray(values, word)
        if array.shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, not {array.shape}")
        return array, array.ctypes.data, array.nbytes
    rows = values.tolist() if hasattr(values, "tolist") else list(values)
    flat = [number for row in rows for number in row] if len(shape) > 1 else rows
    count = 1
    for length in shape:
        count *= length
    if len(rows) != shape[0] or len(flat) != count:
        raise ValueError(f"{name} must have the shape {shape}")
    kinds = {"f": ctypes.c_float, "d": ctypes.c_double, "H": ctypes.c_uint16, "I": ctypes.c_uint32}
    array = (kinds[letter] * max(count, 1))(*flat)
    return array, ctypes.addressof(array), count * size


# ---- DLPack ---------------------------------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_given: dict = {}  # tensors that others hold, with the pins they need


@_Deleter
def _delete(managed):
    _given.pop(ctypes.addressof(managed.contents), None)


_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _Destructor]


@_Destructor
def _destroy(capsule):
    if _is_valid(capsule, b"dltensor"):  # nobody took it
        _given.pop(_get_pointer(capsule, b"dltensor"), None)


# ---- Views ----------------------------------------------------------------------------------------------------------


class _Pin:
    """Holds a field in its place while it lives; arrays that look at the field have it as their base."""

    def __init__(self, world: Any, name: str) -> None:
        self.view = api.ct_view()
        check(library.ct_world_pin, world._handle(), text("name", name), ctypes.byref(self.view))
        self.world = world  # not to be destroyed before
        world._pins.add(self)

    @property
    def __array_interface__(self) -> dict:
        view = self.view
        size = TYPES[view.type][3]
        shape, strides = (view.count,), (size,)
        if view.components > 1:
            shape, strides = (view.count, view.components), (size, view.component_stride)
        return {"version": 3, "typestr": TYPES[view.type][1], "shape": shape, "strides": strides,
                "data": (view.data or 0, False)}

    def __del__(self) -> None:
        world = getattr(self, "world", None)
        if world is not None and world._pointer:
            library.ct_view_release(world._pointer, ctypes.byref(self.view))


class View:
    """A field of the particles where it lies, without copying, in the world's own order (`id` tells who is where).

    While it, or an array made of it, lives, the world cannot step: `with w.view("velocity") as v: ...`, or `del v`.
    Shape [particles, components]; in 2D vectors have two components and matrices four.
    """

    def __init__(self, world: Any, name: str) -> None:
        self.name = name
        self._pin: Any = _Pin(world, name)

    def _held(self) -> _Pin:
        if self._pin is None:
            raise ValueError(f"the view of '{self.name}' was released")
        return self._pin

    @property
    def __array_interface__(self) -> dict:
        return self._held().__array_interface__

    @property
    def shape(self) -> Tuple[int, ...]:
        """[particles], or [particles, components]."""
        return self._held().__array_interface__["shape"]

    @property
    def array(self) -> Any:
        """The field as a NumPy array on the same memory."""
        if numpy is None:
            raise ImportError("'array' needs NumPy; without it use plane(component)")
        return numpy.asarray(self._held())

    def plane(self, component: int = 0) -> memoryview:
        """One component of all particles, as a memoryview on the same memory."""
        view = self._held().view
        if not 0 <= component < view.components:
            raise IndexError(f"'{self.name}' has {view.components} components")
        letter, _, _, size = TYPES[view.type]
        if not view.count:
            return memoryview(b"").cast(letter)
        memory = (ctypes.c_char * (view.count * size)).from_address(view.data + component * view.component_stride)
        memory._pin = self._pin
        return memoryview(memory).cast("B").cast(letter)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)  # the CPU

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        pin = self._held()
        interface = pin.__array_interface__
        _, _, code, size = TYPES[pin.view.type]
        dimensions = len(interface["shape"])
        managed = _Managed(deleter=_delete)
        sizes = (ctypes.c_int64 * dimensions)(*interface["shape"])
        strides = (ctypes.c_int64 * dimensions)(*(stride // size for stride in interface["strides"]))
        managed.tensor = _Tensor(pin.view.data, 1, 0, dimensions, code, 8 * size, 1, sizes, strides, 0)
        address = ctypes.addressof(managed)
        _given[address] = (managed, sizes, strides, pin)
        return _new_capsule(address, b"dltensor", _destroy)

    def release(self) -> None:
        """Lets go of the field; arrays made of it still hold it until they are gone."""
        self._pin = None

    def __reduce_ex__(self, _: Any) -> Any:
        raise TypeError("a view cannot be copied or pickled: read makes a copy")

    def __len__(self) -> int:
        return self._held().view.count

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()

    def __getitem__(self, index: Any) -> Any:
        if numpy is not None:
            return self.array[index]
        if isinstance(index, tuple):
            particle, component = index
            return self.plane(component)[particle]
        count = self._held().view.components
        return self.plane()[index] if count == 1 else [self.plane(c)[index] for c in range(count)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if numpy is not None:
            self.array[index] = value
        elif isinstance(index, tuple):
            self.plane(index[1])[index[0]] = value
        else:
            self.plane()[index] = value

    def __repr__(self) -> str:
        return f"<view of '{self.name}'{'' if self._pin else ', released'}>"
