# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending of adjustments: smooth, over the window or the gap, and from one to the next."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup import blending

WINDOW = 30


def faded(held: np.ndarray, values: np.ndarray, window: int = WINDOW, slopes: np.ndarray | None = None) -> np.ndarray:
    """A number that is known, with its slope, where it is held, everywhere."""
    into = blending.Continuation(held, blending.nearest_frames(held, window), window)
    known = np.where(held, values, 0.0)[:, None]
    known[into.frames] = into.values(known, np.zeros(known.shape) if slopes is None else slopes[:, None])
    return known[:, 0]


def test_the_ease_is_flat_at_both_ends():
    step = 1e-6
    assert blending.ease(0.0) == 1.0 and blending.ease(1.0) == 0.0 and blending.ease(0.5) == 0.5
    assert abs(blending.ease(step) - 1.0) < 1e-11 and abs(blending.ease(1.0 - step)) < 1e-11
    assert (np.diff(blending.ease(np.linspace(0.0, 1.0, 200))) < 0.0).all()


def test_the_nearest_frames_of_a_mask_are_those_within_the_window(rng):
    stops = rng.random(200) < 0.03
    ahead, behind = blending.nearest_frames(stops, 12)
    for frame in range(200):
        later = [far for far in range(1, 13) if frame + far < 200 and stops[frame + far]]
        earlier = [far for far in range(1, 13) if frame - far >= 0 and stops[frame - far]]
        assert ahead[frame] == (later[0] if later else 0)
        assert behind[frame] == (earlier[0] if earlier else 0)


@pytest.mark.parametrize("gap", [1, 2, 7, WINDOW - 1, WINDOW, WINDOW + 1, 45, 2 * WINDOW, 2 * WINDOW + 1, 100])
def test_no_gap_makes_a_jump(gap):
    # Kovar's mix of what lies ahead and behind jumps where the farther one comes within the window: by an eighth
    # of what fades, in gaps of one and a half windows.
    held = np.ones(gap + 20, dtype=bool)
    held[10 : 10 + gap] = False
    values = np.where(np.arange(len(held)) < 10, 1.0, -0.7)
    steps = np.abs(np.diff(faded(held, values)))
    steepest = 1.5 / (min(gap, WINDOW) + 1)
    assert steps.max() <= 1.7 * steepest + 1e-12, "no step may be larger than the ease's own"


@pytest.mark.parametrize("gap", [1, 5, WINDOW])
def test_an_adjustment_that_is_equal_on_both_sides_of_a_short_gap_is_kept(gap):
    held = np.ones(gap + 20, dtype=bool)
    held[10 : 10 + gap] = False
    assert np.allclose(faded(held, np.full(len(held), 0.4)), 0.4)


def test_adjustments_are_zero_beyond_the_window():
    held = np.zeros(120, dtype=bool)
    held[60] = True
    left = faded(held, np.ones(120))
    assert (left[: 60 - WINDOW] == 0.0).all() and (left[61 + WINDOW :] == 0.0).all()
    assert (np.diff(left[:61]) >= 0.0).all() and left[60] == 1.0
    assert np.allclose(left, left[::-1][np.r_[119, :119]])


@pytest.mark.parametrize("gap", [5, WINDOW, 100])
def test_values_go_on_with_their_slopes(gap):
    """Where a value has a slope at the end of what is held, it has the same one just outside."""
    held = np.ones(gap + 20, dtype=bool)
    held[10 : 10 + gap] = False
    frames = np.arange(len(held), dtype=np.float64)
    slopes = np.where(frames < 10 + gap / 2, 0.02, -0.03)
    values = np.where(frames < 10 + gap / 2, 0.02 * (frames - 9.0), -0.03 * (frames - 10.0 - gap))
    left = faded(held, values, slopes=slopes)
    steps = np.diff(left)
    bend = 6.0 * 0.03 / (min(gap, WINDOW) + 1) + 1e-12
    assert abs(steps[9] - 0.02) < bend and abs(steps[9 + gap] + 0.03) < bend
    assert np.abs(np.diff(left, 2)).max() < 2.0 * bend
