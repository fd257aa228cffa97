"""Worlds: filled, stepped, looked at."""

from __future__ import annotations

import ctypes
import math
import os
import weakref
from ctypes import byref
from threading import get_ident
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import _api as api
from ._arrays import View, borrow, contiguous, empty, numpy
from ._define import fill, keep, track, vector
from ._library import UsageError, as_dict, check, fail, library, number, plain, text, walk
from ._picture import Picture, copy_pixels
from ._progress import Progress


def _fields(struct: Any) -> set:
    return {field[0] for field in struct._fields_}


class Collider:
    """A scripted obstacle of a world, to be steered while it runs."""

    def __init__(self, world: "World", index: int) -> None:
        self._world, self._index = world, index

    @property
    def info(self) -> Dict[str, Any]:
        """name; position of the pivot (m); impulse (N s), angular_impulse (N m s), work (J) since the start; force (N)
        and torque (N m) over the last step, received from the material; deepest (m); put_back (particles)."""
        info = api.ct_collider_info()
        if self._index < 0 or not library.ct_world_collider(self._world._handle(), self._index, byref(info)):
            raise UsageError("the collider was removed")
        return as_dict(info)

    @property
    def force(self) -> List[float]:
        """N, received from the material, mean over the last step."""
        return self.info["force"]

    @property
    def torque(self) -> List[float]:
        """N m about the pivot, mean over the last step."""
        return self.info["torque"]

    @property
    def position(self) -> List[float]:
        """m, of its pivot now."""
        return self.info["position"]

    def move(self, **motion: Any) -> None:
        """Another script from now on. Keywords as in `motion`: position (m), rotation (rad, axis times angle), scale,
        velocity (m/s), spin_axis, spin_rate (rad/s), start (s). With `velocity` and nothing else it goes on from where
        it is now."""
        now = self.info
        if "velocity" in motion and not {"position", "start"} & motion.keys():
            motion = {"position": now["position"], "start": self._world.time, **motion}
        definition = fill(library.ct_default_motion_def(), motion)
        check(library.ct_world_set_motion, self._world._handle(), self._index, byref(definition))

    def remove(self) -> None:
        """Takes it out of the world."""
        self._world._remove_collider(self)

    def __repr__(self) -> str:
        return f"<collider '{self.info['name']}'>" if self._index >= 0 else "<collider, removed>"


class ForcePoints:
    """What a force of your own is told: method, time and dt (s); position and velocity [n, 3] (m, m/s), mass [n] (kg),
    body and id [n], and acceleration [n, 3] (m/s^2), which it writes or returns. A rigid body is one point."""

    def __init__(self, raw: Any) -> None:
        self.method, self.time, self.dt, self.count = plain(raw.method), raw.time, raw.dt, raw.count
        for name, kind, width in (("position", api.CT_TYPE_FLOAT64, 3), ("velocity", api.CT_TYPE_FLOAT64, 3),
                                  ("acceleration", api.CT_TYPE_FLOAT64, 3), ("mass", api.CT_TYPE_FLOAT64, 0),
                                  ("body", api.CT_TYPE_UINT32, 0), ("id", api.CT_TYPE_UINT32, 0)):
            address = ctypes.cast(getattr(raw, name), ctypes.c_void_p).value
            shape = (raw.count, width) if width else (raw.count,)
            setattr(self, name, borrow(kind, shape, address))

    def __len__(self) -> int:
        return self.count


class _ForceCallback:
    """A function as C calls it. What it raises is kept for the caller of the step."""

    def __init__(self, function: Optional[Callable[[ForcePoints], Any]]) -> None:
        self.function, self.problem = function, None
        self.raw = api.ct_force_function(self._call) if function else api.ct_force_function()

    def _call(self, raw: Any, _: Any) -> None:
        if self.problem is not None:
            return
        try:
            points = ForcePoints(raw.contents)
            given = self.function(points)
            if given is None or given is points.acceleration:
                return
            kept, address, size = contiguous("accelerations", api.CT_TYPE_FLOAT64, (points.count, 3), given)
            ctypes.memmove(ctypes.cast(raw.contents.acceleration, ctypes.c_void_p), address, size)
            del kept
        except BaseException as problem:  # it goes to who steps
            self.problem = problem

    def report(self) -> None:
        problem, self.problem = self.problem, None
        if problem is not None:
            raise problem


class World:
    """A world: `World(dimension=2, spacing=0.01, domain=([0, 0], [1, 1]))`, or `continua.load(scene)`.

    Keywords are the fields of ct_world_def, in SI units: dimension (2 or 3), spacing (m), precision ("float",
    "double"), kernel, method ("mpm", "peridynamics", ...), gravity (m/s^2), domain (two corners, m), walls (a type for
    all, or a list of dictionaries), scheme, step, threads (0: one per core), energy_budget, seed, ... Anything that
    does not make sense raises UsageError, TypeError or ValueError. Two worlds may be used by two threads at once; one world
    by one thread at a time: while it is stepped, calls from other threads raise UsageError.
    """

    def __init__(self, **definition: Any) -> None:
        self._pointer: Any = None
        self.scene: Any = None
        raw = library.ct_default_world_def()
        _fill_world(raw, definition)
        pointer = ctypes.c_void_p()
        check(library.ct_world_create, byref(raw), byref(pointer))
        self._adopt(pointer.value)

    def _adopt(self, pointer: Any, owner: Any = None) -> None:
        self._pointer, self._owner = pointer, owner
        self._process, self._stepped_by = os.getpid(), 0
        self._error = api.ct_error()
        self._error_reference = byref(self._error)
        self._pins: Any = weakref.WeakSet()
        self._force: Any = None
        self._limited = (-1, "")
        self._colliders: List[Collider] = [
            Collider(self, k) for k, _ in enumerate(walk(library.ct_world_collider, api.ct_collider_info, pointer))]

    @classmethod
    def _of_scene(cls, scene: Any, threads: int) -> "World":
        pointer = ctypes.c_void_p()
        if not isinstance(threads, int) or isinstance(threads, bool):
            raise TypeError(f"threads must be a whole number, not {threads!r}")
        check(library.ct_world_from_scene, scene._pointer, threads, byref(pointer))
        return cls._around(pointer.value, scene)

    @classmethod
    def _around(cls, pointer: Any, scene: Any, owner: Any = None) -> "World":
        world = cls.__new__(cls)
        world._pointer, world.scene = None, scene
        world._adopt(pointer, owner)
        return world

    def _handle(self) -> Any:
        if not self._pointer:
            raise UsageError("the world is closed")
        if self._stepped_by and self._stepped_by != get_ident():
            raise UsageError("the world is being stepped by another thread")
        if self._process != os.getpid():
            raise UsageError("the world is of the process that this one was forked from: its threads are not here")
        return self._pointer

    def _changeable(self) -> Any:
        if self._owner is not None:
            raise UsageError("the world of a run is there to look at; the run steps it")
        return self._handle()

    def close(self) -> None:
        """Gives its memory back now instead of when the object goes. Views must be gone."""
        if self._pointer and self._owner is None and self._process == os.getpid():
            if self._stepped_by:
                raise UsageError("the world is being stepped: it cannot be closed meanwhile")
            if len(self._pins):
                raise UsageError("a view of the world is alive: it must go first")
            library.ct_world_destroy(self._pointer)
        self._pointer = None

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) and self._owner is None and self._process == os.getpid():
            library.ct_world_destroy(self._pointer)
            self._pointer = None

    def __copy__(self) -> "World":
        return self.copy()

    def __deepcopy__(self, _: Any) -> "World":
        return self.copy()

    def __reduce_ex__(self, _: Any) -> Any:
        raise TypeError("a world cannot be pickled; save and restore write its state to a file")

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- Filling

    def add_material(self, name: str, preset: Optional[str] = None, **definition: Any) -> int:
        """A material: `type` of a model and its parameters (SI units), or a `preset`. Returns its number.

            w.add_material("jelly", type="fixed_corotated", density=1000, young=1e5, poisson=0.3)
            w.add_material("water", preset="water")
        """
        number_of = ctypes.c_int()
        if preset is not None:
            if definition:
                raise TypeError("a preset has all its numbers; give 'preset' or the others")
            check(library.ct_world_add_preset, self._changeable(), text("preset", preset), text("name", name),
                  byref(number_of))
            return number_of.value
        raw = library.ct_default_material_def()
        fields = _fields(raw)
        own = {key: value for key, value in definition.items() if key in fields}
        rest = {key: value for key, value in definition.items() if key not in fields}
        if rest:
            own["parameters"] = {**own.get("parameters", {}), **rest}
        fill(raw, {"name": name, **own})
        check(library.ct_world_add_material, self._changeable(), byref(raw), byref(number_of))
        return number_of.value

    def add_body(self, name: str, material: int, shape: Mapping[str, Any], **definition: Any) -> int:
        """A body of a material: the shape {"type": "box", "min": ..., "max": ...} (m) filled with particles. Keywords:
        velocity (m/s), spin_rate (rad/s), spin_axis, deformation, pattern, per_cell, temperature (K), color, ...
        Returns its number."""
        return self._add(library.ct_world_add_body, library.ct_default_body_def(),
                         {"name": name, "material": material, "shape": shape, **definition})

    def add_source(self, name: str, material: int, shape: Mapping[str, Any], velocity: Any, **definition: Any) -> int:
        """A source of particles: velocity (m/s) is that of what flows out. It is a body, too; returns its number."""
        return self._add(library.ct_world_add_source, library.ct_default_source_def(),
                         {"name": name, "material": material, "shape": shape, "velocity": velocity, **definition})

    def add_sink(self, name: str, shape: Mapping[str, Any]) -> int:
        """Removes particles that come into the shape. Returns its number."""
        return self._add(library.ct_world_add_sink, library.ct_default_sink_def(), {"name": name, "shape": shape})

    def add_force(self, name: str, type: str, **definition: Any) -> int:
        """What acts on matter from a distance: "acceleration", "point", "vortex", "turbulence" or "wind". Keywords are
        the fields of ct_force_def: bodies=["flag"], velocity=[5, 0], rate=2, strength=3, center=[0, 1], ... Returns its
        number.

            w.add_force("breeze", "wind", velocity=[3, 0, 0], friction=0.02, bodies=["flag"])
        """
        return self._add(library.ct_world_add_force, library.ct_default_force_def(),
                         {"name": name, "type": type, **definition})

    def add_joint(self, name: str, type: str, limits: Optional[Sequence[float]] = None, **definition: Any) -> int:
        """A joint between two rigid bodies, or one and the world: "ball", "hinge" or "slider", limits=(lower, upper) in
        rad or m. Keywords are the fields of ct_joint_def: body="door", to="frame", at=[0, 1, 0], axis=[0, 1, 0],
        motor_speed=2, motor_most=5, stiffness=3, damping=0.1, rest=0. Returns its number, that of `joints`.

            w.add_joint("pivot", "hinge", body="door", at=[0, 1, 0], axis=[0, 1, 0], limits=(0, 1.5))
        """
        raw = library.ct_default_joint_def()
        if limits is not None:
            raw.lower, raw.upper = vector("limits", limits, 2)
            raw.has_limits = True
        return self._add(library.ct_world_add_joint, raw, {"name": name, "type": type, **definition})

    def set_force(self, function: Optional[Callable[[ForcePoints], Any]]) -> None:
        """Calls function(points) for every kind of matter at the end of every step: points.position and points.velocity
        are arrays [n, 3] (m, m/s), points.mass [n] (kg), points.body and points.id [n]; what it returns, or writes into
        points.acceleration [n, 3] (m/s^2), acts on them. The arrays are good until it returns. None: no more.

            w.set_force(lambda points: [-1, 0, 0] * points.position)    # with NumPy
        """
        if function is not None and not callable(function):
            raise TypeError(f"set_force needs a function, not {function!r}")
        callback = _ForceCallback(function)
        check(library.ct_world_set_force, self._changeable(), callback.raw, None)
        self._force = callback if function is not None else None

    def add_change(self, name: str, source: str, material: int, **definition: Any) -> int:
        """Peridynamics: what there is of the body called `source` becomes another material, from `time` (s) on."""
        return self._add(library.ct_world_add_change, library.ct_default_change_def(),
                         {"name": name, "from": source, "material": material, **definition})

    def add_collider(self, name: str, shape: Mapping[str, Any], **definition: Any) -> Collider:
        """A scripted obstacle: contact ("sticky", "slip", "separate"), friction, motion={...}, grip, ..."""
        index = self._add(library.ct_world_add_collider, library.ct_default_collider_def(),
                          {"name": name, "shape": shape, **definition})
        collider = Collider(self, index)
        self._colliders.append(collider)
        return collider

    def _add(self, function: Any, raw: Any, definition: Mapping[str, Any]) -> int:
        index = ctypes.c_int()
        fill(raw, definition)
        check(function, self._changeable(), byref(raw), byref(index))
        return index.value

    def add_particles(self, body: int, position: Any, velocity: Any = None, volume: Any = None) -> None:
        """Particles one by one, for a body that is there: position [n, 3] (m), velocity [n, 3] (m/s), volume [n] (m^3,
        in 2D m^2, undeformed)."""
        raw = library.ct_default_particles_def()
        if isinstance(body, bool) or not isinstance(body, int):
            raise TypeError(f"body must be a whole number, not {body!r}")
        raw.body = body
        rows = position.tolist() if hasattr(position, "tolist") else list(position)
        raw.count = len(rows)
        for name, values in (("position", rows), ("velocity", velocity)):
            if values is None:
                continue
            values = values.tolist() if hasattr(values, "tolist") else list(values)
            if len(values) != len(rows):
                raise ValueError(f"{name} must have {len(rows)} rows, not {len(values)}")
            array = (ctypes.c_double * 3 * max(len(rows), 1))()
            for to, row in zip(array, values):
                to[:] = vector(name, row, 3)
            setattr(raw, name, ctypes.cast(keep(raw, array), ctypes.POINTER(ctypes.c_double * 3)))
        if volume is not None:
            numbers = [number("volume", value) for value in volume]
            if len(numbers) != len(rows):
                raise ValueError(f"volume must have {len(rows)} numbers, not {len(numbers)}")
            raw.volume = keep(raw, (ctypes.c_double * len(numbers))(*numbers))
        check(library.ct_world_add_particles, self._changeable(), byref(raw))

    def remove_body(self, body: int) -> None:
        """Takes the particles of a body or source out; the numbers of the others stay."""
        if isinstance(body, bool) or not isinstance(body, int):
            raise TypeError(f"body must be a whole number, not {body!r}")
        check(library.ct_world_remove_body, self._changeable(), body)

    def _remove_collider(self, collider: Collider) -> None:
        if collider._index < 0:
            raise UsageError("the collider was removed already")
        check(library.ct_world_remove_collider, self._changeable(), collider._index)
        self._colliders.remove(collider)
        collider._index = -1
        for index, other in enumerate(self._colliders):
            other._index = index

    # ---- Stepping

    def step(self, count: int = 1) -> None:
        """`count` time steps."""
        if self._owner is not None:
            self._changeable()
        pointer, function, error = self._handle(), library.ct_world_step, self._error_reference
        was_stepped_by, self._stepped_by = self._stepped_by, get_ident()
        try:
            for _ in range(count):
                failed = function(pointer, error)
                if self._force is not None:
                    self._force.report()
                if failed:
                    fail(self._error)
        finally:
            self._stepped_by = was_stepped_by

    def run(self, until: Optional[float] = None, *, frame: Optional[float] = None,
            on_frame: Optional[Callable[["World"], Any]] = None, on_step: Optional[Callable[["World"], Any]] = None,
            force: Optional[Callable[..., Any]] = None, progress: Optional[bool] = False) -> "World":
        """Steps to the instant `until`, s (default: the scene's end), hitting it and the instants of frames exactly.

        Frames are the scene's, or every `frame` seconds. `on_frame(world)` is called at each, `on_step(world)` after
        each step; either may return False to stop. `force(world, position, velocity)` gives forces on particles, N
        [n, 3], that act after each step (first order in dt: for teaching). `progress`: a line that tells how far it is
        (None: in terminals and notebooks). Ctrl-C stops between two steps.
        """
        pointer = self._changeable()
        if until is None:
            if self.scene is None:
                raise UsageError("until which time? A world without a scene has no end of its own")
            until = self.scene.end
        until = number("until", until)
        if not math.isfinite(until):
            raise UsageError(f"until must be finite, not {until}")
        towards, error, info = library.ct_world_step_towards, self._error_reference, library.ct_world_get_info
        limits: Dict[Any, int] = {}
        bar = Progress(progress, self.time, until)
        instants = self._instants(until, frame)
        was_stepped_by, self._stepped_by = self._stepped_by, get_ident()
        try:
            for instant in instants:
                now = info(pointer)
                while now.time < instant:
                    failed = towards(pointer, instant, error)
                    if self._force is not None:
                        self._force.report()
                    if failed:
                        fail(self._error)
                    now = info(pointer)
                    limits[now.limited_by] = limits.get(now.limited_by, 0) + 1
                    if force is not None:
                        self._push(force, now.dt)
                    if bar.is_on:
                        bar.show(now.time, now.step, now.dt)
                    if on_step is not None and on_step(self) is False:
                        return self
                if on_frame is not None and on_frame(self) is False:
                    return self
        finally:
            self._stepped_by = was_stepped_by
            self._note_limits(limits)
            bar.close()
        return self

    def _note_limits(self, limits: Dict[Any, int]) -> None:
        """What limited most steps of a run; "frame", its end itself, only where there is no other."""
        names = [name for name in limits if name != b"frame"] or list(limits)
        if names and self._pointer:
            self._limited = (library.ct_world_get_info(self._pointer).step, plain(max(names, key=limits.__getitem__)))

    def _instants(self, until: float, frame: Optional[float]) -> List[float]:
        """Those of frames that are to come, and `until`. Frame k is at k * frame, however the world got there."""
        now = self.time
        if frame is not None:
            frame = number("frame", frame)
            if not frame > 0:
                raise UsageError(f"frame must be positive, not {frame}")
            first, last = int(now / frame), int(until / frame)
            times = [k * frame for k in range(first, last + 1)]
        else:
            times = self.scene.frame_times() if self.scene is not None else []
        begins = [now] if now in times or not times and now < until else []
        return begins + [time for time in times if now < time < until] + ([until] if until > now else [])

    def _push(self, force: Callable[..., Any], dt: float) -> None:
        position, velocity, mass = self.read("position"), self.read("velocity"), self.read("mass")
        forces = force(self, position, velocity)
        if forces is None:
            return
        if numpy is not None:
            self.write("velocity", velocity + dt * numpy.asarray(forces) / mass[:, None])
            return
        rows = [[v + dt * f / m for v, f in zip(velocity_of, force_of)]
                for velocity_of, force_of, m in zip(velocity.tolist(), forces, mass.tolist())]
        self.write("velocity", rows)

    # ---- Looking

    @property
    def time(self) -> float:
        """s"""
        return library.ct_world_get_info(self._handle()).time

    @property
    def particles(self) -> int:
        """How many there are."""
        return library.ct_world_get_info(self._handle()).particles

    @property
    def info(self) -> Dict[str, Any]:
        """time (s), step, dt (s), limited_by (after `run`, what limited most of its steps), particles, blocks, bytes of
        memory, threads, ..."""
        found = as_dict(library.ct_world_get_info(self._handle()))
        if self._limited[0] == found["step"]:
            found["limited_by"] = self._limited[1]
        return found

    @property
    def sums(self) -> Dict[str, Any]:
        """mass (kg), center (m), momentum (kg m/s), angular_momentum, kinetic, elastic, gravitational (J), ..."""
        return as_dict(library.ct_world_get_sums(self._handle()))

    @property
    def bodies(self) -> List[Dict[str, Any]]:
        """name, method, material, particles, temperature (K) of each."""
        return [as_dict(info) for info in walk(library.ct_world_body, api.ct_body_info, self._handle())]

    def motions(self) -> List[Dict[str, Any]]:
        """mass, position, orientation, momentum, angular_momentum, kinetic, elastic, gravitational of each body."""
        count = len(self.bodies)
        motions = (api.ct_body_motion * max(count, 1))()
        check(library.ct_world_body_motions, self._handle(), motions, count)
        return [as_dict(motion) for motion in motions[:count]]

    @property
    def contacts(self) -> List[Dict[str, Any]]:
        """What bodies, colliders and walls did to bodies: name, partner_name, force (N) and torque (N m) over the last
        step, impulse (N s), angular_impulse (N m s) and work (J) since the start."""
        return [as_dict(one) for one in walk(library.ct_world_body_contact, api.ct_body_contact, self._handle())]

    @property
    def joints(self) -> List[Dict[str, Any]]:
        """name, position, speed, force, torque of each joint of rigid bodies."""
        return [as_dict(one) for one in walk(library.ct_world_joint, api.ct_joint_info, self._handle())]

    @property
    def materials(self) -> List[Dict[str, Any]]:
        """name, type, method, density (kg/m^3), ... of each."""
        return [as_dict(i) for i in walk(library.ct_world_material, api.ct_world_material_info, self._handle())]

    @property
    def colliders(self) -> List[Collider]:
        return list(self._colliders)

    @property
    def criteria(self) -> List[Dict[str, Any]]:
        """The ledger of the time step: name, steps that it limited, tightest (s), ..."""
        return [as_dict(i) for i in walk(library.ct_world_criterion, api.ct_criterion_info, self._handle())]

    @property
    def profile(self) -> Dict[str, float]:
        """Wall time of each stage of the step, s."""
        return {plain(i.name): i.seconds for i in walk(library.ct_world_stage, api.ct_stage_info, self._handle())}

    @property
    def quantities(self) -> Dict[str, str]:
        """What `read` takes: name -> meaning and unit."""
        found = walk(library.ct_world_quantity, api.ct_quantity_info, self._handle())
        return {plain(i.name): f"{plain(i.doc)} ({plain(i.unit)})" for i in found}

    @property
    def hash(self) -> str:
        """Of the whole state: equal hashes, equal bits."""
        found = api.ct_hash()
        check(library.ct_world_hash, self._handle(), byref(found))
        return f"{found.high:016x}{found.low:016x}"

    @property
    def gravity(self) -> None:
        raise AttributeError("gravity can be set, not read: w.gravity = [0, -9.81] (m/s^2)")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        raw = track("gravity", value)
        check(library.ct_world_set_gravity, self._changeable(), byref(raw))

    def _quantity(self, name: str) -> api.ct_quantity_info:
        info = api.ct_quantity_info()
        if not library.ct_world_find_quantity(self._handle(), text("name", name), byref(info)):
            raise UsageError(f"there is no quantity '{name}'; there are {', '.join(self.quantities)}")
        return info

    def read(self, name: str) -> Any:
        """A copy of a quantity of all particles, in the order of their ids: [n], [n, 3] or [n, 9]; SI units. A NumPy
        array, or a memoryview where there is no NumPy."""
        info, count = self._quantity(name), self.particles
        shape = (count,) if info.components == 1 else (count, info.components)
        array, address, size = empty(info.type, shape)
        check(library.ct_world_read, self._handle(), info.name, address, size)
        return array

    def write(self, name: str, values: Any) -> None:
        """Writes a stored quantity back, in the layout of `read`: velocity, C, F, J, temperature; in peridynamics also
        position."""
        info, count = self._quantity(name), self.particles
        shape = (count,) if info.components == 1 else (count, info.components)
        array, address, size = contiguous(name, info.type, shape, values)
        check(library.ct_world_write, self._changeable(), info.name, address, size)
        del array

    def view(self, name: str) -> View:
        """A stored field without copying: see View. Stepping while it lives raises."""
        self._changeable()
        return View(self, name)

    # ---- Pictures and files

    def render(self, width: int = 640, height: int = 360, **look: Any) -> Picture:
        """A picture. Keywords: color_by (a quantity, "body", "material"), range, radius (m), bounds ([min, max], m),
        camera={"from": ..., "target": ..., "fov": rad}, turn (rad), is_light, is_surface (3D), threads."""
        raw = library.ct_default_picture_def()
        look = dict(look)
        camera, bounds = look.pop("camera", None), look.pop("bounds", None)
        if bounds is not None:
            raw.has_bounds = True
            for to, corner in zip(raw.bounds, bounds):
                to[:] = vector("bounds", corner, 3)
        if camera is not None:
            look.update({key: camera[key] for key in ("from", "target", "fov") if key in camera})
            raw.has_camera = True
        if self.scene is not None and "color_by" not in look:
            look["color_by"] = self.scene.info["color_by"]
        fill(raw, {"width": width, "height": height, **look})
        if self.scene is not None and not self._is_steered():
            raw.scene = self.scene._pointer
        picture = api.ct_picture()
        check(library.ct_world_draw, self._handle(), byref(raw), byref(picture))
        try:
            return copy_pixels(picture)
        finally:
            library.ct_picture_release(byref(picture))

    def _is_steered(self) -> bool:
        """Whether bodies or colliders are others than the scene's."""
        info = self.scene.info
        bodies = info["bodies"] + info["sources"] + info["changes"]
        return len(self._colliders) != info["colliders"] or len(self.bodies) != bodies

    def _repr_png_(self) -> Optional[bytes]:
        return self.render()._repr_png_() if self._pointer and self.particles else None

    def mesh(self, **definition: Any) -> Dict[str, Any]:
        """The surface that the particles make up, in 3D: vertices [n, 3] (m), normals [n, 3], triangles [m, 3],
        nearest [n] (rows of particles). Keywords: spacing, cell (m), smooth, is_round."""
        raw = fill(library.ct_default_surface_mesh_def(), definition)
        mesh = api.ct_surface_mesh()
        check(library.ct_world_surface_mesh, self._handle(), byref(raw), byref(mesh))
        try:
            found = {}
            for name, kind, count, columns in (("vertices", api.CT_TYPE_FLOAT64, mesh.vertex_count, 3),
                                               ("normals", api.CT_TYPE_FLOAT32, mesh.vertex_count, 3),
                                               ("triangles", api.CT_TYPE_UINT32, mesh.triangle_count, 3),
                                               ("nearest", api.CT_TYPE_UINT32, mesh.vertex_count, 1)):
                array, address, size = empty(kind, (count, 3) if columns == 3 else (count,))
                if size:
                    ctypes.memmove(address, getattr(mesh, name), size)
                found[name] = array
            return found
        finally:
            library.ct_surface_mesh_release(byref(mesh))

    def export(self, path: Any, fields: Optional[Sequence[str]] = None) -> None:
        """Writes the particles as a file: .vtu, .ply, .csv, .xyz, .obj, .usda, .bgeo or .hdf."""
        raw = library.ct_default_export_def()
        if fields is not None:
            if isinstance(fields, str):
                raise TypeError("fields must be a list of names")
            names = [text("a field", name) for name in fields]
            raw.fields = keep(raw, (ctypes.c_char_p * max(len(names), 1))(*names))
            raw.field_count = len(names)
        check(library.ct_world_export, self._handle(), text("path", path), byref(raw))

    def save(self, path: Any) -> None:
        """Writes the state, to be restored to the bit."""
        check(library.ct_world_save, self._handle(), text("path", path))

    def restore(self, path: Any) -> None:
        """Restores a state that a world of the same definition, materials and bodies has saved."""
        check(library.ct_world_restore, self._changeable(), text("path", path))
        self._limited = (-1, "")

    def copy(self) -> "World":
        """A world of its own in the same state."""
        pointer = ctypes.c_void_p()
        check(library.ct_world_copy, self._handle(), byref(pointer))
        return World._around(pointer.value, self.scene)

    def __repr__(self) -> str:
        if not self._pointer:
            return "<world, closed>"
        info = library.ct_world_get_info(self._pointer)
        return f"<world: {info.dimension}D, {info.particles} particles, {info.time:g} s>"


def _fill_world(raw: api.ct_world_def, definition: Dict[str, Any]) -> None:
    definition = dict(definition)
    domain, walls = definition.pop("domain", None), definition.pop("walls", None)
    for name in ("allocator", "log", "log_user"):
        if name in definition:
            raise TypeError(f"'{name}' cannot be set from Python")
    if domain is not None:
        if len(domain) != 2:
            raise ValueError("domain must be two corners: ([0, 0, 0], [1, 1, 1])")
        raw.has_domain = True
        raw.domain_min[:], raw.domain_max[:] = vector("domain", domain[0], 3), vector("domain", domain[1], 3)
    if walls is not None:
        each = [walls] * api.CT_SIDES if isinstance(walls, (str, Mapping)) else list(walls)
        if len(each) > api.CT_SIDES:
            raise ValueError(f"there are at most {api.CT_SIDES} walls")
        for side, wall in enumerate(each):
            entry = raw.walls[side]
            fill(entry, {"type": wall} if isinstance(wall, str) else wall, "walls.")
            keep(raw, entry)
    fill(raw, definition)
