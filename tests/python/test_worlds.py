"""Worlds from Python: made, stepped, read, written, looked at."""

import gc
import math
import os
import subprocess
import sys
import threading

import continua
import pytest
from conftest import COMMAND, SCENE, make_world

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = pytest.mark.skipif(numpy is None, reason="no NumPy")


def rows(array):
    return array.tolist()


def test_three_lines(scene):
    w = continua.load(scene)
    start = w.sums["center"][1]
    w.run(0.03)
    x = w.read("position")
    assert x.shape == (w.particles, 3) and w.time == 0.03
    fall = start - sum(row[1] for row in rows(x)) / w.particles  # m
    # free fall, but for what symplectic Euler adds, g t dt / 2
    assert 0 <= fall - 9.81 * 0.03**2 / 2 <= 9.81 * 0.03 * max(w.info["dt"], 0.01) / 2


def test_same_hash_from_python_c_and_the_command(tmp_path, scene):
    import json

    file = tmp_path / "scene.json"
    file.write_text(json.dumps(scene))
    subprocess.run([COMMAND, "run", str(file), "-o", str(tmp_path / "command"), "--quiet", "--threads", "1"], check=True)
    with continua.Run.resume(tmp_path / "command", read_only=True) as run:
        command = run.world.hash
    own = continua.run(file, tmp_path / "python", threads=2, progress=False)
    assert own.is_done and own.world.hash == command
    assert len(own.frames) == 4 and own.stats["time"][-1] == pytest.approx(0.05)
    assert continua.load(scene, threads=1).run().hash == command
    w = continua.load(scene, threads=2)
    for time in w.scene.frame_times():
        w.run(time)
    assert w.hash == command


def test_sums_and_lists(world):
    each = 1000 * 0.05**2 / 4  # kg: four particles per cell
    assert world.sums["mass"] == pytest.approx(each * world.particles, rel=1e-6)
    assert world.bodies[0]["name"] == "ball" and world.bodies[0]["particles"] == world.particles
    assert world.materials[0]["type"] == "fixed_corotated"
    assert "velocity" in world.quantities and "sound" in [c["name"] for c in world.criteria]
    world.step(3)
    assert world.info["step"] == 3 and sum(world.profile.values()) > 0
    assert "mpm" in continua.methods() and "water" in continua.presets() and "vtu" in continua.formats()
    assert continua.models()["fixed_corotated"]["parameters"]["young"]["unit"] == "Pa"


def test_lists_of_several_methods():
    """A name that several methods have: each of them can be asked for."""
    both = continua.models()["fixed_corotated"]
    assert both["method"] == "mpm" and both["methods"] == ["mpm", "elements"]
    assert continua.models("elements")["fixed_corotated"]["method"] == "elements"
    assert "drucker_prager" not in continua.models("elements")
    water = [continua.presets(method)["water"] for method in continua.presets()["water"]["methods"]]
    assert [one["method"] for one in water] == ["mpm", "fluid"] and water[0]["keys"] != water[1]["keys"]
    assert continua.presets()["water"] == water[0]
    for list_of in (continua.models, continua.presets):
        with pytest.raises(continua.UsageError, match="no method 'magic'"):
            list_of("magic")


def test_read_and_write(world):
    count = world.particles
    velocity = [[1.0, 0.5, 0.0]] * count
    world.write("velocity", velocity)
    assert rows(world.read("velocity")) == velocity
    assert rows(world.read("id")) == list(range(count))
    assert world.sums["momentum"][0] == pytest.approx(world.sums["mass"], rel=1e-5)


def test_views_pin(world):
    view = world.view("velocity")
    assert view.shape == (world.particles, 2)
    with pytest.raises(continua.UsageError, match="view"):
        world.step()
    with pytest.raises(continua.UsageError, match="view"):
        world.add_body("late", 0, {"type": "sphere", "center": [3, 3], "radius": 0.2})
    plane = view.plane(0)
    plane[0] = 7.0
    assert view[0, 0] == 7.0
    view.release()
    with pytest.raises(ValueError, match="released"):
        view.shape
    with pytest.raises(continua.UsageError):
        world.step()  # the memoryview still looks at it
    del plane
    world.step()
    with world.view("F") as view:
        assert view.shape == (world.particles, 4)
    world.step()


@needs_numpy
def test_views_are_arrays(world):
    world.step(5)
    ids = world.view("id").array
    velocity = numpy.asarray(world.view("velocity"))
    assert velocity.base is not None
    assert (world.read("velocity")[ids, :2] == velocity).all()
    part = velocity[:, 1]
    del velocity, ids
    with pytest.raises(continua.UsageError):
        world.step()
    part[:] = 2
    del part
    world.step()
    assert world.sums["momentum"][1] > 0


@needs_numpy
def test_dlpack(world):
    view = world.view("velocity")
    array = numpy.from_dlpack(view)
    assert array.shape == (world.particles, 2)
    assert array.__array_interface__["data"][0] == view.__array_interface__["data"][0]
    unused = view.__dlpack__()
    del unused, view
    with pytest.raises(continua.UsageError):
        world.step()
    del array
    world.step()


def test_views_outlive_their_world():
    w = make_world(continua)
    view = w.view("mass")
    with pytest.raises(continua.UsageError, match="alive"):
        w.close()
    plane = view.plane()
    total = sum(plane)
    del w, view
    gc.collect()
    assert sum(plane) == total > 0
    del plane


def test_copies_and_checkpoints(world, tmp_path):
    world.run(0.05)
    twin = world.copy()
    world.save(tmp_path / "state.ctc")
    reference = world.run(0.1).hash
    assert twin.run(0.1).hash == reference
    world.restore(tmp_path / "state.ctc")
    assert world.time == 0.05 and world.run(0.1).hash == reference


def test_colliders_are_steered():
    w = make_world(continua, gravity=[0, 0])
    plate = w.add_collider("plate", {"type": "box", "min": [-1, 0.1], "max": [2, 0.25]}, contact="separate")
    other = w.add_collider("other", {"type": "sphere", "center": [9, 9], "radius": 0.1})
    plate.move(velocity=[0, 0.5])
    w.run(0.3)
    assert plate.position[1] == pytest.approx(0.175 + 0.15)
    assert plate.info["impulse"][1] < 0 and w.sums["momentum"][1] == pytest.approx(-plate.info["impulse"][1], rel=1e-4)
    plate.remove()
    assert [c.info["name"] for c in w.colliders] == ["other"] and other.position[0] == 9
    with pytest.raises(continua.UsageError):
        plate.move(velocity=[0, 1])


def test_bodies_of_every_method():
    for method, model in (("mpm", "neo_hookean"), ("peridynamics", "elastic")):
        w = continua.World(dimension=2, spacing=0.05, method=method, gravity=[0, -1])
        m = w.add_material("m", type=model, density=1000, young=1e4, poisson=0.25)
        b = w.add_body("b", m, {"type": "box", "min": [0, 0], "max": [0.5, 0.5]}, velocity=[1, 0])
        assert w.bodies[b]["method"] == method
        w.run(0.1)
        assert w.sums["momentum"][1] == pytest.approx(-0.1 * w.sums["mass"], rel=1e-4)
        w.gravity = [0, 0]
        w.run(0.2)
        assert w.sums["momentum"][1] == pytest.approx(-0.1 * w.sums["mass"], rel=1e-3)
        w.remove_body(b)
        assert w.particles == 0


def test_sources_sinks_particles_and_shapes():
    w = continua.World(dimension=2, spacing=0.1, domain=([0, 0], [4, 4]), walls="slip")
    water = w.add_material("water", preset="water")
    jet = w.add_source("jet", water, {"type": "box", "min": [1, 3], "max": [2, 3.5]}, velocity=[0, -2], stop_after=0.2)
    w.add_sink("drain", {"type": "half_space", "point": [0, 0.5], "normal": [0, 1]})
    hole = {"type": "difference", "children": [{"type": "box", "min": [2, 1], "max": [3, 2]},
                                               {"type": "sphere", "center": [2.5, 1.5], "radius": 0.2}]}
    ring = w.add_body("ring", water, hole)
    w.add_particles(ring, [[0.5, 2], [0.6, 2]], velocity=[[1, 0], [0, 0]])
    w.run(0.1)
    assert w.bodies[jet]["particles"] > 0 and w.bodies[ring]["particles"] > 200


def test_forces_by_callback():
    w = make_world(continua, gravity=[0, 0], precision="double")
    g = [0.0, -2.0, 0.0]
    mass = rows(w.read("mass"))
    w.run(0.1, force=lambda world, x, v: [[m * a for a in g] for m in mass])
    assert w.sums["momentum"][1] == pytest.approx(-0.2 * w.sums["mass"], rel=1e-9)


def test_callbacks_and_frames(world):
    times = []
    world.run(0.1, frame=0.02, on_frame=lambda w: times.append(w.time))
    assert times == pytest.approx([0, 0.02, 0.04, 0.06, 0.08, 0.1])
    world.run(1, on_step=lambda w: w.info["step"] < 70)
    assert world.info["step"] == 70 and world.time < 1
    with pytest.raises(ZeroDivisionError):
        world.run(2, on_step=lambda w: 1 / 0)


def test_pictures(world, tmp_path, scene):
    picture = world.render(120, 80, color_by="speed")
    assert picture.array.shape == (80, 120, 3) and len(set(picture.pixels)) > 20
    assert picture._repr_png_()[:4] == b"\x89PNG" and world._repr_png_()[:4] == b"\x89PNG"
    picture.save(tmp_path / "a.png")
    assert continua.load(scene).render(64, 64).array.shape == (64, 64, 3)
    world.export(tmp_path / "a.vtu", ["speed", "stress"])
    assert (tmp_path / "a.vtu").stat().st_size > 1000
    solid = continua.World(spacing=0.05)
    solid.add_body("b", solid.add_material("m", preset="jelly"), {"type": "sphere", "radius": 0.2})
    mesh = solid.mesh()
    assert mesh["vertices"].shape[0] > 100 and mesh["triangles"].shape[1] == 3
    with pytest.raises(continua.UsageError):
        world.mesh()  # 2D


def test_films(world, tmp_path):
    import shutil

    if not shutil.which("ffmpeg"):
        pytest.skip("no ffmpeg")
    with continua.Film(tmp_path / "film.mp4", fps=10) as film:
        world.run(0.1, frame=0.05, on_frame=lambda w: film.add(w.render(64, 48)))
    assert (tmp_path / "film.mp4").stat().st_size > 300


def test_runs_resume(tmp_path, scene):
    run = continua.Run.start(scene, tmp_path / "a", threads=1)
    run.run(on_frame=lambda r: r.progress["frames_written"] < 2)
    run.checkpoint()
    run.close()
    with pytest.raises(continua.UsageError):
        run.step()
    done = continua.Run.resume(tmp_path / "a").run()
    assert done.world.hash == continua.run(scene, tmp_path / "b", progress=False).world.hash
    world = done.world
    with pytest.raises(continua.UsageError, match="look"):
        world.step()
    with pytest.raises(continua.UsageError, match="not empty"):
        continua.run(scene, tmp_path / "b", progress=False)
    continua.run(scene, tmp_path / "b", force=True, progress=False)


def test_scene_errors_have_places():
    with pytest.raises(continua.SceneError, match=r"scene.json:\d+:\d+: error: .*spacng"):
        continua.load({**SCENE, "grid": {"spacng": 1}})
    with pytest.raises(continua.SceneError) as caught:
        continua.load("/no/such/scene.yaml")
    assert caught.value.status == 3
    scene = continua.Scene(SCENE, {"grid.spacing": "4 cm"})
    assert scene.info["frames"] == 4 and "spacing: 0.04 m" in scene.text()


def test_divergence_is_an_exception(world):
    velocity = rows(world.read("velocity"))
    velocity[3][0] = math.nan
    world.write("velocity", velocity)
    with pytest.raises(continua.DivergedError):
        world.step()


def test_interrupts(tmp_path):
    """Ctrl-C stops a run between two steps."""
    program = tmp_path / "long.py"
    program.write_text(
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import continua\n"
        "w = continua.World(dimension=2, spacing=0.01)\n"
        "m = w.add_material('m', type='fixed_corotated', density=1000, young=1e6, poisson=0.3)\n"
        "w.add_body('b', m, {'type': 'sphere', 'radius': 0.3})\n"
        "print('ready', flush=True)\n"
        "try: w.run(1e6)\n"
        "except KeyboardInterrupt: print('stopped at', w.info['step'] > 0, flush=True)\n")
    folder = os.path.dirname(os.path.dirname(continua.__file__))
    process = subprocess.Popen([sys.executable, str(program), folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    import signal
    import time

    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == "stopped at True\n"


def test_worlds_in_threads():
    hashes = []

    def work():
        hashes.append(make_world(continua).run(0.05).hash)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashes) == 8 and len(set(hashes)) == 1


def test_many_worlds_without_a_leak(scene):
    """10,000 of them: memory does not grow with their number."""
    import resource

    count = 10000

    def live(number):
        for _ in range(number):
            w = continua.World(dimension=2, spacing=0.1, threads=1)
            m = w.add_material("m", type="fixed_corotated", density=1000, young=1e4, poisson=0.3)
            w.add_body("b", m, {"type": "sphere", "radius": 0.2})
            w.step()
            with w.view("velocity") as view:
                view.plane(0)
            w.read("position")
        gc.collect()

    live(count // 5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    live(count)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # kB
    assert grown < 2000


def test_forces_of_fields_and_of_functions():
    calls = []

    def pull(points):
        calls.append(points.method)
        assert len(points) == len(points.mass) and points.dt > 0 and points.mass[0] > 0
        if numpy is None:
            return [[2.0, 0.0, 0.0]] * len(points)
        points.acceleration[:, 0] = 2

    worlds = [make_world(continua, gravity=[0, 0]) for _ in range(3)]
    worlds[0].add_force("push", "acceleration", acceleration=[2, 0])
    worlds[1].set_force(pull)
    for w in worlds:
        w.step(5)
    assert worlds[0].hash == worlds[1].hash != worlds[2].hash
    assert calls == ["mpm"] * 5
    worlds[1].set_force(None)
    worlds[1].step()
    assert len(calls) == 5
    with pytest.raises(continua.UsageError, match="rate is -1"):
        worlds[0].add_force("air", "wind", velocity=[1, 0], rate=-1)
    with pytest.raises(TypeError, match="function"):
        worlds[0].set_force(3)


def test_a_force_that_raises_is_heard():
    w = make_world(continua)

    def broken(points):
        raise ArithmeticError("no")

    w.set_force(broken)
    with pytest.raises(ArithmeticError):
        w.step()
    w.set_force(lambda points: [[1.0, 2.0]])
    with pytest.raises(ValueError):
        w.step()


def test_forces_name_bodies():
    w = make_world(continua, gravity=[0, 0])
    w.add_force("push", "acceleration", acceleration=[2, 0], bodies=["nobody"])
    w.step(2)
    assert w.sums["momentum"][0] == 0


def test_a_world_is_stepped_by_one_thread(world):
    """Other threads get an exception meanwhile, and what they asked for works afterwards."""
    refused, ready, go_on = [], threading.Event(), threading.Event()

    def wait(_):
        ready.set()
        go_on.wait(10)

    stepping = threading.Thread(target=lambda: world.run(0.01, on_step=wait))
    stepping.start()
    ready.wait(10)
    for misuse in (world.step, world.close, lambda: world.read("velocity"), lambda: world.hash, lambda: world.remove_body(0)):
        with pytest.raises(continua.UsageError, match="stepped"):
            misuse()
        refused.append(misuse)
    go_on.set()
    stepping.join()
    assert len(refused) == 5 and world.time == 0.01
    world.step()


def test_a_world_that_is_closed_in_its_callback(world):
    with pytest.raises(continua.UsageError, match="being stepped"):
        world.run(0.1, on_step=lambda w: w.close())
    world.step()
    world.run(world.time + 0.01, on_step=lambda w: w.read("velocity"))


def test_the_world_of_a_run_that_is_closed(tmp_path, scene):
    run = continua.run(scene, tmp_path / "out", progress=False)
    world = run.world
    assert world.particles > 0
    run.close()
    for misuse in (lambda: world.particles, lambda: world.read("position"), world.render, world.copy, lambda: run.world):
        with pytest.raises(continua.UsageError, match="closed"):
            misuse()


def test_copies_and_pickles(world, scene, tmp_path):
    import copy
    import pickle

    world.step()
    for other in (copy.copy(world), copy.deepcopy(world)):
        assert other.hash == world.hash and other._pointer != world._pointer
        other.step()
    del other
    gc.collect()
    run = continua.run(scene, tmp_path / "out", progress=False)
    with world.view("velocity") as view:
        for one in (world, run, view):
            with pytest.raises(TypeError, match="pickled"):
                pickle.dumps(one)
        for one in (run, view):
            with pytest.raises(TypeError, match="copied"):
                copy.copy(one)
    assert pickle.loads(pickle.dumps(continua.Scene(scene))).text() == continua.Scene(scene).text()
    world.step()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_forked_processes():
    """A child cannot use its parent's world, and leaves it alone; worlds of its own are fine."""
    program = ("import os, sys; sys.path.insert(0, sys.argv[1])\n"
               "import continua\n"
               "def make():\n"
               "    w = continua.World(dimension=2, spacing=0.05, threads=2)\n"
               "    m = w.add_material('m', type='fixed_corotated', density=1000, young=1e4, poisson=0.3)\n"
               "    w.add_body('b', m, {'type': 'sphere', 'radius': 0.2})\n"
               "    w.step()\n"
               "    return w\n"
               "w = make()\n"
               "child = os.fork()\n"
               "if not child:\n"
               "    try: w.step(); os._exit(1)\n"
               "    except continua.UsageError as reason: ok = 'forked' in str(reason)\n"
               "    own = make(); ok = ok and own.hash; own.close(); w.close(); del w, own\n"
               "    os._exit(0 if ok else 2)\n"
               "assert os.waitpid(child, 0)[1] == 0\n"
               "w.step()\n"
               "print('fine')\n")
    folder = os.path.dirname(os.path.dirname(continua.__file__))
    done = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, timeout=60)
    assert done.stdout == "fine\n", done.stderr


def rigid_world(**definition):
    w = continua.World(dimension=3, spacing=0.1, precision="double", gravity=[0, -9.81, 0], step={"max": 1e-3},
                       method="rigid", **definition)
    wood = w.add_material("wood", type="rigid", density=500)
    w.add_body("bob", wood, {"type": "box", "min": [0.95, -0.05, -0.05], "max": [1.05, 0.05, 0.05]})
    return w


def test_joints_of_rigid_bodies():
    w = rigid_world()
    assert w.add_joint("pivot", "hinge", body="bob", at=[0, 0, 0], axis=[0, 0, 1]) == 0
    w.run(0.2)
    bob = w.motions()[0]
    height = bob["position"][1]
    assert math.hypot(bob["position"][0], height) == pytest.approx(1, abs=1e-3), "it stays on its arm"
    assert height < -0.15, "it swings"
    free = rigid_world()
    free.run(0.2)
    assert free.motions()[0]["position"][0] == pytest.approx(1, abs=1e-9), "control: without the joint it falls straight"
    limited = rigid_world()
    limited.add_joint("pivot", "hinge", body="bob", at=[0, 0, 0], axis=[0, 0, 1], limits=(-0.05, 0.05))
    limited.run(0.5)
    assert limited.joints[0]["position"] == pytest.approx(-0.05, abs=0.01)
    with pytest.raises(ValueError, match="limits"):
        limited.add_joint("other", "hinge", body="bob", at=[0, 0, 0], axis=[0, 0, 1], limits=(1, 2, 3))
    with pytest.raises(continua.UsageError, match="nobody"):
        limited.add_joint("other", "hinge", body="nobody", at=[0, 0, 0], axis=[0, 0, 1])


def test_pairs_of_materials():
    def slide(**contact):
        w = continua.World(dimension=3, spacing=0.1, gravity=[0.5, -9.81, 0], step={"max": 2e-3}, method="rigid", contact=contact)
        wood = w.add_material("wood", type="rigid", density=500)
        ice = w.add_material("ice", type="rigid", density=900)
        w.add_body("floor", ice, {"type": "box", "min": [-1, -0.2, -1], "max": [1, 0, 1]}, is_pinned=True)
        w.add_body("block", wood, {"type": "box", "min": [-0.1, 0, -0.1], "max": [0.1, 0.1, 0.1]})
        w.run(0.5)
        return w.motions()[1]["position"][0]

    held = slide(friction=0.5)
    slid = slide(friction=0.5, pairs=[{"material": 0, "on": 1, "friction": 0}])
    assert abs(held) < 1e-3
    assert slid == pytest.approx(0.5 * 0.5 * 0.25, rel=0.05)
    with pytest.raises(TypeError, match=r"contact.pairs\[0\]"):
        slide(pairs=[{"friction": 1}])
    with pytest.raises(TypeError, match="no such keyword"):
        slide(pairs=[{"material": 0, "on": 1, "grip": 1}])
