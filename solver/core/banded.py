# SPDX-License-Identifier: GPL-3.0-or-later
"""Block-banded linear systems: unknowns in a row, each coupled with two neighbours on either side."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from .arrays import Array

BLOCKS_A_STEP = 100
"""Blocks that are factored between two steps of `factoring`: some milliseconds."""


class BlockPentadiagonal:
    """A symmetric, positive definite block-pentadiagonal matrix, factored by Cholesky block after block.

    The cost is linear in the number of blocks.
    """

    def __init__(self, diagonal: Array, first: Array, second: Array) -> None:
        """`diagonal` (blocks, width, width) are the blocks (k, k), `first` (blocks, width, width) the blocks (k, k + 1)
        and `second` those (k, k + 2), of which the last one and the last two are not used."""
        for _ in self._factor(diagonal, first, second):
            pass

    @classmethod
    def factoring(cls, diagonal: Array, first: Array, second: Array) -> Generator[None, None, BlockPentadiagonal]:
        """As the constructor, a generator that yields after some blocks each and returns the matrix."""
        matrix = cls.__new__(cls)
        yield from matrix._factor(diagonal, first, second)
        return matrix

    def _factor(self, diagonal: Array, first: Array, second: Array) -> Generator[None, None, None]:
        blocks, width = diagonal.shape[:2]
        diagonal, first = diagonal.copy(), first.copy()
        self._inverses = np.empty_like(diagonal)
        """(blocks, width, width) the inverses of the diagonal blocks of Cholesky's factor."""
        self._couplings = np.zeros((blocks, width, 2 * width))
        """(blocks, width, 2 width) the blocks of the factor's transpose right of the diagonal."""
        for k in range(blocks):
            self._inverses[k] = np.linalg.inv(np.linalg.cholesky(diagonal[k]))
            if k + 1 == blocks:
                break
            row = np.concatenate([first[k], second[k]], axis=1)
            row = np.matmul(self._inverses[k], row, out=self._couplings[k])
            near, far = row[:, :width], row[:, width:]
            diagonal[k + 1] -= near.T @ near
            if k + 2 < blocks:
                first[k + 1] -= near.T @ far
                diagonal[k + 2] -= far.T @ far
            if (k + 1) % BLOCKS_A_STEP == 0:
                yield

    def solve(self, right: Array) -> Array:
        """(blocks, width) the solution for a right side (blocks, width)."""
        blocks, width = right.shape
        forward = np.concatenate([right, np.zeros((2, width))])
        for k in range(blocks):
            forward[k] = self._inverses[k] @ forward[k]
            forward[k + 1 : k + 3] -= (forward[k] @ self._couplings[k]).reshape(2, width)
        solution = np.zeros((blocks + 2, width))
        for k in range(blocks - 1, -1, -1):
            following = solution[k + 1 : k + 3].reshape(2 * width)
            solution[k] = (forward[k] - self._couplings[k] @ following) @ self._inverses[k]
        return solution[:blocks]
