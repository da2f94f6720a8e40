# SPDX-License-Identifier: GPL-3.0-or-later
"""The feasibility correction: the least change that makes postures which nearly meet all tasks meet them.

Priorities and attraction are ignored: where all tasks can be met, and nearly are, neither matters. The Jacobian is
evaluated once, at the start, and used for all steps (the chord method): each further step costs a third of a Newton
step and reduces the error by about the relative length of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.joints import JointKind
from ..body.kinematics import WorldState, integrate
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core.arrays import Array, BoolArray
from ..core.row_space import combined, times, whitening
from ..tasks import PoseTask, Task
from .composite_bodies import CompositeBodies
from .problem import Problem
from .settings import SolveSettings

CHORD_STEPS = 5
"""A frame that does not meet its tasks after this many steps was not close: it has to be solved."""

FEW_PENDING = 0.5
"""Once fewer than this share of the frames are pending, the others are removed from the batch."""

LONGEST_CORRECTION = 0.3
"""Radians, or sizes of the character: a frame that needs a longer step was not close."""


@dataclass(frozen=True, eq=False)
class CorrectedPostures:
    """A corrected batch of frames."""

    world: WorldState
    """Their state, valid at the joints that the tasks depend on; see `CompositeBodies.world`."""
    errors: tuple[Array, ...]
    """For each task, (frames, rows): the remaining error, in the skeleton's units or in radians."""


def is_correctable(skeleton: Skeleton, tasks: Sequence[Task]) -> bool:
    """Whether the feasibility correction applies to these tasks.

    None may be a pose or an inequality, each must recruit every joint that moves it, and no recruited joint may have a
    limit.
    """
    recruited = np.zeros(len(skeleton), dtype=bool)
    for task in tasks:
        if isinstance(task, PoseTask) or task.is_inequality:
            return False
        own = task.recruited(skeleton)
        if (task.influencing_joints(skeleton) & ~own).any():
            return False
        recruited |= own
    return not any(recruited[skeleton.index(joint)] for joint in skeleton.limits)


def moving_joints(skeleton: Skeleton, tasks: Sequence[Task]) -> BoolArray:
    """(joints,) the joints that move in a correction: those recruited by tasks that not every joint moves.

    All joints move the balance, but arms need not swing for an error of the legs. Where there are no such tasks, or
    they recruit no free joint, all recruited joints move.
    """
    # A task is local if some joint does not move it: the balance, which all joints move, is left out.
    recruited, by_local_tasks = np.zeros((2, len(skeleton)), dtype=bool)
    for task in tasks:
        own = task.recruited(skeleton)
        recruited |= own
        if not task.influencing_joints(skeleton).all():
            by_local_tasks |= own
    is_free = np.array([kind is JointKind.FREE for kind in skeleton.kinds])
    return by_local_tasks if (by_local_tasks & is_free).any() else recruited


def correct_postures(
    skeleton: Skeleton, motion: Motion, tasks: Sequence[Task], tolerance: float = 1e-8
) -> CorrectedPostures:
    """Change every frame of a motion, which nearly meets all tasks, by the least that makes it meet them.

    `tolerance` is in sizes of the character, or radians. Frames that are not close come back unchanged.
    """
    moving = moving_joints(skeleton, tasks)
    problem = Problem(skeleton, tasks, SolveSettings(), moving)
    world = WorldState.of(skeleton, motion)
    before = _largest(problem.row_errors(world))
    if before.max(initial=0.0) > tolerance:
        bodies = CompositeBodies.of(
            world, np.logical_or.reduce([moving, *(task.observed_joints(skeleton) for task in tasks)])
        )
        corrected, after = _corrected(problem, world, bodies, tolerance)
        worse: BoolArray = ~(after < before) & (before > tolerance)
        world = corrected.where(~worse, world) if worse.any() else corrected
    return CorrectedPostures(world, tuple(task.cached_error(world) for task in tasks))


def _corrected(
    problem: Problem, world: WorldState, bodies: CompositeBodies, tolerance: float
) -> tuple[WorldState, Array]:
    """The state after chord steps, and the largest remaining error of each frame, (frames,)."""
    jacobian = problem.jacobian(world)
    whitener = whitening(jacobian @ jacobian.swapaxes(1, 2))
    errors = problem.row_errors(world)
    length = np.zeros(world.frames)
    remaining = _largest(errors)
    whole, pending = world, np.arange(world.frames)
    for _ in range(CHORD_STEPS):
        step = combined(combined(times(whitener, errors), whitener), jacobian)
        length += _largest(step)
        step[length > LONGEST_CORRECTION] = 0.0
        world = bodies.world(integrate(world, problem.velocities(step), problem.dofs))
        errors = problem.row_errors(world)
        remaining[pending] = largest = _largest(errors)
        still = np.flatnonzero((largest > tolerance) & (length <= LONGEST_CORRECTION))
        if not still.size:
            break
        if len(still) < FEW_PENDING * len(pending):
            whole = whole.with_frames(pending, world) if len(pending) < whole.frames else world
            pending, problem, world, bodies = pending[still], problem.at(still), world.at(still), bodies.at(still)
            errors, length, jacobian, whitener = errors[still], length[still], jacobian[still], whitener[still]
    return (whole.with_frames(pending, world) if len(pending) < whole.frames else world), remaining


def _largest(rows: Array) -> Array:
    """(frames,) the largest magnitude in each frame of an array (frames, rows)."""
    return np.asarray(np.abs(rows).max(axis=1, initial=0.0))
