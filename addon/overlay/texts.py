# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws texts beside places; where two would cover each other, the less important one is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import blf
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..bridge.arrays import Array
from .palette import Palette
from .picking import projected
from .shapes import Color, Label, shade

FONT = 0
POINTS = 11.0
"""The size of the font, at a scale of 1."""
AWAY = 7.0
"""Pixels, at a scale of 1, from a place to its text."""
GAP = 3.0
"""Pixels of the plate around a text."""
PLATE = 0.8
"""The alpha of the plates behind texts, which are legible so on lines and areas of any colour."""
BOTTOM = 14.0
"""Pixels, at a scale of 1, from the bottom of the region to the line that says what is shown."""
MOST = 60
"""How many texts are drawn at most: a view with more of them is too far away to read any."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top in pixels."""


def kept_labels(
    labels: Sequence[Label],
    pixels: Array,
    directions: Array,
    sizes: Sequence[tuple[float, float]],
    region: tuple[float, float],
    away: float,
) -> list[tuple[Label, float, float]]:
    """The labels that are drawn, each with its left and bottom pixel: those inside the region, each on the side of its
    place where it covers no more important one; without those that have no such side.

    `pixels` (n, 2) are where their places appear, `directions` (n, 2) the sides of their places, in pixels, where their
    texts should be (zero: anywhere), and `sizes` the widths and heights of their texts.
    """
    kept: list[tuple[Label, float, float]] = []
    boxes: list[Box] = []
    for index in sorted(range(len(labels)), key=lambda index: (labels[index].rank, index)):
        if len(kept) >= MOST:
            break
        x, y = pixels[index].tolist()
        if not (0.0 <= x <= region[0] and 0.0 <= y <= region[1]):  # neither for NaN, which is behind the viewer
            continue
        width, height = sizes[index]
        for left, bottom in _ways(x, y, width, height, directions[index].tolist(), away):
            box = box_around(left, bottom, width, height)
            if not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                kept.append((labels[index], left, bottom))
                break
    return kept


def _ways(
    x: float, y: float, width: float, height: float, direction: Sequence[float], away: float
) -> list[tuple[float, float]]:
    """The left and bottom pixels that are tried for a text beside a pixel, those in a direction first."""
    left, right, above, below = x - away - width, x + away, y + away, y - away - height
    near, far = (left, right) if direction[0] < 0.0 else (right, left)
    first: list[tuple[float, float]] = []
    if abs(direction[0]) > away:
        first.append((near, y - 0.5 * height))
    elif direction[0] or direction[1]:
        first += [(x - 0.5 * width, below), (x - 0.5 * width, above)]
    return [*first, (near, above), (near, below), (far, above), (far, below)]


def box_around(left: float, bottom: float, width: float, height: float) -> Box:
    """The box of a text with its margin."""
    return left - GAP, bottom - GAP, left + width + GAP, bottom + height + GAP


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def draw_labels(
    labels: Iterable[Label], perspective: Array, region: tuple[float, float], palette: Palette, scale: float
) -> None:
    """Draw texts beside the pixels of a region where their places appear."""
    given = list(labels)
    if not given:
        return
    pixels = projected(np.array([label.place for label in given]), perspective, region)
    origins = projected(np.array([label.away_from or label.place for label in given]), perspective, region)
    blf.size(FONT, POINTS * scale)
    sizes: list[Any] = [blf.dimensions(FONT, label.text) for label in given]
    kept = kept_labels(given, pixels, pixels - origins, sizes, region, AWAY * scale)
    size_of = dict(zip(given, sizes, strict=True))
    _draw_plates([box_around(left, bottom, *size_of[label]) for label, left, bottom in kept], palette)
    for label, left, bottom in kept:
        _write(label.text, left, bottom, label.color)


def _draw_plates(boxes: Sequence[Box], palette: Palette) -> None:
    """Draw areas in the colour of the background, of each box of pixels."""
    if not boxes:
        return
    corners = np.array(boxes, dtype=np.float32)[:, [[0, 1], [2, 1], [2, 3], [0, 1], [2, 3], [0, 3]]].reshape(-1, 2)
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    content: Any = {"pos": np.concatenate([corners, np.zeros((len(corners), 1), dtype=np.float32)], axis=1)}
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", shade(palette.background, PLATE))
    batch_for_shader(shader, "TRIS", content).draw(shader)
    gpu.state.blend_set("NONE")


def draw_status(text: str, color: Color, region: tuple[float, float], palette: Palette, scale: float) -> None:
    """Draw a line in the middle of the bottom of a region."""
    blf.size(FONT, 1.3 * POINTS * scale)
    width, height = blf.dimensions(FONT, text)
    left = 0.5 * (region[0] - width)
    _draw_plates([box_around(left, BOTTOM * scale, width, height)], palette)
    _write(text, left, BOTTOM * scale, color)


def _write(text: str, left: float, bottom: float, color: Color) -> None:
    blf.position(FONT, left, bottom, 0.0)
    blf.color(FONT, *color)
    blf.draw(FONT, text)
