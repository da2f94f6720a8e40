# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws texts beside places; where two would cover each other, the less important one is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import blf
import numpy as np

from ..bridge.arrays import Array
from .palette import Palette
from .picking import projected
from .shapes import Color, Label

FONT = 0
POINTS = 11.0
"""The size of the font, at a scale of 1."""
AWAY = 7.0
"""Pixels, at a scale of 1, from a place to its text."""
GAP = 2.0
"""Pixels that stay free between texts."""
BOTTOM = 14.0
"""Pixels, at a scale of 1, from the bottom of the region to the line that says what is shown."""
MOST = 60
"""How many texts are drawn at most: a view with more of them is too far away to read any."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top in pixels."""


def kept_labels(
    labels: Sequence[Label],
    pixels: Array,
    is_leftward: Sequence[bool],
    sizes: Sequence[tuple[float, float]],
    region: tuple[float, float],
    away: float,
) -> list[tuple[Label, float, float]]:
    """The labels that are drawn, each with its left and bottom pixel: those inside the region, without those that would
    cover a more important one.

    `pixels` (n, 2) are where their places appear, `sizes` the widths and heights of their texts, and `is_leftward`
    says which are put to the left of their place.
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
        left = x - away - width if is_leftward[index] else x + away
        bottom = y - 0.5 * height if labels[index].away_from is not None else y + away
        box = left - GAP, bottom - GAP, left + width + GAP, bottom + height + GAP
        if not any(_overlap(box, other) for other in boxes):
            boxes.append(box)
            kept.append((labels[index], left, bottom))
    return kept


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
    is_leftward = (pixels[:, 0] < origins[:, 0]).tolist()
    with _Writing(palette, scale):
        sizes: list[Any] = [blf.dimensions(FONT, label.text) for label in given]
        for label, left, bottom in kept_labels(given, pixels, is_leftward, sizes, region, AWAY * scale):
            _write(label.text, left, bottom, label.color)


def draw_status(text: str, color: Color, region: tuple[float, float], palette: Palette, scale: float) -> None:
    """Draw a line in the middle of the bottom of a region."""
    with _Writing(palette, 1.3 * scale):
        width, _ = blf.dimensions(FONT, text)
        _write(text, 0.5 * (region[0] - width), BOTTOM * scale, color)


class _Writing:
    """Sets the font's size and a shadow in the colour of the background, so that texts are legible on anything."""

    def __init__(self, palette: Palette, scale: float) -> None:
        self.palette, self.scale = palette, scale

    def __enter__(self) -> None:
        blf.size(FONT, POINTS * self.scale)
        blf.enable(FONT, blf.SHADOW)
        blf.shadow(FONT, 5, *self.palette.background[:3], 1.0)
        blf.shadow_offset(FONT, 1, -1)

    def __exit__(self, *_: object) -> None:
        blf.disable(FONT, blf.SHADOW)


def _write(text: str, left: float, bottom: float, color: Color) -> None:
    blf.position(FONT, left, bottom, 0.0)
    blf.color(FONT, *color)
    blf.draw(FONT, text)
