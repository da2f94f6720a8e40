# SPDX-License-Identifier: GPL-3.0-or-later
"""What opposes a constraint, in postures in which that is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import JointKind
from poise.solver.body.limits import HingeLimit
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.constraints import Constraint, ConstraintPoint, ShapeConstraint
from poise.solver.core import rotations
from poise.solver.core.arrays import ArrayLike
from poise.solver.deformation.opposition import Opposition

from ..standing import frame_tasks_of

FRAMES = 6


def two_arms(bend: float = 0.0, limits: Mapping[int, HingeLimit] | None = None) -> Clip:
    """A free root with two straight arms to either side, of which the right one is bent at its elbow, and a tail."""
    skeleton = Skeleton(
        names=("root", "left elbow", "left hand", "right elbow", "right hand", "tail"),
        parents=[-1, 0, 1, 0, 3, 0],
        offsets=[[0, 0, 0], [-1, 0, 0], [-1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, -1]],
        kinds=(JointKind.FREE, *[JointKind.HINGE] * 5),
        hinge_axes=[[0, 0, 1]] * 6,
        limits=limits or {},
    )
    turned = np.tile(rotations.IDENTITY, (FRAMES, 6, 1))
    turned[:, 3] = rotations.exp(np.array([0.0, 0.0, bend]))
    return Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (FRAMES, 1, 1))), 30.0)


def held(clip: Clip, joint: str, by: ArrayLike, end: int = FRAMES - 1, **rest: int) -> ShapeConstraint:
    """A joint is held so far from where it is, up to the frame `end`."""
    place = clip.position(joint)[0] + np.asarray(by)
    return ShapeConstraint(joint, 0, end, [ConstraintPoint(place, 0, end)], name=joint, **rest)


def opposing(clip: Clip, constraints: list[Constraint]) -> dict[str, list[int]]:
    """The frames in which each of the others opposes the first constraint."""
    opposing, can_be_met = Opposition(frame_tasks_of(clip, constraints), clip, np.arange(FRAMES)).of(0)
    assert not any(np.intersect1d(frames, can_be_met).size for frames in opposing.values())
    return {constraints[other].label: frames.tolist() for other, frames in opposing.items() if frames.size}


ALWAYS = list(range(FRAMES))
AWAY = (-0.5, 0.0, 0.0)


@pytest.mark.parametrize("pull", [0.5, 0.0])
def test_a_more_important_constraint_at_the_other_end_of_straight_bones_opposes(pull: float) -> None:
    """Whether it is met itself or not."""
    clip = two_arms()
    other, tail = (
        held(clip, "right hand", (pull, 0.0, 0.0), priority=2),
        held(clip, "tail", (0.0, 0.0, 0.0), priority=1),
    )
    assert opposing(clip, [held(clip, "left hand", AWAY, priority=1), other, tail]) == {"right hand": ALWAYS}


def test_constraints_of_the_same_priority_oppose_by_their_pull() -> None:
    clip = two_arms()
    hand, tail = held(clip, "left hand", AWAY), held(clip, "tail", (0.0, 0.0, 0.0))
    assert opposing(clip, [hand, held(clip, "right hand", (0.5, 0.0, 0.0)), tail]) == {"right hand": ALWAYS}


def test_a_less_important_constraint_does_not_oppose() -> None:
    clip = two_arms()
    other = held(clip, "right hand", (0.5, 0.0, 0.0), priority=1)
    assert opposing(clip, [held(clip, "left hand", AWAY, priority=2), other]) == {}


def test_a_constraint_opposes_only_while_it_is_active() -> None:
    clip = two_arms()
    other = held(clip, "right hand", (0.0, 0.0, 0.0), end=2, priority=2)
    assert opposing(clip, [held(clip, "left hand", AWAY, priority=1), other]) == {"right hand": [0, 1, 2]}


def test_a_bent_arm_lets_the_other_go_unless_it_is_at_its_limit() -> None:
    for limits, found in (
        ({}, {}),
        ({3: HingeLimit(1.5, 2.0)}, {"right hand": ALWAYS}),
        ({3: HingeLimit(1.0, 2.0)}, {}),
    ):
        clip = two_arms(1.5, limits)
        other = held(clip, "right hand", (0.0, 0.0, 0.0), priority=2)
        along = clip.position("left hand")[0] - clip.position("right hand")[0]
        hand = held(clip, "left hand", 0.5 * along / np.linalg.norm(along), priority=1)
        assert opposing(clip, [hand, other]) == found, limits


def test_joints_that_the_constraint_does_not_recruit_do_not_count() -> None:
    """Alone it could not move by its elbow along the arm either, so that no constraint opposes it."""
    clip = two_arms()
    hand = held(clip, "left hand", AWAY, priority=1, recruit=1)
    assert opposing(clip, [hand, held(clip, "right hand", (0.0, 0.0, 0.0), priority=2)]) == {}
