# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of all tasks of some frames: errors and Jacobians over the coordinates of `Columns`, as one level.

Errors are in sizes of the character or radians. Priorities do not count here: those targets that cannot be met beside
more important ones are relaxed (see `passes.reach`).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..core.arrays import Array, BoolArray, IntArray
from ..core.row_space import times
from ..posture.active_set import LimitBoundaries
from ..posture.composite_bodies import CompositeBodies
from ..tasks import Task
from .columns import Columns
from .frame_tasks import FrameTasks


@dataclass(frozen=True, eq=False)
class RowBlock:
    """The rows of one channel, in the frames in which it has one of its task specifications."""

    channel: int
    task: Task
    """For all frames; its targets count in the active ones."""
    active: BoolArray
    """(frames,)"""
    vacant: BoolArray
    """(frames,) where the channel is not active at all, or relaxed and without active rows, so that the block may be
    continued there."""
    across: Array | None
    """(frames, 3, 3) what multiplies the rows of the heel of a rigid foot: see `FrameTasks._across_foot`."""
    recruited: BoolArray | None
    """(columns,) the columns that may move for it; None for all that move it."""
    rows: slice
    scale: float
    """What makes its errors pure numbers."""

    def at(self, frames: IntArray) -> RowBlock:
        """The rows in some of the frames."""
        return replace(
            self,
            task=self.task.at(frames),
            active=self.active[frames],
            vacant=self.vacant[frames],
            across=None if self.across is None else self.across[frames],
        )


class Rows:
    """The rows of the tasks of some frames."""

    def __init__(self, frame_tasks: FrameTasks, frames: IntArray, columns: Columns, exact_only: bool = False) -> None:
        """With `exact_only` relaxed targets, and constraints that need not be met exactly (`Constraint.exact`), have no
        active rows."""
        self.columns = columns
        self.frames = frames
        self.blocks: list[RowBlock] = []
        skeleton, count = frame_tasks.skeleton, 0
        for each in frame_tasks.single_level(frames):
            is_exact = frame_tasks.is_exact(each.channel)[frames] if exact_only else np.ones(len(frames), dtype=bool)
            width = frame_tasks.timeline.channels[each.channel].effector.rows
            withheld = each.task.influencing_joints(skeleton) & ~each.task.recruited(skeleton)
            selected = ~columns.dofs.spread(withheld)
            self.blocks.append(
                RowBlock(
                    each.channel,
                    each.task,
                    each.active & is_exact,
                    ~frame_tasks.timeline.channels[each.channel].active[frames]
                    | (frame_tasks.relaxed[frames, each.channel] & ~is_exact),
                    each.across,
                    None if selected.all() else selected,
                    slice(count, count + width),
                    1.0 if each.task.is_angular else 1.0 / skeleton.size,
                )
            )
            count += width
        self.count = count
        self._relaxed = frame_tasks.relaxed[frames]
        self._movable_joints = frame_tasks.movable[frames]
        self.movable: BoolArray = columns.movable(frame_tasks.movable[frames])
        """(frames, columns) which may move."""

    def at(self, frames: IntArray) -> Rows:
        """The rows of some of the frames, (some,) positions among these."""
        part = copy.copy(self)
        part.frames, part.movable = self.frames[frames], self.movable[frames]
        part._relaxed, part._movable_joints = self._relaxed[frames], self._movable_joints[frames]
        part.blocks = [block.at(frames) for block in self.blocks]
        return part

    @property
    def active(self) -> BoolArray:
        """(frames, rows)"""
        return np.repeat(np.stack([block.active for block in self.blocks], axis=1), self._widths, axis=1)

    @property
    def relaxed(self) -> BoolArray:
        """(frames, rows) whose targets are relaxed."""
        return np.repeat(self._relaxed[:, [block.channel for block in self.blocks]], self._widths, axis=1)

    @property
    def _widths(self) -> list[int]:
        return [block.rows.stop - block.rows.start for block in self.blocks]

    def bodies(self, world: WorldState) -> CompositeBodies:
        """The composite bodies of a state of these frames, with which the errors of moved joints can be evaluated."""
        skeleton = self.columns.skeleton
        moving = skeleton.mask(self.columns.dofs.moving)
        observed = [block.task.observed_joints(skeleton) for block in self.blocks]
        return CompositeBodies.of(world, np.logical_or.reduce([moving, *observed]))

    def errors(self, world: WorldState) -> Array:
        """(frames, rows) target minus value, valid in the active frames, zero elsewhere."""
        errors = np.zeros((len(self.frames), self.count))
        for block in self.blocks:
            errors[:, block.rows] = block.task.cached_error(world) * (block.scale * block.active)[:, None]
        return errors

    def distances(self, errors: Array) -> Array:
        """(frames, blocks) the length of each block's error, given those of all rows (frames, rows)."""
        return np.stack([np.linalg.norm(errors[:, block.rows], axis=1) for block in self.blocks], axis=1)

    def shortened(self, errors: Array, longest: float) -> Array:
        """(frames, rows) errors, those of each block shortened to `longest` where they are longer."""
        factors = np.minimum(1.0, longest / np.maximum(self.distances(errors), longest))
        return errors * np.repeat(factors, self._widths, axis=1)

    @cached_property
    def movers(self) -> BoolArray:
        """(blocks, columns) the columns that may move for each block."""
        owners, skeleton = self.columns.dofs.owners, self.columns.skeleton
        return np.stack([block.task.recruited(skeleton)[owners] for block in self.blocks])

    def across(self, values: Array) -> Array:
        """Values (frames, rows) or (frames, rows, columns) with the rows of rigid heels taken across their feet, in
        place."""
        for block in self.blocks:
            if block.across is not None:
                own = values[:, block.rows]
                values[:, block.rows] = block.across @ own if values.ndim == 3 else times(block.across, own)
        return values

    def jacobian(self, world: WorldState) -> Array:
        """(frames, rows, columns) of all rows, active or not, over the joints that may move in each frame."""
        jacobian = np.empty((len(self.frames), self.count, self.columns.count))
        for block in self.blocks:
            np.multiply(block.task.jacobian(world, self.columns.dofs), block.scale, out=jacobian[:, block.rows])
        jacobian = self.columns.in_parents(jacobian, world)
        return jacobian if self.movable.all() else jacobian * self.movable[:, None]

    @cached_property
    def recruited(self) -> BoolArray | None:
        """(rows, columns) the columns that may move for each row; None where no row excludes one that moves it."""
        if all(block.recruited is None for block in self.blocks):
            return None
        recruited = np.ones((self.count, self.columns.count), dtype=bool)
        for block in self.blocks:
            if block.recruited is not None:
                recruited[block.rows] = block.recruited
        return recruited

    def restricted(self, metric: Array, movable: BoolArray) -> Array:
        """The metric (frames, columns, columns) in which columns that may not move in a frame, (frames, columns), or
        that not the same rows recruit, are not coupled: no joint moves for a task that does not recruit it."""
        coupled = np.ones((1, self.columns.count, self.columns.count), dtype=bool)
        if self.recruited is not None:
            selective = np.unique(self.recruited[~self.recruited.all(axis=1)], axis=0)
            coupled = (selective[:, :, None] == selective[:, None]).all(axis=0)[None]
        if not movable.all():
            coupled = coupled & movable[:, :, None] & movable[:, None]
        if coupled.all():
            return metric
        diagonal = np.einsum("fcc->fc", metric)
        restricted = metric * coupled
        np.einsum("fcc->fc", restricted)[...] = diagonal
        return restricted

    def clamped(self, boundaries: LimitBoundaries, motion: Motion) -> Motion:
        """A motion of these frames with every joint that may move in a frame clamped to its limits there."""
        inside = boundaries.clamped(motion)
        if inside is not motion and not self._movable_joints.all():
            inside.rotations[~self._movable_joints] = motion.rotations[~self._movable_joints]
        return inside
