# SPDX-License-Identifier: GPL-3.0-or-later
"""Row spaces by their definition: orthonormal, spanning, complementary."""

from __future__ import annotations

import numpy as np

from poise.solver.core.row_space import RowSpace, combined, outside, times, whitening

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


def test_zero_rows_and_no_frames_are_no_trouble():
    empty = np.zeros((0, 3, COLUMNS))
    assert RowSpace(empty, empty).basis().shape == (0, 3, COLUMNS)
    nothing = np.zeros((2, 3, COLUMNS))
    assert not RowSpace(nothing, nothing).basis().any()


def test_whitening_makes_rows_orthonormal_in_their_order(rng):
    rows = rng.standard_normal((FRAMES, 5, COLUMNS))
    gram = rows @ rows.swapaxes(1, 2)
    before = gram.copy()
    whitener = whitening(gram)
    white = whitener @ rows
    assert np.allclose(white @ white.swapaxes(1, 2), np.eye(5), atol=1e-12)
    assert np.abs(np.triu(whitener, 1)).max() < 1e-15, "a row is mixed with rows that come after it"
    assert np.array_equal(gram, before), "whitening has written to its input"


def test_whitening_is_large_where_rows_depend_on_each_other_and_leaves_zero_rows_alone(rng):
    rows = rng.standard_normal((FRAMES, 4, COLUMNS))
    rows[2, 3] = rows[2, 0] - 2.0 * rows[2, 1]
    rows[4, 1] = 0.0
    rows[5] = 0.0
    whitener = whitening(rows @ rows.swapaxes(1, 2))
    size = np.abs(whitener).max(axis=(1, 2))
    assert size[2] > 1e4, "rows that repeat each other go unnoticed"
    assert np.delete(size, 2).max() < 10.0
    assert not (whitener @ rows)[4, 1].any() and not (whitener @ rows)[5].any()
    assert whitening(np.zeros((0, 3, 3))).shape == (0, 3, 3)
    assert whitening(np.zeros((2, 0, 0))).shape == (2, 0, 0)


def test_times_is_the_product_frame_by_frame(rng):
    rows, vectors = rng.standard_normal((FRAMES, 4, COLUMNS)), rng.standard_normal((FRAMES, COLUMNS))
    assert np.allclose(times(rows, vectors), np.einsum("frc,fc->fr", rows, vectors))


def test_combined_rows_are_the_weighted_sum_frame_by_frame(rng):
    rows, weights = rng.standard_normal((FRAMES, 4, COLUMNS)), rng.standard_normal((FRAMES, 4))
    assert np.allclose(combined(weights, rows), np.einsum("fr,frc->fc", weights, rows))
