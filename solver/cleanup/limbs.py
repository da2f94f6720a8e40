# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs of two bones: a ball joint, a hinge and an end, with the points of hand or foot that can be planted.

Other joints may lie between the three, such as those that spread a twist over a thigh: they keep their local
transforms, so that each of the two bones is rigid within a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..body.hinge_axis import NO_LENGTH, bones_at_rest, hinge_axis
from ..body.joints import BodyPoint, JointKind
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.errors import SkeletonError

MOST_POINTS = 2
"""The number of points of a limb that can be planted: heel and ball, wrist and fingertips."""

TOE_TIP = "toe tip"
"""The name of the point of a leg that can be planted in place of the ball, where the leg has toes."""

LIMB_NAMES = ("left leg", "right leg", "left arm", "right arm")
"""The names of the limbs that `limbs_of` finds."""

ACROSS = 0.1
"""Sine of the least angle between a hinge's axis and each of its bones: under it the hinge twists the bone."""


@dataclass(frozen=True)
class Toes:
    """The toes, which bend at the ball of a foot."""

    joint: int
    tip: BodyPoint
    """A point of that joint, which is given by its index."""
    axis: tuple[float, float, float]
    """Unit, in the joint's own frame, across the tip: positive angles bend the toes toward the top of the foot."""
    clearance: float
    """The height of the tip above the sole of a flat foot."""


@dataclass(frozen=True)
class Limb:
    """A limb of two bones; joints by index. Made by `limb`, which checks it, or by `limbs_of`."""

    name: str
    ball: int
    """Hip or shoulder."""
    hinge: int
    """Knee or elbow."""
    end: int
    """Ankle or wrist."""
    axis: tuple[float, float, float]
    """Unit axis of the hinge in its joint's own frame: positive angles flex."""
    points: Mapping[str, BodyPoint]
    """One or two points that move with the end, by name, their joints as indices."""
    clearances: Mapping[str, float] = field(default_factory=dict)
    """The height of each point above the floor on which hand or foot lies flat; 0 for points that are not listed."""
    toes: Toes | None = None

    @property
    def columns(self) -> dict[str, int]:
        """The points that can be planted, by name: 0 for the first, 1 for the second and for the toe tip, which is
        planted when the ball is not."""
        columns = {name: number for number, name in enumerate(self.points)}
        return columns if self.toes is None or len(columns) < MOST_POINTS else columns | {TOE_TIP: 1}

    def point(self, name: str) -> BodyPoint:
        """A point that can be planted, by its name."""
        if name == TOE_TIP and self.toes is not None:
            return self.toes.tip
        return self.points[name]

    def clearance(self, point: str) -> float:
        """The height of a point above the floor that it stands on."""
        if point == TOE_TIP and self.toes is not None:
            return self.toes.clearance
        return self.clearances.get(point, 0.0)

    def chain(self, skeleton: Skeleton) -> tuple[int, ...]:
        """The joints below the ball joint down to the end, whose translations are the limb's bones."""
        chain = skeleton.tree.chain(self.end)
        return chain[: chain.index(self.ball)][::-1]


def limb(
    skeleton: Skeleton,
    name: str,
    ball: str | int,
    hinge: str | int,
    end: str | int,
    points: Mapping[str, str | int | BodyPoint],
    *,
    axis: ArrayLike | None = None,
    motion: Motion | None = None,
    clearances: Mapping[str, float] | None = None,
    toes: Toes | None = None,
) -> Limb:
    """The limb of some joints and points; a `SkeletonError` says why they cannot be one.

    `axis` is the hinge's, in its joint's own frame. Where it is not given it is that of the skeleton's hinge; else the
    one about which the joint rotates in `motion`; else the normal of the limb's plane, if it is bent at rest; else the
    one that flexes the limb in the usual direction, a leg backward and an arm forward. All but a given one get the
    sign with which positive angles flex the limb.
    """
    joints = [skeleton.index(joint) for joint in (ball, hinge, end)]
    names = [skeleton.names[joint] for joint in joints]
    _check_chain(skeleton, name, joints, names)
    resolved = _checked_points(skeleton, name, joints[2], points)
    bones = bones_at_rest(skeleton, joints)
    for first, last, bone in zip(names[:-1], names[1:], bones, strict=True):
        if float(np.linalg.norm(bone)) <= NO_LENGTH * skeleton.size:
            raise SkeletonError(f"The {name} has no length from {first!r} to {last!r}; name other joints for it.")
    hinge_name = f"the {name}'s hinge {names[1]!r}"
    direction = hinge_axis(skeleton, name, joints, motion) if axis is None else _checked_axis(hinge_name, axis)
    for bone in bones:
        if float(np.linalg.norm(np.cross(direction, bone))) < ACROSS * float(np.linalg.norm(bone)):
            raise SkeletonError(
                f"The hinge {names[1]!r} of the {name} turns about its own bone and cannot bend the limb; "
                "give another axis."
            )
    x, y, z = direction.tolist()
    return Limb(name, joints[0], joints[1], joints[2], (x, y, z), resolved, dict(clearances or {}), toes)


def limbs_of(skeleton: Skeleton, motion: Motion | None = None, only: Sequence[str] | None = None) -> tuple[Limb, ...]:
    """The legs and arms of the landmarks, legs first: those of `LIMB_NAMES` whose joints are all known.

    With `only`, the limbs of these names; a missing landmark is an error then. The axes of hinges are measured in the
    `motion`, if one is given.
    """
    if only is not None:
        for name in only:
            if name not in LIMB_NAMES:
                raise SkeletonError(f"There is no limb {name!r}: the landmarks define {', '.join(LIMB_NAMES)}.")
    found = []
    for name in LIMB_NAMES if only is None else only:
        side, kind = name.split()
        roles = ("hip", "knee", "ankle", "heel") if kind == "leg" else ("shoulder", "elbow", "wrist")
        if only is None and any(getattr(skeleton.landmarks, f"{side}_{role}") is None for role in roles):
            continue
        found.append(_leg(skeleton, side, motion) if kind == "leg" else _arm(skeleton, side, motion))
    return tuple(found)


def _leg(skeleton: Skeleton, side: str, motion: Motion | None) -> Limb:
    marks = skeleton.landmarks
    hip, knee, ankle, heel = (marks.require(f"{side}_{role}") for role in ("hip", "knee", "ankle", "heel"))
    points: dict[str, BodyPoint] = {"heel": skeleton.resolve(heel)}
    toe, ball, tip = (getattr(marks, f"{side}_{part}") for part in ("toe", "ball", "toe_tip"))
    if ball is not None:
        points["ball"] = skeleton.resolve(ball)
    soles = skeleton.soles
    clearances, toes = {"heel": soles[f"{side}_heel"]}, None
    if "ball" in points:
        clearances["ball"] = soles[f"{side}_ball"]
        if toe is not None and tip is not None and skeleton.resolve(tip).joint == toe:
            toes = _toes(skeleton, toe, skeleton.resolve(tip), soles[f"{side}_toe_tip"])
    return limb(skeleton, f"{side} leg", hip, knee, ankle, points, motion=motion, clearances=clearances, toes=toes)


def _toes(skeleton: Skeleton, joint: int, tip: BodyPoint, clearance: float) -> Toes | None:
    """The toes on a joint; None where they have no length or are vertical at rest."""
    rest_rotations, _ = skeleton.rest
    along = rotations.rotate(rest_rotations[joint], tip.local)
    across = np.cross(along, np.eye(3)[skeleton.up_axis])
    if float(np.linalg.norm(across)) <= NO_LENGTH * skeleton.size:
        return None
    local = rotations.rotate(rotations.conjugate(rest_rotations[joint]), across / np.linalg.norm(across))
    x, y, z = local.tolist()
    return Toes(joint, tip, (x, y, z), clearance)


def _arm(skeleton: Skeleton, side: str, motion: Motion | None) -> Limb:
    marks = skeleton.landmarks
    shoulder, elbow, wrist = (marks.require(f"{side}_{role}") for role in ("shoulder", "elbow", "wrist"))
    points: dict[str, BodyPoint] = {"wrist": skeleton.resolve(wrist)}
    tip = getattr(marks, f"{side}_fingertip")
    if tip is not None:
        points["fingertips"] = skeleton.resolve(tip)
    return limb(skeleton, f"{side} arm", shoulder, elbow, wrist, points, motion=motion)


def _checked_points(
    skeleton: Skeleton, name: str, end: int, points: Mapping[str, str | int | BodyPoint]
) -> dict[str, BodyPoint]:
    """The points by name, their joints as indices; an error for points that the limb's end does not carry."""
    if not 1 <= len(points) <= MOST_POINTS:
        raise SkeletonError(f"The {name} needs one or two points that can be planted, not {len(points)}.")
    resolved = {label: skeleton.resolve(point) for label, point in points.items()}
    for label, point in resolved.items():
        if not skeleton.tree.carriers(int(point.joint))[end]:
            raise SkeletonError(
                f"The {label} of the {name} is on joint {skeleton.names[int(point.joint)]!r}, which "
                f"{skeleton.names[end]!r} does not carry; name a point of the hand or the foot."
            )
    return resolved


def _checked_axis(hinge: str, axis: ArrayLike) -> Array:
    """(3,) the unit vector along a given axis; an error, which names the hinge, where it has no direction."""
    direction = np.asarray(axis, dtype=np.float64)
    if direction.shape != (3,) or not np.isfinite(direction).all() or not direction.any():
        raise SkeletonError(f"The axis of {hinge} must be three finite numbers, not all 0.")
    return np.asarray(direction / np.linalg.norm(direction))


def _check_chain(skeleton: Skeleton, name: str, joints: list[int], names: list[str]) -> None:
    if len(set(joints)) < 3:
        raise SkeletonError(f"The {name} is not of two bones: {', '.join(map(repr, names))} must be three joints.")
    for upper, lower in ((0, 1), (1, 2)):
        if not skeleton.tree.carriers(joints[lower])[joints[upper]]:
            raise SkeletonError(
                f"The {name} is not of two bones: {names[upper]!r} does not carry {names[lower]!r}; name the joints "
                "from hip or shoulder down to ankle or wrist."
            )
    for joint, what in zip(joints, names, strict=True):
        if skeleton.kinds[joint] is JointKind.FIXED:
            raise SkeletonError(f"The {name} cannot move: its joint {what!r} is fixed.")
    if skeleton.parents[joints[0]] < 0:
        raise SkeletonError(f"The {name} cannot begin at the root {names[0]!r}: the whole body hangs on it.")
