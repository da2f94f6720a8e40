# SPDX-License-Identifier: GPL-3.0-or-later
"""Degrees of freedom: the columns of a Jacobian that belong to each joint.

The degrees of freedom are velocities in the world frame: a free joint's origin translates along the world axes, a ball
turns about them (a rotation vector through the joint's centre), a hinge turns about its own axis. In these coordinates
every Jacobian is a plain cross product, and no parameterization has a singularity.

Columns are grouped by their kind, not by joint: all translations, then all rotation vectors, then all hinge angles.
Each group is then one slice of a Jacobian, and nothing is scattered on the hot path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array, BoolArray, IntArray
from .joints import JointKind
from .tree import Tree

_Scalar = TypeVar("_Scalar", bound=np.generic)


_AXES = np.arange(3)

_CROSSED = np.array([1, 2, 3, 5, 6, 7])
"""The entries that are not zero in the 3 by 3 matrix from a rotation vector to the velocity at the end of an arm."""


@dataclass(frozen=True, eq=False)
class Carriers:
    """The columns of a `Dofs` that move one joint."""

    shifts: Array
    """(3, columns) the velocity of a point on the joint along each translation column; 0 elsewhere."""
    rotating: IntArray
    """The joints with rotation columns."""
    rotation_columns: IntArray
    """(rotating, 3)"""
    entries: IntArray
    """(rotating, 6) where a Jacobian (3 rows times columns) of a point on the joint has the entries `_CROSSED`."""
    hinged: IntArray
    """The hinges."""
    hinge_columns: IntArray
    """(hinged,)"""


class Dofs:
    """The columns of a set of joints."""

    def __init__(self, kinds: Sequence[JointKind], enabled: BoolArray | None = None) -> None:
        """Take the kind of every joint and which joints may move, (joints,), None for all."""
        may_move = np.ones(len(kinds), dtype=bool) if enabled is None else np.asarray(enabled, dtype=bool)
        kind_of = np.array([kind.value for kind in kinds])
        is_free = kind_of == JointKind.FREE.value
        is_ball = kind_of == JointKind.BALL.value
        is_hinge = kind_of == JointKind.HINGE.value
        self.joints = len(kinds)
        self.translating: IntArray = np.flatnonzero(is_free & may_move)
        """Joints with three translation columns."""
        self.rotating: IntArray = np.flatnonzero((is_free | is_ball) & may_move)
        """Joints with three rotation columns."""
        self.hinged: IntArray = np.flatnonzero(is_hinge & may_move)
        """Joints with one column."""
        translations = 3 * len(self.translating)
        turns = 3 * len(self.rotating)
        self.translation_columns = slice(0, translations)
        self.rotation_columns = slice(translations, translations + turns)
        self.hinge_columns = slice(translations + turns, translations + turns + len(self.hinged))
        self.count = self.hinge_columns.stop
        """How many columns there are."""
        self._carriers: dict[tuple[Tree, int | None], Carriers] = {}

    @cached_property
    def owners(self) -> IntArray:
        """The joint that each column belongs to, (count,)."""
        return np.concatenate([np.repeat(self.translating, 3), np.repeat(self.rotating, 3), self.hinged])

    @cached_property
    def moving(self) -> IntArray:
        """The joints that own at least one column, ascending."""
        return np.unique(self.owners)

    def carriers(self, tree: Tree, joint: int | None) -> Carriers:
        """The columns of the ancestors of a joint, and its own; None: all columns, without their shifts."""
        if (tree, joint) not in self._carriers:
            carries = np.ones(self.joints, dtype=bool) if joint is None else tree.carriers(joint)
            shifts = np.zeros((3, self.count))
            if joint is not None:
                shifts[_AXES, 3 * np.flatnonzero(carries[self.translating])[:, None] + _AXES] = 1.0
            turning, hinges = np.flatnonzero(carries[self.rotating]), np.flatnonzero(carries[self.hinged])
            columns = self.rotation_columns.start + 3 * turning[:, None] + _AXES
            entries = _CROSSED // 3 * self.count + columns[:, _CROSSED % 3]
            hinge_columns = self.hinge_columns.start + hinges
            self._carriers[tree, joint] = Carriers(
                shifts, self.rotating[turning], columns, entries, self.hinged[hinges], hinge_columns
            )
        return self._carriers[tree, joint]

    def spread(self, per_joint: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """Give each column the value of its joint: (…, joints) to (…, count)."""
        return per_joint[..., self.owners]
