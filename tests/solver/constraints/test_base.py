# SPDX-License-Identifier: GPL-3.0-or-later
"""What all constraints share: what they refuse, and reading a motion between its frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import Balance, Constraint, ConstraintPoint, Footplant, ShapeConstraint, Source
from poise.solver.constraints.base import (
    ROUNDS_KEPT,
    TRACKS_KEPT,
    active_frames,
    interpolated,
    three_numbers,
    velocity,
)
from poise.solver.constraints.effectors import PointEffector
from poise.solver.core.errors import ConstraintError, PoiseError

from ..made_up import moving_human, point_clip, smooth_way
from ..rounding import assert_equal_to_rounding

KINDS: list[Any] = [
    lambda **rest: ShapeConstraint("point", 0, 3, [ConstraintPoint((0, 0, 0), 1)], **rest),
    lambda **rest: Footplant(foot="left", heel_strike=0, heel_off=3, **rest),
    lambda **rest: Balance(**rest),
]


@pytest.fixture(params=KINDS, ids=["shape", "footplant", "balance"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("priority", [1.5, "high", None, True])
def test_a_priority_is_a_whole_number(kind: Any, priority: object) -> None:
    with pytest.raises(ConstraintError, match=r"^grip: the priority must be a whole number"):
        kind(priority=priority, name="grip")


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf, "heavy", None])
def test_a_weight_is_positive(kind: Any, weight: object) -> None:
    with pytest.raises(ConstraintError, match=r"^grip: the weight must be a finite, positive number"):
        kind(weight=weight, name="grip")


@pytest.mark.parametrize("recruit", ["l_wrist", -1, 1.5, True, object()])
def test_who_is_recruited_is_a_level_a_list_or_all(kind: Any, recruit: object) -> None:
    with pytest.raises(ConstraintError, match=r"^grip: recruit a number of joints"):
        kind(recruit=recruit, name="grip")


def test_what_is_right_is_kept(kind: Any) -> None:
    given = iter(["l_wrist", 3])
    constraint: Constraint = kind(priority=np.int64(-3), weight=0.25, recruit=given, name="grip")
    assert (constraint.priority, constraint.weight, constraint.recruit) == (-3, 0.25, ("l_wrist", 3))
    assert constraint.label == "grip"
    for recruit in (None, 0, np.int64(4)):
        assert kind(recruit=recruit).recruit is recruit


def test_what_is_not_said_is_as_usual(kind: Any) -> None:
    constraint: Constraint = kind()
    assert (constraint.priority, constraint.weight, constraint.recruit, constraint.name) == (1, 1.0, None, "")


def test_every_kind_has_a_name_of_its_own(kind: Any) -> None:
    assert kind().label and kind().label != kind(name="grip").label


def test_unknown_joints_and_times_outside_are_told_with_the_constraint_s_name() -> None:
    source = Source(point_clip(np.zeros((10, 3))))
    constraint = Balance(name="grip")
    assert constraint.resolved(source, "point") == BodyPoint(0)
    assert constraint.resolved(source, BodyPoint("point", (1.0, 2.0, 3.0))) == BodyPoint(0, (1.0, 2.0, 3.0))
    with pytest.raises(ConstraintError, match=r"^grip: .*'pint'.*'point'"):
        constraint.resolved(source, "pint")
    for inside in (0, 9, 4.5, 9.0):
        constraint.check_time(source, "its begin", inside)
    for outside in (-0.1, 9.1, 1e9):
        with pytest.raises(ConstraintError, match=r"^grip: its begin \(.*\) lies outside the clip.* 0 to 9"):
            constraint.check_time(source, "its begin", outside)
    for nothing in (np.nan, np.inf, "soon", None):
        with pytest.raises(ConstraintError, match=r"^grip: its begin must be a finite number of frames"):
            constraint.check_time(source, "its begin", nothing)  # type: ignore[arg-type]


def test_a_source_knows_where_effectors_are_and_looks_once(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 8, fps=24.0)
    source = Source(clip)
    hand = PointEffector(clip.skeleton.resolve("l_wrist"))
    np.testing.assert_array_equal(source.values(hand), clip.position("l_wrist"))
    assert source.values(PointEffector(clip.skeleton.resolve("l_wrist"))) is source.values(hand)
    assert (source.frames, source.ease) == (8, 6.0)


def test_a_source_compiles_a_constraint_once_and_forgets_those_that_are_gone(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 8))
    one, other = Balance(), Balance(begin=2)
    tracks = source.tracks(one)
    assert [track.begin for track in tracks] == [0] and source.tracks(one) is tracks
    kept = source.tracks(other)
    assert [track.begin for track in kept] == [2]
    source.forget_others([other])
    assert source.tracks(one) is tracks, "a few more are worth keeping: one may be undone"
    for _ in range(TRACKS_KEPT + 1):
        source.tracks(Balance())
    source.forget_others([other])
    assert source.tracks(other) is kept and source.tracks(one) is not tracks


def test_a_source_remembers_what_is_asked_for_again_and_again(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 2))
    known = source.remembered("often", lambda: [1])
    seldom = source.remembered("seldom", lambda: [2])
    for _ in range(ROUNDS_KEPT + 1):
        source.forget_others([])
        assert source.remembered("often", lambda: [3]) is known
    assert source.remembered("seldom", lambda: [4]) == [4] != seldom


# --- between frames -------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((1.0, 2.0), "must be three numbers, not shape"),
        (5.0, "must be three numbers"),
        (np.zeros((1, 3)), "must be three numbers"),
        (("a", "b", "c"), "must be three numbers"),
        (None, "must be three numbers"),
        ((0.0, np.nan, 0.0), "is not finite"),
    ],
)
def test_three_numbers_are_three_finite_ones(given: object, sentence: str) -> None:
    np.testing.assert_array_equal(three_numbers("grip", "the place", [1, 2, 3]), [1.0, 2.0, 3.0])
    with pytest.raises(PoiseError, match=f"^grip: the place {sentence}"):
        three_numbers("grip", "the place", given)
