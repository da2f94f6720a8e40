# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass, the line down from it, and the area that the planted feet support."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..bridge.arrays import Array
from .palette import Palette
from .shapes import Pen, Picture, shade
from .soles import UP, Footprint

MARK = 0.04
"""Half the size of the cross where the line meets the ground, in sizes of the character."""


def support_of(footprints: Sequence[Footprint], frame: float) -> Array:
    """(corners, 3) the convex hull, seen from above, of the footprints that stand in a frame of the scene; empty where
    none does. Proposals and what is switched off do not count."""
    standing = [
        each.outline
        for each in footprints
        if each.mark.is_at(frame) and each.mark.is_enabled and not each.mark.is_proposal
    ]
    if not standing:
        return np.zeros((0, 3))
    corners = np.concatenate(standing)
    return corners[hull(corners[:, :2])]


def hull(places: Array) -> list[int]:
    """The indices of the corners of the convex hull of places (n, 2), counter-clockwise."""
    found: list[list[float]] = places.tolist()
    order = sorted(range(len(found)), key=lambda index: found[index])
    halves: list[list[int]] = []
    for sequence in (order, order[::-1]):
        half: list[int] = []
        for index in sequence:
            while len(half) > 1 and _turn(found[half[-2]], found[half[-1]], found[index]) <= 0.0:
                half.pop()
            half.append(index)
        halves.append(half[:-1])
    return halves[0] + halves[1]


def _turn(first: list[float], second: list[float], third: list[float]) -> float:
    """Positive where the way from the first place over the second to the third turns left."""
    (x, y), (ax, ay), (bx, by) = first, second, third
    return (ax - x) * (by - y) - (ay - y) * (bx - x)


def is_over(support: Array, place: Array) -> bool:
    """Whether a place (3,) is above a convex area (corners, 3)."""
    following = np.roll(support, -1, axis=0)
    side, away = following - support, place - support
    return bool((side[:, 0] * away[:, 1] - side[:, 1] * away[:, 0] >= 0.0).all())


def balance_picture(
    center: Array, support: Array, ground_height: float, size: float, palette: Palette, strength: float = 1.0
) -> Picture:
    """The centre of mass (3,), the line down to the ground and the area of support (corners, 3).

    All is red where the centre is not over the area; without an area, as in a jump, it is not judged.
    """
    pen = Pen()
    leaves = len(support) > 2 and not is_over(support, center)
    color = shade(palette.missed if leaves else palette.text, strength)
    foot = center.copy()
    foot[UP] = support[:, UP].mean() if len(support) else ground_height
    pen.put("dots", center, color)
    pen.strip([center, foot], shade(color, 0.8 * strength))
    reach = MARK * size * np.eye(3)[:2]
    pen.put("thin", np.stack([foot - reach, foot + reach], axis=1), color)
    if len(support) > 2:
        pen.area(support, shade(color, 0.10 * strength))
        pen.strip(support, shade(color, 0.8 * strength), is_closed=True)
    return pen.picture()
