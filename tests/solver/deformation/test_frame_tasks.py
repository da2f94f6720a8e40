# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of each frame: groups, priorities, recruited joints, solving, and differences to other tasks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.constraints import Balance, Constraint, ConstraintPoint, Footplant, OrientationConstraint, Source
from poise.solver.core import rotations
from poise.solver.core.errors import PoiseError
from poise.solver.deformation.deform import deform
from poise.solver.deformation.frame_tasks import FrameTasks, Group
from poise.solver.deformation.settings import Tolerances
from poise.solver.deformation.timeline import Timeline
from poise.solver.posture.settings import SolveSettings
from poise.solver.synthetic import walk as made_up_walk
from poise.solver.tasks import AcrossTask, Task

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


# Groups --------------------------------------------------------------------------------------------------------------


def test_every_frame_in_which_anything_holds_is_in_one_group(frame_tasks: FrameTasks) -> None:
    groups = frame_tasks.groups(everything(frame_tasks))
    frames = np.concatenate([group.frames for group in groups])
    assert len(groups) > 3
    np.testing.assert_array_equal(np.sort(frames), np.flatnonzero(frame_tasks.timeline.active))
    some = np.arange(3, 20, 2)
    np.testing.assert_array_equal(np.sort(np.concatenate([group.frames for group in frame_tasks.groups(some)])), some)
    assert frame_tasks.groups(np.zeros(0, dtype=np.int64)) == []


def test_a_group_has_the_channels_that_are_active_in_all_of_its_frames(frame_tasks: FrameTasks) -> None:
    for group in frame_tasks.groups(everything(frame_tasks)):
        active = {each.channel for each in group.channels}
        for number, channel in enumerate(frame_tasks.timeline.channels):
            assert (channel.active[group.frames] == (number in active)).all()
        for each, owner in zip(group.channels, frame_tasks.owners(group), strict=True):
            channel = frame_tasks.timeline.channels[each.channel]
            for frame in group.frames:
                other = channel.tracks[channel.owner[frame]].constraint
                assert (other.priority, other.weight, other.recruit) == (owner.priority, owner.weight, owner.recruit)


def test_two_groups_differ(frame_tasks: FrameTasks) -> None:
    keys = [
        tuple((each.channel, each.specification) for each in g.channels)
        for g in frame_tasks.groups(everything(frame_tasks))
    ]
    assert len(set(keys)) == len(keys)


def test_tasks_have_the_targets_of_their_frames(frame_tasks: FrameTasks) -> None:
    source = frame_tasks.timeline.source
    for group in frame_tasks.groups(everything(frame_tasks)):
        state = source.clip.world.at(group.frames)
        for each, task in zip(group.channels, frame_tasks.tasks(group), strict=True):
            effector = frame_tasks.timeline.channels[each.channel].effector
            missing = frame_tasks.targets[each.channel][group.frames] - source.values(effector)[group.frames]
            seen = missing[:, [0, 2]] if task.error(state).shape[1] == 2 else missing
            np.testing.assert_allclose(task.error(state), seen, atol=1e-12)


# Order ---------------------------------------------------------------------------------------------------------------


def by_owner(frame_tasks: FrameTasks, frame: int) -> list[tuple[Constraint, Task]]:
    (group,) = frame_tasks.groups(np.array([frame]))
    return list(zip(frame_tasks.owners(group), frame_tasks.tasks(group), strict=True))


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
        feet = {task.effector == heel: task.priority for owner, task in tasks if owner is plant}
        (head,) = (task.priority for owner, task in tasks if owner is below)
        return feet[True], feet[False], head

    for frame in (22, 30):
        heel_rank, toe_rank, head_rank = ranks(frame)
        assert heel_rank > toe_rank > head_rank, frame
    heel_rank, toe_rank, head_rank = ranks(38)
    assert toe_rank > heel_rank > head_rank


# Solving without order, and correcting -------------------------------------------------------------------------------


def test_a_single_level_gives_the_prioritized_result_where_all_targets_can_be_met(frame_tasks: FrameTasks) -> None:
    frames = everything(frame_tasks)[::3]
    source = frame_tasks.timeline.source.clip.motion
    single_level = frame_tasks.solve_single_level(frames, source, source, SETTINGS)
    assert single_level.met.all()
    skeleton = frame_tasks.skeleton
    moved = False
    for group in frame_tasks.groups(frames):
        prioritized = frame_tasks.solve_prioritized(group, source, source, SETTINGS)
        assert prioritized.met.all()
        at = np.searchsorted(frames, group.frames)
        motion = single_level.at(at).motion
        one, other = (
            frame_tasks.timeline.source.clip.with_motion(
                Motion(np.array(each.rotations), np.array(each.translations))
            ).world.positions
            for each in (prioritized.motion, motion)
        )
        assert np.abs(one - other).max() < 2e-4 * skeleton.size
        original = frame_tasks.timeline.source.clip.world.positions[group.frames]
        moved |= bool(np.abs(one - original).max() > 2e-2 * skeleton.size)
    assert moved, "the example must have tasks"


def test_who_may_not_move_in_a_frame_does_not(walking: tuple[Clip, list[Constraint]]) -> None:
    """In one batch with frames in which they may: those keep the reference, and in a correction their start."""
    clip, constraints = walking
    hand = constraints[-1]
    frame_tasks = frame_tasks_of(clip, [hand, displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 12, 20, 22, 30, recruit=1)])
    rng = np.random.default_rng(3)
    shaken = Motion(
        rotations.multiply(rotations.exp(0.01 * rng.standard_normal((clip.frames, 31, 3))), clip.motion.rotations),
        clip.motion.translations + 0.01 * rng.standard_normal(clip.motion.translations.shape),
    )
    frames = np.arange(6, 31)
    still = ~frame_tasks.movable[frames]
    solved = frame_tasks.solve_single_level(frames, shaken, clip.motion, SETTINGS)
    np.testing.assert_array_equal(solved.motion.rotations[still], clip.motion.rotations[frames][still])
    np.testing.assert_array_equal(solved.motion.translations[still], clip.motion.translations[frames][still])
    corrected = frame_tasks.correct(frames, shaken)
    np.testing.assert_array_equal(corrected.motion.rotations[still], shaken.rotations[frames][still])
    np.testing.assert_array_equal(corrected.motion.translations[still], shaken.translations[frames][still])


def test_recruited_joints_begin_at_the_start_and_the_others_keep_the_reference() -> None:
    """Seen where no step is taken."""
    clip = standing_human(11)
    elbow = clip.skeleton.index("l_elbow")
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 1.0, 1.0), 0, 5, 5, 10, recruit=["l_elbow"])])
    start = Motion(np.tile(rotations.exp(np.array([0.3, 0.0, 0.0])), (11, 31, 1)), clip.motion.translations + 1.0)
    (group,) = frame_tasks.groups(np.array([5]))
    for solved in (
        frame_tasks.solve_prioritized(group, start, clip.motion, SolveSettings(iterations=0)),
        frame_tasks.solve_single_level(np.array([5]), start, clip.motion, SolveSettings(iterations=0)),
    ):
        expected = clip.motion.rotations[5].copy()
        expected[elbow] = start.rotations[5, elbow]
        np.testing.assert_array_equal(solved.motion.rotations[0], expected)
        assert not solved.met.any()


@pytest.mark.parametrize("recruit", [None, 3])
def test_frames_that_are_put_right_hold(walking: tuple[Clip, list[Constraint]], recruit: int | None) -> None:
    clip, constraints = walking
    hand = replace(constraints[-1], recruit=recruit)
    others = constraints[:-1] if recruit is None else []
    frame_tasks = frame_tasks_of(clip, [*others, hand])
    frames = np.arange(8, 22)
    source = clip.motion
    solved = frame_tasks.solve_single_level(frames, source, source, SETTINGS)
    assert solved.met.all()
    turned, moved = source.rotations.copy(), source.translations.copy()
    rng = np.random.default_rng(4)
    shaking = 0.01 * rng.standard_normal(solved.motion.rotations.shape[:2])
    turned[frames] = rotations.multiply(rotations.exp(shaking[..., None] * np.ones(3)), solved.motion.rotations)
    moved[frames] = solved.motion.translations
    corrected = frame_tasks.correct(frames, Motion(turned, moved))
    assert corrected.met.all() and corrected.converged.all()
    result = clip.with_motion(Motion(turned, moved)).motion
    result = Motion(result.rotations.copy(), result.translations.copy())
    result.rotations[frames], result.translations[frames] = corrected.motion.rotations, corrected.motion.translations
    world = clip.with_motion(result).world
    for channel, targets in zip(frame_tasks.timeline.channels, frame_tasks.targets, strict=True):
        active = frames[channel.active[frames]]
        missing = (channel.effector.value(world) - targets)[active]
        if isinstance(channel.tracks[0].constraint, Balance):
            missing = missing[:, [0, 2]]
        assert np.linalg.norm(missing, axis=1).max() < Tolerances().met * clip.skeleton.size


def test_errors_above_the_tolerance_are_not_met(frame_tasks: FrameTasks) -> None:
    group = frame_tasks.groups(everything(frame_tasks))[0]
    units = [frame_tasks.skeleton.size for _ in group.channels]
    for share, expected in ((0.99, True), (1.01, False)):
        errors = [np.zeros((len(group.frames), 3)) for _ in group.channels]
        errors[-1][0, 1] = share * Tolerances().met * units[-1]
        met = frame_tasks.met(group.channels, errors)
        assert met[0] == expected and met[1:].all()


def test_angles_are_not_measured_by_the_size() -> None:
    clip = standing_human(5)
    large = Clip(clip.skeleton.scaled(100.0), Motion(clip.motion.rotations, 100.0 * clip.motion.translations), 30.0)
    turn = OrientationConstraint("l_wrist", 0, 4, [ConstraintPoint((1.0, 0.0, 0.0, 0.0), 2)])
    frame_tasks = frame_tasks_of(large, [turn])
    (group,) = frame_tasks.groups(np.arange(5))
    assert not frame_tasks.met(group.channels, [np.full((5, 3), 2.0 * Tolerances().met)]).any()
    assert frame_tasks.met(group.channels, [np.full((5, 3), 0.5 * Tolerances().met)]).all()


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
        for group in frame_tasks.groups(np.arange(61)):
            for number, each in enumerate(group.channels):
                channel = frame_tasks.timeline.channels[each.channel]
                for frame in group.frames:
                    owner = channel.tracks[channel.owner[frame]].constraint
                    target = tuple(frame_tasks.targets[each.channel][frame])
                    specification = (
                        owner.priority,
                        channel.outranks_partner[frame] >= 0.5,
                        owner.weight,
                        owner.recruit,
                    )
                    frames[frame].add((channel.effector, target, specification))
                assert frame_tasks.owners(group)[number] in constraints
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


def test_the_heel_of_a_rigid_foot_has_a_task_across_the_foot_only(mocap: Path) -> None:
    """On a captured foot heel and ball hang on one joint: their distance needs no task."""
    edit = captured_walk.enforced(mocap)
    clip = edit.source
    frame_tasks = frame_tasks_of(clip, [edit.plants[3]])
    ((first, second),) = frame_tasks.timeline.pairs
    heel, ball = frame_tasks.timeline.channels[first], frame_tasks.timeline.channels[second]
    frames = np.flatnonzero(heel.active & ball.active)[::4]
    _, tasks = frame_tasks._single_level(frames)
    along = (frame_tasks.targets[second] - frame_tasks.targets[first])[frames]
    axis = along / np.linalg.norm(along, axis=1, keepdims=True)
    all_tasks = (frame_tasks.targets[first] - frame_tasks.timeline.source.values(heel.effector))[frames]
    square = all_tasks - (all_tasks * axis).sum(axis=1, keepdims=True) * axis
    lengths = np.linalg.norm(tasks[first].error(clip.world.at(frames)), axis=1)
    np.testing.assert_allclose(lengths, np.linalg.norm(square, axis=1), atol=1e-9)
    assert np.abs(all_tasks - square).max() > 1e-6

    solved = frame_tasks.solve_single_level(frames, clip.motion, clip.motion, SETTINGS)
    assert solved.met.all()
    world = clip.with_motion(solved.motion).world
    for number, channel in ((first, heel), (second, ball)):
        off = channel.effector.miss(channel.effector.value(world), frame_tasks.targets[number][frames])
        assert off.max() < Tolerances().met * clip.skeleton.size


def test_a_foot_with_a_joint_between_heel_and_ball_is_not_rigid(frame_tasks: FrameTasks) -> None:
    _, tasks = frame_tasks._single_level(everything(frame_tasks))
    assert not any(isinstance(task, AcrossTask) for task in tasks)


def test_groups_are_no_larger_than_a_batch() -> None:
    clip = standing_human(700)
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 10, 690, 699)])
    groups: list[Group] = frame_tasks.groups(np.arange(700))
    assert len(groups) > 1
    for one, another in pairwise(groups):
        assert one.frames[-1] + 1 == another.frames[0]


def test_a_rigid_foot_that_is_turned_around_stands_the_right_way(walk: Clip) -> None:
    """Asked for across the foot alone, a heel would also be right at the other end of it."""
    events = {"heel_strike": 138, "toe_strike": 147, "heel_off": 196, "toe_off": 215}
    plant = Footplant(foot="left", **events).turned(2.0)
    report = deform(walk, [plant]).report
    assert report.residual(plant).worst < 1e-4 * walk.skeleton.size
