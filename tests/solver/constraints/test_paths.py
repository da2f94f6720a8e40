# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways through points, by what holds for every source and every choice of points.

Whether a velocity jumps cannot be seen in frames. So the same way is asked for at finer and finer frames: a velocity
that changes smoothly changes ever less from one to the next, a jump stays as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.constraints.paths import MODES, Knot, Mode, TimeCurve, path_through
from poise.solver.core.arrays import Array

from ..made_up import Way, smooth_way, straight_way
from ..rounding import assert_equal_to_rounding

RUNS = 20
LAST = 60
"""The source's last frame."""
BEGIN, END, EASE = 5, 55, 7.5

STANDING: tuple[Mode, ...] = ("absolute", "condensed")
"""The modes in which an effector stands still while it stays."""


def random_knots(rng: np.random.Generator, count: int | None = None, *, fine: int = 1) -> list[Knot]:
    """Places at whole frames, or at multiples of a fraction of one; at about half of them the effector stays."""
    count = int(rng.integers(1, 5)) if count is None else count
    times = rng.choice(np.arange(BEGIN * fine + 1, END * fine), 2 * count, replace=False)
    times = np.sort(times).reshape(count, 2) / fine
    stays = rng.random(count) < 0.5
    return [
        Knot(rng.standard_normal(3), float(begin), float(end if stay else begin))
        for (begin, end), stay in zip(times, stays, strict=True)
    ]


def finely(source: Way, fine: int) -> Array:
    """The source with so many frames for one."""
    return source(np.arange(LAST * fine + 1) / fine)


def way_of(mode: Mode, source: Way, knots: list[Knot], fine: int = 1, ease: float = EASE) -> Array:
    """(frames, 3) the way, and the source before and after it."""
    later = [replace(knot, begin=knot.begin * fine, end=knot.end * fine) for knot in knots]
    path, frames = finely(source, fine), np.arange(BEGIN * fine, END * fine + 1)
    path[frames] = path_through(mode, path, BEGIN * fine, END * fine, later, frames, ease * fine)
    return path


def corner(path: Array, fine: int, time: float | None = None) -> float:
    """The greatest change of velocity, in lengths a frame, from one fine frame to the next: anywhere or at a time."""
    changes = np.abs(np.diff(path, 2, axis=0)).max(axis=1) * fine
    return float(changes.max() if time is None else changes[round(time * fine) - 1])


def fades(coarse: float, fine: float) -> bool:
    """Whether a change of velocity is one that becomes less in proportion with frames four times as fine."""
    return fine < 0.3 * coarse + 1e-9


# --- where it goes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_it_begins_and_ends_on_the_source(mode: Mode, rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source = smooth_way(rng)
        path = way_of(mode, source, random_knots(rng))
        for time in (BEGIN, END):
            np.testing.assert_allclose(path[time], source(time), rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_its_velocity_never_jumps(mode: Mode, rng: np.random.Generator) -> None:
    """At its own begin and end, at points it passes and at those where it stays."""
    for _ in range(RUNS):
        source, knots = smooth_way(rng), random_knots(rng)
        coarse, fine = (corner(way_of(mode, source, knots, n), n) for n in (32, 128))
        assert fades(coarse, fine), f"the velocity jumps by {fine:g} with {knots}"


@pytest.mark.parametrize("mode", MODES)
def test_it_passes_through_every_point_at_its_time(mode: Mode, rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source, knots = smooth_way(rng), random_knots(rng, fine=4)
        path = way_of(mode, source, knots, fine=4)
        for knot in knots:
            np.testing.assert_allclose(path[round(knot.begin * 4)], knot.location, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_times_between_frames_count_as_they_are(mode: Mode, rng: np.random.Generator) -> None:
    """A source of constant velocity is the same in coarse and in fine frames, and so must the way be."""
    for _ in range(RUNS):
        source = straight_way(rng.standard_normal(3), rng.standard_normal(3))
        knots = random_knots(rng, fine=4)
        # Where a stay is shorter than the frames are apart, one frame may see none of it, but never something else.
        np.testing.assert_allclose(
            way_of(mode, source, knots), way_of(mode, source, knots, fine=4)[::4], rtol=0.0, atol=1e-10
        )


@pytest.mark.parametrize("mode", STANDING)
def test_it_stands_still_during_a_stay(mode: Mode, rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source, knots = smooth_way(rng), random_knots(rng)
        path = way_of(mode, source, knots)
        for knot in knots:
            stay = path[round(knot.begin) : round(knot.end) + 1]
            tolerance = 0.0 if mode == "absolute" else 1e-15 * (1.0 + np.abs(finely(source, 1)).max())
            np.testing.assert_allclose(stay, np.broadcast_to(knot.location, stay.shape), rtol=0.0, atol=tolerance)


@pytest.mark.parametrize("mode", STANDING)
def test_it_comes_to_rest_before_a_stay_and_leaves_from_rest(mode: Mode, rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source, knots = smooth_way(rng), [Knot(rng.standard_normal(3), 20.0, 30.0)]

        def speeds(fine: int, source: Way = source, knots: list[Knot] = knots) -> Array:
            path = way_of(mode, source, knots, fine)
            steps = path[20 * fine] - path[20 * fine - 1], path[30 * fine + 1] - path[30 * fine]
            return np.linalg.norm(steps, axis=1) * fine

        assert all(fades(coarse, fine) for coarse, fine in zip(speeds(32), speeds(128), strict=True))


def test_it_moves_with_the_source_during_a_stay_in_relative_mode(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source, knots = smooth_way(rng), random_knots(rng)
        displaced = way_of("relative", source, knots) - finely(source, 1)
        for knot in knots:
            stay = displaced[round(knot.begin) : round(knot.end) + 1]
            expected = np.broadcast_to(knot.location - source(knot.begin), stay.shape)
            np.testing.assert_allclose(stay, expected, rtol=0.0, atol=1e-13)


def test_points_on_the_source_displace_nothing_in_relative_mode(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source = smooth_way(rng)
        knots = [replace(knot, location=source(knot.begin)) for knot in random_knots(rng)]
        assert_equal_to_rounding(way_of("relative", source, knots), finely(source, 1))


def test_points_on_a_straight_source_change_nothing_without_stays(rng: np.random.Generator) -> None:
    source = straight_way(rng.standard_normal(3), rng.standard_normal(3))
    knots = [Knot(source(time), time, time) for time in (12.0, 20.0, 41.0)]
    for mode in MODES:
        np.testing.assert_allclose(way_of(mode, source, knots), finely(source, 1), rtol=0.0, atol=1e-12)


def test_in_absolute_mode_only_the_ends_of_the_source_matter(rng: np.random.Generator) -> None:
    knots, frames = random_knots(rng), np.arange(BEGIN, END + 1)
    one, other = finely(smooth_way(rng), 1), finely(smooth_way(rng), 1)
    for time in (BEGIN, END):
        other[time - 1 : time + 2] = one[time - 1 : time + 2]
    np.testing.assert_array_equal(
        *(path_through("absolute", source, BEGIN, END, knots, frames, EASE) for source in (one, other))
    )


@pytest.mark.parametrize("first", [21, 28, 39])
def test_details_of_the_source_are_kept_in_relative_and_condensed_mode(first: int, rng: np.random.Generator) -> None:
    """A bump of the source outside stays is kept in the result, also right after a stay or before one."""
    bumpy = finely(smooth_way(rng), 1)
    plain, bump, where = bumpy.copy(), rng.standard_normal((5, 3)), np.arange(first, first + 5)
    bumpy[where] += bump
    frames, knots = np.arange(BEGIN, END + 1), [Knot(np.ones(3), 15.0, 20.0), Knot(-np.ones(3), 44.0, 46.0)]
    for mode in ("relative", "condensed"):
        ways = [path_through(mode, source, BEGIN, END, knots, frames, EASE) for source in (bumpy, plain)]  # type: ignore[arg-type]
        expected = np.zeros_like(ways[0])
        expected[where - BEGIN] = bump
        np.testing.assert_allclose(ways[0] - ways[1], expected, rtol=0.0, atol=1e-13)


def test_who_stood_still_has_the_source_s_velocity_again_after_the_ease() -> None:
    """Then nothing is left but the displacement that fades, a cubic in time from the stay to the end."""
    source = straight_way((1.0, 2.0, 3.0), (0.3, -0.1, 0.2))
    knot = Knot(np.array([4.0, 4.0, 4.0]), 20.0, 30.0)
    path = way_of("condensed", source, [knot], ease=8.0)
    for stay_end, rejoined, settled in ((30, END, np.arange(38, END + 1)), (20, BEGIN, np.arange(BEGIN, 13))):
        gone = (settled - stay_end) / (rejoined - stay_end)
        left = (1.0 - gone**2 * (3.0 - 2.0 * gone))[:, None] * (knot.location - source(stay_end))
        np.testing.assert_allclose(path[settled], source(settled) + left, rtol=0.0, atol=1e-13)
    still_slow = path[33] - (finely(source, 1)[33] + (1.0 - 0.12**2 * 2.76) * (knot.location - source(30)))
    assert np.linalg.norm(still_slow) > 0.1, "within the ease it cannot be there yet"


@pytest.mark.parametrize("mode", MODES)
def test_points_at_the_very_begin_and_end_of_the_constraint(mode: Mode, rng: np.random.Generator) -> None:
    """There is no way to come or to go: it is where it should be at once."""
    source = smooth_way(rng)
    for length in (0.0, 9.0):
        first = Knot(rng.standard_normal(3), float(BEGIN), BEGIN + length)
        last = Knot(rng.standard_normal(3), END - length, float(END))
        path = way_of(mode, source, [first, last])
        np.testing.assert_allclose(path[BEGIN], first.location, rtol=0.0, atol=1e-13)
        at_last = last.location if mode != "relative" else last.location + source(END) - source(last.begin)
        np.testing.assert_allclose(path[END], at_last, rtol=0.0, atol=1e-13)
        coarse, fine = (corner(way_of(mode, source, [first, last], n)[BEGIN * n : END * n + 1], n) for n in (32, 128))
        assert fades(coarse, fine)


@pytest.mark.parametrize("mode", MODES)
def test_a_single_stay_from_begin_to_end_and_a_single_frame(mode: Mode, rng: np.random.Generator) -> None:
    source, place = smooth_way(rng), rng.standard_normal(3)
    path = way_of(mode, source, [Knot(place, float(BEGIN), float(END))])[BEGIN : END + 1]
    expected = np.broadcast_to(place, path.shape)
    if mode == "relative":
        expected = place - source(BEGIN) + source(np.arange(BEGIN, END + 1))
    np.testing.assert_allclose(path, expected, rtol=0.0, atol=1e-13)
    alone = path_through(mode, finely(source, 1), 9, 9, [Knot(place, 9.0, 9.0)], np.array([9]), EASE)
    np.testing.assert_allclose(alone, place[None], rtol=0.0, atol=1e-15)
    only_frame = path_through(mode, source([0.0]), 0, 0, [Knot(place, 0.0, 0.0)], np.array([0]), EASE)
    np.testing.assert_allclose(only_frame, place[None], rtol=0.0, atol=1e-15)


# --- the time curve ------------------------------------------------------------------------------------------------


def test_time_runs_between_the_points_and_stands_still_at_them(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        knots = random_knots(rng, fine=4)
        curve = TimeCurve(BEGIN, END, knots)
        times = np.linspace(BEGIN, END, 8 * (END - BEGIN) + 1)
        slopes = np.diff(curve.at(times)) / np.diff(times)
        middles = 0.5 * (times[1:] + times[:-1])
        stays = np.any([(middles > knot.begin) & (middles < knot.end) for knot in knots], axis=0)
        np.testing.assert_allclose(slopes, np.where(stays, 0.0, 1.0), rtol=0.0, atol=1e-12)
        assert float(curve.at(BEGIN)) == BEGIN
        for knot in knots:
            assert len({float(curve.at(time)) for time in np.linspace(knot.begin, knot.end, 7)}) == 1


# --- tension, continuity, bias ---------------------------------------------------------------------------------------


def velocities_at_30(mode: Mode, source: Way, **shape: float) -> tuple[Array, Array]:
    """With which the effector arrives at a point at frame 30 and leaves it, relative to the source but in absolute
    mode; the other points are at 20 and 40."""
    fine = 512
    places = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    knots = [Knot(place, time, time) for place, time in zip(places, (20.0, 30.0, 40.0), strict=True)]
    path = way_of(mode, source, [knots[0], replace(knots[1], **shape), knots[2]], fine)  # type: ignore[arg-type]
    if mode != "absolute":
        path = path - finely(source, fine)
    before, at, after = path[30 * fine - 1 : 30 * fine + 2]
    return (at - before) * fine, (after - at) * fine


@pytest.mark.parametrize("mode", MODES)
def test_tension_continuity_and_bias_shape_the_way_through_a_point(mode: Mode) -> None:
    """Over points evenly spaced in time the tangents are those of equations 4.2 and 4.3, a frame being a tenth."""
    source = straight_way((0.1, 0.2, 0.3), (0.01, -0.02, 0.03))
    places = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    if mode != "absolute":
        places = places - source([20.0, 30.0, 40.0])
    came, goes = np.diff(places, axis=0) / 10.0
    for t, c, b in (
        (0.0, 0.0, 0.0),
        (0.6, 0.0, 0.0),
        (-1.0, 0.0, 0.0),
        (0.0, 0.7, 0.0),
        (0.0, 0.0, 0.8),
        (0.3, -0.4, -0.5),
    ):
        arriving, leaving = velocities_at_30(mode, source, tension=t, continuity=c, bias=b)
        loose = 0.5 * (1.0 - t)
        np.testing.assert_allclose(
            arriving, loose * ((1 - c) * (1 + b) * came + (1 + c) * (1 - b) * goes), rtol=0.0, atol=1e-3
        )
        np.testing.assert_allclose(
            leaving, loose * ((1 + c) * (1 + b) * came + (1 - c) * (1 - b) * goes), rtol=0.0, atol=1e-3
        )


@pytest.mark.parametrize("mode", STANDING)
def test_a_stay_is_sharp_whatever_its_tension(mode: Mode, rng: np.random.Generator) -> None:
    source, place = smooth_way(rng), rng.standard_normal(3)
    ways = [way_of(mode, source, [Knot(place, 20.0, 30.0, tension=tension)]) for tension in (0.0, -1.0, 1.0)]
    for other in ways[1:]:
        np.testing.assert_array_equal(other, ways[0])
