# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the solver's tests: random numbers, a captured walk, characters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.skeleton import Skeleton
from poise.solver.files.bvh import read_bvh

from .characters import CAPTURED, CHARACTERS


@pytest.fixture
def rng() -> np.random.Generator:
    """The same random numbers in every run."""
    return np.random.default_rng(20260317)


@pytest.fixture(scope="session")
def walk(mocap: Path) -> Clip:
    """A captured walk."""
    return read_bvh(mocap / "02_01.bvh")


@pytest.fixture(params=[*CHARACTERS, CAPTURED])
def character(request: pytest.FixtureRequest) -> Skeleton:
    """Each of the characters in turn, and the one of a captured clip where there are any."""
    if request.param == CAPTURED:
        clip: Clip = request.getfixturevalue("walk")
        return clip.skeleton
    return CHARACTERS[request.param]()
