# SPDX-License-Identifier: GPL-3.0-or-later
"""Units in which a character of any size is the same."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.gravity import ADULT_SIZE, EARTH, earth_gravity
from poise.solver.spacetime.handles.handle import AxisHandle, DistanceHandle, PointHandle
from poise.solver.spacetime.problem.units import Units
from poise.solver.synthetic import human


def test_in_these_units_size_mass_gravity_and_weight_are_one() -> None:
    units = Units(length=16.0, mass=70.0, gravity=170.0)
    assert units.gravity * units.time**2 / units.length == pytest.approx(1.0)
    assert units.force == pytest.approx(70.0 * 170.0)
    np.testing.assert_allclose(units.lengths([[16.0, 8.0, 0.0]]), [[1.0, 0.5, 0.0]])


def test_characters_of_all_sizes_have_the_same_time() -> None:
    times = []
    for stature in (0.02, 1.75, 175.0):
        skeleton = human(stature=stature)
        times.append(Units(skeleton.size, 1.0, earth_gravity(skeleton)).time)
    np.testing.assert_allclose(times, np.sqrt(ADULT_SIZE / EARTH))
    assert 0.3 < times[0] < 0.31


def test_lengths_of_handles_are_divided_and_directions_are_not() -> None:
    handles = (PointHandle("left_ball"), AxisHandle("hips", "up"), DistanceHandle("left_hip", "left_ball"))
    np.testing.assert_array_equal(Units(4.0, 1.0, 1.0).of_handles(handles), [4.0, 4.0, 4.0, 1.0, 1.0, 1.0, 4.0])
