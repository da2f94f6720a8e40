# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet on ankles that are no ball joints: two hinges in one place, or a single one (document 002, 7.4).

Such an ankle cannot turn a foot about the line of its heel and ball as well, so that how the foot lies depends on where
the shin is, which depends on where the ankle is, which depends on how the foot lies. An ankle lies close to that line
and far from the hip: each time that is gone round, what is missing becomes about a twelfth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...body.joints import JointKind
from ...body.limits import HingeLimit
from ...body.skeleton import Skeleton
from ..components import (
    IDENTITY,
    Number,
    Quaternion,
    Vector,
    about,
    conjugate,
    minus,
    multiply,
    normalized,
    rotate,
    twist,
)
from ..limbs import NO_LENGTH, Limb
from ..planting.observing import Adjustment, LimbState
from ..planting.solving import bend_toward, not_backward, solved
from ..settings import CleanSettings
from .ankle import FREE, Range, TwoAngles

ROUNDS = 8
"""How often the circle is gone round: less than 1e-10 sizes of the character are missing then."""


class Hinge(NamedTuple):
    """A joint that turns about one axis."""

    rest: Quaternion
    axis: Vector
    """Unit, in its own frame."""

    def turned(self, angle: Number) -> Quaternion:
        """Its local rotation at an angle."""
        return multiply(self.rest, about(self.axis, angle))

    def angle(self, local: Quaternion) -> Number:
        """The angle of a local rotation."""
        return twist(multiply(conjugate(self.rest), local), self.axis)


class HingedAnkle(NamedTuple):
    """The hinges on which a foot hangs."""

    angles: TwoAngles
    """In the frame of the shin."""
    first: Hinge
    second: Hinge | None
    inside: int
    """Where the second one stands among the joints inside the foot."""


def hinged_ankle(skeleton: Skeleton, limb: Limb, inside: tuple[int, ...]) -> HingedAnkle | None:
    """The hinges of a limb's end; None where it is a ball. `inside` are the joints inside hand or foot."""
    if skeleton.kinds[limb.end] is not JointKind.HINGE:
        return None
    first, first_range = _hinge(skeleton, limb.end)
    leads_to = skeleton.tree.chain(int(list(limb.points.values())[-1].joint))
    following = [
        joint
        for joint in inside
        if skeleton.parents[joint] == limb.end
        and joint in leads_to
        and skeleton.kinds[joint] is JointKind.HINGE
        and float(np.linalg.norm(skeleton.offsets[joint])) <= NO_LENGTH * skeleton.size
    ]
    first_axis = rotate(first.rest, first.axis)
    if not following:
        across = _across(first_axis)
        return HingedAnkle(TwoAngles(first_axis, across, first_range, (0.0, 0.0)), first, None, -1)
    second, second_range = _hinge(skeleton, following[0])
    second_axis = rotate(multiply(first.rest, second.rest), second.axis)
    angles = TwoAngles(first_axis, second_axis, first_range, second_range)
    return HingedAnkle(angles, first, second, inside.index(following[0]))


def on_hinges(
    ankle: HingedAnkle, state: LimbState, seen: LimbState, root: Vector, by: Adjustment, settings: CleanSettings
) -> Adjustment:
    """An adjustment with which the points of a foot come to where they are in `seen`, on the hinges of its ankle.

    `state` is the limb in the source and `seen` how it looks with an adjustment that takes the ankle for a ball joint.
    The second point gets there; the first one too, where the hinges can point the foot.
    """
    second = ankle.second
    held = multiply(by.inside[ankle.inside], state.inside.turned[ankle.inside]) if second else IDENTITY
    foot = multiply(seen.turned, held)
    own = conjugate(foot)
    arm = rotate(own, minus(seen.points[1], seen.end))
    rest = multiply(ankle.first.rest, second.rest) if second else ankle.first.rest
    bone = rotate(rest, rotate(own, minus(seen.points[1], seen.points[0])))
    line = minus(seen.points[1], seen.points[0])
    source = normalized(multiply(conjugate(state.before_end), state.turned))
    near = (
        ankle.first.angle(source),
        second.angle(state.inside.turned[ankle.inside]) if second else 0.0 * by.bend,
    )
    for _ in range(ROUNDS):
        place = minus(seen.points[1], rotate(foot, arm))
        bend = not_backward(state, bend_toward(state, root, place, settings))
        pointed = solved(state, root, place, IDENTITY, bend, settings)
        hip = multiply(multiply(state.above, pointed.hip), conjugate(state.above))
        shin = multiply(multiply(hip, about(state.axis, bend)), state.before_end)
        first, other = ankle.angles.angles(bone, rotate(conjugate(shin), line), near)
        foot = multiply(multiply(shin, ankle.angles.turned(first, other)), rest)
    turns = list(by.inside)
    if second:
        own_turn = state.inside.turned[ankle.inside]
        turns[ankle.inside] = normalized(multiply(second.turned(other), conjugate(own_turn)))
    return Adjustment(
        pointed.hip,
        bend,
        by.scale,
        normalized(multiply(ankle.first.turned(first), conjugate(source))),
        tuple(turns),
    )


def kept_on_hinge(hinge: Hinge, local: Quaternion) -> Quaternion:
    """The nearest local rotation that a hinge allows."""
    return normalized(hinge.turned(hinge.angle(local)))


def _hinge(skeleton: Skeleton, joint: int) -> tuple[Hinge, Range]:
    w, x, y, z = skeleton.rest_rotations[joint].tolist()
    ax, ay, az = skeleton.hinge_axes[joint].tolist()
    limit = skeleton.limits.get(joint)
    allowed = (limit.low, limit.high) if isinstance(limit, HingeLimit) else FREE
    return Hinge((w, x, y, z), (ax, ay, az)), allowed


def _across(axis: Vector) -> Vector:
    """Some unit vector across another."""
    least = int(np.argmin(np.abs(axis)))
    x, y, z = (np.cross(axis, np.eye(3)[least]) / np.linalg.norm(np.cross(axis, np.eye(3)[least]))).tolist()
    return x, y, z
