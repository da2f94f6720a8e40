# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet on ankles that are no ball joints: two hinges in one place, or a single one (Li and Hao 2006, section 7.4).

Such an ankle cannot rotate a foot about the line from its heel to its ball as well. So the orientation of the foot
depends on that of the shin, which depends on the position of the ankle, which depends on the orientation of the foot.
The three are computed in turn. An ankle lies close to that line and far from the hip, so each round leaves about a
twelfth of the error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...body.hinge_axis import NO_LENGTH
from ...body.joints import JointKind
from ...body.limits import HingeLimit
from ...body.skeleton import Skeleton
from ...core.arrays import Array
from ...core.rotations import conjugate, from_axis_angle, multiply, normalize, rotate, twist_angle
from ..limbs import Limb
from ..planting.frames import identities
from ..planting.observing import Adjustment, LimbState
from ..planting.solving import bend_toward, solve_limb
from ..planting.targets import Target
from ..settings import CleanSettings
from .ankle import FREE, Range, TwoAngles

ROUNDS = 8
"""How often ankle, shin and foot are computed in turn: less than 1e-10 sizes of the character are missing then."""


class Hinge(NamedTuple):
    """A joint that rotates about one axis."""

    rest: Array
    """(4,) its local rotation at rest."""
    axis: Array
    """(3,) unit, in its own frame."""

    def rotation(self, angle: Array) -> Array:
        """(frames, 4) the local rotation at an angle."""
        return multiply(self.rest, from_axis_angle(self.axis, angle))

    def angle(self, local: Array) -> Array:
        """(frames,) the angle of a local rotation."""
        return twist_angle(multiply(conjugate(self.rest), local), self.axis)


class HingedAnkle(NamedTuple):
    """The hinges that carry a foot."""

    angles: TwoAngles
    """In the frame of the shin."""
    first: Hinge
    second: Hinge | None
    row: int
    """The index of the second one among the rigid joints of the extremity."""


def hinged_ankle(skeleton: Skeleton, limb: Limb, rigid_joints: tuple[int, ...]) -> HingedAnkle | None:
    """The hinges of a limb's end; None where the end is a ball joint. `rigid_joints` are those of the extremity."""
    if skeleton.kinds[limb.end] is not JointKind.HINGE:
        return None
    first, first_range = _hinge(skeleton, limb.end)
    leads_to = skeleton.tree.chain(int(list(limb.points.values())[-1].joint))
    following = [
        joint
        for joint in rigid_joints
        if skeleton.parents[joint] == limb.end
        and joint in leads_to
        and skeleton.kinds[joint] is JointKind.HINGE
        and float(np.linalg.norm(skeleton.offsets[joint])) <= NO_LENGTH * skeleton.size
    ]
    first_axis = rotate(first.rest, first.axis)
    if not following:
        return HingedAnkle(TwoAngles(first_axis, _across(first_axis), first_range, (0.0, 0.0)), first, None, -1)
    second, second_range = _hinge(skeleton, following[0])
    second_axis = rotate(multiply(first.rest, second.rest), second.axis)
    angles = TwoAngles(first_axis, second_axis, first_range, second_range)
    return HingedAnkle(angles, first, second, rigid_joints.index(following[0]))


def on_hinges(
    ankle: HingedAnkle, state: LimbState, shown: LimbState, root: Array, by: Adjustment, settings: CleanSettings
) -> Adjustment:
    """The adjustment with which the points of a foot on hinges come to where they are in `shown`.

    `state` is the limb in the source and `shown` its state after `by`, which takes the ankle for a ball joint. The
    second point gets there; the first one too, where the hinges can point the foot.
    """
    frames, second = len(by.bend), ankle.second
    own = state.extremity_rotations[:, ankle.row] if second else identities(frames)
    foot = multiply(shown.end_rotation, multiply(by.extremity_rotations[:, ankle.row], own) if second else own)
    line = shown.points[1] - shown.points[0]
    arm = rotate(conjugate(foot), shown.points[1] - shown.end)
    rest = multiply(ankle.first.rest, second.rest) if second else ankle.first.rest
    bone = rotate(rest, rotate(conjugate(foot), line))
    source = normalize(multiply(conjugate(state.end_parent_rotation), state.end_rotation))
    near = ankle.first.angle(source), second.angle(own) if second else np.zeros(frames)
    for _ in range(ROUNDS):
        position = shown.points[1] - rotate(foot, arm)
        bend = bend_toward(state, root, position, settings)
        pointed = solve_limb(state, root, Target(position, identities(frames)), bend, settings)
        shin = _shin(state, pointed)
        first, other = ankle.angles.angles(bone, rotate(conjugate(shin), line), near)
        foot = multiply(multiply(shin, ankle.angles.rotation(first, other)), rest)
    inside = by.extremity_rotations.copy()
    if second:
        inside[:, ankle.row] = normalize(multiply(second.rotation(other), conjugate(own)))
    end = normalize(multiply(ankle.first.rotation(first), conjugate(source)))
    return Adjustment(pointed.ball_rotation, bend, by.scale, end, inside)


def nearest_on_hinge(hinge: Hinge, local: Array) -> Array:
    """(frames, 4) the nearest local rotation that a hinge allows."""
    return normalize(hinge.rotation(hinge.angle(local)))


def _shin(state: LimbState, by: Adjustment) -> Array:
    """(frames, 4) the world rotation of the end's parent after an adjustment."""
    upper = multiply(multiply(state.parent_rotation, by.ball_rotation), conjugate(state.parent_rotation))
    return multiply(multiply(upper, from_axis_angle(state.axis, by.bend)), state.end_parent_rotation)


def _hinge(skeleton: Skeleton, joint: int) -> tuple[Hinge, Range]:
    limit = skeleton.limits.get(joint)
    allowed = (limit.low, limit.high) if isinstance(limit, HingeLimit) else FREE
    return Hinge(skeleton.rest_rotations[joint], skeleton.hinge_axes[joint]), allowed


def _across(axis: Array) -> Array:
    """(3,) a unit vector across an axis."""
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return np.asarray(across / np.linalg.norm(across))
