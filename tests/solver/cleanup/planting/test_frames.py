# SPDX-License-Identifier: GPL-3.0-or-later
"""Some frames of components, taken and put, however they are nested."""

from __future__ import annotations

import numpy as np

from poise.solver.cleanup.planting.frames import identities, put, taken, zeros
from poise.solver.cleanup.planting.targets import Target


def test_what_is_put_can_be_taken(rng):
    nested = (Target(zeros(9), identities(9)), (np.zeros(9),))
    frames = np.array([1, 4, 8])
    values = (Target(tuple(rng.standard_normal((3, 3))), tuple(rng.standard_normal((4, 3)))), (rng.standard_normal(3),))
    put(nested, frames, values)
    found = taken(nested, frames)
    assert isinstance(found[0], Target)
    assert all(np.array_equal(one, other) for one, other in zip(found[0].place, values[0].place, strict=True))
    assert all(np.array_equal(one, other) for one, other in zip(found[0].turn, values[0].turn, strict=True))
    assert np.array_equal(found[1][0], values[1][0])
    others = np.setdiff1d(np.arange(9), frames)
    assert all((part[others] == 0.0).all() for part in nested[0].place) and (nested[0].turn[0][others] == 1.0).all()


def test_numbers_are_the_same_in_all_frames():
    assert taken((1.5, np.arange(4.0)), 2) == (1.5, 2.0)
