# SPDX-License-Identifier: GPL-3.0-or-later
"""What a collective solve minimizes, and its linearization (Popović 1999, equations 5.2 to 5.4).

The unknowns are the displacements of all frames from a base, along steady axes of each joint's parent. The cost is the
displaced mass relative to the body, the second differences over time of how far matter is displaced in the world, and
the weighted squares of the tasks' errors and of what exceeds joint limits. Derivation: docs/derivations.md.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...body.clip import Clip
from ...body.kinematics import WorldState
from ...body.motion import Motion
from ...body.skeleton import Skeleton
from ...core.arrays import Array, BoolArray, IntArray
from ...core.banded import BlockPentadiagonal
from ...core.row_space import combined, times
from ...deformation.columns import Columns
from ...deformation.limit_rows import Limits
from ...deformation.steady_axes import SteadyAxes
from ...tasks import DisplacedMassTask, PositionTask, Task
from ..handles.handle import CenterOfMassHandle, Handle, PointHandle
from ..handles.handle_task import HandleTask
from ..handles.named_points import named_point
from .geometric_stiffness import geometric_stiffness, turning_dofs
from .time_warp import sampled_spline

FIRM, SOFT = 1e5, 1e3
"""The weights of firm tasks and of handles: of squares of sizes of the character, or of radians, beside the displaced
mass as a share of the whole. Ten times as heavy, knees shake where legs are straight; ten times as light, handles are
missed by a hundredth (a walk, a run and a jump of the public CMU library, 09_01 and 13_11)."""

JOINT_SHARE, ROOT_SHARE = 1e-4, 0.1
"""The weight of a squared radian of every joint, and of a squared radian or size of roots: joints without mass would
else be free, and so would the place and the heading of the whole body, which displaces no mass relative to it."""

BENDING_SHARE = 1e-3
"""The same of its second derivative, beside that of displaced matter."""

LEAST_CARRIED = 0.01
"""The share of the body's mass below which a joint is not moved for the sake of its mass: a hand has 0.6 %, a foot
1.4 %."""

FREE_DAMPING = 0.01
"""What damping multiplies beside the stiffness that forces give: the order of the displaced mass of a limb."""

BATCH = 50
"""Frames that are linearized between two steps: some milliseconds."""


@dataclass(frozen=True, eq=False)
class WeightedTask:
    """A task with its weight in every frame."""

    task: Task
    firmness: Array
    """(frames,) from 0 to 1: where it is 1 the weight is `FIRM`, where it is 0 `SOFT`, and geometrically between."""
    share: float = 1.0
    """What multiplies `SOFT`."""
    is_exact: bool = True
    """Whether it is to be met also where it is not firm."""

    def weights(self) -> Array:
        """(frames,) the weights of its squared errors."""
        return np.asarray(FIRM**self.firmness * (SOFT * self.share) ** (1.0 - self.firmness))

    def at(self, frames: IntArray) -> WeightedTask:
        """The task of some of its frames."""
        return replace(self, task=self.task.at(frames), firmness=self.firmness[frames])


@dataclass(frozen=True, eq=False)
class Point:
    """A displacement of all frames, with what follows from it."""

    values: Array
    """(frames, columns) along steady axes."""
    world: WorldState
    errors: Array
    """(frames, rows) in sizes of the character or radians."""
    places: Array
    """(frames, places) how far matter has been displaced in the world, in sizes of the character, times the roots of
    its shares of the mass."""
    excess: Array
    """(frames, boundaries) radians beyond limits, more than in the base; zero inside."""
    costs: Array
    """(frames,) the share of each frame in the cost."""

    @property
    def cost(self) -> float:
        """What is minimized."""
        return float(self.costs.sum())


class CollectiveProblem:
    """The cost of displacements of the frames of a base."""

    def __init__(self, base: Clip, tasks: Sequence[WeightedTask], smoothing_time: float, factor: float = 1.0) -> None:
        """`smoothing_time` is in seconds: displacements that change within this time count as much by their bending as
        by their size. The weights of all tasks are multiplied by a factor."""
        skeleton = base.skeleton
        self.base, self.skeleton = base, skeleton
        self.columns = Columns(skeleton, moving_joints(skeleton, [each.task for each in tasks]))
        self.frames = np.arange(base.frames)
        self.tasks = tasks
        self._axes = SteadyAxes(base, self.columns)
        is_root = skeleton.parents[self.columns.dofs.owners] < 0
        self._shares = np.where(is_root, ROOT_SHARE, JOINT_SHARE)
        """(columns,)"""
        self._closeness = DisplacedMassTask(base.motion)
        self._matter = DisplacedMassTask(base.motion, relative=False)
        self._bending = (smoothing_time * base.fps) ** 4
        self._limits = Limits(self.columns)
        self._usual = np.maximum(self._limits.excess(base.motion), 0.0)
        widths = [each.task.error(base.world).shape[1] for each in tasks]
        ends = np.cumsum(widths, dtype=np.int64)
        self.rows = [slice(int(end - width), int(end)) for end, width in zip(ends, widths, strict=True)]
        """Those of each task."""
        self.leads: Array = np.zeros((base.frames, sum(widths)))
        """(frames, rows) by how much targets are moved beyond themselves, in sizes of the character or radians."""
        self.weights: Array = np.zeros((base.frames, sum(widths)))
        """(frames, rows)"""
        for each, rows in zip(tasks, self.rows, strict=True):
            self.weights[:, rows] = factor * each.weights()[:, None]

    def with_leads(self, leads: Array) -> CollectiveProblem:
        """The same problem with targets moved beyond themselves by leads (frames, rows)."""
        moved = copy.copy(self)
        moved.leads = leads
        return moved

    # Displacements ---------------------------------------------------------------------------------------------------

    def motion(self, values: Array) -> Motion:
        """The motion with a displacement (frames, columns); joints that are not displaced come back bit for bit."""
        return self.columns.displaced(self.base.motion, self._axes.in_parents(values, self.frames))

    def values(self, motion: Motion) -> Array:
        """(frames, columns) the displacement of a motion."""
        return self.through(motion, self.frames)

    def through(self, motion: Motion, knots: IntArray) -> Array:
        """(frames, columns) a smooth displacement through a motion of some evenly spaced frames, from the first on."""
        displacement = self.columns.displacement(self.base.motion.at(knots), motion)
        values = self.columns.unwrapped(self._axes.from_parents(displacement, knots))
        if len(knots) == len(self.frames):
            return values
        stride = int(knots[1] - knots[0]) if len(knots) > 1 else len(self.frames)
        return sampled_spline(values, np.minimum(self.frames / stride, len(knots) - 1.0))

    def at(self, values: Array) -> Point:
        """The point of some values (frames, columns)."""
        motion, size = self.motion(values), self.skeleton.size
        world = WorldState.of(self.skeleton, motion)
        errors = self.leads.copy()
        for each, rows in zip(self.tasks, self.rows, strict=True):
            errors[:, rows] += each.task.error(world) * self._unit(each.task)
        excess = np.maximum(self._limits.excess(motion) - self._usual, 0.0)
        places = -self._matter.error(world) / size
        costs = (self.weights * errors**2).sum(axis=1) + FIRM * (excess**2).sum(axis=1)
        costs += ((self._closeness.error(world) / size) ** 2).sum(axis=1) + values**2 @ self._shares
        if len(values) > 2:
            bends = (np.diff(places, 2, axis=0) ** 2).sum(axis=1)
            bends += BENDING_SHARE * (np.diff(values, 2, axis=0) ** 2).sum(axis=1)
            costs[1:-1] += self._bending * bends
        return Point(values, world, errors, places, excess, costs)

    def residuals(self, here: Point) -> list[Array]:
        """(frames, rows) for each task: what a point leaves of its target, in sizes of the character or radians."""
        return [here.errors[:, rows] - self.leads[:, rows] for rows in self.rows]

    def _unit(self, task: Task) -> float:
        """What makes a task's errors pure numbers."""
        return 1.0 if task.is_angular else 1.0 / self.skeleton.size

    # The linearization -----------------------------------------------------------------------------------------------

    def linearizing(self, here: Point, forces: Array) -> Generator[None, None, Linearization]:
        """A generator that linearizes the problem at a point, with the curvature that forces (frames, rows) give it,
        some frames at a time."""
        parts = []
        for batch in np.array_split(self.frames, -(-len(self.frames) // BATCH)):
            parts.append(self._linearized(here, forces, batch))
            yield
        jacobian, descent, curvature, stiffness, places = (
            np.concatenate(arrays) for arrays in zip(*parts, strict=True)
        )
        yield
        own, following, after = self._bending_blocks(places)
        yield
        pull = descent + combined(np.asarray(self.weights * here.errors), jacobian)
        pull -= combined(self._bends(here.places), places) + BENDING_SHARE * self._bends(here.values)
        return Linearization(self, here, jacobian, pull, curvature + own, following, after, stiffness)

    def _linearized(self, here: Point, forces: Array, frames: IntArray) -> tuple[Array, Array, Array, Array, Array]:
        """Of some frames: the Jacobian of the tasks (frames, rows, columns); minus half the gradient of displaced mass
        and limits (frames, columns); the curvature of all but the bending (frames, columns, columns), and the part of
        its diagonal that forces give; and the Jacobian of displaced matter (frames, places, columns)."""
        world, dofs, size = here.world.at(frames), self.columns.dofs, self.skeleton.size
        jacobians, pulls = [], []
        for each, rows in zip(self.tasks, self.rows, strict=True):
            task = each.task.at(frames)
            own = task.jacobian(world, dofs) * self._unit(task)
            jacobians.append(own)
            if _turns_rigidly(task):
                if dofs.hinged.size:
                    own = task.jacobian(world, turning_dofs(self.skeleton, dofs)) * self._unit(task)
                pulls.append((own, forces[frames, rows]))
        values, weights = here.values[frames], self.weights[frames]
        change = _Change(self.columns, self._axes, world, values, frames)
        jacobian = change.rows(np.concatenate([np.zeros((len(frames), 0, dofs.count)), *jacobians], axis=1))
        descent, mass = self._closeness.at(frames).quadratic_model(world, dofs)
        stiffness = change.metric(geometric_stiffness(world, dofs, pulls))
        curvature = (
            change.metric(mass / size**2) + stiffness + jacobian.swapaxes(1, 2) @ (weights[:, :, None] * jacobian)
        )
        np.einsum("fcc->fc", curvature)[...] += self._shares
        pull = change.rows(descent[:, None] / size**2)[:, 0] - self._shares * values
        excess = here.excess[frames]
        if excess.any():
            limits = self._limits.rows(world, excess > 0.0, np.ones_like(values, dtype=bool))
            inward = change.from_parents(limits.jacobian)
            curvature += FIRM * inward.swapaxes(1, 2) @ inward
            pull += combined(limits.errors(excess), FIRM * inward)
        places = change.rows(self._matter.at(frames).jacobian(world, dofs) / size)
        return jacobian, pull, curvature, np.einsum("fcc->fc", stiffness), places

    def _bends(self, values: Array) -> Array:
        """(frames, …) half the gradient of the bending of values (frames, …): their weighted fourth differences."""
        whole = np.zeros_like(values)
        bends = self._bending * np.diff(values, 2, axis=0)
        if len(bends):
            whole[:-2] += bends
            whole[1:-1] -= 2.0 * bends
            whole[2:] += bends
        return whole

    def _bending_blocks(self, places: Array) -> tuple[Array, Array, Array]:
        """(frames, columns, columns) three times: the curvature of the bending of matter with a Jacobian (frames,
        places, columns) between each frame and itself, the next one, and the one after."""
        frames, _, count = places.shape
        own, following, after = np.zeros((3, frames, count, count))
        if frames > 2:
            factors = self._bending * np.convolve(np.ones(frames - 2), [1.0, 4.0, 1.0])
            factors_following = -2.0 * self._bending * np.convolve(np.ones(frames - 2), [1.0, 1.0])
            turned, joints = places.swapaxes(1, 2), BENDING_SHARE * np.eye(count)
            own[:] = factors[:, None, None] * (turned @ places + joints)
            following[:-1] = factors_following[:, None, None] * (turned[:-1] @ places[1:] + joints)
            after[:-2] = self._bending * (turned[:-2] @ places[2:] + joints)
        return own, following, after


class Linearization:
    """A problem linearized at a point."""

    def __init__(
        self,
        problem: CollectiveProblem,
        here: Point,
        jacobian: Array,
        pull: Array,
        blocks: Array,
        following: Array,
        after: Array,
        stiffness: Array,
    ) -> None:
        """`blocks`, `following` and `after` (frames, columns, columns) are the curvature between each frame and itself,
        the next one and the one after, `stiffness` (frames, columns) what forces add to its diagonal."""
        self._problem, self._here = problem, here
        self.jacobian = jacobian
        """(frames, rows, columns) of the tasks' values."""
        self.pull = pull
        """(frames, columns) minus half the gradient of the cost."""
        self._blocks, self._following, self._after, self._stiffness = blocks, following, after, stiffness

    def factoring(self, damping: Array) -> Generator[None, None, BlockPentadiagonal]:
        """A generator that factors the system with a damping (frames,), and returns the factor."""
        blocks = self._blocks.copy()
        np.einsum("fcc->fc", blocks)[...] += damping[:, None] * (self._stiffness + FREE_DAMPING)
        return BlockPentadiagonal.factoring(blocks, self._following, self._after)

    def errors_after(self, step: Array) -> Array:
        """(frames, rows) the tasks' errors after a step (frames, columns), to first order."""
        return self._here.errors - times(self.jacobian, step)

    def forces(self, step: Array) -> Array:
        """(frames, rows) with which targets pull after a step (frames, columns) of the whole system: the multipliers of
        the linearized problem."""
        return np.asarray(self._problem.weights * self.errors_after(step))


class _Change:
    """From world-frame velocities to changes of values along steady axes, joint by joint, in some frames."""

    def __init__(self, columns: Columns, axes: SteadyAxes, world: WorldState, values: Array, frames: IntArray) -> None:
        self._columns, self._axes, self._frames = columns, axes, frames
        self._displacement = axes.in_parents(values, frames)
        dofs = columns.dofs
        self._three = 3 * (len(dofs.translating) + len(dofs.rotating))
        # The change mixes only the three columns of each joint, so that three rows show all of it.
        unit = np.ones((len(frames), 3, dofs.count))
        unit[:, :, : self._three] = np.tile(np.eye(3), self._three // 3)
        changed = self.from_parents(columns.in_parents(unit, world))
        self._blocks = changed[:, :, : self._three].reshape(len(frames), 3, -1, 3).swapaxes(1, 2)
        """(frames, joints with three columns, 3, 3)"""
        self._scales = changed[:, :1, self._three :]
        """(frames, 1, hinges)"""

    def from_parents(self, rows: Array) -> Array:
        """(frames, rows, columns) rows over small moves in the coordinates of `Columns`, over changes of the values."""
        return self._axes.rows_from_parents(self._columns.over_displacement(rows, self._displacement), self._frames)

    def rows(self, rows: Array) -> Array:
        """(frames, rows, columns) rows over velocities, over changes of the values."""
        frames, count = rows.shape[:2]
        own = rows[:, :, : self._three].reshape(frames, count, self._three // 3, 3).swapaxes(1, 2)
        own = (own @ self._blocks).swapaxes(1, 2).reshape(frames, count, self._three)
        return np.concatenate([own, rows[:, :, self._three :] * self._scales], axis=2)

    def metric(self, matrix: Array) -> Array:
        """(frames, columns, columns) a symmetric matrix over velocities, over changes of the values."""
        return self.rows(self.rows(matrix).swapaxes(1, 2))


def moving_joints(skeleton: Skeleton, tasks: Sequence[Task]) -> BoolArray:
    """(joints,) the joints that are moved: those that carry a noticeable part of the mass, and those that move a point
    or an axis which a task is about. Fingers, toes and most often wrists stay as they are on their limb."""
    moving = skeleton.mass_shares > LEAST_CARRIED
    for task in tasks:
        if isinstance(task, HandleTask):
            moving |= _movers(skeleton, task.handle)
        elif isinstance(task, PositionTask):
            moving |= _carriers(skeleton, skeleton.index(task.joint), any(np.asarray(task.offset)))
        else:
            moving |= task.influencing_joints(skeleton)
    return moving


def _movers(skeleton: Skeleton, handle: Handle) -> BoolArray:
    """(joints,) those that move a point or an axis of a handle; centres of mass do not count."""
    if isinstance(handle, PointHandle):
        point = named_point(skeleton, handle.point)
        return _carriers(skeleton, int(point.joint), any(point.offset))
    if handle.parts or isinstance(handle, CenterOfMassHandle):
        own = [_movers(skeleton, part) for part in handle.parts]
        return np.logical_or.reduce([np.zeros(len(skeleton), dtype=bool), *own])
    return HandleTask(handle, np.ones(handle.width)).influencing_joints(skeleton)


def _carriers(skeleton: Skeleton, joint: int, with_itself: bool) -> BoolArray:
    """(joints,) the ancestors of a joint, and the joint itself if asked for."""
    carriers = skeleton.tree.carriers(joint).copy()
    carriers[joint] = with_itself or skeleton.parents[joint] < 0
    return carriers


def _turns_rigidly(task: Task) -> bool:
    """Whether a task is about a vector that turns rigidly with each joint, so that its Jacobian shows its curvature."""
    if isinstance(task, HandleTask):
        return task.handle.is_rigid
    return isinstance(task, PositionTask) and task.axes == "xyz"
