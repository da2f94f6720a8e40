# SPDX-License-Identifier: GPL-3.0-or-later
"""The unknowns of a spacetime problem: coefficients of splines, and the matrices from them to values at instants.

Joints, muscles and the centre of mass are cubic B-splines with a knot at each point of the grid. The rotations of the
root are splines of degree 5 with triple knots, three times as many: nothing drives them but the equations of motion,
which hold at the points and at two instants between each two of them. Forces are linear between points: then so is the
acceleration of the centre of mass, and the sum of forces moves it exactly at every instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import Array, ArrayLike, BoolArray, IntArray
from ...core.bsplines import basis, cyclic_basis, open_knots
from ..characters.character import ROOT_DOFS, SimplifiedCharacter
from ..optimiser_package import require
from .stances import Push, Stance
from .time_grid import TimeGrid

SAME_TIME = 1e-6
"""Times nearer to each other than this, in √(size / gravity), are the same."""


@dataclass(frozen=True)
class SplineSpace:
    """Splines over the grid of one degree and smoothness."""

    points: tuple[float, ...]
    degree: int
    multiplicity: int
    is_cyclic: bool

    def basis(self, times: ArrayLike, derivative: int = 0) -> Array:
        """(times, coefficients) the B-splines at times, or their derivatives."""
        if self.is_cyclic:
            return cyclic_basis(self.points, self.degree, times, derivative, self.multiplicity)
        return basis(open_knots(self.points, self.degree, self.multiplicity), self.degree, times, derivative)

    @cached_property
    def count(self) -> int:
        """The number of coefficients."""
        return int(self.basis(self.points[:1]).shape[1])


@dataclass(frozen=True, eq=False)
class ForceTrack:
    """One push of the ground over time: its unknown values at points of the grid."""

    stance: int
    """The index of its stance."""
    slot: int
    """Which of the forces in the state of an instant it is."""
    nodes: IntArray
    """The points of the grid at which it is unknown, in the order of time; elsewhere it is zero. In a cyclic motion the
    last ones of a cycle may be followed by its first ones."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each unknown is in the vector of all."""

    character: SimplifiedCharacter
    grid: TimeGrid
    tracks: tuple[ForceTrack, ...]
    slots: int
    """How many forces the state of an instant has."""
    drift: Array | None = None
    """(3,) of a cyclic motion: how far the centre of mass comes in one cycle. None: the motion is not cyclic."""

    @property
    def is_cyclic(self) -> bool:
        """Whether the last instant is the first one of the next cycle."""
        return self.drift is not None

    @property
    def joints(self) -> int:
        """The degrees of freedom that muscles move."""
        return len(self.character) - ROOT_DOFS

    def _space(self, degree: int, multiplicity: int) -> SplineSpace:
        return SplineSpace(tuple(self.grid.points), degree, multiplicity, self.is_cyclic)

    @cached_property
    def cubic(self) -> SplineSpace:
        """Of joints, muscles and the centre of mass."""
        return self._space(3, 1)

    @cached_property
    def quintic(self) -> SplineSpace:
        """Of the root's rotations."""
        return self._space(5, 3)

    def space_of(self, dof: int) -> SplineSpace:
        """The splines of a degree of freedom."""
        return self.quintic if 3 <= dof < ROOT_DOFS else self.cubic

    @cached_property
    def dof_slices(self) -> tuple[slice, ...]:
        """The coefficients of each degree of freedom."""
        return _slices(0, [self.space_of(dof).count for dof in range(len(self.character))])

    @cached_property
    def muscle_slices(self) -> tuple[slice, ...]:
        """The coefficients of each muscle."""
        return _slices(self.dof_slices[-1].stop, [self.cubic.count] * self.joints)

    @cached_property
    def force_slices(self) -> tuple[slice, ...]:
        """The values of each force: three for each node, node after node."""
        begin = (self.muscle_slices or self.dof_slices)[-1].stop
        return _slices(begin, [3 * len(track.nodes) for track in self.tracks])

    @property
    def duration(self) -> int:
        """The unknown by which all time is stretched, the last one."""
        return (self.force_slices or self.muscle_slices or self.dof_slices)[-1].stop

    @property
    def unknowns(self) -> int:
        """How many there are."""
        return self.duration + 1

    # The state of an instant: values, velocities and accelerations of all degrees of freedom, values and velocities of
    # muscles, the forces of all contacts, and the stretch of time.

    @property
    def width(self) -> int:
        """The length of the state of an instant."""
        return 3 * len(self.character) + 2 * self.joints + 3 * self.slots + 1

    def states(self, times: ArrayLike) -> tuple[Any, Array]:
        """The sparse matrix (times · width, unknowns) from unknowns to the states of all times, one after the other,
        and what is added to these, (width, times)."""
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        ca = require()
        entries: list[tuple[IntArray, IntArray, Array]] = []
        count, dofs = len(times), len(self.character)
        row: IntArray = np.arange(count) * self.width

        def add(at: int, columns: IntArray, values: Array) -> None:
            """The entries of a dense block (times, columns) for one number of the state."""
            r, c = np.nonzero(values)
            entries.append((row[r] + at, columns[c], values[r, c]))

        for derivative in range(3):
            tables = {space: space.basis(times, derivative) for space in (self.cubic, self.quintic)}
            for dof in range(dofs):
                own = self.dof_slices[dof]
                add(derivative * dofs + dof, np.arange(own.start, own.stop), tables[self.space_of(dof)])
            if derivative < 2:
                for joint, own in enumerate(self.muscle_slices):
                    at = 3 * dofs + derivative * self.joints + joint
                    add(at, np.arange(own.start, own.stop), tables[self.cubic])
        hats = self._hats(times)
        for track, own in zip(self.tracks, self.force_slices, strict=True):
            at = 3 * dofs + 2 * self.joints + 3 * track.slot
            for axis in range(3):
                add(at + axis, np.arange(own.start + axis, own.stop, 3), hats[:, track.nodes])
        add(self.width - 1, np.array([self.duration]), np.ones((count, 1)))
        rows, columns, values = (np.concatenate(each) for each in zip(*entries, strict=True))
        matrix = ca.DM.triplet(rows.tolist(), columns.tolist(), ca.DM(values), count * self.width, self.unknowns)
        constant = np.zeros((self.width, count))
        if self.drift is not None:
            period = self.grid.points[-1] - self.grid.points[0]
            constant[:3] = np.outer(self.drift, (times - self.grid.points[0]) / period)
            constant[dofs : dofs + 3] = (self.drift / period)[:, None]
        return matrix, constant

    def pushes_at(self, track: ForceTrack, times: Array) -> BoolArray:
        """(times,) whether a force may differ from zero at these times."""
        return np.asarray(self._hats(times)[:, track.nodes].any(axis=1))

    def _hats(self, times: Array) -> Array:
        """(times, points) linear interpolation between the points, constant outside; in a cycle the last point is the
        first one."""
        points = self.grid.points
        if self.is_cyclic:
            times = points[0] + np.mod(times - points[0], points[-1] - points[0])
        hats = np.zeros((len(times), len(points)))
        after = np.clip(np.searchsorted(points, times, side="right"), 1, len(points) - 1)
        share = np.clip((times - points[after - 1]) / (points[after] - points[after - 1]), 0.0, 1.0)
        hats[np.arange(len(times)), after - 1] = 1.0 - share
        hats[np.arange(len(times)), after] += share
        if self.is_cyclic:
            hats[:, 0] += hats[:, -1]
            hats[:, -1] = 0.0
        return hats


def _slices(begin: int, lengths: Sequence[int]) -> tuple[slice, ...]:
    ends = begin + np.cumsum(lengths)
    return tuple(slice(int(end) - length, int(end)) for end, length in zip(ends, lengths, strict=True))


def force_tracks(
    stances: Sequence[Stance], grid: TimeGrid, slots: Mapping[str, int], is_cyclic: bool
) -> tuple[ForceTrack, ...]:
    """The forces of all stances: zero where they begin and end, unless the clip begins or ends there.

    `slots` is the place in the state of an instant of each landmark that the ground pushes. A push that no point of the
    grid lies in has no force.
    """
    tracks = []
    for index, stance in enumerate(stances):
        for push in stance.pushes:
            nodes = _cyclic_nodes(push, grid.points) if is_cyclic else _nodes(push, grid.points)
            if len(nodes):
                tracks.append(ForceTrack(index, slots[push.name], nodes))
    return tuple(tracks)


def _nodes(push: Push, points: Array) -> IntArray:
    """The points at which a force may differ from zero."""
    inside = (points > push.begin + SAME_TIME) & (points < push.end - SAME_TIME)
    # A stance that the clip cuts pushes at the cut as well.
    inside[0] |= push.begin <= points[0] + SAME_TIME < push.end
    inside[-1] |= push.begin < points[-1] - SAME_TIME <= push.end
    return np.flatnonzero(inside)


def _cyclic_nodes(push: Push, points: Array) -> IntArray:
    """The same in a cyclic motion, of which the last point is the first one of the next cycle."""
    period = points[-1] - points[0]
    inside = np.zeros(len(points) - 1, dtype=bool)
    for shift in (-period, 0.0, period):
        times = points[:-1] + shift
        inside |= (times > push.begin + SAME_TIME) & (times < push.end - SAME_TIME)
    nodes = np.flatnonzero(inside)
    gap = np.flatnonzero(np.diff(nodes) > 1)
    # A push that goes on in the next cycle begins after the gap.
    return np.roll(nodes, -int(gap[0]) - 1) if len(gap) else nodes
