# SPDX-License-Identifier: GPL-3.0-or-later
"""Row spaces of batches of Jacobians: bases, projections onto their null spaces, and whitening."""

from __future__ import annotations

import numpy as np

from .arrays import Array, BoolArray

RANK_TOLERANCE = 1e-5
"""A direction whose singular value is below this fraction of its level's Jacobian counts as zero. The squares that
`eigh` decomposes carry rounding of about 1e-8 of the Jacobian; three digits above that are safe."""

WHITENING_RIDGE = 1e-14
"""Share of its trace by which a Gram matrix is lifted before Cholesky, which fails for a whole batch if rounding has
made one frame's matrix indefinite: about the rounding of a hundred rows."""

INVERTED_AT_ONCE = 12
"""Rows of a triangular matrix up to which inverting it by halves is slower than inverting it at once; for few frames,
the third root of the number of entries."""


def times(rows: Array, vectors: Array) -> Array:
    """(frames, rows) the products of rows (frames, rows, columns) with vectors (frames, columns)."""
    return (rows @ vectors[:, :, None])[:, :, 0]


def combined(weights: Array, rows: Array) -> Array:
    """(frames, columns) the sums of rows (frames, rows, columns) with weights (frames, rows)."""
    return (weights[:, None] @ rows)[:, 0]


def outside(basis: Array, rows: Array) -> Array:
    """Rows (frames, rows, columns) projected onto the null space of orthonormal rows (frames, used rows, columns)."""
    if not basis.shape[1]:
        return rows
    return rows - (rows @ basis.swapaxes(1, 2)) @ basis


class RowSpace:
    """The singular directions of a batch of projected Jacobians."""

    def __init__(self, projected: Array, whole: Array) -> None:
        """Decompose `projected` (frames, rows, columns), whose rank is judged by the size of `whole`."""
        self._projected = projected
        self.squares, self.directions = np.linalg.eigh(projected @ projected.swapaxes(1, 2))
        """(frames, rows) squared singular values, ascending, and (frames, rows, rows) their directions as columns."""
        self.rank_square = RANK_TOLERANCE**2 * np.einsum("frc,frc->f", whole, whole)[:, None]
        """(frames, 1) below which a squared singular value counts as zero."""

    @property
    def alive(self) -> BoolArray:
        """(frames, rows) which directions have a singular value that counts as more than zero."""
        return self.squares > self.rank_square

    def basis(self) -> Array:
        """(frames, rows, columns) an orthonormal basis of the row space; zero where a direction is not alive."""
        lengths = np.sqrt(np.where(self.alive, self.squares, 1.0))
        return (self.directions.swapaxes(1, 2) @ self._projected) * (self.alive / lengths)[:, :, None]


def whitening(gram: Array) -> Array:
    """(frames, rows, rows) lower W, the inverse of Cholesky's factor: W · rows are orthonormal if gram is rows · rowsᵀ.

    Rows of zeros stay zero. Rows that depend on others do not stop it but make W large; see `WHITENING_RIDGE`.
    """
    lifted = gram.copy()
    diagonal = np.einsum("frr->fr", lifted)
    diagonal[diagonal == 0.0] = 1.0
    diagonal += WHITENING_RIDGE * diagonal.sum(axis=1, keepdims=True)
    return _inverse_of_lower(np.linalg.cholesky(lifted))


def _inverse_of_lower(lower: Array) -> Array:
    """(frames, rows, rows) inverses of lower triangular matrices: by halves, since `inv` ignores the zeros."""
    rows = lower.shape[1]
    if rows <= INVERTED_AT_ONCE or lower.size <= INVERTED_AT_ONCE**3:
        return np.linalg.inv(lower)
    half = rows // 2
    inverse = np.zeros_like(lower)
    inverse[:, :half, :half] = first = _inverse_of_lower(lower[:, :half, :half])
    inverse[:, half:, half:] = last = _inverse_of_lower(lower[:, half:, half:])
    inverse[:, half:, :half] = -(last @ lower[:, half:, :half]) @ first
    return inverse
