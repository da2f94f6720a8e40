# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of constraint points and the frames at which they are held."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..bridge.arrays import Array
from .marks import Handle, Mark
from .palette import Palette
from .shapes import Pen, Picture, frames_text, shade

AXIS = 0.12
"""The length of the axis that an orientation or a direction is drawn with, in sizes of the character."""

RING = 0.035
"""The radius of the ring around a point that is held for some frames, in sizes of the character."""

RING_CORNERS = 16

TITLES = {"ORIENTATION": "orientation ", "LOOK_AT": "look at ", "BALANCE": "balance "}
"""What the text of a point says before its frames; pins and paths need no word."""


def place_of(handle: Handle) -> Array:
    """(3,) where a handle is."""
    return np.reshape(handle.matrix, (4, 4))[:3, 3]


def axes_of(handle: Handle) -> Array:
    """(3, 3) the axes of a handle as rows, of unit length."""
    axes = np.reshape(handle.matrix, (4, 4))[:3, :3].T
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    return np.asarray(axes / np.where(lengths > 0.0, lengths, 1.0))


def point_picture(
    marks: Sequence[Mark],
    frame: float,
    size: float,
    palette: Palette,
    side_of: Callable[[str], str],
    with_texts: bool = True,
) -> Picture:
    """The points of constraints other than footplants. `size` is that of the character, `side_of` the side of a bone.

    A point that is held for some frames has a ring; one whose frames contain the current one is bright. Orientations
    have their axes, directions a line along theirs.
    """
    pen = Pen()
    for mark in marks:
        if mark.is_proposal or mark.kind == "FOOTPLANT":
            continue
        own = palette.active if mark.is_active else palette.side(side_of(mark.bone))
        strength = 1.0 if mark.is_enabled else 0.35
        for handle in mark.handles:
            holds = handle.begin <= frame <= handle.end
            color = shade(own, (1.0 if holds or mark.is_active else 0.65) * strength)
            place = place_of(handle)
            pen.put("dots", place, color)
            if handle.end > handle.begin:
                ring(pen, place, RING * size, color)
            if mark.kind == "ORIENTATION":
                ends = place + AXIS * size * axes_of(handle)
                pen.put("thin", np.stack([np.tile(place, (3, 1)), ends], axis=1), color)
            elif mark.kind == "LOOK_AT" and mark.aim == "DIRECTION":
                pen.put("thin", [place, place + AXIS * size * axes_of(handle)[2]], color)
            if with_texts:
                text = f"{TITLES.get(mark.kind, '')}{frames_text(handle.begin, handle.end)}"
                pen.text(text, place, shade(own, max(color[3], 0.7)), 0 if mark.is_active else 1 if holds else 2)
        if len(mark.handles) > 1 and mark.kind == "SHAPE":
            ordered = sorted(mark.handles, key=lambda handle: handle.begin)
            pen.dashes([place_of(handle) for handle in ordered], shade(own, 0.4 * strength))
    return pen.picture()


def ring(pen: Pen, place: Array, radius: float, color: tuple[float, ...]) -> None:
    """Draw a level circle and two upright ones around a place: a sphere that is seen as such from everywhere."""
    angles = np.linspace(0.0, 2.0 * np.pi, RING_CORNERS, endpoint=False)
    circle = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    for turn in (0, 1, 2):
        pen.strip(place + np.roll(circle, turn, axis=1), color, is_closed=True)
