# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints on one time line: which channels there are, and which are active when."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    Footplant,
    OrientationConstraint,
    ShapeConstraint,
    Source,
)
from poise.solver.constraints.effectors import PointEffector
from poise.solver.core.arrays import BoolArray
from poise.solver.core.errors import ConstraintError
from poise.solver.deformation.timeline import Timeline
from poise.solver.synthetic import walk as made_up_walk

from ..made_up import moving_human, plant_of
from .time_lines import ALONG_X, shape, timeline_of


def test_constraints_on_one_effector_share_a_channel_and_others_do_not(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng))
    points = [ConstraintPoint((0.0, 0.0, 0.0), 20)]
    turned = [ConstraintPoint((1.0, 0.0, 0.0, 0.0), 20)]
    constraints: list[Constraint] = [
        ShapeConstraint("l_wrist", 10, 30, points),
        ShapeConstraint(source.clip.skeleton.index("l_wrist"), 40, 55, [ConstraintPoint((0, 0, 0), 50)]),
        ShapeConstraint("l_wrist", 10, 30, points, reference="r_wrist"),
        ShapeConstraint("r_wrist", 10, 30, points),
        OrientationConstraint("l_wrist", 10, 30, turned),
        Balance(),
        Footplant(foot="left", heel_strike=10, toe_strike=12, heel_off=20, toe_off=22),
        Footplant(foot="left", heel_strike=30, toe_strike=32, heel_off=40, toe_off=42),
        Footplant(foot="right", toe_strike=32, toe_off=42),
    ]
    timeline = Timeline.of(source, constraints)
    assert [len(channel.tracks) for channel in timeline.channels] == [2, 1, 1, 1, 1, 2, 2, 2, 1]
    assert timeline.constraints == tuple(constraints)
    marks = source.clip.skeleton.landmarks
    ((heel, toe),) = timeline.pairs
    for number, name in ((heel, "left_heel"), (toe, "left_toe")):
        expected = PointEffector(source.clip.skeleton.resolve(marks.require(name)))
        assert timeline.channels[number].effector == expected
    np.testing.assert_array_equal(timeline.active, np.ones(61, dtype=bool))
    for channel, target in zip(timeline.channels, timeline.targets(), strict=True):
        assert target.shape == (61, channel.effector.width)


def test_nothing_is_active_without_constraints(rng: np.random.Generator) -> None:
    for frames in (0, 1, 12):
        timeline = Timeline.of(Source(moving_human(rng, frames)), [])
        assert timeline.channels == () and timeline.targets() == []
        assert timeline.active.shape == (frames,) and not timeline.active.any()
        assert timeline.frames == frames


def test_one_frame(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 1))
    timeline = Timeline.of(
        source,
        [
            ShapeConstraint("l_wrist", 0, 0, [ConstraintPoint((1.0, 2.0, 3.0), 0)]),
            Footplant(foot="left", heel_strike=0, toe_strike=0, heel_off=0, toe_off=0),
            Balance(displacement=(0.1, 0.0, 0.0)),
        ],
    )
    assert all(channel.active.all() and channel.in_hold.all() for channel in timeline.channels)
    np.testing.assert_allclose(timeline.targets()[0], [[1.0, 2.0, 3.0]], atol=1e-12)


def test_the_first_error_has_the_constraint_s_name() -> None:
    good, bad = shape(10, 50, ((0, 0, 0), 20)), shape(10, 500, ((0, 0, 0), 20), name="reach")
    with pytest.raises(ConstraintError, match=r"^reach: its end"):
        timeline_of([good, bad])


def test_other_displacements_are_taken_as_they_are(rng: np.random.Generator) -> None:
    timeline = timeline_of([shape(10, 50, ((0.0, 5.0, 0.0), 20))])
    given = rng.standard_normal((81, 3))
    np.testing.assert_allclose(
        timeline.with_displacements([given]).targets()[0], ALONG_X(np.arange(81)) + given, atol=1e-12
    )


def test_heels_and_balls_have_targets_only_while_they_stand() -> None:
    motion = made_up_walk(steps=3)
    plants = [plant_of(contact) for contact in motion.contacts]
    hand = ShapeConstraint("l_wrist", 5, 25, [ConstraintPoint((0.0, 0.0, 0.0), 12)])
    timeline = Timeline.of(Source(motion.clip), [*plants, hand])
    stance = timeline.without_free_transits()
    skeleton = motion.clip.skeleton
    stands: dict[object, BoolArray] = {}
    for contact in motion.contacts:
        for part, begin, end in (
            ("heel", contact.heel_strike, contact.heel_off),
            ("ball", contact.toe_strike, contact.toe_off),
        ):
            effector = PointEffector(skeleton.resolve(skeleton.landmarks.require(f"{contact.foot}_{part}")))
            frames = stands.setdefault(effector, np.zeros(motion.clip.frames, dtype=bool))
            frames[begin : end + 1] = True
    assert len(stands) == 4 and len(timeline.pairs) == 2
    for heel, ball in timeline.pairs:
        # The roll of a foot comes after its heel and its ball, and has a target while both stand.
        points = (timeline.channels[number].effector for number in (heel, ball))
        stands[timeline.channels[ball + 1].effector] = np.logical_and(*(stands[point] for point in points))
    for before, after in zip(timeline.channels, stance.channels, strict=True):
        is_hand = before.tracks[0].constraint is hand
        expected = before.active if is_hand else stands[before.effector]
        np.testing.assert_array_equal(after.active, expected)
        np.testing.assert_array_equal(after.owner, np.where(expected, before.owner, -1))
        np.testing.assert_array_equal(after.displacement, before.displacement)
        assert is_hand or (before.active & ~expected).any(), "each foot must be in the air for some time"


def test_moving_one_foot_reuses_what_was_compiled_for_the_other() -> None:
    motion = made_up_walk(steps=4)
    plants = [plant_of(contact) for contact in motion.contacts]
    moved = [plants[0].moved((0.1, 0.0, 0.05)), *plants[1:]]
    source = Source(motion.clip)
    before, after, alone = (
        Timeline.of(place, given) for place, given in ((source, plants), (source, moved), (Source(motion.clip), moved))
    )
    first, second = (timeline.without_free_transits().channels for timeline in (before, after))
    for number, channel in enumerate(after.channels):
        of_other_foot = channel.tracks[0].constraint.foot != plants[0].foot  # type: ignore[attr-defined]
        assert (channel is before.channels[number]) == of_other_foot
        assert (second[number] is first[number]) == of_other_foot
        assert (after.targets()[number] is before.targets()[number]) == of_other_foot
        for name in ("active", "displacement", "owner", "in_hold", "outranks_partner", "bridged"):
            np.testing.assert_array_equal(getattr(channel, name), getattr(alone.channels[number], name))
        np.testing.assert_array_equal(after.targets()[number], alone.targets()[number])


def test_feet_in_transit_are_not_active_where_a_constraint_has_the_leg(rng: np.random.Generator) -> None:
    """A plant holds while it stands whatever else there is; on its way it steps aside for that leg, not for another."""
    motion = made_up_walk(steps=3)
    plants = [plant_of(contact) for contact in motion.contacts]
    frames = motion.clip.frames
    knee = ShapeConstraint("l_knee", 0, frames - 1, [ConstraintPoint((0.0, 0.0, 0.0), 12)], "relative")
    alone, beside = (Timeline.of(Source(motion.clip), [*plants, *more]) for more in ([], [knee]))
    left = motion.clip.skeleton.landmarks.left_hip
    assert left is not None
    deactivated = False
    for before, after in zip(alone.channels, beside.channels[:-1], strict=True):
        of_left = motion.clip.skeleton.tree.carriers(int(before.effector.moved_joint))[left]  # type: ignore[arg-type]
        expected = before.active & before.in_hold if of_left else before.active
        np.testing.assert_array_equal(after.active, expected)
        deactivated |= bool((before.active & ~expected).any())
    assert deactivated and beside.channels[-1].active.all()


def test_a_foot_that_is_not_rigid_stands_as_long_as_it_stands(rng: np.random.Generator) -> None:
    """Captured feet stretch: the length is the standing one near the plant, and the source's own far from it."""
    clip = moving_human(rng, 121)
    given = Footplant(foot="left", heel_strike=50, toe_strike=54, heel_off=64, toe_off=68, ease_in=40, ease_out=40)
    timeline = Timeline.of(Source(clip), [given])
    targets = timeline.targets()
    ((heel, toe),) = timeline.pairs
    lengths = np.linalg.norm(targets[toe] - targets[heel], axis=1)
    own = [timeline.source.values(timeline.channels[number].effector) for number in (heel, toe)]
    was = np.linalg.norm(own[1] - own[0], axis=1)
    assert np.ptp(was) > 1e-3, "the made-up foot must stretch"
    np.testing.assert_allclose(lengths[54:65], np.median(was[54:65]), atol=1e-12)
    # An ease, 7.5 frames, away from where both stand.
    far = np.r_[10:46, 73:109]
    np.testing.assert_allclose(lengths[far], was[far], atol=1e-12)
    assert np.abs(np.diff(lengths)).max() < 2.0 * np.abs(np.diff(was)).max() + 1.875 * np.ptp(was) / 7.5
