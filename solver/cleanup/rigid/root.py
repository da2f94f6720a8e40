# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the root goes so that rigid limbs reach their places (document 002, 6; see docs/derivations.md).

Four requirements: every ball joint near its easy position, every limb within its reach, small changes, and small
changes of velocity. All vectors are displacements in the world, all numbers `components`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..components import (
    ZERO,
    Number,
    Vector,
    clamped,
    dot,
    larger,
    length,
    minus,
    plus,
    root,
    smaller,
    times,
    unit,
    where,
)
from ..planting.spheres import Sphere, displacement, misses
from ..two_bones import Reach

HINGE_COST = 0.5
"""Sizes of the character by which the root rather moves than that a hinge turns by a radian: at 0.2 the knees of
captured kicks begin to shake, at 0.8 pelvises are carried about to spare them."""

STRAIGHT = 0.02
"""The sine of the least bend at which a limb's length is still thought to change with it. At full extension it does not
change at all, and the cost of the length has no end."""

NO_CHANGE = 1e-9
"""Sizes of the character under which a length does not change."""

ROUNDS = 2
"""How often the lengths that the limbs will have are put into their own cost: more change nothing that can be seen."""

SLACK = 0.05
"""Sizes of the character by which a limb may be out of reach when its weight is one half: a limb that is not planted
yet must not throw the root when it will be."""

INSIDE = 1e-12
"""The share of its greatest length by which a limb stays short of it: rounding must not carry it over."""


class Pull(NamedTuple):
    """What one limb asks of the root."""

    easy: Vector
    """The displacement that would carry the limb to its place as it is."""
    weight: Number
    """From 0, free, to 1, planted."""
    span: Vector
    """From the limb's end to its ball joint in the source."""
    reach: Reach


def easy_displacement(pulls: Sequence[Pull]) -> Vector:
    """Equation 6 for the easy positions: the weighted mean; less where no limb is planted, down to nothing."""
    total: Number = 0.0
    pulled: Vector = ZERO
    for pull in pulls:
        total = total + pull.weight
        pulled = plus(pulled, times(pull.weight, pull.easy))
    return times(1.0 / larger(total, 1.0), pulled)


def reachable(smooth: Vector, pulls: Sequence[Pull], size: float) -> Vector:
    """The displacement near a smooth one for which hinges turn little and every limb reaches its place.

    Where no displacement serves all limbs it is the one that misses least.
    """
    return within_reach(kept_lengths(smooth, pulls, size), pulls, size)


# Lengths of limbs ----------------------------------------------------------------------------------------------------


def kept_lengths(smooth: Vector, pulls: Sequence[Pull], size: float) -> Vector:
    """The displacement nearest to a smooth one for which hinges turn little.

    It minimizes |δ - smooth|² + Σ (c turn)², `turn` the change of a limb's bend that its change of length takes; a limb
    that is not quite planted costs less. The slope grows without bound toward full extension. In every round that cost
    is replaced by one that is quadratic in the change of length and has the same slope at the length found before; that
    has a closed form.
    """
    moved = smooth
    spans = [length(pull.span) for pull in pulls]
    bends = [pull.reach.bend(span) for pull, span in zip(pulls, spans, strict=True)]
    for _ in range(ROUNDS):
        costs, along, wanted = [], [], []
        for pull, span, bend in zip(pulls, spans, bends, strict=True):
            limb = plus(pull.span, minus(moved, pull.easy))
            will_be, direction = length(limb), unit(limb)
            costs.append(_weighted(length_cost(pull.reach, span, bend, will_be, size), pull.weight))
            along.append(direction)
            wanted.append(dot(minus(moved, smooth), direction) - (will_be - span))
        moved = smooth
        for part, direction in zip(_solved(costs, along, wanted), along, strict=True):
            moved = plus(moved, times(part, direction))
    return moved


def _weighted(cost: Number, weight: Number) -> Number:
    """What is left of the cost of a length, given the weight of its limb: 1/cost and (1 - weight)/weight, added up.

    The cost has no bound, so that a share of it would be as stiff as the whole: limbs that are hardly planted yet would
    throw the root about. Springs in a row are as soft as the softest.
    """
    return cost * weight / (weight + (1.0 - weight) * cost)


def length_cost(reach: Reach, span: Number, bend: Number, will_be: Number, size: float) -> Number:
    """k, for which k (will_be - span) is half the slope of the cost of a hinge at the length `will_be`."""
    later = reach.bend(will_be)
    before, after = _turn_per_length(reach, span, size), _turn_per_length(reach, will_be, size)
    difference = will_be - span
    changes = abs(difference) > NO_CHANGE * size
    # The longer a limb, the more its hinge turns: what it turns on the way lies between what it does at both ends.
    mean = where(changes, (bend - later) / where(changes, difference, 1.0), after)
    mean = clamped(mean, smaller(before, after), larger(before, after))
    cost = HINGE_COST * size
    return cost * cost * mean * after


def _turn_per_length(reach: Reach, span: Number, size: float) -> Number:
    """By how many radians the hinge turns for a change of length."""
    square = span * span
    sine = root((reach.middle + reach.swing - square) * (square - reach.middle + reach.swing))
    return 2.0 * larger(span, NO_CHANGE * size) / larger(sine, larger(STRAIGHT * reach.swing, NO_CHANGE * size * size))


def _solved(costs: list[Number], along: list[Vector], wanted: list[Number]) -> list[Number]:
    """The parts y of δ - smooth = Σ y u: y + k G y = k wanted, G the products of directions; by elimination.

    G has no negative eigenvalue and no k is negative, so no pivot is below 1.
    """
    count = len(costs)
    rows = [
        [costs[row] * dot(along[row], along[column]) + (1.0 if row == column else 0.0) for column in range(count)]
        for row in range(count)
    ]
    sides = [cost * value for cost, value in zip(costs, wanted, strict=True)]
    for pivot in range(count):
        for row in range(pivot + 1, count):
            factor = rows[row][pivot] / rows[pivot][pivot]
            for column in range(pivot, count):
                rows[row][column] = rows[row][column] - factor * rows[pivot][column]
            sides[row] = sides[row] - factor * sides[pivot]
    parts: list[Number] = [0.0] * count
    for row in reversed(range(count)):
        rest = sides[row]
        for column in range(row + 1, count):
            rest = rest - rows[row][column] * parts[column]
        parts[row] = rest / rows[row][row]
    return parts


# The guarantee -------------------------------------------------------------------------------------------------------


def within_reach(moved: Vector, pulls: Sequence[Pull], size: float) -> Vector:
    """The nearest displacement with which every limb reaches its place; as it is where they all do."""
    spheres = [_sphere(moved, pull, size) for pull in pulls]
    missing = misses(spheres)
    if isinstance(missing, np.ndarray):
        frames = np.flatnonzero(missing)
        if not frames.size:
            return moved
        further = displacement([_some(sphere, frames, len(missing)) for sphere in spheres])
        corrected = [np.array(np.broadcast_to(part, missing.shape)) for part in moved]
        for part, more in zip(corrected, further, strict=True):
            part[frames] = part[frames] + more
        return corrected[0], corrected[1], corrected[2]
    return plus(moved, displacement(spheres)) if missing else moved


def _sphere(moved: Vector, pull: Pull, size: float) -> Sphere:
    """Where a further displacement may end for a limb: wider than it reaches while it is not quite planted."""
    planted = pull.weight > 0.0
    weight = where(planted, pull.weight, 1.0)
    radius = (1.0 - INSIDE) * pull.reach.longest + SLACK * size * (1.0 - weight) / weight
    return Sphere(minus(minus(pull.easy, pull.span), moved), radius, planted)


def _some(sphere: Sphere, frames: Any, count: int) -> Sphere:
    def chosen(value: Any) -> Any:
        return np.broadcast_to(value, (count,))[frames]

    x, y, z = (chosen(part) for part in sphere.center)
    return Sphere((x, y, z), chosen(sphere.radius), chosen(sphere.holds))
