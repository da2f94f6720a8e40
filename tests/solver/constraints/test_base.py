# SPDX-License-Identifier: GPL-3.0-or-later
"""What all constraints share: their common attributes and the input that they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import Balance, Constraint, ConstraintPoint, Footplant, ShapeConstraint, Source, Track
from poise.solver.constraints.base import three_numbers
from poise.solver.constraints.effectors import PointEffector
from poise.solver.constraints.source import COMPILATIONS_KEPT
from poise.solver.core.errors import ConstraintError, PoiseError

from ..made_up import moving_human, point_clip

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
    with pytest.raises(ConstraintError, match=r"^grip: the weight must be a positive number"):
        kind(weight=weight, name="grip")


@pytest.mark.parametrize("recruit", ["l_wrist", -1, 1.5, True, object()])
def test_recruited_joints_are_a_level_a_list_or_all(kind: Any, recruit: object) -> None:
    with pytest.raises(ConstraintError, match=r"^grip: recruit a number of joints"):
        kind(recruit=recruit, name="grip")


@pytest.mark.parametrize("exact", [None, 1, "yes"])
def test_exact_is_true_or_false(kind: Any, exact: object) -> None:
    with pytest.raises(ConstraintError, match=r"^grip: exact must be true or false"):
        kind(exact=exact, name="grip")
    assert kind().exact is True
    assert kind(exact=False).exact is False


def test_valid_attributes_are_kept(kind: Any) -> None:
    given = iter(["l_wrist", 3])
    constraint: Constraint = kind(priority=np.int64(-3), weight=0.25, recruit=given, name="grip")
    assert (constraint.priority, constraint.weight, constraint.recruit) == (-3, 0.25, ("l_wrist", 3))
    assert constraint.label == "grip"
    for recruit in (None, 0, np.int64(4)):
        assert kind(recruit=recruit).recruit is recruit


def test_attributes_have_defaults(kind: Any) -> None:
    constraint: Constraint = kind()
    assert (constraint.priority, constraint.weight, constraint.recruit, constraint.name) == (1, 1.0, None, "")


def test_every_kind_has_a_default_label(kind: Any) -> None:
    assert kind().label and kind().label != kind(name="grip").label


def test_errors_for_unknown_joints_and_times_outside_the_clip_have_the_label() -> None:
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


def test_a_constraint_is_compiled_once_until_it_is_no_longer_used(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 8))
    removed, kept = Balance(), Balance(begin=2)
    tracks, others = removed.compiled(source), kept.compiled(source)
    assert [track.begin for track in tracks] == [0] and [track.begin for track in others] == [2]
    for _ in range(COMPILATIONS_KEPT):
        source.begin_compilation(())
        assert kept.compiled(source) is others
    assert removed.compiled(source) is tracks, "a removed constraint may come back by an undo"
    for _ in range(COMPILATIONS_KEPT + 1):
        source.begin_compilation(())
        kept.compiled(source)
    assert kept.compiled(source) is others and removed.compiled(source) is not tracks


def test_a_track_covers_as_many_frames_as_it_has_displacements(rng: np.random.Generator) -> None:
    displacement = rng.standard_normal((5, 3))
    track = Track(Balance(), PointEffector(BodyPoint(0)), 7, displacement, ((8.0, 9.0),))
    assert track.end == 11 and track.frames.tolist() == [7, 8, 9, 10, 11]
    np.testing.assert_array_equal(track.part(8, 10), displacement[1:4])
    np.testing.assert_array_equal(track.part(7, 11), displacement)
    assert track.part(9, 9).shape == (1, 3) and track.outranks_partner is None


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


def test_a_point_far_beyond_the_body_is_refused() -> None:
    """A minimised case of scripts/fuzz.py: the draft ended in a matrix that is not positive definite."""
    clip = point_clip(np.zeros((9, 3)))
    for offset in (3e9, 2e4):
        far = ShapeConstraint(
            BodyPoint("point", (0.0, offset, 0.0)), 0, 8, [ConstraintPoint((0, 0, 0), 4)], name="grip"
        )
        with pytest.raises(ConstraintError, match=r"^grip: the point is more than 10000 times the size"):
            far.compiled(Source(clip))
    near = ShapeConstraint(BodyPoint("point", (0.0, 5e3, 0.0)), 0, 8, [ConstraintPoint((0, 0, 0), 4)])
    assert near.compiled(Source(clip))
