# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of eases and blends: their ends, and the derivatives there."""

from __future__ import annotations

import numpy as np

from poise.solver.core.arrays import Array
from poise.solver.core.smooth_steps import cubic_step, smooth_step, within_unit
from poise.solver.core.splines import Spline

STEP = 1e-5


def slopes(values: Array) -> tuple[Array, Array]:
    """First and second derivative in the middle of three values a step apart."""
    return (values[2] - values[0]) / (2.0 * STEP), (values[2] - 2.0 * values[1] + values[0]) / STEP**2


def around(time: float) -> Array:
    return time + STEP * np.array([-1.0, 0.0, 1.0])


def test_a_smooth_step_goes_from_0_to_1_and_rests_at_both() -> None:
    share = np.linspace(-0.5, 1.5, 201)
    step = smooth_step(share)
    assert (step[share <= 0.0] == 0.0).all() and (step[share >= 1.0] == 1.0).all()
    assert (np.diff(step) >= 0.0).all()
    np.testing.assert_allclose(step + smooth_step(1.0 - share), 1.0, atol=1e-15)
    for end in (0.0, 1.0):
        first, second = slopes(smooth_step(around(end)))
        assert abs(first) < 1e-8 and abs(second) < 1e-3, "it must neither move nor be about to"


def test_a_cubic_step_is_a_spline_from_rest_to_rest() -> None:
    share = np.linspace(-0.5, 1.5, 41)
    spline = Spline([0.0, 1.0], [[0.0], [1.0]], tension=1.0)
    np.testing.assert_allclose(cubic_step(share), spline.at(share)[:, 0], atol=1e-15)


def test_shares_are_clipped() -> None:
    np.testing.assert_array_equal(within_unit(np.array([-2.0, 0.25, 7.0])), [0.0, 0.25, 1.0])
