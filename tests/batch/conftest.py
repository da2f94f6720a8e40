# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions and environments for the tests of `poise.batch`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.solver.synthetic import run as made_up_run
from poise.solver.synthetic import walk

from .running import FPS, STEPS

FORBIDS_BLENDER = """
import os, sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"bpy", "mathutils", "addon_utils"}:
            with open(os.environ["ASKED_FOR_BLENDER"], "a") as file:
                file.write(name)
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Forbidden())
"""
"""A `sitecustomize` module: Python imports it before anything else, in every process."""


@pytest.fixture(scope="session")
def skating() -> solver.Clip:
    """A short walk whose feet slide."""
    return walk(steps=STEPS, fps=FPS, skate=0.03).clip


@pytest.fixture
def captures(tmp_path: Path, skating: solver.Clip) -> Path:
    """A folder with a motion, one in a subfolder, a broken one, and a file that is no motion."""
    folder = tmp_path / "captures"
    (folder / "more").mkdir(parents=True)
    solver.write_bvh(skating, folder / "walk.bvh")
    solver.write_bvh(skating, folder / "more" / "wälk.bvh")
    (folder / "broken.bvh").write_text("HIERARCHY nonsense")
    (folder / "notes.txt").write_text("about them")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without Blender, in which a file records any attempt to import it."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(FORBIDS_BLENDER)
    asked = str(tmp_path / "asked for Blender")
    return os.environ | {"PYTHONPATH": str(tmp_path / "site"), "ASKED_FOR_BLENDER": asked}


@pytest.fixture(scope="session")
def run_and_stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a made-up run, and with so little of it that it cannot be fitted."""
    folder = tmp_path_factory.mktemp("runs")
    clip = made_up_run(steps=2, fps=60.0).clip
    solver.write_bvh(clip, folder / "run.bvh")
    solver.write_bvh(solver.Clip(clip.skeleton, clip.motion.at(np.arange(5)), clip.fps), folder / "stub.bvh")
    (folder / "moon.json").write_text(json.dumps({"gravity": 0.6, "flight": 1.5}))
    return folder


@pytest.fixture(scope="session")
def away_from_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """An environment in which Blender does not find the user's own settings."""
    yield os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("blender"))}
