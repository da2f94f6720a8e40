# SPDX-License-Identifier: GPL-3.0-or-later
"""Adjusting one limb so that its end is where it should be, turned as it should be (document 000, 3.2.5)."""

from __future__ import annotations

import math

from ..components import (
    Number,
    Quaternion,
    Vector,
    about,
    between,
    clamped,
    conjugate,
    length,
    minus,
    multiply,
    normalized,
    plus,
    rotate,
    smaller,
    twist,
    unit,
    where,
)
from ..settings import CleanSettings
from ..two_bones import bend_of, reach_of
from .observing import Adjustment, LimbState


def bend_toward(limb: LimbState, root: Vector, place: Vector, settings: CleanSettings) -> Number:
    """What is added to the hinge's bend to take the end as far away as a place is, once the root is moved; damped."""
    upper, lower = minus(limb.hinge, limb.ball), minus(limb.end, limb.hinge)
    distance = length(minus(place, plus(limb.ball, root)))
    return damped(bend_of(upper, lower, limb.axis), reach_of(upper, lower, limb.axis).bend(distance), settings.damping)


def not_backward(limb: LimbState, added: Number) -> Number:
    """What is added to the hinge's bend, but no more than straightens a limb that is not bent backward."""
    bend = bend_of(minus(limb.hinge, limb.ball), minus(limb.end, limb.hinge), limb.axis)
    return where((bend >= 0.0) & (bend + added < 0.0), -bend, added)


def scales(settings: CleanSettings) -> tuple[float, float]:
    """The smallest and the largest scale that bones may have."""
    most = settings.most_stretch if settings.stretch else 0.0
    return 1.0 - most, 1.0 + most


def solved(
    limb: LimbState, root: Vector, place: Vector, turn: Quaternion, added: Number, settings: CleanSettings
) -> Adjustment:
    """What puts the end at a place, once the root is moved, with the source's orientation turned by a world rotation.

    The hinge first takes the limb about to the distance of the place, by what is `added` to its bend; the ball joint
    then points it there by the smallest turn; about that line it swivels to spare the end; the end turns by what is
    left; and both bones are scaled by what the hinge did not reach.
    """
    upper, lower = minus(limb.hinge, limb.ball), minus(limb.end, limb.hinge)
    way = minus(place, plus(limb.ball, root))
    distance = length(way)
    bent = about(limb.axis, added)
    along = plus(upper, rotate(bent, lower))
    hip = between(along, way)
    shank = multiply(hip, bent)
    left = multiply(turn, conjugate(shank))
    direction = unit(way)
    hip = multiply(about(direction, settings.swivel * twist(left, direction)), hip)
    shank = multiply(hip, bent)
    reached = length(along)
    is_long = reached > 0.0
    scale = clamped(where(is_long, distance, 1.0) / where(is_long, reached, 1.0), *scales(settings))
    ankle = multiply(conjugate(shank), turn)
    return Adjustment(
        normalized(multiply(multiply(conjugate(limb.above), hip), limb.above)),
        added,
        scale,
        normalized(multiply(multiply(conjugate(limb.before_end), ankle), limb.before_end)),
    )


def damped(bend: Number, wanted: Number, damping: float | None) -> Number:
    """What is added to a bend so that it comes near the wanted one, 0 or more, without popping (3.14, 3.15).

    The angle of the document is pi - bend. A limb that is bent backward in the source is never bent back further, and
    stays as it is where it is asked for nothing.
    """
    if damping is None:
        return where(bend < 0.0, -wanted, wanted) - bend
    added = _damped_angle(abs(bend), damping) - _damped_angle(wanted, damping)
    return where((bend < 0.0) & (added < 0.0), 0.0 * added, added)


def _damped_angle(bend: Number, damping: float) -> Number:
    """The integral of the damping factor from the folded limb, angle 0, to that of a bend, from 0 to pi."""
    angle = math.pi - bend
    room = math.pi - damping
    share = where(angle > damping, angle - damping, 0.0 * angle) / room
    over = share * (1.0 + share * share * (0.5 * share - 1.0))
    return smaller(angle, damping) + room * over
