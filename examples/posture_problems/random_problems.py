# SPDX-License-Identifier: GPL-3.0-or-later
"""Random problems for `solve_postures`: a skeleton with limits, a batch of postures, and tasks of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...solver.body.kinematics import WorldState
from ...solver.body.motion import Motion
from ...solver.body.skeleton import Skeleton
from ...solver.core import rotations
from ...solver.core.arrays import Array, IntArray
from ...solver.tasks import (
    AimTask,
    AttachmentTask,
    BalanceTask,
    CenterOfMassTask,
    DirectionTask,
    DisplacedMassTask,
    HalfSpaceTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    RollTask,
    Task,
)
from ...solver.tasks.roll import rolls
from ..deformation.random_clips import Rng, random_limits, random_motion, random_skeleton
from ..joint_limits import clamped

MOST_JOINTS = 40
FRAMES = 50
"""Postures of a problem: each is solved on its own, with targets of its own."""
CLAMPED = 0.8
"""The share of problems whose postures begin within their limits."""
NEAR, FAR = (0.05, 0.8), (1.2, 4.0)
"""Sizes of the character, or radians: how far a target is moved that may be out of reach, and one that is."""
WITHIN_REACH, NEAR_TARGET = 0.7, 0.2
"""Shares of targets that the goal posture meets, and of those that are moved from there by a little."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Postures (`FRAMES`) and tasks for them."""

    seed: int
    skeleton: Skeleton
    motion: Motion
    tasks: tuple[Task, ...]

    def at(self, frames: IntArray) -> Problem:
        """Some postures of the problem."""
        return replace(self, motion=self.motion.at(frames), tasks=tuple(task.at(frames) for task in self.tasks))

    def __str__(self) -> str:
        kinds = ", ".join(f"{type(each).__name__} {each.priority}" for each in self.tasks)
        return f"seed {self.seed}: {len(self.skeleton)} joints, {len(self.skeleton.limits)} limits, {kinds}"


def random_problem(seed: int, frames: int = FRAMES) -> Problem:
    """The problem of a seed: the same one in every run."""
    rng = np.random.default_rng([seed, frames])
    skeleton = random_skeleton(rng, int(rng.choice([4, 10, 20, MOST_JOINTS], p=[0.3, 0.4, 0.2, 0.1])))
    motion = random_motion(rng, skeleton, frames, 30.0)
    skeleton = skeleton.replace(limits=random_limits(rng, skeleton, motion))
    if rng.random() < CLAMPED:
        motion = clamped(skeleton, motion)
    maker = _TaskMaker(rng, skeleton, motion)
    tasks = [maker.task() for _ in range(int(rng.choice([1, 2, 3, 4, 6], p=[0.1, 0.3, 0.3, 0.2, 0.1])))]
    if rng.random() < 0.5:
        tasks.append(PoseTask(motion, priority=-1, name="pose"))
    elif rng.random() < 0.2 and skeleton.masses.sum() > 0.0:
        tasks.append(DisplacedMassTask(motion, priority=-1, name="mass"))
    return Problem(seed, skeleton, motion, tuple(tasks))


class _TaskMaker:
    """Makes random tasks; half of their targets are met by one goal posture in each frame, the others are moved."""

    def __init__(self, rng: Rng, skeleton: Skeleton, motion: Motion) -> None:
        self.rng, self.skeleton, self.count = rng, skeleton, 0
        goal = clamped(skeleton, random_motion(rng, skeleton, motion.frames, 30.0))
        self.goal = WorldState.of(skeleton, goal)
        self.frames = motion.frames
        self.same_priority = rng.random() < 0.15

    def task(self) -> Task:
        """A task of any kind."""
        rng, joints = self.rng, len(self.skeleton)
        makers: tuple[Callable[[int, dict[str, Any]], Task], ...] = (
            self._position,
            self._orientation,
            self._direction,
            self._aim,
            self._roll,
            self._attachment,
            self._center_of_mass,
            self._balance,
            self._half_space,
        )
        chosen = rng.choice(len(makers), p=[0.4, 0.15, 0.08, 0.06, 0.05, 0.06, 0.08, 0.06, 0.06])
        self.count += 1
        more: dict[str, Any] = {
            "priority": 1 if self.same_priority else int(rng.integers(4)),
            "weight": 1.0 if rng.random() < 0.7 else float(10.0 ** rng.uniform(-3.0, 3.0)),
            "name": f"task {self.count}",
            "recruit": self._recruit(makers[chosen] not in (self._center_of_mass, self._balance)),
        }
        return makers[chosen](int(rng.integers(joints)), more)

    def _recruit(self, has_joint: bool) -> int | tuple[int, ...] | None:
        chance, joints = self.rng.random(), len(self.skeleton)
        if chance < 0.6:
            return None
        if chance < 0.8 and has_joint:
            return int(self.rng.integers(6))
        return tuple(self.rng.permutation(joints)[: int(self.rng.integers(1, joints + 1))].tolist())

    def _shifts(self, unit: float) -> Array:
        """(frames, 3) from what the goal posture meets to the targets, in units."""
        rng = self.rng
        amount = rng.uniform(*NEAR, self.frames)
        chance = rng.random(self.frames)
        amount[chance < WITHIN_REACH] = 0.0
        is_far = chance > WITHIN_REACH + NEAR_TARGET
        amount[is_far] = rng.uniform(*FAR, int(is_far.sum()))
        directions = rng.standard_normal((self.frames, 3))
        return unit * amount[:, None] * directions / np.linalg.norm(directions, axis=1, keepdims=True)

    def _offset(self) -> tuple[float, float, float]:
        if self.rng.random() < 0.6:
            return 0.0, 0.0, 0.0
        x, y, z = (0.3 * self.skeleton.size * self.rng.standard_normal(3)).tolist()
        return x, y, z

    def _place(self, joint: int, offset: tuple[float, float, float]) -> Array:
        """(frames, 3) of a point in the goal posture."""
        turned = rotations.rotate(self.goal.rotations[:, joint], np.asarray(offset))
        return np.asarray(self.goal.positions[:, joint] + turned)

    def _position(self, joint: int, more: dict[str, Any]) -> Task:
        offset = self._offset()
        target = self._place(joint, offset) + self._shifts(self.skeleton.size)
        axes = "xyz" if self.rng.random() < 0.8 else str(self.rng.choice(["x", "yz", "xz"]))
        return PositionTask(joint, target, axes=axes, offset=offset, **more)

    def _orientation(self, joint: int, more: dict[str, Any]) -> Task:
        turned = rotations.multiply(rotations.exp(self._shifts(0.7)), self.goal.rotations[:, joint])
        return OrientationTask(joint, turned, **more)

    def _direction(self, joint: int, more: dict[str, Any]) -> Task:
        axis = self._axis()
        way = rotations.rotate(rotations.exp(self._shifts(0.7)), rotations.rotate(self.goal.rotations[:, joint], axis))
        return DirectionTask(joint, axis, way, **more)

    def _aim(self, joint: int, more: dict[str, Any]) -> Task:
        offset, axis = self._offset(), self._axis()
        ahead = rotations.rotate(self.goal.rotations[:, joint], axis)
        place = self._place(joint, offset) + 2.0 * self.skeleton.size * ahead + self._shifts(self.skeleton.size)
        return AimTask(joint, axis, place, offset=offset, **more)

    def _roll(self, joint: int, more: dict[str, Any]) -> Task:
        axis = self._axis()
        return RollTask(joint, axis, rolls(self.goal, joint, axis) + self._shifts(0.7)[:, :1], **more)

    def _attachment(self, joint: int, more: dict[str, Any]) -> Task:
        others = [other for other in range(len(self.skeleton)) if other != joint]
        reference, offset = int(self.rng.choice(others)), self._offset()
        apart = self._place(joint, offset) - self.goal.positions[:, reference]
        seen = rotations.rotate(rotations.conjugate(self.goal.rotations[:, reference]), apart)
        target = seen + self._shifts(self.skeleton.size)
        return AttachmentTask(joint, reference, target, offset=offset, **more)

    def _center_of_mass(self, joint: int, more: dict[str, Any]) -> Task:
        target = self.goal.center_of_mass() + 0.5 * self._shifts(self.skeleton.size)
        return CenterOfMassTask(target, axes=None if self.rng.random() < 0.7 else "xyz", **more)

    def _balance(self, joint: int, more: dict[str, Any]) -> Task:
        points = self.rng.permutation(len(self.skeleton))[: int(self.rng.integers(1, 3))].tolist()
        middle = self.goal.positions[:, points].mean(axis=1)
        target = self.goal.center_of_mass() - middle + 0.5 * self._shifts(self.skeleton.size)
        return BalanceTask(points, target, **more)

    def _half_space(self, joint: int, more: dict[str, Any]) -> Task:
        place = self._place(joint, (0.0, 0.0, 0.0)) + self._shifts(self.skeleton.size)
        return HalfSpaceTask(joint, place, self._axis(), **more)

    def _axis(self) -> Array:
        vector = self.rng.standard_normal(3)
        return np.asarray(vector / np.linalg.norm(vector))
