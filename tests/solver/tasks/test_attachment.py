# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachment: the shared Jacobian check on every character, the joints it recruits, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.posture.solve import solve_posture
from poise.solver.synthetic import walk
from poise.solver.tasks import AttachmentTask, PoseTask, PositionTask
from poise.solver.tasks.attachment import place_on

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs
from ..rounding import assert_equal_to_rounding


def recruited(task: AttachmentTask, skeleton: Skeleton) -> list[str]:
    return [skeleton.names[joint] for joint in np.flatnonzero(task.recruited(skeleton))]


def test_jacobian_of_pairs_of_joints(character: Skeleton, rng: np.random.Generator) -> None:
    for _ in range(8 if len(character) > 1 else 0):
        joint, reference = (int(number) for number in rng.choice(len(character), 2, replace=False))
        state = random_state(rng, character, 2)
        offset = tuple(rng.standard_normal(3))
        task = AttachmentTask(joint, reference, rng.standard_normal((2, 3)), offset=offset)
        assert_jacobian(task, state)
        assert_jacobian(task, state, some_dofs(rng, state))


def test_error_leads_from_the_point_to_its_place_on_the_reference(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    target, offset = rng.standard_normal((4, 3)), rng.standard_normal(3)
    point = state.positions[:, 5] + matrix(state.rotations[:, 5]) @ offset
    place = state.positions[:, 8] + np.einsum("fij,fj->fi", matrix(state.rotations[:, 8]), target)
    task = AttachmentTask("part 5", "part 8", target, offset=tuple(offset))
    np.testing.assert_allclose(task.error(state), place - point, atol=1e-12)
    at_the_joint = AttachmentTask("part 5", "part 8", target)
    np.testing.assert_allclose(at_the_joint.error(state), place - state.positions[:, 5], atol=1e-12)


def test_a_place_on_a_joint_is_where_the_target_is_met(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    point = state.point(BodyPoint(5, (0.1, 0.2, 0.3)))
    met = place_on(state, 8, point)
    task = AttachmentTask(5, 8, met, offset=(0.1, 0.2, 0.3))
    np.testing.assert_allclose(task.error(state), np.zeros((4, 3)), atol=1e-12)


def test_it_holds_wherever_the_body_is_carried(rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton)
    task = AttachmentTask("LeftHand", "RightHand", rng.standard_normal(3))
    turn = rotations.random(rng)
    turned, moved = state.motion.rotations.copy(), state.motion.translations.copy()
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    moved[:, 0] = rotations.rotate(turn, moved[:, 0]) + rng.standard_normal(3)
    carried = WorldState.of(skeleton, Motion(turned, moved))
    np.testing.assert_allclose(task.error(carried), rotations.rotate(turn, task.error(state)), atol=1e-12)


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    state, some = random_state(rng, random_skeleton(rng)), np.array([3, 1, 3])
    task = AttachmentTask(5, 8, rng.standard_normal((4, 3)), name="grip")
    assert_equal_to_rounding(task.at(some).error(state.at(some)), task.error(state)[some])
    assert task.at(some).label == "grip"


def test_who_carries_both_serves_neither() -> None:
    skeleton = person()
    serving = AttachmentTask("LeftHand", "RightForeArm", (0.0, 0.0, 0.0)).influencing_joints(skeleton)
    assert [skeleton.names[joint] for joint in np.flatnonzero(serving)] == [
        "LeftArm", "LeftForeArm", "LeftHand", "RightArm", "RightForeArm",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("joint", "reference"), [("LeftHand", "RightHand"), ("LeftHand", "Chest"), ("Chest", "LeftHand")]
)
def test_those_who_serve_are_those_who_change_it(joint: str, reference: str, rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton, 2)
    point = BodyPoint(joint, (0.1, 0.2, 0.3))
    met = place_on(state, skeleton.index(reference), state.point(skeleton.resolve(point)))
    task = AttachmentTask(joint, reference, met, offset=point.offset)
    changes = [
        np.abs(task.jacobian(state, Dofs(skeleton.kinds, skeleton.mask([number])))).max() > 1e-9
        for number in range(len(skeleton))
    ]
    np.testing.assert_array_equal(task.influencing_joints(skeleton), changes)


def test_the_one_who_holds_on_moves_and_the_one_who_is_held_leads() -> None:
    skeleton = person()
    own = AttachmentTask("LeftHand", "RightHand", (0.0, 0.0, 0.0))
    assert recruited(own, skeleton) == ["LeftArm", "LeftForeArm", "LeftHand"]
    to_trunk = AttachmentTask("LeftHand", "Hips", (0.0, 0.0, 0.0))
    assert recruited(to_trunk, skeleton) == ["Spine", "Chest", "LeftArm", "LeftForeArm", "LeftHand"]
    # Where the effector has no joint of its own, only the other side can serve.
    trunk = AttachmentTask("Chest", "LeftHand", (0.0, 0.0, 0.0))
    assert recruited(trunk, skeleton) == ["LeftArm", "LeftForeArm", "LeftHand"]


def test_recruiting_may_be_told_otherwise() -> None:
    skeleton = person()
    counted = AttachmentTask("LeftHand", "RightHand", (0.0, 0.0, 0.0), recruit=1)
    assert recruited(counted, skeleton) == ["LeftForeArm", "LeftHand"]
    both = AttachmentTask("LeftHand", "RightHand", (0.0, 0.0, 0.0), recruit=["RightArm", "LeftArm"])
    assert recruited(both, skeleton) == ["LeftArm", "RightArm"]


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(TaskError, match="Attachment of LeftHand to LeftHand: a joint cannot be attached to itself"):
        AttachmentTask("LeftHand", "LeftHand", (0.0, 0.0, 0.0)).check(person(), 1)
    with pytest.raises(UnknownJointError, match="LeftHnad"):
        AttachmentTask("LeftHnad", "RightHand", (0.0, 0.0, 0.0)).check(person(), 1)
    with pytest.raises(UnknownJointError, match="RightHnad"):
        AttachmentTask("LeftHand", "RightHnad", (0.0, 0.0, 0.0), recruit=["LeftHand"]).check(person(), 1)
    for target in ((1.0, 2.0), 5.0, np.zeros((2, 2))):
        with pytest.raises(TaskError, match="grip: the target must be 3 numbers"):
            AttachmentTask("LeftHand", "RightHand", target, name="grip")
    with pytest.raises(TaskError, match="grip: the target is not finite"):
        AttachmentTask("LeftHand", "RightHand", (np.nan, 0.0, 0.0), name="grip")
    with pytest.raises(TaskError, match="Attachment of LeftHand to RightHand: the offset"):
        AttachmentTask("LeftHand", "RightHand", (0.0, 0.0, 0.0), offset=(1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(TaskError, match="there are targets for 3 frames, but the motion has 5"):
        AttachmentTask("LeftHand", "RightHand", np.zeros((3, 3))).check(person(), 5)


@pytest.mark.parametrize("everything", [True, False])
def test_out_of_reach_it_comes_as_near_as_it_can_below_what_is_more_important(everything: bool) -> None:
    clip = walk(steps=2).clip
    skeleton, pose = clip.skeleton, clip.pose(10)
    feet = [PositionTask(ankle, clip.position(ankle)[10], priority=3) for ankle in ("l_talocrural", "r_talocrural")]
    misses = []
    for distance in (1.0, 3.0):
        hand = AttachmentTask(
            "l_wrist",
            "r_shoulder",
            (distance, 0.0, distance),
            priority=1,
            recruit=skeleton.names if everything else None,
        )
        solved = solve_posture(skeleton, pose, [*feet, hand, PoseTask(pose, priority=0)])
        *standing, missed, _ = (np.linalg.norm(error) for error in solved.errors)
        assert max(standing) < 1e-9 * skeleton.size
        misses.append(missed)
    # The hand leads straight away from its shoulder: what it misses by grows by as much as the target is moved away.
    reach = np.sqrt(2.0) * np.array([1.0, 3.0]) - misses
    assert abs(reach[0] - reach[1]) < 0.05 * skeleton.size, "both stretch the same arms"
