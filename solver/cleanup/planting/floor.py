# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep limbs and toes are in the ground, and how toes bend out of it (Kovar 2004, section 3.2.6)."""

from __future__ import annotations

import math

import numpy as np

from ...constraints import Ground
from ...core.arrays import Array
from ...core.rotations import cross, dot, lengths, rotate, scaled
from ..limbs import Toes
from .observing import LimbState


def depth(state: LimbState, clearances: tuple[float, float], ground: Ground, up: int) -> Array:
    """(frames,) how deep the lower of a limb's points is in the ground; 0 or less where neither is.

    `clearances` are the heights of the two points above the ground that they stand on.
    """
    one, other = (
        ground.lowest_allowed(point, up, clearance) - point[:, up]
        for point, clearance in zip(state.points, clearances, strict=True)
    )
    return np.maximum(one, other)


def toes_bend(state: LimbState, toes: Toes, ground: Ground, up: int) -> Array:
    """(frames,) the angle by which toes have to bend, toward the top of the foot, for their tips to leave the ground.

    They rotate about an axis n. In the plane across it one direction, g, is parallel to the ground, with the normal m,
    and one, f, is the steepest: the tip is r (g cos a + f sin a) from the joint, r h sin a above it along the ground's
    normal, with h = |m - (m·n) n|.
    """
    axis, tip = rotate(state.toes_rotation, toes.axis), rotate(state.toes_rotation, toes.tip.local)
    place = state.toes + tip
    normal, gap = ground.normals(place, up), ground.lowest_allowed(place, up, toes.clearance) - place[:, up]
    height = dot(tip, normal)
    lowest = height + normal[:, up] * gap
    steepest = normal - scaled(axis, dot(normal, axis))
    angle = np.arctan2(dot(tip, steepest), dot(tip, cross(steepest, axis)))
    highest = lengths(tip) * lengths(steepest)
    least = np.arcsin(np.clip(lowest / np.where(highest > 0.0, highest, 1.0), -1.0, 1.0))
    bent = np.minimum(np.maximum(angle, least), math.pi - least)
    return np.where((height < lowest) & (highest > 0.0), bent - angle, 0.0)
