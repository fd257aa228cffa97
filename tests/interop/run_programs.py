"""run_programs.py blender|usd PROGRAM SAMPLE: makes what the program is to read, in a folder of its own, and starts it.

SAMPLE is the folder that write_sample made. The environment variable CONTINUA names the command.
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from support import PROGRAM, scene_text  # noqa: E402


def continua(*arguments):
    subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL)


def make_run(folder):
    """A ball falls: particles, a point cache, and the surface in several formats."""
    scene, run = os.path.join(folder, "scene.yaml"), os.path.join(folder, "run")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(scene_text(dimension=3, end=0.08, spacing=0.05, per_cell=8))
    continua("run", scene, "-o", run, "--quiet")
    continua("convert", run, "--to", "pc2")
    continua("convert", run, "--to", "usda", "--frames", "1:1")
    for kind in ["vtu", "usda", "obj"]:
        continua("mesh", run, "--to", kind, "--frames", "1:1")
    return run


DROP = """
time: {end: 0.2 s, frame: 1/25 s}
grid: {spacing: 5 cm}
domain: {min: [-1, 0, -1], max: [1, 2, 1]}
walls: {default: slip}
materials: {rubber: {type: neo_hookean, density: 1000 kg/m^3, young: 20 kPa, poisson: 0.3}}
bodies: {ball: {material: rubber, shape: {type: sphere, center: [0, 1.2, 0], radius: 40 cm}, velocity: [1, -1, 0], color: "#ff0000"}}
colliders: {peg: {shape: {type: sphere, center: [0.2, 0.2, -0.6], radius: 15 cm}}}
output: {formats: [vtu], camera: {target: [0, 1, 0], from: [1, 1.8, 5], fov: 32 deg}}
"""


def make_drop(folder):
    """A red ball on its way past a collider, and our pictures of it."""
    scene, run = os.path.join(folder, "drop.yaml"), os.path.join(folder, "drop")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(DROP)
    continua("run", scene, "-o", run, "--quiet")
    for number in [0, 3]:
        continua("render", os.path.join(run, "frames", "frame_%06d.vtu" % number), "--size", "320x240", "--quiet",
                 "-o", os.path.join(folder, "ours_%d.png" % number))
    return run, folder, scene


def with_names_of_a_run(sample, folder):
    """The sample's frames under the names that a run gives them."""
    os.makedirs(os.path.join(folder, "sample", "frames"))
    for number in range(3):
        os.symlink(os.path.join(os.path.abspath(sample), "frames", "%d.vtu" % number),
                   os.path.join(folder, "sample", "frames", "frame_%06d.vtu" % number))
    return os.path.join(folder, "sample")


def blender(program, sample, folder):
    run = make_run(folder)
    return [program, "-b", "--factory-startup", "--python-exit-code", "1", "--python", os.path.join(HERE, "read_in_blender.py"),
            "--", os.path.join(HERE, "..", "..", "blender", "continua_io.py"), with_names_of_a_run(sample, folder),
            os.path.join(run, "mesh", "frame_000001.vtu"), os.path.join(run, "pc2", "particles.obj"),
            os.path.join(run, "pc2", "particles.pc2"), os.path.join(sample, "woven.vtu"), *make_drop(folder), PROGRAM,
            os.path.join(HERE, "..", "..", "src", "scene", "looks.h")]


def usd(program, sample, folder):
    run = make_run(folder)
    mesh = os.path.join(run, "mesh", "frame_000001.")
    return [program, os.path.join(HERE, "read_usda.mjs"), os.path.join(HERE, "node_modules", "tinyusdz"),
            os.path.join(run, "usda", "frame_000001.usda"), mesh + "usda", mesh + "obj",
            os.path.join(sample, "woven.usda")]


with tempfile.TemporaryDirectory(prefix="continua-interop-") as work:
    command = {"blender": blender, "usd": usd}[sys.argv[1]](sys.argv[2], sys.argv[3], work)
    # Blender takes the first Python in the path for its own home: let it be the system's.
    environment = dict(os.environ, PATH="/usr/bin:/bin:" + os.environ.get("PATH", ""))
    sys.exit(subprocess.run(command, env=environment).returncode)
