# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting postures right that are already close: only what the tasks miss is corrected, by the least change.

There is no order and no attraction in it: where all tasks can be met, and nearly are, neither matters. The Jacobian is
evaluated once, at the start, and serves all further steps (the chord method): each of these costs a third of Newton's,
and takes away all but about the step's own length of what is missing.
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
from .composite_bodies import Lumps
from .problem import Problem
from .settings import SolveSettings

CHORD_STEPS = 5
"""After so many steps a frame that still misses something was not close: it has to be solved."""

SCARCE = 0.5
"""Once fewer than this share of the frames still miss something, the others are left behind."""

LONGEST_CORRECTION = 0.3
"""Radians, or sizes of the character: what needs a longer step is not close."""


@dataclass(frozen=True, eq=False)
class Polished:
    """Postures that were put right."""

    world: WorldState
    """Their state, as far as the tasks have to know it; see `Lumps.world`."""
    errors: tuple[Array, ...]
    """For each task, (frames, rows): what is still missing, in the skeleton's units or in radians."""


def can_polish(skeleton: Skeleton, tasks: Sequence[Task]) -> bool:
    """Whether tasks can be put right so.

    None may be a pose or an inequality, each must be free to move all that serves it, and no limit may be in the way.
    """
    recruited = np.zeros(len(skeleton), dtype=bool)
    for task in tasks:
        if isinstance(task, PoseTask) or task.is_inequality:
            return False
        own = task.recruited(skeleton)
        if (task.serving(skeleton) & ~own).any():
            return False
        recruited |= own
    return not any(recruited[skeleton.index(joint)] for joint in skeleton.limits)


def movers(skeleton: Skeleton, tasks: Sequence[Task]) -> BoolArray:
    """(joints,) who moves where postures are put right: those on whom some task depends that not everybody serves.

    Balance is served by everybody, but arms need not swing for what the legs miss. Where there are no such tasks, or
    they move no free joint, all that are recruited move.
    """
    everybody, few = np.zeros((2, len(skeleton)), dtype=bool)
    for task in tasks:
        own = task.recruited(skeleton)
        everybody |= own
        if not task.serving(skeleton).all():
            few |= own
    is_free = np.array([kind is JointKind.FREE for kind in skeleton.kinds])
    return few if (few & is_free).any() else everybody


def polish_postures(skeleton: Skeleton, motion: Motion, tasks: Sequence[Task], tolerance: float = 1e-8) -> Polished:
    """Move every frame of a motion, which is close to meeting all tasks, by the least that makes it meet them.

    `tolerance` is in sizes of the character, or radians. Frames that are not close come back as they were.
    """
    moving = movers(skeleton, tasks)
    problem = Problem(skeleton, tasks, SolveSettings(), moving)
    world = WorldState.of(skeleton, motion)
    before = _largest(problem.missing(world))
    if before.max(initial=0.0) > tolerance:
        lumps = Lumps.of(world, np.logical_or.reduce([moving, *(task.located(skeleton) for task in tasks)]))
        corrected, missing = _corrected(problem, world, lumps, tolerance)
        worse: BoolArray = ~(missing < before) & (before > tolerance)
        world = corrected.where(~worse, world) if worse.any() else corrected
    return Polished(world, tuple(task.error_once(world) for task in tasks))


def _corrected(problem: Problem, world: WorldState, lumps: Lumps, tolerance: float) -> tuple[WorldState, Array]:
    """A state after chord steps, and what each of its frames still misses at most, (frames,)."""
    jacobian = problem.jacobian(world)
    whitener = whitening(jacobian @ jacobian.swapaxes(1, 2))
    rows = problem.missing(world)
    moved = np.zeros(world.frames)
    missing = _largest(rows)
    whole, pending = world, np.arange(world.frames)
    for _ in range(CHORD_STEPS):
        step = combined(combined(times(whitener, rows), whitener), jacobian)
        moved += _largest(step)
        step[moved > LONGEST_CORRECTION] = 0.0
        world = lumps.world(integrate(world, problem.velocities(step), problem.dofs))
        rows = problem.missing(world)
        missing[pending] = left = _largest(rows)
        late = np.flatnonzero((left > tolerance) & (moved <= LONGEST_CORRECTION))
        if not late.size:
            break
        if len(late) < SCARCE * len(pending):
            whole = whole.with_frames(pending, world) if len(pending) < whole.frames else world
            pending, problem, world, lumps = pending[late], problem.at(late), world.at(late), lumps.at(late)
            rows, moved, jacobian, whitener = rows[late], moved[late], jacobian[late], whitener[late]
    return (whole.with_frames(pending, world) if len(pending) < whole.frames else world), missing


def _largest(rows: Array) -> Array:
    """(frames,) of arrays (frames, rows)."""
    return np.asarray(np.abs(rows).max(axis=1, initial=0.0))
