# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of each frame: groups, priorities, recruited joints, solving, and differences to other tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.constraints import Balance, Constraint, ConstraintPoint, Footplant, OrientationConstraint, Source
from poise.solver.core import rotations
from poise.solver.core.errors import PoiseError
from poise.solver.core.progress import finished
from poise.solver.deformation.deform import deform
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.settings import Tolerances
from poise.solver.deformation.timeline import Timeline
from poise.solver.posture.settings import SolveSettings
from poise.solver.synthetic import walk as made_up_walk
from poise.solver.tasks import Task

from .. import captured_walk
from ..made_up import moving_human, plant_of
from ..standing import displaced, frame_tasks_of, standing_human

SETTINGS = SolveSettings(iterations=100, tolerance=1e-7, feasibility_tolerance=1e-9)


@pytest.fixture(scope="module")
def walking() -> tuple[Clip, list[Constraint]]:
    """Plants, balance, and a hand that is led aside for some time."""
    motion = made_up_walk(steps=2, skate=0.01)
    plants: list[Constraint] = [plant_of(contact, priority=10) for contact in motion.contacts]
    hand = displaced(motion.clip, "l_wrist", (0.0, 0.1, 0.1), 6, 14, 16, 24, priority=1, weight=2.0, recruit=3)
    return motion.clip, [*plants, Balance(priority=5), hand]


@pytest.fixture(scope="module")
def frame_tasks(walking: tuple[Clip, list[Constraint]]) -> FrameTasks:
    return frame_tasks_of(*walking)


def everything(frame_tasks: FrameTasks) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(frame_tasks.timeline.frames)


# Tasks ---------------------------------------------------------------------------------------------------------------


def test_a_channel_has_one_task_in_each_frame_in_which_it_is_active(frame_tasks: FrameTasks) -> None:
    frames = everything(frame_tasks)[::2]
    tasks = frame_tasks.prioritized(frames)
    assert len(tasks) > len(frame_tasks.timeline.channels)
    for number, channel in enumerate(frame_tasks.timeline.channels):
        own = [each.active for each in tasks if each.channel == number]
        np.testing.assert_array_equal(np.sum(own, axis=0), channel.active[frames])
    assert frame_tasks.prioritized(np.zeros(0, dtype=np.int64)) == []


def test_a_task_is_that_of_the_constraints_that_own_its_frames(frame_tasks: FrameTasks) -> None:
    for each in frame_tasks.prioritized(everything(frame_tasks)):
        for frame in np.flatnonzero(each.active):
            owner = frame_tasks.timeline.constraints[frame_tasks.owners[frame, each.channel]]
            assert (owner.weight, owner.recruit) == (each.task.weight, each.task.recruit)
    for channel, owners in zip(frame_tasks.timeline.channels, frame_tasks.owners.T, strict=True):
        np.testing.assert_array_equal(owners >= 0, channel.active)


def test_tasks_have_the_targets_of_their_frames(frame_tasks: FrameTasks) -> None:
    source, frames = frame_tasks.timeline.source, everything(frame_tasks)[::2]
    state = source.clip.world.at(frames)
    for each in frame_tasks.prioritized(frames):
        effector = frame_tasks.timeline.channels[each.channel].effector
        missing = frame_tasks.targets[each.channel][frames] - source.values(effector)[frames]
        missing = missing[:, [0, 2]] if effector.rows == 2 else missing
        np.testing.assert_allclose(each.task.error(state), missing, atol=1e-12)
        np.testing.assert_allclose(each.masked().error(state), missing * each.active[:, None], atol=1e-12)


# Order ---------------------------------------------------------------------------------------------------------------


def by_owner(frame_tasks: FrameTasks, frame: int) -> list[tuple[Constraint, Task]]:
    tasks = frame_tasks.prioritized(np.array([frame]))
    constraints, owners = frame_tasks.timeline.constraints, frame_tasks.owners[frame]
    return [(constraints[owners[each.channel]], each.task) for each in tasks]


def test_tasks_are_ordered_as_their_constraints_are() -> None:
    clip = standing_human(11)
    joints = ("l_wrist", "r_wrist", "skullbase", "l_talocrural")
    priorities = (-3, 1000, 0, 0)
    constraints: list[Constraint] = [
        displaced(clip, joint, (0.0, 0.1, 0.0), 0, 5, 5, 10, priority=priority)
        for joint, priority in zip(joints, priorities, strict=True)
    ]
    found = {owner: task.priority for owner, task in by_owner(frame_tasks_of(clip, constraints), 5)}
    ranks = [found[constraint] for constraint in constraints]
    assert ranks[0] < ranks[2] == ranks[3] < ranks[1]
    assert min(ranks) > 0, "the pose comes last"


def test_of_a_plant_who_is_alone_on_the_ground_comes_first() -> None:
    clip = standing_human(61)
    plant = Footplant(foot="left", heel_strike=20, toe_strike=25, heel_off=35, toe_off=40, priority=2)
    below = displaced(clip, "skullbase", (0.0, 0.0, 0.0), 0, 30, 30, 60, priority=1)
    frame_tasks = frame_tasks_of(clip, [plant, below])
    heel = clip.skeleton.resolve(clip.skeleton.landmarks.left_heel).joint  # type: ignore[arg-type]

    def ranks(frame: int) -> tuple[int, int, int]:
        tasks = by_owner(frame_tasks, frame)
        points = {
            task.effector == heel: task.priority for owner, task in tasks if owner is plant and not task.is_angular
        }
        (roll,) = (task.priority for owner, task in tasks if owner is plant and task.is_angular)
        (head,) = (task.priority for owner, task in tasks if owner is below)
        assert min(points.values()) > roll > head, "where the foot stands comes before how it rolls"
        return points[True], points[False], head

    for frame in (22, 30):
        heel_rank, toe_rank, head_rank = ranks(frame)
        assert heel_rank > toe_rank > head_rank, frame
    heel_rank, toe_rank, head_rank = ranks(38)
    assert toe_rank > heel_rank > head_rank


# Solving -------------------------------------------------------------------------------------------------------------


def test_frames_that_are_solved_meet_their_targets(frame_tasks: FrameTasks) -> None:
    """In one batch, whatever their tasks; only joints that a task of the frame recruits are moved."""
    clip = frame_tasks.timeline.source.clip
    frames = everything(frame_tasks)[::3]
    assert len(np.unique(frame_tasks.codes[frames], axis=0)) > 3
    solved = finished(frame_tasks.solve_prioritized(frames, clip.motion, clip.motion, SETTINGS))
    assert solved.converged.all()
    world = WorldState.of(clip.skeleton, solved.motion)
    assert frame_tasks.met(frames, world, Tolerances().met).all()
    still = ~frame_tasks.movable[frames]
    np.testing.assert_array_equal(solved.motion.rotations[still], clip.motion.rotations[frames][still])
    np.testing.assert_array_equal(solved.motion.translations[still], clip.motion.translations[frames][still])
    moved = np.abs(world.positions - clip.world.positions[frames]).max()
    assert moved > 2e-2 * clip.skeleton.size, "the example must have tasks"


def test_in_a_batch_joints_move_only_in_the_frames_that_recruit_them(walking: tuple[Clip, list[Constraint]]) -> None:
    clip, constraints = walking
    other = displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 12, 20, 22, 30, recruit=1)
    frame_tasks = frame_tasks_of(clip, [constraints[-1], other])
    rng = np.random.default_rng(3)
    shaken = Motion(
        rotations.multiply(rotations.exp(0.01 * rng.standard_normal((clip.frames, 31, 3))), clip.motion.rotations),
        clip.motion.translations + 0.01 * rng.standard_normal(clip.motion.translations.shape),
    )
    frames = np.arange(6, 31)
    still = ~frame_tasks.movable[frames]
    assert still.any(axis=0).sum() > still.all(axis=0).sum(), "some joint must be recruited in some frames only"
    solved = finished(frame_tasks.solve_prioritized(frames, shaken, clip.motion, SETTINGS))
    np.testing.assert_array_equal(solved.motion.rotations[still], clip.motion.rotations[frames][still])
    np.testing.assert_array_equal(solved.motion.translations[still], clip.motion.translations[frames][still])


def test_only_the_joints_that_may_move_are_moved(frame_tasks: FrameTasks) -> None:
    clip = frame_tasks.timeline.source.clip
    moving = np.ones(len(clip.skeleton), dtype=bool)
    moving[[clip.skeleton.index(name) for name in ("l_hip", "r_hip", "l_shoulder")]] = False
    frames = np.arange(8, 22, 3)
    solved = finished(frame_tasks.solve_prioritized(frames, clip.motion, clip.motion, SETTINGS, moving))
    before = clip.motion.rotations[frames]
    np.testing.assert_array_equal(solved.motion.rotations[:, ~moving], before[:, ~moving])
    assert (solved.motion.rotations[:, moving] != before[:, moving]).any()


def test_recruited_joints_begin_at_the_start_and_the_others_keep_the_reference() -> None:
    """Seen where no step is taken."""
    clip = standing_human(11)
    elbow = clip.skeleton.index("l_elbow")
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 1.0, 1.0), 0, 5, 5, 10, recruit=["l_elbow"])])
    start = Motion(np.tile(rotations.exp(np.array([0.3, 0.0, 0.0])), (11, 31, 1)), clip.motion.translations + 1.0)
    solved = finished(frame_tasks.solve_prioritized(np.array([5]), start, clip.motion, SolveSettings(iterations=0)))
    expected = clip.motion.rotations[5].copy()
    expected[elbow] = start.rotations[5, elbow]
    np.testing.assert_array_equal(solved.motion.rotations[0], expected)


def test_a_single_level_has_a_task_for_each_channel_and_set_of_recruited_joints() -> None:
    """In each frame one task of a channel is active where the channel is, whatever its priority."""
    clip = standing_human(41)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 8, 8, 14, recruit=["l_elbow"], priority=1),
        displaced(clip, "l_wrist", (0.0, 0.2, 0.0), 20, 28, 28, 36, recruit=["l_shoulder"], priority=1),
        displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 2, 8, 8, 14, priority=1),
        displaced(clip, "r_wrist", (0.0, 0.2, 0.0), 20, 28, 28, 36, priority=2),
    ]
    frame_tasks = frame_tasks_of(clip, constraints)
    tasks = frame_tasks.single_level(np.arange(41))
    assert [each.channel for each in tasks] == [0, 0, 1]
    assert all(each.across is None for each in tasks)
    for number, channel in enumerate(frame_tasks.timeline.channels):
        own = [each.active for each in tasks if each.channel == number]
        np.testing.assert_array_equal(np.sum(own, axis=0), channel.active)
    by_elbow, by_shoulder, _ = (np.flatnonzero(each.task.recruited(clip.skeleton)) for each in tasks)
    assert by_elbow.tolist() == [clip.skeleton.index("l_elbow")]
    assert by_shoulder.tolist() == [clip.skeleton.index("l_shoulder")]
    some = frame_tasks.single_level(np.array([30, 8]))
    assert [each.active.tolist() for each in some] == [[False, True], [True, False], [True, True]]
    np.testing.assert_allclose(
        some[2].task.error(clip.world.at(np.array([30, 8])))[:, 1],
        (frame_tasks.targets[1] - clip.position("r_wrist"))[[30, 8], 1],
        atol=1e-12,
    )


def test_residuals_above_the_tolerance_are_not_met() -> None:
    """In the frames in which a channel is active; they are relative to the character's size, angles are not."""
    clip = standing_human(11)
    turned = rotations.exp(np.array([0.0, 0.0, 2e-3]))
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 1e-3, 0.0), 2, 4, 5, 7),
        OrientationConstraint("skullbase", 5, 10, [ConstraintPoint(turned, 8)], "relative"),
    ]
    large = Clip(clip.skeleton.scaled(100.0), Motion(clip.motion.rotations, 100.0 * clip.motion.translations), 30.0)
    scaled: list[Constraint] = [displaced(large, "l_wrist", (0.0, 1e-3, 0.0), 2, 4, 5, 7), constraints[1]]
    for each, given in ((clip, constraints), (large, scaled)):
        frame_tasks, frames = frame_tasks_of(each, given), np.arange(11)
        assert frame_tasks.met(frames, each.world, 2.1e-3).all()
        assert np.flatnonzero(~frame_tasks.met(frames, each.world, 1.1e-3)).tolist() == [7, 8]
        assert np.flatnonzero(~frame_tasks.met(frames, each.world, 0.99e-3)).tolist() == [4, 5, 7, 8, 9]
        some = np.array([8, 3])
        assert frame_tasks.met(some, each.world.at(some), 1.5e-3).tolist() == [False, True]


def test_priorities_are_those_of_the_constraints_that_own_a_frame() -> None:
    clip = standing_human(31)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 5, 5, 8, priority=7),
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 12, 15, 15, 18, priority=-3),
    ]
    found = frame_tasks_of(clip, constraints).priorities(0)
    assert (found[2:9] == 7).all() and (found[12:19] == -3).all()
    assert (np.delete(found, [*range(2, 9), *range(12, 19)]) < -(2**60)).all()


# Who may move --------------------------------------------------------------------------------------------------------


def test_in_each_frame_those_may_move_whom_an_active_constraint_recruits(
    walking: tuple[Clip, list[Constraint]], frame_tasks: FrameTasks
) -> None:
    clip, constraints = walking
    skeleton, source = clip.skeleton, frame_tasks.timeline.source
    hand, balance = constraints[-1], constraints[-2]
    expected = np.zeros((clip.frames, len(skeleton)), dtype=bool)
    expected[6:25, list(skeleton.tree.chain(skeleton.index("l_wrist"))[:4])] = True
    for constraint in constraints[:-1]:
        for track in constraint.compiled(source):
            serving = track.effector.task(frame_tasks.targets[0][:1]).influencing_joints(skeleton)
            expected[track.begin : track.end + 1] |= serving
    assert balance in constraints and hand.recruit == 3
    np.testing.assert_array_equal(frame_tasks.movable, expected)


def test_joints_that_no_task_recruits_may_not_move() -> None:
    clip = standing_human(11)
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 5, 5, 8, recruit=["l_elbow"])])
    expected = np.zeros((11, 31), dtype=bool)
    expected[2:9, clip.skeleton.index("l_elbow")] = True
    np.testing.assert_array_equal(frame_tasks.movable, expected)
    assert frame_tasks.with_tasks(np.arange(11)).tolist() == list(range(2, 9))


def test_two_who_share_an_effector_recruit_each_in_their_own_frames() -> None:
    clip = standing_human(41)
    near = displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 8, 8, 14, recruit=["l_elbow"])
    far = displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 28, 28, 36, recruit=["l_shoulder"])
    movable = frame_tasks_of(clip, [near, far]).movable
    for name, frames in (("l_elbow", range(2, 15)), ("l_shoulder", range(20, 37))):
        assert np.flatnonzero(movable[:, clip.skeleton.index(name)]).tolist() == list(frames), name


def test_invalid_tasks_raise_an_error_before_anything_is_solved() -> None:
    clip = standing_human(11)
    wrong = Balance(recruit=2, name="balance")
    with pytest.raises(PoiseError, match="balance has no joint to count"):
        frame_tasks_of(clip, [wrong]).check()
    unknown = displaced(clip, "l_wrist", (0.0, 0.0, 0.0), 0, 5, 5, 10, recruit=["tail"], name="reach")
    with pytest.raises(PoiseError, match="tail"):
        frame_tasks_of(clip, [unknown]).check()


# Displacements and residuals -----------------------------------------------------------------------------------------


def test_the_largest_change_is_that_of_any_target() -> None:
    clip = standing_human(41)
    turned = rotations.exp(np.array([0.0, 0.0, 0.7]))

    def tasks(by: float, *more: Constraint) -> FrameTasks:
        return frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, by, 0.0), 2, 8, 8, 14), *more])

    looking = OrientationConstraint("skullbase", 24, 40, [ConstraintPoint(turned, 30)], "relative")
    assert tasks(0.1).largest_change(tasks(0.1)) == 0.0
    assert tasks(0.1).largest_change(tasks(0.25)) == pytest.approx(0.15, abs=1e-9)
    assert tasks(0.1, looking).largest_change(tasks(0.1)) == pytest.approx(0.7, abs=1e-9)
    assert tasks(0.1).largest_change(frame_tasks_of(clip, [])) == pytest.approx(0.1, abs=1e-9)


def test_frames_with_joints_that_may_move_are_found() -> None:
    clip = standing_human(11)
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 5, 5, 8)])
    assert frame_tasks.with_movable(np.arange(11)).tolist() == list(range(2, 9))
    given = np.zeros_like(frame_tasks.movable)
    given[3, 4] = True
    other = FrameTasks(frame_tasks.timeline, None, given)
    assert other.with_movable(np.arange(11)).tolist() == [3]


# What has changed ----------------------------------------------------------------------------------------------------


def test_frames_differ_exactly_where_their_tasks_do(rng: np.random.Generator) -> None:
    """Compared with the tasks of each frame, one by one."""
    clip = moving_human(rng, 61)
    source = Source(clip)
    base: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 5, 12, 15, 25, priority=2),
        displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 20, 30, 35, 45, priority=1),
        Footplant(foot="left", heel_strike=20, toe_strike=22, heel_off=30, toe_off=32, priority=3),
    ]
    hand, other, plant = base
    assert isinstance(plant, Footplant)
    variants: dict[str, list[Constraint]] = {
        "the same": base,
        "another order": base[::-1],
        "one less": base[1:],
        "one more": [*base, displaced(clip, "skullbase", (0.0, 0.0, 0.1), 50, 55, 55, 60)],
        "moved": [hand, other, plant.moved((0.01, 0.0, 0.0))],
        "later": [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 5, 12, 15, 26, priority=2), other, plant],
        "priority": [hand, replace(other, priority=7), plant],
        "weight": [replace(hand, weight=2.0), other, plant],
        "recruited": [hand, replace(other, recruit=2), plant],
    }

    def all_tasks(constraints: list[Constraint]) -> list[set[object]]:
        frame_tasks = FrameTasks(Timeline.of(source, constraints))
        frames: list[set[object]] = [set() for _ in range(61)]
        for number, channel in enumerate(frame_tasks.timeline.channels):
            for frame in np.flatnonzero(channel.active):
                owner = constraints[frame_tasks.owners[frame, number]]
                target = tuple(frame_tasks.targets[number][frame])
                outranks = channel.outranks_partner[frame] >= 0.5
                specification = (owner.priority, outranks, owner.weight, owner.recruit)
                frames[frame].add((channel.effector, target, specification))
        return frames

    before = all_tasks(base)
    for name, constraints in variants.items():
        one, another = (FrameTasks(Timeline.of(source, each)) for each in (base, constraints))
        expected = [mine != theirs for mine, theirs in zip(before, all_tasks(constraints), strict=True)]
        assert one.differs_from(another).tolist() == expected, name
        assert another.differs_from(one).tolist() == expected, name
        assert any(expected) == (name not in ("the same", "another order")), name


def test_other_targets_are_a_change_only_where_they_are_asked_for(frame_tasks: FrameTasks) -> None:
    targets = [target + 1.0 for target in frame_tasks.targets]
    changed = frame_tasks.differs_from(FrameTasks(frame_tasks.timeline, targets))
    np.testing.assert_array_equal(changed, frame_tasks.timeline.active)
    (track,) = (channel for channel in frame_tasks.timeline.channels if channel.active.sum() == 19)
    number = frame_tasks.timeline.channels.index(track)
    only = [target + float(n == number) for n, target in enumerate(frame_tasks.targets)]
    changed = frame_tasks.differs_from(FrameTasks(frame_tasks.timeline, only))
    assert np.flatnonzero(changed).tolist() == list(range(6, 25))


# Rigid feet ----------------------------------------------------------------------------------------------------------


def test_the_heel_of_a_rigid_foot_counts_only_across_the_foot(mocap: Path) -> None:
    """On a captured foot heel and ball hang on one joint: their distance needs no task."""
    edit = captured_walk.enforced(mocap)
    frame_tasks = frame_tasks_of(edit.source, [edit.plants[3]])
    ((first, second),) = frame_tasks.timeline.pairs
    heel, ball = frame_tasks.timeline.channels[first], frame_tasks.timeline.channels[second]
    frames = np.flatnonzero(heel.active | ball.active)[::4]
    own = {each.channel: each for each in frame_tasks.single_level(frames)}
    assert own[second].across is None
    projections = own[first].across
    assert projections is not None
    along = (frame_tasks.targets[second] - frame_tasks.targets[first])[frames]
    axis = along / np.linalg.norm(along, axis=1, keepdims=True)
    both = (heel.active & ball.active)[frames]
    assert both.any()
    expected = np.eye(3) - both[:, None, None] * axis[:, :, None] * axis[:, None]
    np.testing.assert_allclose(projections.swapaxes(1, 2) @ projections, expected, atol=1e-12)


def test_a_foot_with_a_joint_between_heel_and_ball_is_not_rigid(frame_tasks: FrameTasks) -> None:
    assert frame_tasks.timeline.pairs
    assert all(each.across is None for each in frame_tasks.single_level(everything(frame_tasks)))


def test_a_rigid_foot_that_is_turned_around_stands_the_right_way(walk: Clip) -> None:
    """Asked for across the foot alone, a heel would also be right at the other end of it."""
    events = {"heel_strike": 138, "toe_strike": 147, "heel_off": 196, "toe_off": 215}
    plant = Footplant(foot="left", **events).turned(2.0)
    report = deform(walk, [plant]).report
    assert report.residual(plant).worst < 1e-4 * walk.skeleton.size


def two_arms() -> tuple[Clip, list[Constraint]]:
    """A standing human whose hands are moved, each by its own arm."""
    clip = standing_human(41)
    arms = {side: [f"{side}_shoulder", f"{side}_elbow"] for side in "lr"}
    hands = [
        displaced(clip, f"{side}_wrist", (0.0, 0.1, 0.0), 0, 5, 30, 35, recruit=recruit)
        for side, recruit in arms.items()
    ]
    return clip, [*hands]


def test_channels_whose_joints_do_not_move_each_others_effectors_are_independent() -> None:
    clip, hands = two_arms()
    both = frame_tasks_of(clip, hands)
    parts = both.independent_parts()
    assert len(parts) == 2
    for part in parts:
        (own,) = (number for number in range(2) if part.has_channel(number))
        moving = np.flatnonzero(part.movable.any(axis=0))
        side = both.timeline.channels[own].effector.point.joint  # type: ignore[attr-defined]
        assert set(moving) < set(clip.skeleton.tree.chain(int(side)))
    joined = both.joined(parts)
    assert [channel.active.any() for channel in joined.timeline.channels] == [True, True]
    for mine, theirs in zip(joined.targets, both.targets, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("recruit", [None, ["vt1"]])
def test_a_channel_that_recruits_what_moves_another_effector_depends_on_it(recruit: list[str] | None) -> None:
    """The whole body, or the chest that carries both arms."""
    clip, hands = two_arms()
    third = displaced(clip, "vt1", (0.0, 0.0, 0.1), 0, 5, 30, 35, recruit=recruit)
    whole = frame_tasks_of(clip, [*hands, third])
    assert whole.independent_parts() == [whole] and whole.joined([whole]) is whole


def test_rotations_of_more_than_a_quarter_turn_go_by_half_of_their_way() -> None:
    clip = standing_human(41)
    assert not frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 2.0, 0.0), 0, 5, 30, 35)]).halfway()
    quarter = rotations.from_axis_angle((0.0, 1.0, 0.0), 0.9 * np.pi)
    goal = rotations.multiply(quarter, clip.orientation("vt1")[10])
    turn = OrientationConstraint("vt1", 0, 35, [ConstraintPoint(goal, 5, 30)])
    wanted = frame_tasks_of(clip, [turn])
    (half,) = wanted.halfway()
    source = clip.orientation("vt1")[10:20]
    to_half, to_goal = (rotations.angle_between(source, each.targets[0][10:20]) for each in (half, wanted))
    np.testing.assert_allclose(to_half, 0.5 * to_goal, atol=1e-9)
    np.testing.assert_allclose(wanted.largest_displacement(), 0.9 * np.pi, atol=1e-6)


def test_what_is_less_important_than_a_missed_target_is_left_out() -> None:
    clip = standing_human(41)
    high = displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 20, 25, priority=2)
    low = displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 0, 5, 30, 35, priority=1)
    wanted = frame_tasks_of(clip, [high, low])
    frames = np.array([10, 28])
    upper, dropped = wanted.without_less_important(frames, clip.world.at(frames), 1e-3)
    assert dropped.tolist() == [10]
    kept = [channel.active for channel in upper.timeline.channels]
    assert kept[0][10] and not kept[1][10] and kept[1][28] and kept[1][11]
