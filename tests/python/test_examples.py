"""What the pages of the examples tell readers to change is understood by their scenes."""

import glob
import os
import re
import shlex

import continua
import pytest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def changes():
    """(example, settings), for each `--set ...` of a page."""
    for page in sorted(glob.glob(os.path.join(EXAMPLES, "*", "README.md"))):
        with open(page, encoding="utf-8") as file:
            for code in re.findall(r"`(--set [^`]*)`", file.read()):
                words = shlex.split(code)
                yield os.path.basename(os.path.dirname(page)), [words[i + 1] for i, word in enumerate(words) if word == "--set"]


def scene_of(example):
    return os.path.join(EXAMPLES, example, "scene.yaml")


def test_there_are_many():
    assert len(list(changes())) >= 70


@pytest.mark.parametrize("example, settings", changes())
def test_settings_are_understood(example, settings):
    continua.Scene(scene_of(example), settings)


def test_a_wrong_one_is_not():
    with pytest.raises(continua.SceneError):
        continua.Scene(scene_of("water_river"), ["color_by=vorticity"])
