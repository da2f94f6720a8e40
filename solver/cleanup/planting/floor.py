# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing goes below the floor: free hands and feet are lifted, toes are bent (document 000, 3.2.6)."""

from __future__ import annotations

import math

from ...constraints import Ground
from ..components import (
    IDENTITY,
    Number,
    Vector,
    arc_tangent,
    clamped,
    cross,
    dot,
    larger,
    plus,
    root,
    rotate,
    smaller,
    times,
    where,
)
from ..limbs import Limb, Toes
from ..settings import CleanSettings
from .observing import Adjustment, LimbState
from .solving import bend_toward, solved
from .targets import ground_height


def depth(state: LimbState, limb: Limb, ground: Ground, up: int) -> Number:
    """How deep the lower of a limb's points is in the floor; 0 or less where none is."""
    clearances = [limb.clearance(point) for point in limb.points]
    one, other = (
        ground_height(ground, point, up) + clearance - point[up]
        for point, clearance in zip(state.points, (clearances[0], clearances[-1]), strict=True)
    )
    return larger(one, other)


def lifted(state: LimbState, by: Number, up: int, settings: CleanSettings) -> Adjustment:
    """What lifts the end of a limb straight up and leaves its orientation as it is."""
    rise: Vector = tuple(by if axis == up else 0.0 * by for axis in range(3))
    still, place = times(0.0, rise), plus(state.end, rise)
    return solved(state, still, place, IDENTITY, bend_toward(state, still, place, settings), settings)


def toes_bend(state: LimbState, toes: Toes, ground: Ground, up: int) -> Number:
    """By how much toes have to bend, toward the top of the foot, for their tips to be above the floor.

    They turn about a normal n, in a plane in which one direction, g, is level and one, f, is as steep as any: the
    tip is r (g cos a + f sin a) from where they bend, and as high as r h sin a, with h = |up - (up·n) n|.
    """
    normal, tip = rotate(state.toes_turned, toes.axis), rotate(state.toes_turned, toes.tip.offset)
    lowest = ground_height(ground, plus(state.toes, tip), up) + toes.clearance - state.toes[up]
    steepest = tuple((1.0 if axis == up else 0.0) - normal[up] * normal[axis] for axis in range(3))
    slope = root(dot(steepest, steepest))
    level = cross(steepest, normal)
    angle = arc_tangent(dot(tip, steepest), dot(tip, level))
    highest = root(dot(tip, tip)) * slope
    sine = clamped(lowest / where(highest > 0.0, highest, 1.0), -1.0, 1.0)
    least = arc_tangent(sine, root(1.0 - sine * sine))
    bent = smaller(larger(angle, least), math.pi - least)
    return where((tip[up] < lowest) & (highest > 0.0), bent - angle, 0.0 * angle)
