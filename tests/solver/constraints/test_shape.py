# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape-constraints on a whole character: what they move, what their points are relative to, what they refuse.

The ways themselves are in test_paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import ConstraintPoint, MovingObject, ShapeConstraint, Source
from poise.solver.constraints.effectors import AttachedEffector, PointEffector
from poise.solver.constraints.paths import MODES, Mode
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError

from ..made_up import moving_human, placed, point_clip, smooth_way

BEGIN, END = 10, 50
POINTS = [
    ConstraintPoint((1.0, 2.0, 3.0), 20, 28),
    ConstraintPoint((2.0, 1.0, 0.0), 35),
    ConstraintPoint((0.0, 1.0, 1.0), 41, 44),
]


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return moving_human(rng)


def way_of(constraint: ShapeConstraint, clip: Clip) -> Array:
    """(active frames, 3) where its effector should be."""
    source = Source(clip)
    (track,) = constraint.tracks(source)
    return track.effector.displaced(source.values(track.effector)[track.frames], track.displacement)


def moving_object(rng: np.random.Generator, frames: int) -> MovingObject:
    times = np.arange(frames)
    return MovingObject(smooth_way(rng)(times), rotations.exp(smooth_way(rng)(times)))


# --- what it moves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_joint_goes_through_its_points_and_rejoins_its_way(mode: Mode, clip: Clip) -> None:
    path = way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode), clip)
    was = clip.position("l_wrist")
    for point in POINTS:
        np.testing.assert_allclose(path[int(point.begin) - BEGIN], point.location, atol=1e-12)
    np.testing.assert_allclose(path[[0, -1]], was[[BEGIN, END]], atol=1e-12)
    stayed = path[20 - BEGIN : 29 - BEGIN]
    if mode == "relative":
        stayed = stayed - was[20:29] + was[20]
    np.testing.assert_allclose(stayed, np.tile(POINTS[0].location, (9, 1)), atol=1e-12)


def test_a_track_says_where_it_is_active_and_when_it_is_held(clip: Clip) -> None:
    constraint = ShapeConstraint("l_wrist", 10.5, 49.9, POINTS, priority=3)
    (track,) = constraint.tracks(Source(clip))
    assert track.constraint is constraint
    assert track.effector == PointEffector(clip.skeleton.resolve("l_wrist"))
    assert (track.begin, track.end) == (11, 49)
    assert track.frames.tolist() == list(range(11, 50)) and track.displacement.shape == (39, 3)
    assert track.hold_intervals == ((20, 28), (35, 35), (41, 44))
    assert track.outranks_partner is None


def test_a_constraint_between_two_frames_asks_for_nothing(clip: Clip) -> None:
    assert ShapeConstraint("l_wrist", 10.2, 10.8, [ConstraintPoint((0, 0, 0), 10.5)]).tracks(Source(clip)) == []


def test_the_order_in_which_points_are_given_does_not_matter(clip: Clip, rng: np.random.Generator) -> None:
    expected = way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS), clip)
    for order in rng.permuted(np.tile(np.arange(3), (4, 1)), axis=1):
        shuffled = ShapeConstraint("l_wrist", BEGIN, END, (POINTS[number] for number in order))
        np.testing.assert_array_equal(way_of(shuffled, clip), expected)


def test_a_point_on_a_joint(clip: Clip) -> None:
    tip = BodyPoint("l_wrist", (0.0, -0.1, 0.02))
    constraint = ShapeConstraint(tip, BEGIN, END, POINTS, "relative")
    path = way_of(constraint, clip)
    np.testing.assert_allclose(path[[0, -1]], clip.position(tip)[[BEGIN, END]], atol=1e-12)
    np.testing.assert_allclose(path[10], POINTS[0].location, atol=1e-12)
    assert constraint.label == "Shape-constraint of l_wrist"


def test_shape_parameters_reach_the_way(clip: Clip) -> None:
    def middle(**shape: float) -> Array:
        points = [POINTS[0], ConstraintPoint((2.0, 1.0, 0.0), 35, None, **shape), POINTS[2]]
        return way_of(ShapeConstraint("l_wrist", BEGIN, END, points), clip)

    plain = middle()
    np.testing.assert_array_equal(middle(tension=0.0, continuity=0.0, bias=0.0), plain)
    for shape in ("tension", "continuity", "bias"):
        other = middle(**{shape: 0.8})
        assert np.abs(other - plain)[19:31].max() > 1e-3, shape
        np.testing.assert_array_equal(other[35 - BEGIN], plain[35 - BEGIN])


@pytest.mark.parametrize("mode", MODES)
def test_size_place_and_heading_of_the_scene_change_nothing(mode: Mode, clip: Clip, rng: np.random.Generator) -> None:
    turn, shift = rotations.random(rng), 1000.0 * rng.standard_normal(3)
    elsewhere = [
        ConstraintPoint(rotations.rotate(turn, np.array(point.location)) + shift, point.begin, point.end)
        for point in POINTS
    ]
    here = way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode), clip)
    there = way_of(ShapeConstraint("l_wrist", BEGIN, END, elsewhere, mode), placed(clip, turn, shift))
    np.testing.assert_allclose(there, rotations.rotate(turn, here) + shift, atol=1e-9)
    points = [ConstraintPoint(100.0 * np.array(point.location), point.begin, point.end) for point in POINTS]
    way = smooth_way(rng)(np.arange(61))
    small = way_of(ShapeConstraint("point", BEGIN, END, POINTS, mode), point_clip(way))
    large = way_of(ShapeConstraint("point", BEGIN, END, points, mode), point_clip(100.0 * way))
    np.testing.assert_allclose(large, 100.0 * small, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("mode", MODES)
def test_a_clip_of_one_frame(mode: Mode, rng: np.random.Generator) -> None:
    clip = moving_human(rng, 1)
    place = rng.standard_normal(3)
    path = way_of(ShapeConstraint("l_wrist", 0, 0, [ConstraintPoint(place, 0)], mode), clip)
    np.testing.assert_allclose(path, place[None], atol=1e-15)
    on_foot = ShapeConstraint("l_wrist", 0, 0, [ConstraintPoint(place, 0)], mode, reference="r_knee")
    np.testing.assert_allclose(way_of(on_foot, clip), place[None], atol=1e-15)
    object_ = MovingObject(np.ones(3), (1.0, 0.0, 0.0, 0.0))
    on_object = ShapeConstraint("l_wrist", 0, 0, [ConstraintPoint(place, 0)], mode, reference=object_)
    np.testing.assert_allclose(way_of(on_object, clip), place[None] + 1.0, atol=1e-15)


# --- what it is relative to -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_relative_to_another_joint(mode: Mode, clip: Clip) -> None:
    """Seen from that joint, the effector goes its way as one in the world does."""
    constraint = ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode, reference="r_wrist")
    (track,) = constraint.tracks(Source(clip))
    index = clip.skeleton.index
    assert track.effector == AttachedEffector(clip.skeleton.resolve("l_wrist"), index("r_wrist"))
    away = clip.position("l_wrist") - clip.position("r_wrist")
    seen = rotations.rotate(rotations.conjugate(clip.orientation("r_wrist")), away)
    as_seen = way_of(ShapeConstraint("point", BEGIN, END, POINTS, mode), point_clip(seen))
    np.testing.assert_allclose(way_of(constraint, clip), as_seen, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_relative_to_a_moving_object(mode: Mode, clip: Clip, rng: np.random.Generator) -> None:
    """Points move with the object; a stay is a stay on the object."""
    thing = moving_object(rng, clip.frames)
    path = way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode, reference=thing), clip)
    frames = np.arange(BEGIN, END + 1)
    away = rotations.conjugate(thing.rotations)
    on_thing = rotations.rotate(away[frames], path - thing.positions[frames])
    was = rotations.rotate(away, clip.position("l_wrist") - thing.positions)
    np.testing.assert_allclose(path[[0, -1]], clip.position("l_wrist")[[BEGIN, END]], atol=1e-12)
    for point in POINTS:
        begin, end = (int(time) for time in point.stay)
        stayed = on_thing[begin - BEGIN : end + 1 - BEGIN]
        if mode == "relative":
            stayed = stayed - was[begin : end + 1] + was[begin]
        np.testing.assert_allclose(stayed, np.broadcast_to(point.location, stayed.shape), atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_an_object_may_have_its_origin_anywhere(mode: Mode, clip: Clip, rng: np.random.Generator) -> None:
    """Another frame fixed to the same object, with the points in it, is the same way in the world."""
    thing = moving_object(rng, clip.frames)
    turn, shift = rotations.random(rng), rng.standard_normal(3)
    other = MovingObject(
        thing.positions + rotations.rotate(thing.rotations, shift), -rotations.multiply(thing.rotations, turn)
    )
    moved = [
        ConstraintPoint(rotations.rotate(rotations.conjugate(turn), np.array(point.location) - shift), *point.stay)
        for point in POINTS
    ]
    one = way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode, reference=thing), clip)
    same = way_of(ShapeConstraint("l_wrist", BEGIN, END, moved, mode, reference=other), clip)
    np.testing.assert_allclose(same, one, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_an_object_at_rest_in_the_origin_is_the_world(mode: Mode, clip: Clip) -> None:
    world = MovingObject(np.zeros(3), (1.0, 0.0, 0.0, 0.0))
    one = way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode, reference=world), clip)
    np.testing.assert_allclose(one, way_of(ShapeConstraint("l_wrist", BEGIN, END, POINTS, mode), clip), atol=1e-13)


# --- what it refuses --------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"joint": "l_wrist", "begin": 10, "end": 50, "points": POINTS, "name": "grip"}


def at(*stays: tuple[Any, ...]) -> list[ConstraintPoint]:
    return [ConstraintPoint((0, 0, 0), *stay) for stay in stays]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"points": []}, "has no points"),
        ({"begin": -1}, r"its begin \(-1\) lies outside the clip"),
        ({"end": 61}, r"its end \(61\) lies outside the clip, whose frames are 0 to 60"),
        ({"begin": 100, "end": 200}, "outside the clip"),
        ({"begin": np.nan}, "its begin must be a finite number"),
        ({"end": "late"}, "its end must be a finite number"),
        ({"begin": 50, "end": 10}, "begins at frame 50, after its end at 10"),
        ({"points": at((20,), (20,))}, r"two of its points are at the same time \(frame 20\)"),
        ({"points": at((20, 30), (25,))}, r"two of its points .*\(frame 25\)"),
        ({"points": at((20, 30), (30, 35))}, "two of its points"),
        ({"points": at((20,), (5,))}, r"point 2 \(frames 5 to 5\) lies outside its constraint \(frames 10 to 50\)"),
        ({"points": at((45, 51))}, "point 1 .* lies outside its constraint"),
        ({"points": at((np.inf,))}, "the begin of point 1 is not a finite number"),
        ({"points": at((20, "later"))}, "the end of point 1 is not a finite number"),
        ({"points": at((20, 21, np.nan))}, "the tension of point 1"),
        ({"points": at((20, 21, 0.0, np.nan))}, "the continuity of point 1"),
        ({"points": at((20, 21, 0.0, 0.0, None))}, "the bias of point 1"),
        ({"points": [ConstraintPoint((0, np.nan, 0), 20)]}, "the location of a point is not finite"),
        ({"points": [ConstraintPoint((0, 1), 20)]}, "the location of a point must be three numbers"),
        ({"joint": "l_wirst"}, "'l_wirst'.*Did you mean 'l_wrist'"),
        ({"joint": 99}, "There is no joint 99"),
        ({"reference": "r_wirst"}, "'r_wirst'"),
        (
            {"reference": "skullbase", "points": [ConstraintPoint((1e25, 0, 0), 20)]},
            "a location is more than 10000 times the size of the character away from the joint 'skullbase'",
        ),
        ({"reference": "l_wrist"}, "cannot be held relative to itself"),
        ({"reference": MovingObject(np.zeros((3, 3)), (1, 0, 0, 0))}, "moving reference"),  # type: ignore[arg-type]
        ({"mode": "loose"}, "there is no mode 'loose'; it is one of absolute, relative, condensed"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(clip: Clip, wrong: dict[str, Any], sentence: str) -> None:
    ShapeConstraint(**GOOD).tracks(Source(clip))
    with pytest.raises(ConstraintError, match=f"^grip: .*{sentence}"):
        ShapeConstraint(**{**GOOD, **wrong}).tracks(Source(clip))


def test_a_point_does_not_begin_after_its_end() -> None:
    assert ConstraintPoint((0, 0, 0), 20, 20).stay == (20, 20)
    with pytest.raises(ConstraintError, match="begins at frame 20, after its end at 15; end it later"):
        ConstraintPoint((0, 0, 0), 20, 15)


def test_a_clip_without_frames_has_room_for_no_constraint(rng: np.random.Generator) -> None:
    with pytest.raises(ConstraintError, match=r"^grip: its begin \(0\) lies outside the clip"):
        ShapeConstraint("l_wrist", 0, 0, [ConstraintPoint((0, 0, 0), 0)], name="grip").tracks(
            Source(moving_human(rng, 0))
        )
