# SPDX-License-Identifier: GPL-3.0-or-later
"""Row spaces by what defines them: orthonormal, spanning, complementary."""

from __future__ import annotations

import numpy as np

from poise.solver.projection import RowSpace, inverse_cholesky, outside, outside_both, times

FRAMES, COLUMNS = 7, 20


def test_the_basis_is_orthonormal_and_spans_the_rows(rng):
    rows = rng.standard_normal((FRAMES, 5, COLUMNS))
    basis = RowSpace(rows, rows).basis()
    assert np.allclose(basis @ basis.swapaxes(1, 2), np.eye(5), atol=1e-12)
    assert np.abs(outside(basis, rows)).max() < 1e-12, "a row is not spanned by the basis of its own row space"


def test_rows_that_repeat_others_bring_no_direction(rng):
    rows = rng.standard_normal((FRAMES, 5, COLUMNS))
    rows[:, 3] = rows[:, 0] - 2.0 * rows[:, 1]
    rows[2:, 4] = 0.0
    space = RowSpace(rows, rows)
    basis = space.basis()
    assert space.alive.sum(axis=1).tolist() == [4, 4, 3, 3, 3, 3, 3]
    gram = basis @ basis.swapaxes(1, 2)
    assert np.allclose(gram, gram @ gram, atol=1e-9), "the basis holds rows that are neither orthonormal nor zero"
    assert np.abs(outside(basis, rows)).max() < 1e-9


def test_what_is_outside_is_orthogonal_to_the_basis(rng):
    rows = rng.standard_normal((FRAMES, 4, COLUMNS))
    basis = RowSpace(rows, rows).basis()
    others = rng.standard_normal((FRAMES, 6, COLUMNS))
    left = outside(basis, others)
    assert np.abs(left @ basis.swapaxes(1, 2)).max() < 1e-13
    assert np.allclose(outside(basis, left), left, atol=1e-13)


def test_a_matrix_is_restricted_on_both_sides(rng):
    rows = rng.standard_normal((FRAMES, 4, COLUMNS))
    basis = RowSpace(rows, rows).basis()
    matrix = rng.standard_normal((FRAMES, COLUMNS, COLUMNS))
    matrix = matrix + matrix.swapaxes(1, 2)
    inner = outside_both(basis, matrix)
    assert np.abs(inner @ basis.swapaxes(1, 2)).max() < 1e-12
    assert np.allclose(inner, inner.swapaxes(1, 2), atol=1e-12)


def test_zero_rows_and_no_frames_are_no_trouble():
    empty = np.zeros((0, 3, COLUMNS))
    assert RowSpace(empty, empty).basis().shape == (0, 3, COLUMNS)
    nothing = np.zeros((2, 3, COLUMNS))
    assert not RowSpace(nothing, nothing).basis().any()


def test_the_inverse_of_cholesky_whitens(rng):
    rows = rng.standard_normal((FRAMES, 5, COLUMNS))
    whitening = inverse_cholesky(rows @ rows.swapaxes(1, 2))
    white = whitening @ rows
    assert np.allclose(white @ white.swapaxes(1, 2), np.eye(5), atol=1e-12)
    assert not np.triu(whitening, 1).any()


def test_the_inverse_of_cholesky_says_where_there_is_none(rng):
    rows = rng.standard_normal((FRAMES, 3, COLUMNS))
    rows[2, 1] = 0.0
    found = np.isfinite(inverse_cholesky(rows @ rows.swapaxes(1, 2))).all(axis=(1, 2))
    assert found.tolist() == [frame != 2 for frame in range(FRAMES)]
    assert inverse_cholesky(np.zeros((0, 3, 3))).shape == (0, 3, 3)


def test_times_is_the_product_frame_by_frame(rng):
    rows, vectors = rng.standard_normal((FRAMES, 4, COLUMNS)), rng.standard_normal((FRAMES, COLUMNS))
    assert np.allclose(times(rows, vectors), np.einsum("frc,fc->fr", rows, vectors))
