# SPDX-License-Identifier: GPL-3.0-or-later
"""Values with their derivatives, a batch of frames at a time: the forward mode of automatic differentiation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import TINY, Array


@dataclass(frozen=True, eq=False)
class Dual:
    """Vectors or numbers of all frames, and how they change with the columns of a Jacobian."""

    value: Array
    """(frames, width)"""
    jacobian: Array
    """(frames, width, columns)"""

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.jacobian + other.jacobian)

    def __sub__(self, other: Dual) -> Dual:
        return Dual(self.value - other.value, self.jacobian - other.jacobian)

    def __mul__(self, factor: float) -> Dual:
        return Dual(self.value * factor, self.jacobian * factor)


class DualAlgebra:
    """Products, lengths and directions of duals."""

    def dot(self, a: Dual, b: Dual) -> Dual:
        """(frames, 1) the dot products."""
        return Dual(
            np.einsum("fk,fk->f", a.value, b.value)[:, None],
            a.value[:, None] @ b.jacobian + b.value[:, None] @ a.jacobian,
        )

    def length(self, v: Dual) -> Dual:
        """(frames, 1) the lengths; that of a zero vector has no derivative, and gets 0."""
        lengths = np.sqrt(np.einsum("fk,fk->f", v.value, v.value))[:, None]
        return Dual(lengths, (v.value / np.maximum(lengths, TINY))[:, None] @ v.jacobian)

    def unit(self, v: Dual) -> Dual:
        """(frames, width) the directions: the change across a vector, divided by its length. A zero vector stays
        zero."""
        lengths = np.maximum(np.sqrt(np.einsum("fk,fk->f", v.value, v.value)), TINY)
        unit = v.value / lengths[:, None]
        across = v.jacobian - unit[:, :, None] * (unit[:, None] @ v.jacobian)
        is_zero = ~v.value.any(axis=1)
        across[is_zero] = 0.0
        return Dual(unit, across / lengths[:, None, None])


class ArrayAlgebra:
    """The same of plain arrays."""

    def dot(self, a: Array, b: Array) -> Array:
        """(frames, 1) the dot products of vectors (frames, width)."""
        return np.einsum("fk,fk->f", a, b)[:, None]

    def length(self, v: Array) -> Array:
        """(frames, 1) the lengths of vectors (frames, width)."""
        return np.asarray(np.sqrt(np.einsum("fk,fk->f", v, v))[:, None])

    def unit(self, v: Array) -> Array:
        """(frames, width) the directions of vectors; a zero vector stays zero."""
        return v / np.maximum(self.length(v), TINY)
