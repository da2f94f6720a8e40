# SPDX-License-Identifier: GPL-3.0-or-later
"""Some frames of nested arrays are read and written."""

from __future__ import annotations

import numpy as np

from poise.solver.cleanup.planting.frames import identities, put, taken
from poise.solver.cleanup.planting.targets import Target
from poise.solver.core import rotations


def test_frames_that_are_written_are_read_again_and_others_stay(rng: np.random.Generator) -> None:
    nested = (Target(np.zeros((9, 3)), identities(9)), (np.zeros(9),))
    frames = np.array([1, 4, 8])
    values = (Target(rng.standard_normal((3, 3)), rng.standard_normal((3, 4))), (rng.standard_normal(3),))
    put(nested, frames, values)
    found = taken(nested, frames)
    assert isinstance(found[0], Target)
    assert np.array_equal(found[0].position, values[0].position)
    assert np.array_equal(found[0].rotation, values[0].rotation)
    assert np.array_equal(found[1][0], values[1][0])
    others = np.setdiff1d(np.arange(9), frames)
    assert not nested[0].position[others].any()
    assert (nested[0].rotation[others] == rotations.IDENTITY).all()
