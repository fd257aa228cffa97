"""Every kind of matter: what means nothing for it is refused by name, what is possible works, and nothing crashes."""

import math

import continua
import pytest

NAN = math.nan
BALL = {"type": "sphere", "center": [0, 0.5, 0], "radius": 0.1}
LINE = {"type": "polyline", "points": [[0, 0.5, 0], [0.3, 0.5, 0]], "radius": 0.01}
BOX = {"type": "box", "min": [0, 0.2, 0], "max": [0.2, 0.3, 0.2]}
FLOOR = {"type": "half_space", "point": [0, 0.45, 0], "normal": [0, 1, 0]}

METHODS = {
    "mpm": ("fixed_corotated", {"young": 1e5, "poisson": 0.3}, BALL),
    "peridynamics": ("elastic", {"young": 1e6, "poisson": 0.25}, BALL),
    "elements": ("neo_hookean", {"young": 1e5, "poisson": 0.3}, BALL),
    "rigid": ("rigid", {}, BALL),
    "fluid": ("liquid", {}, BALL),
    "strands": ("strand", {"young": 1e6, "poisson": 0.3}, LINE),
}

# Keywords of bodies, and the methods for which they mean something.
KEYWORDS = {
    "is_pinned": (True, ["rigid"]),
    "mass": (2.0, ["rigid"]),
    "inertia": ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["rigid"]),
    "split": (True, ["mpm"]),
    "contact_group": ("separate", ["mpm"]),
    "scheme": ({"type": "flip"}, ["mpm", "fluid", "elements", "strands"]),
    "hold": ({"type": "sphere", "center": [0, 0.5, 0], "radius": 0.05}, ["peridynamics", "elements", "strands"]),
    "roots": ("nobody", []),  # of strands alone; and there is nobody
    "elements": ({"mass_damping": 1.0}, ["elements"]),
}

# Over w, a world of a method with the body `b` of material 0, whose shape is `shape`. None may crash; most are refused.
TRIES = """
w.add_body("x", 0, shape, mass=-1)
w.add_body("x", 0, shape, mass=NAN)
w.add_body("x", 0, {"type": "points", "points": [[0, .2, 0]]})
w.add_body("x", 0, {"type": "sheet", "corner": [0, .2, 0], "edges": [[.2, 0, 0], [0, 0, .2]]})
w.add_body("x", 0, {"type": "polyline", "points": [[0, .2, 0]], "radius": .01})
w.add_body("x", 0, {"type": "polyline", "points": [[0, .2, 0], [0, .2, 0]], "radius": .01})
w.add_body("x", 0, {"type": "sphere", "radius": 1e-4, "center": [0, .2, 0]})
w.add_body("x", 0, {**BOX, "translate": [5, 0, 0]})
w.add_body("x", 0, BOX, elements={"edge": -1})
w.add_body("x", 0, BOX, elements={"follow": {"file": "/no/such.obj"}})
w.add_body("x", 0, BOX, elements={"coupling": "grid"})
w.add_body("x", 0, {"type": "solid", "file": "/no/such.msh"})
w.add_body("x", 0, {"type": "surface", "file": "/no/such.obj"})
w.add_source("s", 0, BALL, [1, 0, 0])
w.add_change("c", "b", 0)
w.add_joint("j", "hinge", body="b", at=[0, .5, 0], axis=[0, 0, 1])
w.add_joint("j", "ball", body="b", to="b", at=[0, .5, 0])
w.add_joint("j", "slider", body="b", at=[0, .5, 0], axis=[0, 0, 0])
w.add_joint("j", "hinge", body="b", at=[NAN, .5, 0], axis=[0, 0, 1])
w.add_sink("k", BALL)
w.add_collider("c", BALL, grip=True)
w.add_collider("c", BALL, animation={"rate": 24})
w.add_collider("c", FLOOR).move(velocity=[0, 1e9, 0])
w.add_collider("c", FLOOR, contact="sticky", is_sharp=True)
w.add_force("f", "wind", velocity=[1e9, 0, 0], density=1.2, coefficient=1, grain=1e-3)
w.add_force("f", "point", center=[0, .5, 0], strength=1e9, radius=1e-9, power=50)
w.set_force(lambda points: [[1e30, 0, 0]] * len(points))
w.write("velocity", w.read("velocity"))
w.write("position", w.read("position"))
w.write("F", w.read("F"))
w.add_particles(0, [[.4, .5, 0]])
(w.remove_body(0), w.add_body("y", 0, shape), w.step(), w.remove_body(1), w.add_body("z", 0, shape))
(w.add_collider("c", BALL, grip=True), w.step(), w.colliders[-1].remove())
(w.save(t / "s.ctc"), w.add_body("y", 0, {**shape, "translate": [0, .2, 0]}), w.restore(t / "s.ctc"))
"""


def make(method, **definition):
    model, parameters, shape = METHODS[method]
    w = continua.World(dimension=3, spacing=0.05, method=method, domain=([-1, 0, -1], [1, 1, 1]), walls="separate",
                       gravity=[0, -9.81, 0], threads=1, **definition)
    w.add_material("m", type=model, density=1000, **parameters)
    w.add_body("b", 0, shape, velocity=[0.1, 0, 0])
    return w


@pytest.mark.parametrize("method", METHODS)
def test_what_means_nothing_is_refused(method):
    w = make(method)
    before = w.hash
    for name, (value, methods) in KEYWORDS.items():
        if method in methods:
            continue
        with pytest.raises(continua.UsageError) as caught:
            w.add_body("x", 0, METHODS[method][2], **{name: value})
        word = {"contact_group": "contact group", "roots": "nobody" if method == "strands" else "roots"}.get(name, name)
        assert word in str(caught.value)
    assert w.hash == before and len(w.bodies) == 1


@pytest.mark.parametrize("method", METHODS)
def test_nothing_crashes(method, tmp_path):
    for line in TRIES.strip().splitlines():
        w = make(method)
        print(method, line)
        names = {"w": w, "t": tmp_path, "shape": METHODS[method][2], "BALL": BALL, "BOX": BOX, "FLOOR": FLOOR, "NAN": NAN}
        try:
            eval(line, names)
        except (continua.Error, TypeError, ValueError):
            pass
        try:
            if w.particles:
                w.step(2)
        except continua.Error:
            pass
        for name in w.quantities:
            w.read(name)
        assert w.sums["mass"] >= 0 and w.motions() is not None


@pytest.mark.parametrize("method", METHODS)
def test_single_particles(method):
    w = make(method)
    count = w.particles
    if method in ("mpm", "peridynamics", "fluid"):
        w.add_particles(0, [[0.4, 0.5, 0]])
        assert w.particles == count + 1
    else:
        with pytest.raises(continua.UsageError, match=f"method {method}, which takes no single"):
            w.add_particles(0, [[0.4, 0.5, 0]])
        assert w.particles == count
    w.step(2)


@pytest.mark.parametrize("method", ["mpm", "elements", "rigid", "strands"])
def test_forces_are_read_back(method):
    """What falls on a collider has lost the momentum that the collider says it received."""
    w = make(method, precision="double")
    top = min(row[1] for row in w.read("position").tolist())
    floor = w.add_collider("floor", {"type": "half_space", "point": [0, top - 0.03, 0], "normal": [0, 1, 0]})
    w.run(0.2)
    impulse = floor.info["impulse"]
    sums = w.sums
    assert impulse[1] < 0
    assert sums["momentum"][1] == pytest.approx(-9.81 * sums["mass"] * w.time - impulse[1], rel=0.02, abs=0.02 * sums["mass"])


def test_what_limited_a_run():
    """The criterion that limited most of its steps; "frame", the end itself, only where there is no other."""
    w = make("mpm")
    w.run(0.02)
    assert w.info["limited_by"] not in ("frame", "")
    w.run(w.time + 1e-7)
    assert w.info["limited_by"] == "frame"
