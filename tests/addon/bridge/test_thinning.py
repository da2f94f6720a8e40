# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys, none of them too few."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon.bridge import versions
from poise.addon.bridge.keys import linear_keys, smooth_keys, write_keys
from poise.addon.bridge.thinning import Fit, every_frame, thinned, with_keys

from .rigs import Array

TIMES = np.arange(3.0, 203.0)


def curves(rng: np.random.Generator, noise: float = 0.0) -> Array:
    waves = np.sin(TIMES[:, None] * rng.uniform(0.02, 0.2, size=4) + rng.uniform(0.0, 6.0, size=4))
    return waves * rng.uniform(0.1, 3.0, size=4) + noise * rng.normal(size=(len(TIMES), 4))


def hermite(fit: Fit, values: Array, times: Array) -> Array:
    """(times, curves) by the textbook, one at a time."""
    assert fit.slopes is not None
    keys = np.flatnonzero(fit.keyed)
    found = np.empty((len(times), values.shape[1]))
    for row, time in enumerate(times):
        at = min(max(int(np.searchsorted(TIMES[keys], time, side="right")) - 1, 0), len(keys) - 2)
        begin, end = keys[at], keys[at + 1]
        length = TIMES[end] - TIMES[begin]
        u = (time - TIMES[begin]) / length
        found[row] = (
            (2 * u**3 - 3 * u**2 + 1) * values[begin]
            + (u**3 - 2 * u**2 + u) * length * fit.slopes[at]
            + (3 * u**2 - 2 * u**3) * values[end]
            + (u**3 - u**2) * length * fit.slopes[at + 1]
        )
    return found


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-2, 0.3])
def test_curves_between_keys_stay_within_the_tolerance(tolerance: float, noise: float) -> None:
    values = curves(np.random.default_rng(1), noise)
    fit = thinned(TIMES, values, np.full(4, tolerance))
    np.testing.assert_allclose(fit.curve_values, hermite(fit, values, TIMES), atol=1e-12)
    assert np.abs(fit.curve_values - values).max() <= tolerance + 1e-6
    assert fit.keyed[0] and fit.keyed[-1]
    assert np.array_equal(fit.curve_values[fit.keyed], values[fit.keyed]), "a key has not its frame's value"


def test_smooth_curves_need_far_fewer_keys_than_lines() -> None:
    values = curves(np.random.default_rng(2))
    # A line of this length is off by its curvature times its length squared over 8.
    bend = np.abs(np.gradient(np.gradient(values, axis=0), axis=0)).max(axis=1)
    lines = np.sqrt(bend / (8.0 * 1e-3)).sum()
    assert thinned(TIMES, values, np.full(4, 1e-3)).keyed.sum() < 0.3 * lines


def test_a_larger_tolerance_needs_fewer_keys() -> None:
    values = curves(np.random.default_rng(2))
    counts = [thinned(TIMES, values, np.full(4, tolerance)).keyed.sum() for tolerance in (1e-4, 1e-2, 0.3)]
    assert counts[0] > counts[1] > counts[2]
    assert counts[2] < 0.1 * len(TIMES)


def test_no_key_can_be_left_out() -> None:
    """But for one or two: keys are tried a few at a time."""
    values = curves(np.random.default_rng(5), 0.01)
    tolerances = np.full(4, 0.02)
    keys = np.flatnonzero(thinned(TIMES, values, tolerances).keyed)
    spare = 0
    for key in keys[1:-1]:
        begin, end = keys[np.searchsorted(keys, key) - 1], keys[np.searchsorted(keys, key) + 1]
        u = ((TIMES[begin : end + 1] - TIMES[begin]) / (TIMES[end] - TIMES[begin]))[:, None]
        missing = values[begin : end + 1] - values[begin] - u**2 * (3 - 2 * u) * (values[end] - values[begin])
        basis = np.hstack([u * (1 - u) ** 2, u**2 * (1 - u)])
        best = basis @ np.linalg.lstsq(basis, missing, rcond=None)[0]
        spare += bool((np.abs(best - missing) <= 0.5 * tolerances).all())
    assert spare <= 2, f"{spare} of {len(keys)} keys have frames around them that could do with half the tolerance"


def test_a_straight_line_needs_its_ends_only() -> None:
    values = np.stack([3.0 * TIMES - 7.0, np.full_like(TIMES, 2.0)], axis=1)
    fit = thinned(TIMES, values, np.zeros(2))
    assert np.flatnonzero(fit.keyed).tolist() == [0, 199]
    np.testing.assert_allclose(fit.slopes, [[3.0, 0.0], [3.0, 0.0]], atol=1e-9)


def test_a_jump_is_kept_and_does_not_ring() -> None:
    values = np.where(TIMES < 100.0, 0.0, 1.0)[:, None]
    fit = thinned(TIMES, values, np.full(1, 0.01))
    between = hermite(fit, values, np.arange(3.0, 202.0, 0.125))
    assert between.min() > -0.02 and between.max() < 1.02
    assert fit.keyed.sum() <= 12


def test_the_strictest_curve_decides() -> None:
    values = curves(np.random.default_rng(3))
    loose = thinned(TIMES, values, np.full(4, 0.3)).keyed
    strict = thinned(TIMES, values, np.array([0.3, 0.3, 1e-3, 0.3])).keyed
    assert strict.sum() > loose.sum()


def test_few_frames_keep_their_ends() -> None:
    assert thinned(TIMES[:2], np.zeros((2, 1)), np.ones(1)).keyed.all()
    assert thinned(TIMES[:1], np.zeros((1, 1)), np.ones(1)).keyed.all()
    assert every_frame(np.zeros((3, 1))).slopes is None


@pytest.mark.parametrize("step", [1.0, 0.25])
def test_blender_draws_the_same_curves(step: float) -> None:
    """At frames and between them; handles are aligned, so that an animator who drags one keeps it smooth."""
    values = curves(np.random.default_rng(4), 0.01)
    fit = thinned(TIMES, values, np.full(4, 0.02))
    holder = bpy.data.objects.new("Holder", None)
    action = bpy.data.actions.new("Curves")
    slot = versions.ensure_slot(action, holder)
    times = np.arange(TIMES[0], TIMES[-1], step)
    expected = hermite(fit, values, times)
    for index in range(4):
        curve = versions.new_curve(action, slot, "location", index, "Group")
        assert fit.slopes is not None
        write_keys(curve, smooth_keys(TIMES[fit.keyed], values[fit.keyed, index], fit.slopes[:, index]))
        np.testing.assert_allclose([curve.evaluate(time) for time in times], expected[:, index], atol=2e-5)
        assert {point.handle_left_type for point in curve.keyframe_points} == {"ALIGNED"}
        assert {point.interpolation for point in curve.keyframe_points} == {"BEZIER"}


def test_lines_between_keys_are_lines() -> None:
    holder = bpy.data.objects.new("Holder", None)
    action = bpy.data.actions.new("Curves")
    curve = versions.new_curve(action, versions.ensure_slot(action, holder), "location", 0, "Group")
    write_keys(curve, linear_keys(np.array([1.0, 5.0, 6.0]), np.array([0.0, 2.0, -1.0])))
    np.testing.assert_allclose(
        [curve.evaluate(time) for time in (1.0, 3.0, 5.5, 6.0)], [0.0, 1.0, 0.5, -1.0], atol=1e-6
    )


def test_more_keys_are_kept_and_a_tolerance_may_differ_from_frame_to_frame() -> None:
    values = curves(np.random.default_rng(5))
    loose = np.full(values.shape, 0.05)
    fit = thinned(TIMES, values, loose)
    wanted = np.array([17, 18, 101])
    more = with_keys(TIMES, values, loose, fit, wanted)
    assert more.keyed[wanted].all() and more.keyed[fit.keyed].all()
    assert (np.abs(more.curve_values - values) <= 0.05 + 1e-6).all()
    np.testing.assert_array_equal(more.curve_values[wanted], values[wanted])
    tight = loose.copy()
    tight[50:90] = 0.001
    some = thinned(TIMES, values, tight)
    off = np.abs(some.curve_values - values)
    assert off[50:90].max() <= 0.001 + 1e-6 < off.max()
    assert some.keyed.sum() < thinned(TIMES, values, np.full(values.shape, 0.001)).keyed.sum()
