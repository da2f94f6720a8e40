# SPDX-License-Identifier: GPL-3.0-or-later
"""Random postures to solve: small skeletons with limits of all kinds, and tasks of all kinds that conflict, cannot be
reached or do not recruit every joint."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import solver
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.posture.active_set import LimitBoundaries


@dataclass(frozen=True)
class Case:
    """A posture and its tasks, the most important first."""

    skeleton: solver.Skeleton
    start: solver.Pose
    """Inside all limits."""
    tasks: list[solver.Task]

    def solve(self, tasks: list[solver.Task], settings: solver.SolveSettings | None = None) -> solver.Posture:
        """Solve some tasks from the start."""
        return solver.solve_posture(self.skeleton, self.start, tasks, settings=settings)

    def excess(self, pose: solver.Pose) -> float:
        """Radians by which a joint is beyond its limits, at most."""
        boundaries = LimitBoundaries(self.skeleton, self.skeleton.dofs)
        if not boundaries:
            return 0.0
        state = WorldState.of(self.skeleton, pose.motion)
        return float(boundaries.measured(state, np.ones(self.skeleton.dofs.count)).excess.max(initial=-np.inf))

    def miss(self, task: solver.Task, solved: solver.Posture) -> float:
        """The error of a task, in sizes of the character or radians."""
        error = task.error(WorldState.of(self.skeleton, solved.pose.motion))
        return float(np.linalg.norm(error)) / (1.0 if task.is_angular else self.skeleton.size)


def random_limit(rng: np.random.Generator, is_hinge: bool) -> solver.HingeLimit | solver.BallLimit:
    """A limit around the rest."""
    low, high = -rng.uniform(0.05, 2.0), rng.uniform(0.05, 2.0)
    if is_hinge:
        return solver.HingeLimit(low, high)
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    twist = (low, high) if rng.random() < 0.7 else None
    swing: solver.SwingCone | solver.SwingPolygon | None = solver.SwingCone(*rng.uniform(0.1, 2.0, 2))
    if rng.random() < 0.4:
        across = np.cross(axis, rng.standard_normal(3))
        across /= np.linalg.norm(across)
        angles = np.sort(rng.uniform(0.0, 2.0 * np.pi / 5.0, 5)) + 2.0 * np.pi / 5.0 * np.arange(5)
        bends = rng.uniform(0.2, 1.2, 5)
        around = [np.cos(angle) * across + np.sin(angle) * np.cross(axis, across) for angle in angles]
        corners = [np.cos(bend) * axis + np.sin(bend) * side for bend, side in zip(bends, around, strict=True)]
        swing = solver.SwingPolygon(corners, inside=axis)
    return solver.BallLimit(axis, twist=twist, swing=swing if twist is None or rng.random() < 0.7 else None)


def random_case(rng: np.random.Generator) -> Case:
    """A case of three to seven joints and two to six tasks."""
    joints = int(rng.integers(3, 8))
    parents = [-1, *(int(rng.integers(max(0, joint - 2), joint)) for joint in range(1, joints))]
    kinds = ["free" if rng.random() < 0.6 else "fixed", *rng.choice(["ball", "ball", "ball", "hinge"], joints - 1)]
    limits = {}
    if rng.random() < 0.7:
        for joint in range(1, joints):
            if rng.random() < 0.6:
                limits[joint] = random_limit(rng, kinds[joint] == "hinge")
    skeleton = solver.Skeleton(
        tuple(f"part {joint}" for joint in range(joints)),
        parents,
        np.concatenate([np.zeros((1, 3)), rng.standard_normal((joints - 1, 3))]),
        kinds=tuple(kinds),
        hinge_axes=rng.standard_normal((joints, 3)),
        rest_rotations=rotations.random(rng, joints),
        limits=limits,
        set_masses={joint: float(rng.uniform(0.1, 3.0)) for joint in range(joints)},
    )
    start = _shaken(rng, skeleton, rng.choice([0.0, 0.5]))
    return Case(skeleton, start, _random_tasks(rng, skeleton, start))


def _shaken(rng: np.random.Generator, skeleton: solver.Skeleton, angle: float) -> solver.Pose:
    """The rest pose with all joints turned by about an angle, inside all limits."""
    rest = solver.Pose.rest(skeleton)
    turned = rest.rotations.copy()
    for joint, kind in enumerate(skeleton.kinds):
        if kind.value == "hinge":
            by = rng.normal() * angle * skeleton.hinge_axes[joint]
            turned[joint] = rotations.multiply(turned[joint], rotations.exp(by))
        elif kind.value != "fixed":
            turned[joint] = rotations.multiply(turned[joint], rotations.exp(angle * rng.standard_normal(3)))
    motion = Motion(turned[None], rest.translations[None])
    return LimitBoundaries(skeleton, skeleton.dofs).clamped(motion).pose(0)


def _random_tasks(rng: np.random.Generator, skeleton: solver.Skeleton, start: solver.Pose) -> list[solver.Task]:
    joints = len(skeleton)
    goal = WorldState.of(skeleton, _shaken(rng, skeleton, 0.7).motion)
    tasks: list[solver.Task] = []
    for priority in range(int(rng.integers(2, 6)), 0, -1):
        joint, other = (int(each) for each in rng.permutation(np.arange(joints))[:2])
        far = 1.0 if rng.random() < 0.6 else float(rng.choice([1.05, 1.5, 4.0]))
        place = goal.positions[0, joint] * far
        kind = rng.integers(7)
        task: solver.Task
        if kind == 0:
            task = solver.OrientationTask(joint, goal.rotations[0, joint] if far == 1.0 else rotations.random(rng, ()))
        elif kind == 1:
            axis = rng.standard_normal(3)
            task = solver.DirectionTask(joint, axis, rotations.rotate(goal.rotations[0, joint], axis))
        elif kind == 2:
            task = solver.CenterOfMassTask(far * goal.center_of_mass()[0])
        elif kind == 3:
            points = [other]
            task = solver.BalanceTask(points, far * (goal.center_of_mass() - goal.positions[:, other])[0])
        elif kind == 4:
            task = solver.HalfSpaceTask(joint, place, rng.standard_normal(3))
        elif kind == 5:
            local = rotations.rotate(
                rotations.conjugate(goal.rotations[0, other]), goal.positions[0, joint] - goal.positions[0, other]
            )
            task = solver.AttachmentTask(joint, other, far * local)
        else:
            task = solver.PositionTask(joint, place, offset=tuple(rng.uniform(-0.2, 0.2, 3)))
        if rng.random() < 0.25:
            own = np.flatnonzero(task.influencing_joints(skeleton))
            task = replace(task, recruit=[int(each) for each in rng.permutation(own)[: rng.integers(1, len(own) + 1)]])
        tasks.append(replace(task, priority=priority))
    if rng.random() < 0.8:
        tasks.append(solver.PoseTask(start, priority=0))
    return tasks
