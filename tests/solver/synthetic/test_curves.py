# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth curves pass through their values and have the derivatives that they were given."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.errors import MotionError
from poise.solver.synthetic.curves import SmoothCurve, eased, wave


def test_a_curve_passes_its_knots_and_rests_at_its_ends() -> None:
    rng = np.random.default_rng(4)
    knots = np.cumsum(rng.uniform(0.1, 1.0, 7))
    values = rng.normal(size=(7, 3))
    curve = SmoothCurve(knots, values)
    assert np.allclose(curve(knots), values, atol=1e-9)
    for order in (1, 2):
        assert np.abs(curve.derivative(knots[[0, -1]], order)).max() < 1e-7
    assert np.array_equal(curve([knots[0] - 1.0, knots[-1] + 1.0]), values[[0, -1]])
    assert np.array_equal(curve.derivative([knots[0] - 1.0, knots[-1] + 1.0]), np.zeros((2, 3)))


def test_a_curve_has_the_derivatives_that_it_says_and_those_asked_for() -> None:
    rng = np.random.default_rng(5)
    begin, end = rng.normal(size=(2, 2))
    curve = SmoothCurve(np.array([1.0, 1.4, 3.0]), rng.normal(size=3), begin=begin, end=end)
    assert [curve.derivative(np.array([1.0]), order)[0] for order in (1, 2)] == pytest.approx(list(begin))
    assert [curve.derivative(np.array([3.0]), order)[0] for order in (1, 2)] == pytest.approx(list(end))
    times, step = np.linspace(1.1, 2.9, 50), 1e-4
    around = [curve(times + shift) for shift in (-step, 0.0, step)]
    assert np.allclose((around[2] - around[0]) / (2.0 * step), curve.derivative(times), atol=1e-5)
    assert np.allclose((around[2] - 2.0 * around[1] + around[0]) / step**2, curve.derivative(times, 2), atol=1e-4)


@pytest.mark.parametrize(("knots", "values"), [([0.0], [1.0]), ([0.0, 0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0])])
def test_an_impossible_curve_is_refused(knots: list[float], values: list[float]) -> None:
    with pytest.raises(MotionError):
        SmoothCurve(np.array(knots), np.array(values))


def test_an_eased_curve_meets_its_keys_at_rest_and_never_overshoots() -> None:
    curve = eased((0.0, 1.0), (1.0, 3.0), (2.0, 2.0))
    assert curve([-1.0, 0.0, 1.0, 2.0, 5.0]) == pytest.approx([1.0, 1.0, 3.0, 2.0, 2.0])
    step = 1e-4
    for key in (0.0, 1.0, 2.0):
        assert abs(curve([key + step])[0] - curve([key - step])[0]) < 1e-9
    values = curve(np.linspace(0.0, 2.0, 500))
    assert (values.min(), values.max()) == pytest.approx((1.0, 3.0), abs=1e-4)


def test_with_an_overlap_the_eases_blend_between_the_end_keys() -> None:
    curve = eased((0.0, 1.0), (1.0, 3.0), (2.0, 2.0), overlap=0.3)
    assert curve([0.0, 2.0]) == pytest.approx([1.0, 2.0])
    assert 2.5 < curve([1.0])[0] < 3.0


def test_a_wave_is_one_at_its_phase_and_has_its_periods() -> None:
    cycles = np.linspace(0.0, 1.0, 101)
    assert wave(0.3, 0.3, times=2) == pytest.approx(1.0)
    assert wave(0.55, 0.3, times=2) == pytest.approx(-1.0)
    assert np.allclose(wave(cycles, 0.3, times=2), wave(cycles + 0.5, 0.3, times=2))
    assert wave(cycles, 0.3, times=3).mean() == pytest.approx(wave(0.0, 0.3, times=3) / 101.0), "whole periods"
