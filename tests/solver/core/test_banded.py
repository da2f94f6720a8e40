# SPDX-License-Identifier: GPL-3.0-or-later
"""Block-banded systems against a dense solve."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.core.banded import BLOCKS_A_STEP, BlockPentadiagonal


def random_system(rng: np.random.Generator, blocks: int, width: int) -> tuple[Array, Array, Array, Array]:
    """The blocks of a random positive definite matrix, (blocks, width, width) each, and the same as one matrix."""
    count = blocks * width
    half = np.zeros((count, count))
    for k in range(blocks):
        reach = slice(k * width, min(k + 3, blocks) * width)
        half[k * width : (k + 1) * width, reach] = rng.standard_normal((width, reach.stop - reach.start))
    dense = half.T @ half + 0.1 * np.eye(count)
    tiles = np.zeros((blocks + 2, blocks + 2, width, width))
    tiles[:blocks, :blocks] = dense.reshape(blocks, width, blocks, width).swapaxes(1, 2)
    at = np.arange(blocks)
    # Blocks beyond the end are not used, whatever they hold.
    tiles[:, blocks:] = np.nan
    return tiles[at, at], tiles[at, at + 1], tiles[at, at + 2], dense


@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 25])
@pytest.mark.parametrize("width", [1, 2, 7])
def test_solutions_are_those_of_a_dense_solve(blocks: int, width: int, rng: np.random.Generator) -> None:
    diagonal, first, second, dense = random_system(rng, blocks, width)
    system = BlockPentadiagonal(diagonal, np.nan_to_num(first), np.nan_to_num(second))
    for right in rng.standard_normal((3, blocks, width)):
        expected = np.linalg.solve(dense, right.ravel()).reshape(blocks, width)
        np.testing.assert_allclose(system.solve(right), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_the_last_couplings_are_not_used(rng: np.random.Generator) -> None:
    diagonal, first, second, _ = random_system(rng, 5, 3)
    assert np.isnan(first[-1]).all() and np.isnan(second[-2:]).all()
    right = rng.standard_normal((5, 3))
    given = np.nan_to_num(first), np.nan_to_num(second)
    other = np.nan_to_num(first, nan=7.0), np.nan_to_num(second, nan=-3.0)
    solutions = [BlockPentadiagonal(diagonal, *each).solve(right) for each in (given, other)]
    np.testing.assert_array_equal(*solutions)


def test_blocks_without_couplings_are_solved_one_by_one(rng: np.random.Generator) -> None:
    roots = rng.standard_normal((6, 4, 4))
    diagonal = roots @ roots.swapaxes(1, 2) + np.eye(4)
    right = rng.standard_normal((6, 4))
    nothing = np.zeros_like(diagonal)
    found = BlockPentadiagonal(diagonal, nothing, nothing).solve(right)
    np.testing.assert_allclose(found, np.linalg.solve(diagonal, right[..., None])[..., 0], atol=1e-10)


def test_neither_matrix_nor_right_side_is_changed(rng: np.random.Generator) -> None:
    diagonal, first, second, _ = random_system(rng, 6, 3)
    given = [diagonal, np.nan_to_num(first), np.nan_to_num(second), rng.standard_normal((6, 3))]
    before = [each.copy() for each in given]
    BlockPentadiagonal(*given[:3]).solve(given[3])
    for one, other in zip(given, before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_matrix_that_is_not_positive_definite_is_refused(rng: np.random.Generator) -> None:
    diagonal, first, second, _ = random_system(rng, 4, 2)
    with pytest.raises(np.linalg.LinAlgError):
        BlockPentadiagonal(-diagonal, np.nan_to_num(first), np.nan_to_num(second))


def test_factoring_in_steps_gives_the_same_matrix(rng: np.random.Generator) -> None:
    diagonal, first, second, _ = random_system(rng, 2 * BLOCKS_A_STEP + 5, 2)
    given, right = (diagonal, np.nan_to_num(first), np.nan_to_num(second)), rng.standard_normal((len(diagonal), 2))
    steps, yielded = BlockPentadiagonal.factoring(*given), 0
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            system: BlockPentadiagonal = stop.value
            break
        yielded += 1
    assert yielded == 2
    np.testing.assert_array_equal(system.solve(right), BlockPentadiagonal(*given).solve(right))
