"""What Python costs beyond C: `PYTHONPATH=python python3 bench/python.py [PARTICLES]`. The figures are in docs/python.md."""

import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import continua
from continua._library import library


def make(spacing=0.05, radius=0.79, threads=1):
    w = continua.World(dimension=2, spacing=spacing, threads=threads)
    m = w.add_material("m", type="fixed_corotated", density=1000, young=1e4, poisson=0.3)
    w.add_body("b", m, {"type": "sphere", "radius": radius})
    return w


def per_step(action, steps):
    best = 1e9
    for _ in range(7):
        began = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - began)
    return 1e6 * best / steps


def overhead():
    """The least of several turns, in C and from Python, with the same steps of the same world."""
    steps = 200
    w = make(radius=0.45)
    w.step(steps)
    fixed = w.info["dt"]
    pointer, error = w._pointer, w._error_reference

    def in_c():
        library.ct_world_run_until(pointer, library.ct_world_get_info(pointer).time + steps * fixed, error)

    c_steps = -w.info["step"]
    in_c()
    c_steps += w.info["step"]
    print(f"{w.particles} particles, one thread: {per_step(in_c, c_steps):.1f} us per step by ct_world_run_until, "
          f"{per_step(lambda: w.step(steps), steps):.1f} us by w.step()")
    until = w.time
    towards, info = library.ct_world_step_towards, library.ct_world_get_info

    def nothing():
        for _ in range(20000):
            towards(pointer, until, error)
            info(pointer)

    def bare():
        for _ in range(20000):
            towards(pointer, until, error)

    print(f"calls that do nothing: {per_step(bare, 20000):.2f} us for w.step(), {per_step(nothing, 20000):.2f} us for w.run()")


def views(count):
    w = continua.World(dimension=3, spacing=1.0)
    m = w.add_material("m", type="fluid", density=1000, bulk=1e4, gamma=7)
    side = (count / 8) ** (1 / 3)
    w.add_body("b", m, {"type": "box", "min": [0, 0, 0], "max": [side, side, side]}, pattern="lattice")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    view = w.view("velocity")
    shape = view.shape
    took = time.perf_counter() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"view of {shape[0]} particles: {1e6 * took:.0f} us, {grown} kB more")
    del view
    began = time.perf_counter()
    w.read("position")
    print(f"copy of their positions: {time.perf_counter() - began:.2f} s")


def many():
    def work(world):
        world.step(200)

    for threads in (1, os.cpu_count()):
        worlds = [make(radius=0.45) for _ in range(64)]
        began = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, worlds))
        took = time.perf_counter() - began
        print(f"64 worlds of {worlds[0].particles} particles, 200 steps each, {threads} threads: {took:.2f} s, "
              f"{64 * 200 / took:.0f} steps per second")


if __name__ == "__main__":
    overhead()
    many()
    views(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**6)
