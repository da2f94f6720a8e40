# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and velocities of arrays over frames at times between the frames."""

from __future__ import annotations

import numpy as np

from poise.solver.constraints.sampling import active_frames, interpolated, velocity

from ..made_up import smooth_way
from ..rounding import assert_equal_to_rounding


def test_active_frames_are_those_within(rng: np.random.Generator) -> None:
    assert active_frames(3, 6).tolist() == [3, 4, 5, 6]
    assert active_frames(3.01, 5.99).tolist() == [4, 5]
    assert active_frames(3.2, 3.8).tolist() == []
    assert active_frames(4.0, 4.0).tolist() == [4]
    for _ in range(20):
        begin, end = np.sort(rng.uniform(0.0, 30.0, 2))
        assert active_frames(begin, end).tolist() == [frame for frame in range(31) if begin <= frame <= end]


def test_values_between_frames_lie_between_them(rng: np.random.Generator) -> None:
    values = rng.standard_normal((9, 3))
    for frame in range(9):
        np.testing.assert_array_equal(interpolated(values, float(frame)), values[frame])
    for time in rng.uniform(0.0, 8.0, 20):
        expected = [np.interp(time, np.arange(9), values[:, axis]) for axis in range(3)]
        np.testing.assert_allclose(interpolated(values, time), expected, rtol=0.0, atol=1e-14)


def test_velocities_are_those_of_the_motion(rng: np.random.Generator) -> None:
    way = smooth_way(rng)
    fine = way(np.arange(0.0, 20.0, 0.01))
    for time in (0.05, 7.123, 19.5):
        expected = (way(time + 1e-4) - way(time - 1e-4)) / 2e-4
        np.testing.assert_allclose(velocity(fine, time * 100.0) * 100.0, expected, atol=2e-4)
    assert_equal_to_rounding(velocity(fine, 0.0), fine[1] - fine[0])
    assert_equal_to_rounding(velocity(fine, len(fine) - 1.0), fine[-1] - fine[-2])
    assert velocity(fine[:1], 0.0).tolist() == [0.0, 0.0, 0.0]
    # On one side only, whatever happens on the other; where there is no frame on that side, on the other.
    last = len(fine) - 1
    for time in (3, 40, last - 1):
        np.testing.assert_allclose(velocity(fine, time, -1), fine[time] - fine[time - 1], atol=1e-15)
        np.testing.assert_allclose(velocity(fine, time, 1), fine[time + 1] - fine[time], atol=1e-15)
    assert_equal_to_rounding(velocity(fine, 0.0, -1), fine[1] - fine[0])
    assert_equal_to_rounding(velocity(fine, float(last), 1), fine[last] - fine[last - 1])
