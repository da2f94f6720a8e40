# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of geometry is drawn where it is, in its colour, from batches that are kept."""

from __future__ import annotations

import numpy as np
import pytest

from poise.addon.overlay.canvas import Canvas
from poise.addon.overlay.shapes import Kind, Pen, Picture

from .offscreen import HEIGHT, WIDTH, around, from_above, pixels_of

VIEW = from_above((0.0, 0.0, 0.0), 1.0)
ORANGE = (1.0, 0.5, 0.0, 1.0)


def picture(kind: Kind, color: tuple[float, float, float, float] = ORANGE) -> Picture:
    pen = Pen()
    corners = {
        "faces": [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.0, 0.5, 0.0]],
        "thin": [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
        "bold": [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
        "ticks": [[0.0, 0.0, 0.0]],
        "dots": [[0.0, 0.0, 0.0]],
    }
    pen.put(kind, corners[kind], color)
    return pen.picture()


def drawn(canvas: Canvas, *parts: tuple[str, Picture]) -> np.ndarray:
    return pixels_of(lambda: canvas.draw(parts, (WIDTH, HEIGHT)), VIEW)


@pytest.mark.parametrize("kind", ["faces", "thin", "bold", "ticks", "dots"])
def test_it_is_drawn_in_its_colour_where_it_is(kind: Kind) -> None:
    pixels = drawn(Canvas(), ("part", picture(kind)))
    middle = around(pixels, (0.0, 0.0, 0.0), VIEW)
    strongest = middle.reshape(-1, 4)[middle[..., 3].argmax()]
    assert strongest[3] > 0.9 and strongest[0] > strongest[1] > strongest[2] == pytest.approx(0.0, abs=0.02)
    assert not around(pixels, (0.8, 0.8, 0.0), VIEW).any()


def test_bold_lines_and_dots_are_larger() -> None:
    counts = {
        kind: int((drawn(Canvas(), ("part", picture(kind)))[..., 3] > 0.1).sum())
        for kind in ("thin", "bold", "ticks", "dots")
    }
    assert counts["bold"] > 1.5 * counts["thin"] and counts["dots"] > 2 * counts["ticks"] > 0


def test_nothing_is_drawn_of_nothing() -> None:
    assert not drawn(Canvas()).any()


def test_batches_are_kept_until_their_picture_changes() -> None:
    canvas = Canvas()
    face, line = picture("faces"), picture("thin")
    for _ in range(3):
        drawn(canvas, ("a", face), ("b", line))
    assert canvas.built == 2
    drawn(canvas, ("a", face), ("b", picture("bold")))
    assert canvas.built == 3
    drawn(canvas, ("a", face))
    drawn(canvas, ("a", face), ("b", line))
    assert canvas.built == 4, "what is not drawn is not kept"


def test_faint_areas_let_through_what_is_behind() -> None:
    pen = Pen()
    pen.area([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]], (0.0, 0.0, 1.0, 1.0))
    both = drawn(Canvas(), ("a", pen.picture()), ("b", picture("faces", (1.0, 0.0, 0.0, 0.5))))
    red, _, blue, _ = around(both, (0.0, 0.0, 0.0), VIEW, 0).reshape(4)
    assert 0.2 < red < 0.9 and 0.2 < blue < 0.9
