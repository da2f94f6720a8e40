# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs of two bones: a ball joint, a hinge and an end, with the points of hand or foot that can be planted.

Other joints may lie between the three, such as those that spread a twist over a thigh: they keep their local
transforms, so that each of the two bones is rigid within a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..body.joints import BodyPoint, JointKind
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.errors import SkeletonError
from .two_bones import bend_of

SIDES = ("left", "right")
LIMB_NAMES = ("left leg", "right leg", "left arm", "right arm")
"""The names of the limbs that `limbs_of` finds."""
LEG_POINTS, ARM_POINTS = ("heel", "ball"), ("wrist", "fingertips")
"""The names of their points that can be planted."""

NO_LENGTH = 1e-6
"""Sizes of the character under which a bone has no length."""

ACROSS = 0.1
"""Sine of the least angle between a hinge's axis and each of its bones: under it the hinge twists the bone."""

BENT_AT_REST = np.deg2rad(3.0)
"""The least bend at rest for which the normal of the plane of both bones is taken as the axis of the hinge."""

LEAST_MOVEMENT = np.deg2rad(3.0)
"""The least rotation of a hinge in a motion, root mean square about one axis, from which that axis is measured."""

SAMPLED_FRAMES = 500
"""Frames of a motion from which the axis of a hinge is measured: more change nothing, and in long clips take longer
than cleaning them."""


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

    def clearance(self, point: str) -> float:
        """The height of a point above the floor that it stands on."""
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
    if not 1 <= len(points) <= 2:
        raise SkeletonError(f"The {name} needs one or two points that can be planted, not {len(points)}.")
    resolved = {label: skeleton.resolve(point) for label, point in points.items()}
    for label, point in resolved.items():
        if not skeleton.tree.carriers(int(point.joint))[joints[2]]:
            raise SkeletonError(
                f"The {label} of the {name} is on joint {skeleton.names[int(point.joint)]!r}, which {names[2]!r} does "
                "not carry; name a point of the hand or the foot."
            )
    bones = _bones_at_rest(skeleton, joints)
    for first, last, bone in zip(names[:-1], names[1:], bones, strict=True):
        if float(np.linalg.norm(bone)) <= NO_LENGTH * skeleton.size:
            raise SkeletonError(f"The {name} has no length from {first!r} to {last!r}; name other joints for it.")
    if axis is None:
        direction = _hinge_axis(skeleton, name, joints, None if motion is None else _sampled(motion))
    else:
        direction = np.asarray(axis, dtype=np.float64)
        if direction.shape != (3,) or not np.isfinite(direction).all() or not direction.any():
            raise SkeletonError(f"The axis of the {name}'s hinge {names[1]!r} must be three finite numbers, not all 0.")
        direction = direction / np.linalg.norm(direction)
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


def _bones_at_rest(skeleton: Skeleton, joints: list[int]) -> tuple[Array, Array]:
    """Both bones, (3,) each, in the hinge's own frame at rest."""
    rest_rotations, positions = skeleton.rest
    back = rotations.conjugate(rest_rotations[joints[1]])
    upper = rotations.rotate(back, positions[joints[1]] - positions[joints[0]])
    return upper, rotations.rotate(back, positions[joints[2]] - positions[joints[1]])


# The axis of a hinge -------------------------------------------------------------------------------------------------


def _hinge_axis(skeleton: Skeleton, name: str, joints: list[int], motion: Motion | None) -> Array:
    """(3,) the unit axis of a hinge in its own frame, where none is given: see `limb`."""
    upper, lower = _bones_at_rest(skeleton, joints)
    usual = _usual_axis(skeleton, name, joints)
    if skeleton.kinds[joints[1]] is JointKind.HINGE:
        return _with_flexing_sign(skeleton, name, joints, skeleton.hinge_axes[joints[1]], motion)
    measured = None if motion is None else _measured_axis(joints[1], motion)
    if measured is not None:
        return _with_flexing_sign(skeleton, name, joints, measured, motion)
    across = np.cross(upper, lower)
    sine = float(np.linalg.norm(across)) / float(np.linalg.norm(upper) * np.linalg.norm(lower))
    if sine > np.sin(BENT_AT_REST):
        return np.asarray(across / np.linalg.norm(across))
    return usual


def _sampled(motion: Motion) -> Motion:
    """At most `SAMPLED_FRAMES` frames of a motion, evenly spaced."""
    if motion.frames <= SAMPLED_FRAMES:
        return motion
    return motion.at(np.linspace(0, motion.frames - 1, SAMPLED_FRAMES).round().astype(np.int64))


def _measured_axis(joint: int, motion: Motion) -> Array | None:
    """(3,) the axis, in the joint's own frame, about which it rotates most, up to its sign; None if it hardly moves."""
    if not motion.frames:
        return None
    local = motion.rotations[:, joint]
    relative = rotations.log(rotations.multiply(rotations.conjugate(rotations.mean(local)), local))
    values, vectors = np.linalg.eigh(relative.T @ relative / max(len(relative), 1))
    if np.sqrt(max(float(values[-1]), 0.0)) < LEAST_MOVEMENT:
        return None
    return np.asarray(vectors[:, -1])


def _with_flexing_sign(skeleton: Skeleton, name: str, joints: list[int], axis: Array, motion: Motion | None) -> Array:
    """The axis or its opposite, for which the mean bend in the motion, that at rest or the usual one is positive."""
    upper, lower = _bones_at_rest(skeleton, joints)
    if motion is not None and motion.frames:
        world_rotations, positions = skeleton.tree.accumulate(motion.rotations, motion.translations)
        back = rotations.conjugate(world_rotations[:, joints[1]])
        bones = [positions[:, joints[1]] - positions[:, joints[0]], positions[:, joints[2]] - positions[:, joints[1]]]
        local = [rotations.rotate(back, bone) for bone in bones]
        bend = float(bend_of(local[0], local[1], axis).mean())
    else:
        bend = float(bend_of(upper, lower, axis))
    if abs(bend) < BENT_AT_REST:
        bend = float(axis @ _usual_axis(skeleton, name, joints))
    return np.asarray(-axis if bend < 0.0 else axis)


def _usual_axis(skeleton: Skeleton, name: str, joints: list[int]) -> Array:
    """(3,) in the hinge's own frame: the axis across the limb and the facing direction about which knees bend backward.

    A character without feet is taken to face z where y is up, and -y where z is up.
    """
    rest_rotations, positions = skeleton.rest
    forward = np.array([0.0, 0.0, 1.0]) if skeleton.up == "y" else np.array([0.0, -1.0, 0.0])
    directions = []
    for side in SIDES:
        ankle, ball = getattr(skeleton.landmarks, f"{side}_ankle"), getattr(skeleton.landmarks, f"{side}_ball")
        if ankle is not None and ball is not None:
            directions.append(skeleton.rest_place(ball) - positions[ankle])
    if directions:
        level = np.mean(directions, axis=0)
        level[skeleton.up_axis] = 0.0
        if float(np.linalg.norm(level)) > NO_LENGTH * skeleton.size:
            forward = level / np.linalg.norm(level)
    is_leg = joints[1] in (skeleton.landmarks.left_knee, skeleton.landmarks.right_knee) or "leg" in name.lower()
    across = np.cross(positions[joints[2]] - positions[joints[0]], -forward if is_leg else forward)
    if float(np.linalg.norm(across)) <= NO_LENGTH * skeleton.size:
        across = np.cross(positions[joints[2]] - positions[joints[0]], np.eye(3)[skeleton.up_axis])
    return rotations.rotate(rotations.conjugate(rest_rotations[joints[1]]), across / np.linalg.norm(across))
