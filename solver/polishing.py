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

from .arrays import Array, BoolArray
from .kinematics import WorldState, integrate
from .motion import Motion
from .problem import Problem
from .projection import combined, times, whitening
from .settings import SolveSettings
from .skeleton import Skeleton
from .tasks import PoseTask, Task

CHORD_STEPS = 5
"""After so many steps a frame that still misses something was not close: it has to be solved."""

LONGEST_CORRECTION = 0.3
"""Radians, or sizes of the character: what needs a longer step is not close."""


@dataclass(frozen=True, eq=False)
class Polished:
    """Postures that were put right."""

    motion: Motion
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


def polish_postures(skeleton: Skeleton, motion: Motion, tasks: Sequence[Task], tolerance: float = 1e-8) -> Polished:
    """Move every frame of a motion, which is close to meeting all tasks, by the least that makes it meet them.

    `tolerance` is in sizes of the character, or radians. Frames that are not close come back as they were.
    """
    problem = Problem(skeleton, tasks, SolveSettings())
    state = start = WorldState.of(skeleton, motion)
    missing = problem.missing(state)
    before = np.abs(missing).max(axis=1, initial=0.0)
    if not before.size or before.max() <= tolerance:
        return Polished(motion, tuple(task.error_once(state) for task in tasks))
    jacobian = problem.jacobian(state)
    whitener = whitening(jacobian @ jacobian.swapaxes(1, 2))
    moved = np.zeros(state.frames)
    for _ in range(CHORD_STEPS):
        step = combined(combined(times(whitener, missing), whitener), jacobian)
        moved += np.abs(step).max(axis=1)
        step[moved > LONGEST_CORRECTION] = 0.0
        state = WorldState.of(skeleton, integrate(state, problem.velocities(step), problem.dofs))
        missing = problem.missing(state)
        if (np.abs(missing).max(axis=1) <= tolerance).all():
            break
    worse: BoolArray = ~(np.abs(missing).max(axis=1) < before) & (before > tolerance)
    if worse.any():
        state = state.where(~worse, start)
    return Polished(state.motion, tuple(task.error_once(state) for task in tasks))
