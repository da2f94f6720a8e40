# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of all tasks of some frames: errors, Jacobians over coordinates, recruited columns, and rigid heels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.constraints import Balance, Constraint, ConstraintPoint, LookAtConstraint, OrientationConstraint
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.rows import Rows

from .. import captured_walk
from ..jacobian_check import STEP, assert_same_derivatives
from ..made_up import moving_human
from ..standing import displaced, frame_tasks_of, standing_human

FRAMES = np.array([4, 9, 12, 18, 25, 30])


def all_columns(clip: Clip) -> Columns:
    return Columns(clip.skeleton, np.ones(len(clip.skeleton), dtype=bool))


@pytest.fixture
def moving(rng: np.random.Generator) -> tuple[Clip, FrameTasks]:
    """Constraints of several kinds, in frames of their own, on a human that moves."""
    clip = moving_human(rng, 41)
    turned = rotations.exp(np.array([0.2, 0.1, 0.0]))
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 2, 8, 10, 14, priority=2),
        displaced(clip, "l_wrist", (0.0, 0.2, 0.0), 17, 25, 25, 35, recruit=2),
        displaced(clip, "r_talocrural", (0.1, 0.0, 0.0), 6, 12, 12, 20),
        OrientationConstraint("skullbase", 8, 28, [ConstraintPoint(turned, 15)], "relative", priority=3),
        LookAtConstraint("vt1", 10, 40, [ConstraintPoint((0.0, 1.0, 5.0), 20)], axis=(0.0, 0.0, 1.0)),
        Balance(displacement=(0.1, 0.0, 0.0)),
    ]
    return clip, frame_tasks_of(clip, constraints)


def test_errors_are_target_minus_value_in_sizes_or_radians(moving: tuple[Clip, FrameTasks]) -> None:
    clip, frame_tasks = moving
    rows = Rows(frame_tasks, FRAMES, all_columns(clip))
    world = clip.world.at(FRAMES)
    errors = rows.errors(world)
    assert errors.shape == rows.active.shape == (len(FRAMES), rows.count)
    assert not errors[~rows.active].any() and rows.active.any(axis=0).all() and not rows.active.all()
    assert [block.rows.start for block in rows.blocks] == [0, *(block.rows.stop for block in rows.blocks[:-1])]
    for block in rows.blocks:
        channel = frame_tasks.timeline.channels[block.channel]
        own = errors[:, block.rows]
        lengths = frame_tasks.residuals(block.channel, world, FRAMES)
        np.testing.assert_allclose(np.linalg.norm(own, axis=1)[block.active], lengths[block.active], atol=1e-12)
        np.testing.assert_array_equal(block.vacant, ~channel.active[FRAMES])
        np.testing.assert_array_equal(rows.active[:, block.rows.start], block.active)
    # Two specifications of one channel are two blocks, and each frame that is active belongs to one.
    wrist = [block for block in rows.blocks if block.channel == 0]
    assert len(wrist) == 2
    np.testing.assert_array_equal(sum(block.active for block in wrist), ~wrist[0].vacant)


def test_the_jacobian_is_the_derivative_of_the_errors(
    moving: tuple[Clip, FrameTasks], rng: np.random.Generator
) -> None:
    """By central differences over the coordinates, in the frames where each task counts."""
    clip, frame_tasks = moving
    columns = all_columns(clip)
    rows = Rows(frame_tasks, FRAMES, columns)
    world = clip.world.at(FRAMES)
    found = rows.jacobian(world) * rows.active[:, :, None]
    expected = np.empty_like(found)
    for column in range(columns.count):
        step = np.zeros((len(FRAMES), columns.count))
        step[:, column] = STEP
        ahead, behind = (
            rows.errors(WorldState.of(clip.skeleton, columns.displaced(world.motion, sign * step)))
            for sign in (1.0, -1.0)
        )
        expected[:, :, column] = -(ahead - behind) / (2.0 * STEP)
    assert rows.movable.all()
    assert_same_derivatives(found, expected, 0.1, "the Jacobian of the rows")
    # Joints that may not move in a frame have no derivatives there.
    given = rng.random(frame_tasks.movable.shape) < 0.5
    fewer = Rows(FrameTasks(frame_tasks.timeline, frame_tasks.targets, given), FRAMES, columns)
    movable = columns.movable(given[FRAMES])
    np.testing.assert_array_equal(fewer.movable, movable)
    np.testing.assert_array_equal(fewer.jacobian(world), rows.jacobian(world) * movable[:, None])


def test_rows_move_only_columns_that_their_tasks_recruit(moving: tuple[Clip, FrameTasks]) -> None:
    clip, frame_tasks = moving
    columns = all_columns(clip)
    rows = Rows(frame_tasks, FRAMES, columns)
    recruited, movers = rows.recruited, rows.movers
    assert recruited is not None and recruited.shape == (rows.count, columns.count)
    (limited,) = (number for number, block in enumerate(rows.blocks) if block.task.recruit == 2)
    chain = clip.skeleton.tree.chain(clip.skeleton.index("l_wrist"))
    of_arm = np.isin(columns.dofs.owners, chain[:3])
    np.testing.assert_array_equal(movers[limited], of_arm)
    # What does not move the hand anyway need not be excluded.
    carries = np.isin(columns.dofs.owners, chain)
    for row in range(rows.blocks[limited].rows.start, rows.blocks[limited].rows.stop):
        np.testing.assert_array_equal(recruited[row] & carries, of_arm)
    others = [block for number, block in enumerate(rows.blocks) if number != limited]
    assert all(recruited[block.rows].all() for block in others)


def test_without_recruited_joints_nothing_is_excluded() -> None:
    clip = standing_human(11)
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 5, 10)])
    assert Rows(frame_tasks, np.arange(11), all_columns(clip)).recruited is None


def random_metric(rng: np.random.Generator, frames: int, count: int) -> Array:
    roots = rng.standard_normal((frames, count, count))
    return roots @ roots.swapaxes(1, 2)


def test_joints_that_one_task_recruits_and_another_does_not_are_not_coupled(rng: np.random.Generator) -> None:
    """So the joint that moves for one of them does not drag the other along."""
    clip = standing_human(11)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 5, 10, recruit=["l_elbow"]),
        displaced(clip, "l_elbow", (0.0, 0.1, 0.0), 0, 5, 5, 10, recruit=["l_shoulder", "l_sternoclavicular"]),
    ]
    frame_tasks = frame_tasks_of(clip, constraints)
    columns = Columns(clip.skeleton, frame_tasks.movable.any(axis=0))
    rows = Rows(frame_tasks, np.arange(11), columns)
    metric = random_metric(rng, 11, columns.count)
    found = rows.restricted(metric, rows.movable)
    of_hand = columns.dofs.owners == clip.skeleton.index("l_elbow")
    together = of_hand[:, None] == of_hand
    assert together.any() and not together.all()
    np.testing.assert_array_equal(found, metric * together)
    np.testing.assert_array_equal(found[:, ~together], 0.0)


def test_joints_that_may_not_move_in_a_frame_are_not_coupled_there(rng: np.random.Generator) -> None:
    clip = standing_human(31)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 5, 12),
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 18, 25, 25, 30),
        displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 8, 16, 16, 24),
    ]
    frame_tasks = frame_tasks_of(clip, constraints)
    columns = Columns(clip.skeleton, frame_tasks.movable.any(axis=0))
    rows = Rows(frame_tasks, np.arange(31), columns)
    metric = random_metric(rng, 31, columns.count)
    found = rows.restricted(metric, rows.movable)
    both = rows.movable[:, :, None] & rows.movable[:, None]
    np.testing.assert_array_equal(found[both], metric[both])
    diagonals = np.einsum("fcc->fc", found), np.einsum("fcc->fc", metric)
    np.testing.assert_array_equal(*diagonals)
    off_diagonal = ~np.eye(columns.count, dtype=bool)
    assert not found[~both & off_diagonal].any()
    free = Rows(frame_tasks, np.array([9, 20]), columns)
    assert free.movable.all()
    np.testing.assert_array_equal(free.restricted(metric[:2], free.movable), metric[:2])


def test_lengths_are_those_of_blocks_and_long_ones_are_shortened(
    moving: tuple[Clip, FrameTasks], rng: np.random.Generator
) -> None:
    clip, frame_tasks = moving
    rows = Rows(frame_tasks, FRAMES, all_columns(clip))
    errors = rng.standard_normal((len(FRAMES), rows.count)) * rng.uniform(0.0, 1.0, (len(FRAMES), 1)) ** 2
    lengths = rows.distances(errors)
    shortened = rows.shortened(errors, 0.25)
    assert lengths.shape == (len(FRAMES), len(rows.blocks))
    assert (lengths > 0.25).any() and (lengths < 0.25).any()
    for number, block in enumerate(rows.blocks):
        np.testing.assert_allclose(lengths[:, number], np.linalg.norm(errors[:, block.rows], axis=1))
        factor = np.minimum(1.0, 0.25 / lengths[:, number])
        np.testing.assert_allclose(shortened[:, block.rows], factor[:, None] * errors[:, block.rows])


def test_the_rows_of_a_rigid_heel_are_taken_across_the_foot(mocap: Path) -> None:
    """What is left of the heel's error, and of its derivative, is the part across the line between both targets."""
    edit = captured_walk.enforced(mocap)
    frame_tasks = frame_tasks_of(edit.source, [edit.plants[3]])
    ((heel, ball),) = frame_tasks.timeline.pairs
    channels = frame_tasks.timeline.channels
    frames = np.flatnonzero(channels[heel].active | channels[ball].active)[::4]
    columns = all_columns(edit.source)
    rows = Rows(frame_tasks, frames, columns)
    (block,) = (block for block in rows.blocks if block.channel == heel)
    (other,) = (block for block in rows.blocks if block.channel == ball)
    both = (channels[heel].active & channels[ball].active)[frames]
    assert both.any()
    along = (frame_tasks.targets[ball] - frame_tasks.targets[heel])[frames]
    axis = both[:, None] * along / np.linalg.norm(along, axis=1, keepdims=True)
    world = edit.source.world.at(frames)
    errors = rows.errors(world)
    across = rows.across(errors.copy())
    own = errors[:, block.rows]
    expected = own - (own * axis).sum(axis=1, keepdims=True) * axis
    np.testing.assert_allclose(
        np.linalg.norm(across[:, block.rows], axis=1), np.linalg.norm(expected, axis=1), atol=1e-12
    )
    np.testing.assert_array_equal(across[:, other.rows], errors[:, other.rows])
    whole = columns.in_parents(block.task.jacobian(world, columns.dofs) * block.scale, world) * rows.movable[:, None]
    expected = whole - axis[:, :, None] * (axis[:, None] @ whole)
    jacobian = rows.jacobian(world)
    np.testing.assert_allclose(jacobian[:, block.rows], whole, atol=1e-14)
    across = rows.across(jacobian.copy())
    found = across[:, block.rows]
    np.testing.assert_allclose(found.swapaxes(1, 2) @ found, expected.swapaxes(1, 2) @ expected, atol=1e-9)
    np.testing.assert_array_equal(across[:, other.rows], jacobian[:, other.rows])


def test_constraints_that_need_not_be_exact_have_no_rows_of_exact_ones_alone() -> None:
    """Two that follow each other on one wrist, which share their rows but not their frames, and one on the other."""
    clip = standing_human(41)
    constraints: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 10, 15),
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 20, 25, 30, 35, exact=False),
        displaced(clip, "r_wrist", (0.0, 0.1, 0.0), 0, 5, 30, 35, exact=False),
    ]
    frames, columns = np.arange(41), all_columns(clip)
    frame_tasks = frame_tasks_of(clip, constraints)
    every, exact = (Rows(frame_tasks, frames, columns, exact_only=only) for only in (False, True))
    assert [block.rows for block in every.blocks] == [block.rows for block in exact.blocks]
    left, right = every.blocks
    assert left.active[27] and right.active[27] and left.active[7]
    of_first = frame_tasks.timeline.channels[left.channel].owner == 0
    np.testing.assert_array_equal(exact.blocks[0].active, left.active & of_first)
    assert exact.blocks[0].active[7] and not exact.blocks[0].active[20:].any() and not exact.blocks[1].active.any()
    errors = exact.errors(clip.world)
    np.testing.assert_array_equal(errors, every.errors(clip.world) * exact.active)
    # A frame that is left out so is not vacant: the rows of a neighbour must not be continued there.
    for one, other in zip(every.blocks, exact.blocks, strict=True):
        np.testing.assert_array_equal(one.vacant, other.vacant)


def test_relaxed_targets_have_no_exact_rows_and_those_of_others_are_continued_there() -> None:
    clip = standing_human(41)
    wanted = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 30, 35)])
    relaxed = np.zeros((41, 1), dtype=bool)
    relaxed[10:20] = True
    frame_tasks = FrameTasks(wanted.timeline, wanted.targets, wanted.movable, relaxed)
    frames, columns = np.arange(41), all_columns(clip)
    every, exact = (Rows(frame_tasks, frames, columns, exact_only=only) for only in (False, True))
    np.testing.assert_array_equal(every.relaxed[:, 0], relaxed[:, 0])
    np.testing.assert_array_equal(exact.blocks[0].active, every.blocks[0].active & ~relaxed[:, 0])
    np.testing.assert_array_equal(exact.blocks[0].vacant, every.blocks[0].vacant | relaxed[:, 0])


def test_rows_of_some_frames_are_those_of_all_frames_there() -> None:
    clip = standing_human(41)
    hands: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 0, 5, 20, 25),
        displaced(clip, "r_wrist", (0.1, 0.1, 0.0), 10, 15, 30, 35, recruit=2),
    ]
    frame_tasks, columns = frame_tasks_of(clip, hands), all_columns(clip)
    whole, some = Rows(frame_tasks, np.arange(41), columns), np.array([3, 12, 33])
    part, world = whole.at(some), clip.world.at(some)
    np.testing.assert_array_equal(part.frames, some)
    np.testing.assert_array_equal(part.active, whole.active[some])
    np.testing.assert_array_equal(part.movable, whole.movable[some])
    np.testing.assert_allclose(part.errors(world), whole.errors(clip.world)[some], atol=1e-15)
    np.testing.assert_allclose(part.jacobian(world), whole.jacobian(clip.world)[some], atol=1e-15)
