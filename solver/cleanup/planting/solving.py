# SPDX-License-Identifier: GPL-3.0-or-later
"""The adjustment of one limb that puts its end on a target (Kovar 2004, section 3.2.5)."""

from __future__ import annotations

import math

import numpy as np

from ...body.two_bones import bend_of, reach_of
from ...core.arrays import Array
from ...core.rotations import (
    between,
    conjugate,
    from_axis_angle,
    lengths,
    multiply,
    normalize,
    rotate,
    twist_angle,
)
from ..settings import CleanSettings
from .observing import Adjustment, LimbState
from .targets import Target


def bend_toward(limb: LimbState, root: Array, position: Array, settings: CleanSettings) -> Array:
    """(frames,) what is added to the bend for the end to be as far from the ball joint as a position (frames, 3) is.

    The ball joint is displaced with the root (frames, 3); the addition is damped near full extension.
    """
    upper, lower = limb.hinge - limb.ball, limb.end - limb.hinge
    wanted = reach_of(upper, lower, limb.axis).bend(lengths(position - (limb.ball + root)))
    return damped(bend_of(upper, lower, limb.axis), wanted, settings.damping)


def within_stretch(limb: LimbState, root: Array, position: Array, added: Array, settings: CleanSettings) -> Array:
    """(frames,) an addition to the bend, changed where bones would have to be scaled beyond their limits to reach."""
    upper, lower = limb.hinge - limb.ball, limb.end - limb.hinge
    reach, length = reach_of(upper, lower, limb.axis), lengths(position - (limb.ball + root))
    least, most = (reach.bend(length / scale) for scale in scale_limits(settings))
    bend = bend_of(upper, lower, limb.axis)
    return np.clip(added, least - bend, most - bend)


def not_backward(limb: LimbState, added: Array) -> Array:
    """(frames,) an addition to the bend, cut where it would bend a flexed limb backward."""
    bend = bend_of(limb.hinge - limb.ball, limb.end - limb.hinge, limb.axis)
    return np.where((bend >= 0.0) & (bend + added < 0.0), -bend, added)


def scale_limits(settings: CleanSettings) -> tuple[float, float]:
    """The smallest and the largest scale of bones."""
    most = settings.most_stretch if settings.stretch else 0.0
    return 1.0 - most, 1.0 + most


def swivel_toward(limb: LimbState, root: Array, target: Target, added: Array, settings: CleanSettings) -> Array:
    """(frames,) the angle about the line to the target by which the limb swivels to reduce the rotation of its end."""
    way, bent, upper = _pointed(limb, root, target, added)
    return settings.swivel * twist_angle(multiply(target.rotation, conjugate(multiply(upper, bent))), way)


def solve_limb(
    limb: LimbState, root: Array, target: Target, added: Array, settings: CleanSettings, swivel: Array | None = None
) -> Adjustment:
    """The adjustment that puts the end on a target, given the displacement of the root, what is added to the bend, and
    the swivel; None for that of `swivel_toward`.

    The hinge takes the limb to about the length that the target needs; the ball joint points it there by the smallest
    rotation; about that line it swivels; the end rotates by the rest; and both bones are scaled by what the hinge did
    not reach.
    """
    way, bent, upper = _pointed(limb, root, target, added)
    if swivel is None:
        swivel = swivel_toward(limb, root, target, added, settings)
    upper = multiply(from_axis_angle(way, swivel), upper)
    end = multiply(conjugate(multiply(upper, bent)), target.rotation)
    along = limb.hinge - limb.ball + rotate(bent, limb.end - limb.hinge)
    return Adjustment(
        normalize(multiply(multiply(conjugate(limb.parent_rotation), upper), limb.parent_rotation)),
        added,
        _scale(lengths(way), lengths(along), settings),
        normalize(multiply(multiply(conjugate(limb.end_parent_rotation), end), limb.end_parent_rotation)),
        np.zeros((len(added), 0, 4)),
    )


def _pointed(limb: LimbState, root: Array, target: Target, added: Array) -> tuple[Array, Array, Array]:
    """The way to the target (frames, 3), the rotation of the hinge, and that of the ball joint onto the way."""
    way = target.position - (limb.ball + root)
    bent = from_axis_angle(limb.axis, added)
    return way, bent, between(limb.hinge - limb.ball + rotate(bent, limb.end - limb.hinge), way)


def _scale(wanted: Array, reached: Array, settings: CleanSettings) -> Array:
    """(frames,) the ratio of two lengths, within the limits of the scale; 1 for a limb of no length."""
    is_long = reached > 0.0
    return np.clip(np.where(is_long, wanted, 1.0) / np.where(is_long, reached, 1.0), *scale_limits(settings))


def lift(limb: LimbState, rise: Array, up: int, settings: CleanSettings) -> Adjustment:
    """The adjustment that lifts the end straight up by `rise` (frames,) and keeps the extremity's orientation."""
    position, still = limb.end.copy(), np.zeros(limb.end.shape)
    position[:, up] += rise
    target = Target(position, np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(rise), 4)))
    return solve_limb(limb, still, target, bend_toward(limb, still, position, settings), settings)


def damped(bend: Array, wanted: Array, damping: float | None) -> Array:
    """(frames,) what is added to a bend to bring it near the wanted one, 0 or more, without a pop (3.14, 3.15).

    The angle in Kovar's equations is pi - bend. With damping, a limb that is bent backward in the source is not bent
    backward further, and stays as it is where its bend need not change. Without damping it is bent forward: between
    frames of both kinds it would pop.
    """
    if damping is None:
        return wanted - bend
    added = _damped_angle(np.abs(bend), damping) - _damped_angle(wanted, damping)
    return np.where((bend < 0.0) & (added < 0.0), 0.0, added)


def _damped_angle(bend: Array, damping: float) -> Array:
    """(frames,) the integral of the damping factor from the folded limb, angle 0, to a bend, from 0 to pi."""
    angle = math.pi - bend
    room = math.pi - damping
    share = np.maximum(angle - damping, 0.0) / room
    over = share * (1.0 + share * share * (0.5 * share - 1.0))
    return np.asarray(np.minimum(angle, damping) + room * over)
