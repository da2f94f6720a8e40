# SPDX-License-Identifier: GPL-3.0-or-later
"""Which footprint or point lies under the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .. import bridge
from ..bridge.arrays import Array
from ..properties import armature_in
from . import subjects
from .marks import Mark, marks_of
from .soles import Footprint, footprints_of

POINT_REACH = 14.0
"""Pixels, at a scale of 1, within which a point is hit."""

EDGE_REACH = 6.0
"""Pixels within which the outline of a footprint is hit: seen from the side, it has no inside."""


@dataclass(frozen=True)
class Hit:
    """What lies under the mouse."""

    uid: str
    """Of the constraint or the proposal."""
    point: int
    """The index of the point in its constraint."""
    is_proposal: bool


@dataclass(frozen=True, eq=False)
class Target:
    """Something that can be clicked: a single place, or an outline."""

    hit: Hit
    outline: Array
    """(corners, 3) in world space; (1, 3) for a point."""


def targets_of(marks: Sequence[Mark], footprints: Sequence[Footprint]) -> list[Target]:
    """What can be clicked: footprints, and the points of all other constraints and proposals."""
    found = [
        Target(Hit(each.mark.uid, each.mark.handles[0].point, each.mark.is_proposal), each.outline)
        for each in footprints
    ]
    for mark in marks:
        if mark.kind != "FOOTPLANT":
            found += [
                Target(Hit(mark.uid, handle.point, mark.is_proposal), np.reshape(handle.matrix, (4, 4))[None, :3, 3])
                for handle in mark.handles
            ]
    return found


def projected(places: Array, perspective: Array, size: tuple[float, float]) -> Array:
    """(n, 2) the pixels of a region of some width and height where places (n, 3) appear; NaN behind the viewer.

    `perspective` (4, 4) is the perspective matrix of the region's view.
    """
    clip = places @ perspective[:3, :3].T + perspective[:3, 3]
    depth = places @ perspective[3, :3] + perspective[3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(depth[:, None] > 0.0, clip[:, :2] / depth[:, None], np.nan)
    return np.asarray((0.5 + 0.5 * shares) * np.array(size))


def hit_among(
    targets: Sequence[Target],
    perspective: Array,
    size: tuple[float, float],
    mouse: tuple[float, float],
    scale: float = 1.0,
) -> Hit | None:
    """The target under the mouse in a region: the nearest point, else the footprint with the nearest middle.

    `mouse` is in pixels of the region, `scale` that of the interface.
    """
    at = np.array(mouse, dtype=np.float64)
    best: tuple[int, float, Hit] | None = None
    for target in targets:
        pixels = projected(target.outline, perspective, size)
        if not np.isfinite(pixels).all():
            continue
        if len(pixels) == 1:
            distance = float(np.linalg.norm(pixels[0] - at))
            rank, is_hit = 0, distance <= POINT_REACH * scale
        else:
            distance = float(np.linalg.norm(pixels.mean(axis=0) - at))
            rank, is_hit = 1, _is_inside(pixels, at) or _edge_distance(pixels, at) <= EDGE_REACH * scale
        if is_hit and (best is None or (rank, distance) < best[:2]):
            best = rank, distance, target.hit
    return best[2] if best is not None else None


def _is_inside(corners: Array, at: Array) -> bool:
    """Whether a place (2,) lies inside a polygon (corners, 2): a ray to the right crosses its sides an odd number of
    times."""
    following = np.roll(corners, -1, axis=0)
    crosses = (corners[:, 1] > at[1]) != (following[:, 1] > at[1])
    rise = np.where(crosses, following[:, 1] - corners[:, 1], 1.0)
    where = corners[:, 0] + (at[1] - corners[:, 1]) / rise * (following[:, 0] - corners[:, 0])
    return bool(np.count_nonzero(crosses & (where > at[0])) % 2)


def _edge_distance(corners: Array, at: Array) -> float:
    """The distance of a place (2,) from the sides of a polygon (corners, 2)."""
    side = np.roll(corners, -1, axis=0) - corners
    away = at - corners
    lengths = np.maximum((side**2).sum(axis=1), np.finfo(np.float64).tiny)
    share = np.clip((away * side).sum(axis=1) / lengths, 0.0, 1.0)
    return float(np.linalg.norm(away - share[:, None] * side, axis=1).min())


def pick(context: bpy.types.Context, x: float, y: float) -> Hit | None:
    """The constraint or proposal of the context's character whose footprint or point is drawn at a pixel of the region.

    To be called in the main region of a 3D viewport; None where nothing is drawn there.
    """
    armature, region, view = armature_in(context), context.region, context.region_data
    if armature is None or region is None or view is None:
        return None
    marks = subjects.drawn_marks(armature, marks_of(armature))
    subject = subjects.of(armature)
    scene = bridge.current_scene()
    fps = scene.render.fps / scene.render.fps_base
    footprints = footprints_of(marks, subject.body, subject.ground, scene.frame_current_final, fps)
    targets = targets_of(marks, footprints)
    preferences: Any = context.preferences
    perspective = np.array(view.perspective_matrix, dtype=np.float64)
    return hit_among(targets, perspective, (region.width, region.height), (x, y), preferences.system.ui_scale or 1.0)
