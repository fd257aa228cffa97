"""What the tests of several ranks share: scenes, mpirun, and hashes."""

import os
import subprocess

from support import PATIENCE, PROGRAM, Case

MPIRUN = os.environ.get("MPIRUN", "mpirun")

# More ranks than cores are fine for tests; so is root, in a container.
FREEDOMS = ["--oversubscribe", "--bind-to", "none"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])

HEAD = """\
name: {name}
dimension: {dimension}
precision: {precision}
time: {{end: {end}, frame: {frame}}}
grid: {{spacing: {spacing}, kernel: {kernel}}}
output: {{fields: [velocity, id], checkpoint_every: 0}}
"""

WATER = "{density: 1000, type: fluid, bulk: 1e5}"
RUBBER = "{type: fixed_corotated, density: 1000, young: 1e5, poisson: 0.3}"
SAND = "{type: drucker_prager, density: 1600, young: 3e5, poisson: 0.3, friction_angle: 35 deg}"
SNOW = "{preset: snow}"


def head(name, dimension=2, precision="float", end=0.12, frame=0.06, spacing=0.02, kernel="quadratic"):
    return HEAD.format(name=name, dimension=dimension, precision=precision, end=end, frame=frame, spacing=spacing, kernel=kernel)


# Each has what the others have not: dimension, precision, kernel, scheme (with and without velocities before forces, plain),
# walls, periodic sides, colliders that move, sources, sinks, free flight, groups of several blocks.
SCENES = {
    "water in a box": head("dam", end=0.2, frame=0.1) + """\
domain: {min: [0, 0], max: [1, 0.6]}
walls: {default: separate}
materials: {water: %s}
bodies: {dam: {material: water, shape: {type: box, min: [0, 0], max: [0.4, 0.4]}}}
""" % WATER,
    "rubber in 3D": head("ball", dimension=3, spacing=0.05) + """\
domain: {min: [0, 0, 0], max: [1, 1, 1]}
walls: {default: no_slip}
materials: {rubber: %s}
bodies: {ball: {material: rubber, velocity: [1, -2, 0.5], shape: {type: sphere, center: [0.5, 0.35, 0.5], radius: 0.3}}}
""" % RUBBER,
    "sand on a turning wheel, FLIP": head("wheel", precision="double", end=0.15, frame=0.05) + """\
domain: {min: [-0.6, -0.5], max: [0.6, 0.5]}
walls: {default: separate}
scheme: {type: asflip}
materials: {sand: %s}
bodies: {heap: {material: sand, shape: {type: box, min: [-0.25, 0.1], max: [0.25, 0.4]}}}
colliders:
  wheel:
    shape: {type: box, min: [-0.3, -0.025], max: [0.3, 0.025]}
    contact: {type: separate, friction: 0.4}
    motion: {spin: {rate: 20 rpm}}
""" % SAND,
    "cubic kernel in double": head("cubic", precision="double", kernel="cubic") + """\
domain: {min: [0, 0], max: [1, 1]}
walls: {default: slip}
materials: {rubber: %s}
bodies: {ball: {material: rubber, velocity: [2, -3], shape: {type: sphere, center: [0.3, 0.25], radius: 0.2}}}
""" % RUBBER,
    "free flight": head("flight", end=0.3, frame=0.1) + """\
materials: {rubber: %s}
bodies:
  a: {material: rubber, velocity: [40, 5], shape: {type: sphere, center: [0, 0], radius: 0.2}}
  b: {material: rubber, velocity: [38, 5], shape: {type: sphere, center: [0.6, 0.1], radius: 0.2}}
""" % RUBBER,
    "source and sink": head("tap", end=0.3, frame=0.1) + """\
domain: {min: [0, 0], max: [1, 1]}
walls: {default: separate}
materials: {water: %s}
sources: {tap: {material: water, velocity: [0.5, -2], shape: {type: box, min: [0.3, 0.6], max: [0.45, 0.7]}}}
sinks: {drain: {shape: {type: box, min: [0, 0], max: [1, 0.08]}}}
""" % WATER,
    "many blocks": head("many", spacing=0.005, end=0.01, frame=0.005) + """\
domain: {min: [0, 0], max: [1, 1]}
walls: {default: separate}
materials: {rubber: %s}
bodies: {slab: {material: rubber, velocity: [1, -1], shape: {type: box, min: [0.2, 0.02], max: [0.9, 0.85]}}}
""" % RUBBER,
    "heat": head("heat", end=0.1, frame=0.05) + """\
domain: {min: [0, 0], max: [1, 1]}
walls: {default: separate, y_min: {type: no_slip, temperature: 500}}
air: {temperature: 280, heat_transfer: 50, emissivity: 0.9}
materials: {rubber: {type: fixed_corotated, density: 1000, young: 1e5, poisson: 0.3, heat_capacity: 1, conductivity: 5}}
bodies: {slab: {material: rubber, temperature: 300, velocity: [1, -1], shape: {type: box, min: [0.2, 0.01], max: [0.8, 0.3]}}}
""",
    "periodic sides": head("ring", end=0.2, frame=0.1) + """\
domain: {min: [0, 0], max: [0.96, 0.6]}
walls: {default: separate, x_min: periodic, x_max: periodic}
materials: {snow: %s}
bodies: {band: {material: snow, velocity: [3, 0], shape: {type: box, min: [0.1, 0.1], max: [0.8, 0.3]}}}
""" % SNOW,
}


class Ranks(Case):
    def start(self, ranks, *arguments, threads=1):
        """The command with so many ranks, as a process."""
        command = [PROGRAM, *arguments, "--quiet", "--threads", str(threads)]
        if ranks:
            command = [MPIRUN, *FREEDOMS, "-n", str(ranks), *command]
        return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def compute(self, ranks, *arguments, threads=1):
        """The hash that it ends with; ranks 0: without mpirun."""
        code, out, err = self.finish(self.start(ranks, *arguments, threads=threads))
        self.assertEqual(code, 0, f"{ranks} ranks: {err}\n{out}")
        lines = [line for line in out.splitlines() if "state hash:" in line]
        self.assertEqual(len(lines), 1, out)  # said once
        return lines[0].split()[-1]
