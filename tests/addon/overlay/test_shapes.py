# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures are arrays as Blender reads them: float32, row by row, a colour for each vertex."""

from __future__ import annotations

import numpy as np
import pytest

from poise.addon.overlay.shapes import EMPTY, Pen, frames_text, runs, shade

RED = (1.0, 0.0, 0.0, 0.5)
SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])


def test_arrays_are_single_precision_and_contiguous() -> None:
    pen = Pen()
    pen.area(SQUARE, RED)
    pen.put("dots", SQUARE.T[:, :3], np.tile(RED, (3, 1)))
    for vertices in pen.picture().vertices.values():
        for array in vertices:
            assert array.dtype == np.float32 and array.flags.c_contiguous
        assert (vertices.colors == np.array(RED, dtype=np.float32)).all()


def test_a_line_has_two_ends_for_each_segment_and_may_be_closed() -> None:
    pen = Pen()
    pen.strip(SQUARE, RED)
    assert pen.picture().vertices["thin"].places.tolist() == SQUARE[[0, 1, 1, 2, 2, 3]].tolist()
    pen = Pen()
    pen.strip(SQUARE, RED, "bold", is_closed=True)
    assert pen.picture().vertices["bold"].places[-2:].tolist() == SQUARE[[3, 0]].tolist()


def test_dashes_leave_out_half_of_a_line() -> None:
    def length(places: np.ndarray) -> float:
        return float(np.linalg.norm(places[1::2] - places[::2], axis=1).sum())

    whole, dashed = Pen(), Pen()
    whole.strip(SQUARE, RED, is_closed=True)
    dashed.dashes(SQUARE, RED, is_closed=True)
    lengths = [length(pen.picture().vertices["thin"].places) for pen in (whole, dashed)]
    assert lengths == [pytest.approx(4.0), pytest.approx(2.0)]


def test_an_area_is_covered_once() -> None:
    pen = Pen()
    pen.area(SQUARE, RED)
    a, b, c = np.split(pen.picture().vertices["faces"].places.reshape(-1, 3, 3).astype(np.float64), 3, axis=1)
    assert 0.5 * np.cross((b - a)[:, 0], (c - a)[:, 0])[:, 2].sum() == pytest.approx(1.0)


def test_without_anything_a_picture_is_empty() -> None:
    pen = Pen()
    pen.put("thin", np.zeros((0, 3)), RED)
    assert pen.picture() is EMPTY and EMPTY.is_empty
    pen.text("1", (0.0, 0.0, 0.0), RED)
    assert not pen.picture().is_empty


def test_shades_keep_the_hue() -> None:
    assert shade((0.2, 0.4, 0.6)) == (0.2, 0.4, 0.6, 1.0)
    assert shade((0.2, 0.4, 0.6, 1.0), 0.3) == (0.2, 0.4, 0.6, 0.3)
    assert shade((0.2, 0.4, 0.6), light=0.5) == pytest.approx((0.6, 0.7, 0.8, 1.0))


def test_frames_are_one_number_or_two() -> None:
    assert frames_text(12.0, 12.0) == "12" and frames_text(12.0, 40.5) == "12\N{EN DASH}40.5"


def test_runs_are_consecutive() -> None:
    assert runs([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 7), (9, 10)] and runs([]) == []
