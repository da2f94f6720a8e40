# SPDX-License-Identifier: GPL-3.0-or-later
"""Residuals that are continued into frames in which their target is not active: smoothly, until they vanish."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array, BoolArray
from poise.solver.deformation.continuation import ACCELERATION, SHORTEST, continued, distances

FPS = 60.0


def active_in(frames: int, *spans: tuple[int, int]) -> BoolArray:
    active = np.zeros(frames, dtype=bool)
    for first, last in spans:
        active[first : last + 1] = True
    return active


def residual(active: BoolArray, rng: np.random.Generator, size: float = 0.01) -> Array:
    """(frames, 2) smooth values of about a size, and anything where they do not count."""
    times = np.arange(len(active))[:, None]
    values = size * np.sin(0.05 * times + rng.uniform(0.0, 6.0, 2))
    return np.where(active[:, None], values, 99.0)


def test_active_frames_keep_their_residual(rng: np.random.Generator) -> None:
    active = active_in(200, (20, 60), (90, 91), (120, 120), (199, 199))
    given = residual(active, rng)
    kept = given.copy()
    found = continued(given, active, FPS)
    np.testing.assert_array_equal(found[active], given[active])
    np.testing.assert_array_equal(given, kept)


def test_nothing_is_continued_where_nothing_is_active() -> None:
    assert not continued(np.full((30, 3), 7.0), np.zeros(30, dtype=bool), FPS).any()


def test_what_is_active_everywhere_comes_back(rng: np.random.Generator) -> None:
    given = rng.standard_normal((30, 3))
    np.testing.assert_array_equal(continued(given, np.ones(30, dtype=bool), FPS), given)


def test_no_residual_is_continued_as_none() -> None:
    active = active_in(100, (30, 40), (60, 70))
    assert not continued(np.zeros((100, 2)), active, FPS).any()


@pytest.mark.parametrize(("inside", "outward"), [(100, -1), (200, 1)], ids=["before", "after"])
def test_value_and_velocity_go_on(inside: int, outward: int) -> None:
    """Seen in finer frames: the first step outside is as long as the last one inside, more and more nearly."""
    misses = []
    for fine in (4, 16):
        times = np.arange(300 * fine) / fine
        values = (0.02 + 0.01 * np.sin(0.03 * times))[:, None]
        found = continued(values, active_in(300 * fine, (100 * fine, 200 * fine)), FPS * fine)[:, 0]
        edge = inside * fine
        before, after = found[edge] - found[edge - outward], found[edge + outward] - found[edge]
        assert abs(before) > 1e-5 / fine, "the example must have a velocity"
        misses.append(abs(after - before) * fine)
    assert misses[1] < 0.3 * misses[0], "the velocity jumps"


def test_it_vanishes_and_hardly_overshoots() -> None:
    """A constant is left behind like the step response of a damped spring: a twentieth to the other side at most."""
    active = active_in(400, (0, 100))
    found = continued(np.full((400, 1), 0.01), active, FPS)[101:, 0]
    assert found[0] < 0.01 and found.min() > -0.05 * 0.01
    rest = np.arange(len(found)) > 6.0 * SHORTEST * FPS
    assert np.abs(found[rest]).max() < np.exp(-6.0) * 0.01 * 1.5
    assert np.abs(found[-1]) < 1e-12


def test_it_is_the_same_backwards(rng: np.random.Generator) -> None:
    active = active_in(150, (30, 60), (90, 110))
    given = residual(active, rng)
    np.testing.assert_allclose(
        continued(given[::-1], active[::-1], FPS)[::-1], continued(given, active, FPS), atol=1e-12
    )


def test_a_gap_connects_both_of_its_ends(rng: np.random.Generator) -> None:
    """In a gap of a few frames there is no time to vanish: two equal residuals with no velocity are nearly kept."""
    for gap in (1, 2, 5):
        active = active_in(80, (0, 30), (31 + gap, 79))
        found = continued(np.full((80, 1), 0.01), active, FPS)
        np.testing.assert_allclose(found, 0.01, rtol=0.05)
    # From one residual to another, all values between lie between them, or hardly beyond.
    values = np.where(np.arange(80) < 40, 0.01, -0.02)[:, None]
    found = continued(values, active_in(80, (0, 37), (42, 79)), FPS)[38:42, 0]
    assert (np.diff(found) < 0.0).all() and found.max() <= 0.01 and found.min() >= -0.02
    assert np.abs(np.diff(np.concatenate([values[:38, 0], found, values[42:, 0]]))).max() < 0.03 / 3.0


def test_far_apart_ends_do_not_know_of_each_other(rng: np.random.Generator) -> None:
    first, second = active_in(900, (0, 30)), active_in(900, (870, 899))
    given = residual(first | second, rng)
    together = continued(given, first | second, FPS)
    apart = continued(given, first, FPS) + continued(given, second, FPS)
    np.testing.assert_allclose(together, apart, atol=1e-6 * np.abs(given[first]).max())


def lasting(size: float, fps: float = FPS) -> float:
    """Seconds until a residual is a tenth of its size."""
    frames = int(20 * fps)
    found = continued(np.full((frames, 1), size), active_in(frames, (0, 9)), fps)[:, 0]
    return float(np.flatnonzero(np.abs(found) > 0.1 * size)[-1] - 9) / fps


def test_larger_residuals_take_longer() -> None:
    """And as long at any frame rate: with the same largest acceleration, four times the residual takes twice as
    long."""
    large = 4.0 * 0.5 * ACCELERATION * SHORTEST**2
    times = [lasting(size) for size in (1e-6, 1e-3, large, 4.0 * large)]
    assert times[0] == times[1]
    assert times[2] == pytest.approx(2.0 * times[0], rel=0.1)
    assert times[3] == pytest.approx(2.0 * times[2], rel=0.1)
    assert lasting(large, 240.0) == pytest.approx(times[2], rel=0.1)


@pytest.mark.parametrize("size", [1e-4, 1e-2, 0.1, 0.5])
def test_accelerations_stay_below_those_that_can_be_seen(size: float) -> None:
    fps = 240.0
    found = continued(np.full((2000, 1), size), active_in(2000, (900, 1000)), fps)[:, 0]
    assert np.abs(np.diff(found, 2)).max() * fps**2 < 1.1 * ACCELERATION


def test_one_active_frame_is_continued_to_both_sides() -> None:
    """Nothing is known of its velocity."""
    found = continued(np.full((101, 1), 0.01), active_in(101, (50, 50)), FPS)[:, 0]
    np.testing.assert_allclose(found, found[::-1], atol=1e-12)
    assert found[50] == 0.01 and (found[[49, 51]] > 0.0).all()
    assert np.abs(found[[0, -1]]).max() < 1e-4


def test_rows_are_continued_one_by_one(rng: np.random.Generator) -> None:
    """But all with the time constant of their length."""
    active = active_in(120, (40, 60))
    given = np.where(active[:, None], rng.standard_normal((120, 3)), 0.0) * 1e-3
    together = continued(given, active, FPS)
    for row in range(3):
        alone = continued(given[:, [row]], active, FPS)
        np.testing.assert_allclose(together[:, [row]], alone, atol=1e-15)


def test_distances_are_those_to_the_nearest_active_frame(rng: np.random.Generator) -> None:
    active = rng.random(60) < 0.1
    indices = np.flatnonzero(active)
    assert indices.size
    expected = np.abs(np.arange(60)[:, None] - indices).min(axis=1)
    np.testing.assert_array_equal(distances(active), expected)
    assert np.isinf(distances(np.zeros(9, dtype=bool))).all()
    assert not distances(np.ones(9, dtype=bool)).any()
