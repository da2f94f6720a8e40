# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the joints of the made-up human move.

The ranges are those of the American Academy of Orthopaedic Surgeons, *Joint Motion: Method of Measuring and Recording*
(1965), in degrees from the standing posture, which counts as straight. Where several joints of the character stand for
one range of the book (spine, neck, shoulder girdle with shoulder, foot) they share it.
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
from .axes import standing

SLACK = 5.0
"""Degrees by which a ball joint gives way where the book knows no movement."""

_QUARTER_CORNERS = 4
"""Corners of a spherical polygon from one extreme of a swing to the next: straight arcs cut little off an ellipse."""

_WAYS = {
    "forward": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "out": (1.0, 0.0, 0.0),
    "in": (-1.0, 0.0, 0.0),
}
"""Where the end of a bone goes; "out" is the left of the left side and of the trunk, and mirrored on the right."""

_OPPOSITE = {"forward": "back", "up": "down", "out": "in"}


@dataclass(frozen=True)
class Mobility:
    """How far a ball joint of the left side moves, in degrees."""

    swing: Mapping[str, float]
    """How far its bone turns four ways, two and two opposite; in between lie quarters of ellipses."""
    bone: str = "down"
    """The body's axis along which the bone lies at rest, nearly: the book measures from these."""
    twist: tuple[float, float] = (-SLACK, SLACK)
    """How far it turns about itself: seen along it from its joint, positive is clockwise."""
    bend: str = ""
    """The way that remains if the joint is a hinge."""


def _each_of(joints: int, forward: float, side: float, turn: float) -> Mobility:
    """A share of a range that this many joints have together."""
    forward, side, turn = forward / joints, side / joints, turn / joints
    return Mobility({"forward": forward, "back": forward, "out": side, "in": side}, bone="up", twist=(-turn, turn))


# The book's spine bends 80 forward and 25 back; elliptic cones lie even about the rest, and forward is what matters.
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
    # Of the 180 degrees that an arm rises, the shoulder girdle gives 30.
    "sternoclavicular": Mobility({"up": 30.0, "down": 10.0, "forward": 20.0, "back": 20.0}, bone="out"),
    "shoulder": Mobility({"forward": 150.0, "back": 60.0, "out": 150.0, "in": 40.0}, twist=(-90.0, 70.0)),
    "elbow": Mobility(
        {"forward": 150.0, "back": SLACK, "out": SLACK, "in": SLACK}, twist=(-80.0, 80.0), bend="forward"
    ),
    "wrist": Mobility({"forward": 20.0, "back": 30.0, "out": 70.0, "in": 80.0}),
    "middle1": Mobility({"forward": 20.0, "back": 20.0, "out": 45.0, "in": 90.0}),
}


def human_limits(skeleton: Skeleton) -> dict[str | int, HingeLimit | BallLimit]:
    """The limits of every joint of the made-up human but its root, by name."""
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
    axis = _way(skeleton, mobility.bone, mirror)
    return BallLimit(axis, twist=(float(low), float(high)), swing=_swing(skeleton, axis, mobility.swing, mirror))


def _way(skeleton: Skeleton, way: str, mirror: float) -> Array:
    return standing(np.array(_WAYS[way]) * (mirror, 1.0, 1.0), skeleton.up)


def _swing(skeleton: Skeleton, axis: Array, extremes: Mapping[str, float], mirror: float) -> SwingCone | SwingPolygon:
    """The four extremes of a bone's swing as a cone where they lie even about the rest, else as a polygon."""
    first, second = (way for way in extremes if way in _OPPOSITE)
    u, v, opposite_u, opposite_v = (
        np.deg2rad(extremes[way]) * np.cross(axis, _way(skeleton, way, mirror))
        for way in (first, second, _OPPOSITE[first], _OPPOSITE[second])
    )
    if np.array_equal(opposite_u, -u) and np.array_equal(opposite_v, -v):
        return SwingCone(float(np.linalg.norm(u)), float(np.linalg.norm(v)), reference=u)
    corners = []
    for start, end in ((u, v), (v, opposite_u), (opposite_u, opposite_v), (opposite_v, u)):
        for angle in np.arange(_QUARTER_CORNERS) * (0.5 * np.pi / _QUARTER_CORNERS):
            corners.append(rotations.rotate(rotations.exp(np.cos(angle) * start + np.sin(angle) * end), axis))
    return SwingPolygon(np.array(corners), inside=axis)
