# SPDX-License-Identifier: GPL-3.0-or-later
"""Block-banded linear systems: unknowns in a row, each coupled with two neighbours on either side."""

from __future__ import annotations

import numpy as np

from .arrays import Array


def solve_block_pentadiagonal(diagonal: Array, first: Array, second: Array, right: Array) -> Array:
    """(blocks, width) the solution of a symmetric, positive definite block-pentadiagonal system.

    `diagonal` (blocks, width, width) are the blocks (k, k), `first` (blocks, width, width) the blocks (k, k + 1) and
    `second` those (k, k + 2), of which the last one and the last two are not used; `right` (blocks, width) is the right
    side. Cholesky's factorization, block after block: its cost is linear in the number of blocks.
    """
    blocks, width = right.shape
    diagonal, first, right = diagonal.copy(), first.copy(), right.copy()
    factors, eliminated = np.empty_like(diagonal), np.zeros((blocks, width, 2 * width + 1))
    for k in range(blocks):
        factors[k] = np.linalg.inv(np.linalg.cholesky(diagonal[k]))
        row = np.concatenate([right[k][:, None], first[k], second[k]], axis=1)
        row = np.matmul(factors[k], row, out=eliminated[k])
        if k + 1 == blocks:
            break
        known, near, far = row[:, 0], row[:, 1 : width + 1], row[:, width + 1 :]
        diagonal[k + 1] -= near.T @ near
        right[k + 1] -= known @ near
        if k + 2 < blocks:
            first[k + 1] -= near.T @ far
            diagonal[k + 2] -= far.T @ far
            right[k + 2] -= known @ far
    solution = np.zeros((blocks + 2, width))
    for k in range(blocks - 1, -1, -1):
        following = np.concatenate([solution[k + 1], solution[k + 2]])
        solution[k] = (eliminated[k, :, 0] - eliminated[k, :, 1:] @ following) @ factors[k]
    return solution[:blocks]
