# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of the root with which rigid limbs reach their targets (Li and Hao 2006, section 6).

Four requirements: every limb near the pose that it has in the source, every limb within its reach, small changes, and
small changes of velocity; see docs/derivations.md. All vectors are in the world; arrays lead with the frame axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...body.two_bones import Reach
from ...core.arrays import Array, BoolArray
from ...core.rotations import cross, dot, lengths, scaled, unit
from ..planting.averages import local_lines
from ..planting.spheres import Sphere

HINGE_COST = 0.5
"""Sizes of the character: the displacement that costs as much as one radian of a hinge. At 0.2 the knees of captured
kicks begin to shake, at 0.8 the pelvis moves too much to spare them."""

STRAIGHT = 0.02
"""The sine of the least bend for which the change of bend with length is computed. At full extension the length does
not change with the bend at all, and the cost of the length has no bound."""

NO_CHANGE = 1e-9
"""Sizes of the character under which a length does not change."""

ROUNDS = 2
"""How often the cost of lengths is computed again at the lengths found: more rounds make no visible difference."""

TURN_COST = 0.1
"""Sizes of the character: the displacement that costs as much as one radian of the pelvis, about half its width.
Between 0.1 and 0.2 clips of the CMU library, subjects 1 to 60, jump least."""

HINGE_WAY = 0.3
"""Sizes of the character that a hinge is counted to move for one radian: a quarter, in the middle of a limb of one
size, and a little more. Between 0.25 and 0.4 clips of the CMU library jump as little."""

SHORT_OF_REACH = 1e-12
"""The share of its greatest length by which a limb stays short of it, for rounding."""


class RootTerm(NamedTuple):
    """What one limb contributes to the displacement of the root."""

    way: Array
    """(frames, 3) the displacement that takes the limb to its target in the pose of the source."""
    weight: Array
    """(frames,) from 0, free, to 1, planted."""
    span: Array
    """(frames, 3) from the limb's end to its ball joint in the source."""
    reach: Reach

    def sphere(self, share: float, is_active: BoolArray) -> Sphere:
        """The displacements with which the limb reaches its target, with no more than a share of its length."""
        return Sphere(self.way - self.span, share * self.reach.longest, is_active)


def mean_displacement(terms: Sequence[RootTerm]) -> Array:
    """(frames, 3) the weighted mean of the ways (equation 6); where weights add up to less than 1, their sum."""
    total = np.sum([term.weight for term in terms], axis=0)
    summed = np.sum([scaled(term.way, term.weight) for term in terms], axis=0)
    return scaled(summed, 1.0 / np.maximum(total, 1.0))


# Rotations of hinges -------------------------------------------------------------------------------------------------


def reduce_hinge_rotation(smooth: Array, terms: Sequence[RootTerm], size: float) -> Array:
    """(frames, 3) the displacement δ that minimises |δ - smooth|² + Σ (c Δbend)², c the cost of a hinge.

    Δbend is the change of a limb's bend that its change of length takes; a limb that is not fully planted costs less.
    The slope of that cost grows without bound toward full extension. In every round it is replaced by a cost that is
    quadratic in the change of length and has the same slope at the length found before; that has a closed form.
    """
    found = smooth
    spans = [lengths(term.span) for term in terms]
    bends = [term.reach.bend(span) for term, span in zip(terms, spans, strict=True)]
    for _ in range(ROUNDS):
        costs, directions, wanted = [], [], []
        for term, span, bend in zip(terms, spans, bends, strict=True):
            limb = term.span + (found - term.way)
            length, direction = lengths(limb), unit(limb)
            costs.append(_weighted(length_cost(term.reach, span, bend, length, size), term.weight))
            directions.append(direction)
            wanted.append(dot(found - smooth, direction) - (length - span))
        found = smooth + _minimum(np.stack(costs, 1), np.stack(directions, 1), np.stack(wanted, 1))
    return found


def _weighted(cost: Array, weight: Array) -> Array:
    """(frames,) the cost of a length for the weight of its limb: 1/cost and (1 - weight)/weight added up, inverted.

    The cost has no bound, so a share of it would be as stiff as the whole, and limbs that are hardly planted would
    displace the root. Springs in series are as soft as the softest.
    """
    return np.asarray(cost * weight / (weight + (1.0 - weight) * cost))


def length_cost(reach: Reach, span: Array, bend: Array, length: Array, size: float) -> Array:
    """(frames,) k, for which k (length - span) is half the slope of the cost of a hinge at `length`."""
    later = reach.bend(length)
    before, after = _bend_per_length(reach, span, size), _bend_per_length(reach, length, size)
    difference = length - span
    changes = np.abs(difference) > NO_CHANGE * size
    # The longer a limb, the more its hinge rotates for a change of length: the mean lies between those at both ends.
    mean = np.where(changes, (bend - later) / np.where(changes, difference, 1.0), after)
    mean = np.clip(mean, np.minimum(before, after), np.maximum(before, after))
    cost = HINGE_COST * size
    return np.asarray(cost * cost * mean * after)


def _bend_per_length(reach: Reach, span: Array, size: float) -> Array:
    """(frames,) by how many radians the hinge rotates for a change of length."""
    square = span * span
    product = (reach.mean + reach.amplitude - square) * (square - reach.mean + reach.amplitude)
    sine = np.sqrt(np.maximum(product, 0.0))
    least = np.maximum(STRAIGHT * reach.amplitude, NO_CHANGE * size * size)
    return np.asarray(2.0 * np.maximum(span, NO_CHANGE * size) / np.maximum(sine, least))


def _minimum(costs: Array, directions: Array, wanted: Array) -> Array:
    """(frames, n) Σ y u over the limbs' directions u, with y + k G y = k wanted, G the dot products of directions.

    Costs k and `wanted` are (frames, limbs), directions (frames, limbs, n). G has no negative eigenvalue and no k is
    negative, so there is one solution.
    """
    products = directions @ directions.transpose(0, 2, 1)
    matrix = costs[:, :, None] * products + np.eye(costs.shape[1])
    parts = np.linalg.solve(matrix, (costs * wanted)[..., None])
    return np.asarray((parts * directions).sum(axis=1))


# Fast changes --------------------------------------------------------------------------------------------------------


def steadied(
    smooth: Array,
    terms: Sequence[RootTerm],
    arms: Sequence[Array],
    planted: Sequence[BoolArray],
    kernel: Array,
    size: float,
) -> tuple[Array, Array]:
    """(frames, 3) each: displacements of the root and rotation vectors of the pelvis that keep hinges from trembling.

    With a smooth displacement, planted limbs take up all that trembles in a capture, and a hinge that is nearly
    straight moves several times as far as hip and foot. Over the frames of a kernel, the root takes up a part of what
    is not steady in the lengths of limbs, and so does the pelvis, which carries the limbs on `arms` (frames, 3):
    |δ|² + |ρ ω|² + Σ (g (change of length))² is least, where g is how far the hinge moves for a change of length and ρ
    is the cost of a rotation, a length.
    """
    cost = TURN_COST * size
    costs, directions, wanted = [], [], []
    for term, arm, on in zip(terms, arms, planted, strict=True):
        limb = term.span + (smooth - term.way)
        length, direction = lengths(limb), unit(limb)
        change = np.where(on, length - lengths(term.span), 0.0)
        wanted.append(np.where(on, local_lines(change, kernel, on)[0] - change, 0.0))
        gain = HINGE_WAY * size * _bend_per_length(term.reach, length, size)
        costs.append(np.where(on, gain * gain, 0.0))
        directions.append(np.concatenate([direction, cross(arm, direction) / cost], axis=1))
    parts = _minimum(np.stack(costs, 1), np.stack(directions, 1), np.stack(wanted, 1))
    return parts[:, :3], parts[:, 3:] / cost
