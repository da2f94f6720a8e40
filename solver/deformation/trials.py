# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials: single frames solved again with other tasks, for the report. All of them are solved in few batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..constraints import Constraint
from ..constraints.effectors import Effector
from ..core.arrays import Array, BoolArray
from ..posture.settings import SolveSettings
from ..posture.solve import solve_checked
from ..tasks import MaskedTask, PoseTask, Task
from .task_specifications import TaskSpecification


@dataclass(frozen=True, eq=False)
class TrialTask:
    """A task of one frame."""

    effector: Effector
    target: Array
    """(width,)"""
    specification: TaskSpecification
    owner: Constraint

    def task(self, targets: Array | None = None, priority: int = 1) -> Task:
        """The task of the posture solver, for its own target or for those of several frames (frames, width)."""
        given = self.target[None] if targets is None else targets
        specification = self.specification
        return self.effector.task(
            given, priority=priority, weight=specification.weight, recruit=specification.recruit, name=self.owner.label
        )


@dataclass(frozen=True, eq=False)
class Trial:
    """A posture, and the tasks that it is solved for."""

    pose: Motion
    """Of one frame: the posture that it stays near."""
    tasks: tuple[TrialTask, ...]
    start: Motion | None = None
    """Of one frame: where the joints that the tasks recruit begin; None: as in `pose`."""

    def recruited(self, skeleton: Skeleton) -> BoolArray:
        """(joints,) the joints that its tasks recruit."""
        recruited = np.zeros(len(skeleton), dtype=bool)
        for each in self.tasks:
            recruited |= each.task().recruited(skeleton)
        return recruited


def residuals_of(skeleton: Skeleton, trials: Sequence[Trial], settings: SolveSettings) -> list[dict[int, float]]:
    """For each trial, the largest residual of the tasks of each constraint, by its `id`, after a solve in strict
    priority; in the clip's units or radians."""
    found: list[dict[int, float]] = [{} for _ in trials]
    batches: dict[bytes, list[int]] = {}
    for number, trial in enumerate(trials):
        # A joint that no task of a trial recruits must not move, so all trials of a batch recruit the same joints.
        batches.setdefault(trial.recruited(skeleton).tobytes(), []).append(number)
    for recruited, members in batches.items():
        joints = np.flatnonzero(np.frombuffer(recruited, dtype=bool))
        solved = _solve_batch(skeleton, [trials[number] for number in members], joints.tolist(), settings)
        for number, residuals in zip(members, solved, strict=True):
            found[number] = residuals
    return found


def _solve_batch(
    skeleton: Skeleton, trials: Sequence[Trial], joints: list[int], settings: SolveSettings
) -> list[dict[int, float]]:
    """`residuals_of` trials that all recruit the same joints."""
    pose, start = _stacked([trial.pose for trial in trials]), _stacked([trial.start or trial.pose for trial in trials])
    begin = Motion(pose.rotations.copy(), pose.translations.copy())
    begin.rotations[:, joints], begin.translations[:, joints] = (
        start.rotations[:, joints],
        start.translations[:, joints],
    )
    slots: dict[tuple[Effector, TaskSpecification], dict[int, TrialTask]] = {}
    for number, trial in enumerate(trials):
        for each in trial.tasks:
            slots.setdefault((each.effector, each.specification), {})[number] = each
    ranks = sorted({specification.rank for _, specification in slots})
    world = WorldState.of(skeleton, begin)
    tasks: list[Task] = []
    for (effector, specification), members in slots.items():
        targets = effector.value(world).copy()
        active = np.zeros(len(trials), dtype=bool)
        for number, each in members.items():
            targets[number], active[number] = each.target, True
        task = next(iter(members.values())).task(targets, ranks.index(specification.rank) + 1)
        tasks.append(task if active.all() else MaskedTask(task, active))
    solved = solve_checked(skeleton, begin, [*tasks, PoseTask(pose, priority=0, recruit=joints)], settings)
    residuals: list[dict[int, float]] = [{} for _ in trials]
    for errors, members in zip(solved.errors, slots.values(), strict=False):
        for number, each in members.items():
            own = residuals[number].get(id(each.owner), 0.0)
            residuals[number][id(each.owner)] = max(own, float(np.linalg.norm(errors[number])))
    return residuals


def _stacked(postures: Sequence[Motion]) -> Motion:
    """One motion of postures of one frame each."""
    return Motion(
        np.concatenate([each.rotations for each in postures]), np.concatenate([each.translations for each in postures])
    )
