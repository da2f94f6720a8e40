# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep limbs and toes are in the ground, and how toes bend out of it (Kovar 2004, section 3.2.6)."""

from __future__ import annotations

import math

import numpy as np

from ...constraints import Ground
from ...core.arrays import Array
from ...core.rotations import cross, dot, lengths, rotate
from ..limbs import Toes
from .observing import LimbState


def depth(state: LimbState, clearances: tuple[float, float], ground: Ground, up: int) -> Array:
    """(frames,) how deep the lower of a limb's points is in the ground; 0 or less where neither is.

    `clearances` are the heights of the two points above the ground that they stand on.
    """
    one, other = (
        ground.lowest_allowed(point, up) + clearance - point[:, up]
        for point, clearance in zip(state.points, clearances, strict=True)
    )
    return np.maximum(one, other)


def toes_bend(state: LimbState, toes: Toes, ground: Ground, up: int) -> Array:
    """(frames,) the angle by which toes have to bend, toward the top of the foot, for their tips to leave the ground.

    They rotate about a normal n. In the plane across it one direction, g, is horizontal and one, f, is the steepest:
    the tip is r (g cos a + f sin a) from the joint, at the height r h sin a with h = |up - (up·n) n|.
    """
    normal, tip = rotate(state.toes_rotation, toes.axis), rotate(state.toes_rotation, toes.tip.local)
    lowest = ground.lowest_allowed(state.toes + tip, up) + toes.clearance - state.toes[:, up]
    steepest = np.eye(3)[up] - normal[:, up, None] * normal
    angle = np.arctan2(dot(tip, steepest), dot(tip, cross(steepest, normal)))
    highest = lengths(tip) * lengths(steepest)
    least = np.arcsin(np.clip(lowest / np.where(highest > 0.0, highest, 1.0), -1.0, 1.0))
    bent = np.minimum(np.maximum(angle, least), math.pi - least)
    return np.where((tip[:, up] < lowest) & (highest > 0.0), bent - angle, 0.0)
