# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits of the made-up human.

The ranges are those of AAOS 1965, in degrees from the standing posture, which counts as straight. Where several joints
of the character stand for one range of the book (spine, neck, shoulder girdle with shoulder, foot), each gets a part of
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..body.joints import JointKind
from ..body.limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array
from .axes import from_y_up

SLACK = 5.0
"""Range in degrees of a ball joint in directions for which the book has none."""

_QUARTER_CORNERS = 4
"""Corners of a spherical polygon from one extreme of a swing to the next: straight arcs cut little off an ellipse."""

_DIRECTIONS = {
    "forward": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "out": (1.0, 0.0, 0.0),
    "in": (-1.0, 0.0, 0.0),
}
"""Directions in which the end of a bone moves, with y up; "out" is to the left on the left side and on the trunk."""

_OPPOSITE = {"forward": "back", "up": "down", "out": "in"}


@dataclass(frozen=True)
class Mobility:
    """The range of a ball joint of the left side, in degrees."""

    swing: Mapping[str, float]
    """The largest swing of its bone in four directions, two opposite pairs; between them lie quarters of ellipses."""
    bone: str = "down"
    """The direction nearest to the bone at rest: the book measures angles from it."""
    twist: tuple[float, float] = (-SLACK, SLACK)
    """The range of its twist: positive is clockwise, seen along the bone from its joint."""
    bend: str = ""
    """The direction of the swing that a hinge keeps."""


def _each_of(joints: int, forward: float, side: float, turn: float) -> Mobility:
    """The range of one of `joints` equal joints that together have the given range."""
    forward, side, turn = forward / joints, side / joints, turn / joints
    return Mobility({"forward": forward, "back": forward, "out": side, "in": side}, bone="up", twist=(-turn, turn))


# The book's spine bends 80 forward and 25 back. An elliptic cone is symmetric: forward is the range that motions need.
_SPINE = _each_of(5, forward=80.0, side=35.0, turn=45.0)
_NECK = _each_of(2, forward=45.0, side=45.0, turn=60.0)
_TRUNK = {
    "sacroiliac": _each_of(1, forward=SLACK, side=SLACK, turn=SLACK),
    **dict.fromkeys(("vl5", "vl2", "vt11", "vt6", "vt1"), _SPINE),
    **dict.fromkeys(("vc4", "skullbase"), _NECK),
}
_LIMBS = {
    "hip": Mobility({"forward": 120.0, "back": 30.0, "out": 45.0, "in": 30.0}, twist=(-45.0, 45.0)),
    "knee": Mobility({"forward": SLACK, "back": 135.0, "out": SLACK, "in": SLACK}, bend="back"),
    "talocrural": Mobility({"forward": 20.0, "back": 50.0, "out": SLACK, "in": SLACK}),
    "subtalar": Mobility({"up": SLACK, "down": SLACK, "out": SLACK, "in": SLACK}, bone="forward", twist=(-35.0, 15.0)),
    "midtarsal": Mobility({"up": SLACK, "down": SLACK, "out": SLACK, "in": SLACK}, bone="forward"),
    "metatarsal": Mobility({"up": 70.0, "down": 45.0, "out": SLACK, "in": SLACK}, bone="forward"),
    # Of the 180 degrees by which an arm rises, 30 are the shoulder girdle's.
    "sternoclavicular": Mobility({"up": 30.0, "down": 10.0, "forward": 20.0, "back": 20.0}, bone="out"),
    "shoulder": Mobility({"forward": 150.0, "back": 60.0, "out": 150.0, "in": 40.0}, twist=(-90.0, 70.0)),
    "elbow": Mobility(
        {"forward": 150.0, "back": SLACK, "out": SLACK, "in": SLACK}, twist=(-80.0, 80.0), bend="forward"
    ),
    "wrist": Mobility({"forward": 20.0, "back": 30.0, "out": 70.0, "in": 80.0}),
    "middle1": Mobility({"forward": 20.0, "back": 20.0, "out": 45.0, "in": 90.0}),
}


def human_limits(skeleton: Skeleton) -> dict[str | int, HingeLimit | BallLimit]:
    """Limits of all joints of the made-up human but its root, by joint name."""
    limits: dict[str | int, HingeLimit | BallLimit] = {}
    for name, mobility in _TRUNK.items():
        limits[name] = _limit(skeleton, name, mobility, mirror=1.0)
    for side, mirror in (("l_", 1.0), ("r_", -1.0)):
        for name, mobility in _LIMBS.items():
            limits[side + name] = _limit(skeleton, side + name, mobility, mirror)
    return limits


def _limit(skeleton: Skeleton, name: str, mobility: Mobility, mirror: float) -> HingeLimit | BallLimit:
    joint = skeleton.index(name)
    if skeleton.kinds[joint] is JointKind.HINGE:
        return HingeLimit(0.0, float(np.deg2rad(mobility.swing[mobility.bend])))
    low, high = np.deg2rad(sorted(mirror * angle for angle in mobility.twist))
    axis = _direction(skeleton, mobility.bone, mirror)
    return BallLimit(axis, twist=(float(low), float(high)), swing=_swing(skeleton, axis, mobility.swing, mirror))


def _direction(skeleton: Skeleton, name: str, mirror: float) -> Array:
    """(3,) unit vector of a direction, mirrored on the right side, in the skeleton's axes."""
    return from_y_up(np.array(_DIRECTIONS[name]) * (mirror, 1.0, 1.0), skeleton.up)


def _swing(skeleton: Skeleton, axis: Array, extremes: Mapping[str, float], mirror: float) -> SwingCone | SwingPolygon:
    """The region of a bone's swing: a cone where opposite extremes are equal, else a spherical polygon."""
    first, second = (name for name in extremes if name in _OPPOSITE)
    u, v, opposite_u, opposite_v = (
        np.deg2rad(extremes[name]) * np.cross(axis, _direction(skeleton, name, mirror))
        for name in (first, second, _OPPOSITE[first], _OPPOSITE[second])
    )
    if np.array_equal(opposite_u, -u) and np.array_equal(opposite_v, -v):
        return SwingCone(float(np.linalg.norm(u)), float(np.linalg.norm(v)), reference=u)
    corners = []
    for start, end in ((u, v), (v, opposite_u), (opposite_u, opposite_v), (opposite_v, u)):
        for angle in np.arange(_QUARTER_CORNERS) * (0.5 * np.pi / _QUARTER_CORNERS):
            corners.append(rotations.rotate(rotations.exp(np.cos(angle) * start + np.sin(angle) * end), axis))
    return SwingPolygon(np.array(corners), inside=axis)
