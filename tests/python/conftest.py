"""What the tests of the Python module share."""

import os
import sys

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.environ.get("CONTINUA_PYTHON", os.path.join(ROOT, "python")))
COMMAND = os.environ.get("CONTINUA", os.path.join(ROOT, "build", "continua"))

if os.environ.get("CT_NO_NUMPY"):
    sys.modules["numpy"] = None  # importing it fails, as where it is not installed

SCENE = {
    "dimension": 2,
    "time": {"end": "0.05 s", "frame": "0.02 s"},
    "grid": {"spacing": "5 cm"},
    "materials": {"jelly": {"preset": "jelly"}},
    "bodies": {"ball": {"material": "jelly", "shape": {"type": "sphere", "center": [0, 0.5], "radius": 0.2}}},
}


@pytest.fixture
def scene():
    import copy

    return copy.deepcopy(SCENE)


@pytest.fixture
def world():
    import continua

    return make_world(continua)


def make_world(continua, **definition):
    w = continua.World(**{"dimension": 2, "spacing": 0.05, "threads": 1, **definition})
    jelly = w.add_material("jelly", type="fixed_corotated", density=1000, young=1e4, poisson=0.3)
    w.add_body("ball", jelly, {"type": "sphere", "center": [0.5, 0.5], "radius": 0.2})
    return w
