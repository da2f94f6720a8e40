# SPDX-License-Identifier: GPL-3.0-or-later
"""Anatomical limits of a recognised character: the ranges of `anatomy`, widened to what its motion does.

The landmarks say which joint is which, and the rest pose where its bone points. The ranges are placed by the axes of
the body (up, forward and left at rest), not by those of the bones, so any rest pose in which the character stands and
any bone axes will do.

**Widened.** No captured motion keeps to a table: markers slip, rest poses differ, people are supple. Each limit is
widened until the rest pose and every frame of the motion are inside with a margin. Joints of the left and right get the
same range: that of the table, widened by both.

**Knees, elbows, toes and fingers** become hinges where their motion is one: where the rotation besides the axis has a
root mean square of at most `HINGE_RESIDUAL`. A hinge keeps that residual rotation of the source in every frame, because
it only turns about its own axis from wherever it is. The alternative, a ball joint with a narrow swing around the
hinge's plane, would have to hold two more boundaries in every step and could still leave the plane by their width; it
is what remains where the motion is no hinge: a forearm that turns about its own bone, a knee of a hand-keyed or
retargeted motion. There the bone stays in a strip along the plane of flexion.

**Joints inside a bone of the body** turn about it, if they are in thigh, foot, upper arm or forearm, and are fixed in
pelvis, shank and clavicle: a fixed joint keeps what the source does.

**What is not limited:** the hips, which move the whole body; joints that already have a limit, are fixed, or are no
landmark; fingers, but the one that is a landmark, whose axis neither motion nor rest pose shows. A region that the
motion fills nearly whole limits nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import LandmarkError
from . import anatomy
from .anatomy import OPPOSITE, BallMobility, HingeMobility
from .hinge_axis import (
    BENT_AT_REST,
    NO_LENGTH,
    bones_at_rest,
    forward_of,
    hinge_axis,
    measured_axis,
    sampled,
    with_flexing_sign,
)
from .joints import SIDES, BodyPoint, JointKind
from .landmarks.landmarks import JOINT_NAMES
from .limits import BallLimit, HingeLimit, JointLimit, Range
from .motion import Motion
from .skeleton import Skeleton
from .swing_regions import MARGIN, Star, Strip, widened_range
from .two_bones import bend_of

HINGE_RESIDUAL = np.deg2rad(5.0)
"""The largest rotation besides a hinge's axis, root mean square over the motion, of a joint that is a hinge: of the
order of what a captured knee really rotates besides flexing, and well under what a forearm does."""

ACROSS = 0.5
"""Sine of the least angle between a hinge's axis and its bones: an axis along a bone does not bend the limb."""

MIRRORED = np.deg2rad(20.0)
"""The largest angle between a bone and the mirror image of its counterpart at rest, for which the axis of one hinge is
the mirror image of the other's."""

SAME_PLACE = 1e-3
"""Sizes of the character within which joints stand for one joint of the body."""


def with_anatomical_limits(skeleton: Skeleton, motion: Motion | None = None) -> Skeleton:
    """A copy of a recognised character with the limits of human joints, widened to its rest pose and to a motion.

    Knees, elbows, toes and fingers become hinges where the motion shows that they are. Limits and hinges that the
    skeleton already has stay as they are; where there is nothing to add, it comes back itself. A `LandmarkError` says
    that no joint of the body is known.
    """
    if motion is not None:
        motion = motion.checked(skeleton)
    character = _Character(skeleton, motion)
    if all(getattr(skeleton.landmarks, name) in (None, ()) for name in JOINT_NAMES):
        raise LandmarkError(
            "No joint of this character was recognised, so it has no anatomical limits: set its landmarks by hand."
        )
    ranges = [*character.trunk(), *character.limbs(), *character.fingers()]
    kinds: dict[str | int, JointKind | str] = dict.fromkeys(character.rigid(), JointKind.FIXED)
    axes: dict[str | int, Array] = {}
    limits: dict[str | int, JointLimit | None] = {}
    for group in _by_role(ranges):
        angles = np.concatenate([each.angles(character.relative(each.joint)) for each in group])
        extents = _largest([each.extents(character.relative(each.joint)) for each in group])
        for each in group:
            limits[each.joint] = each.limit(widened_range(each.allowed, angles), extents)
            if isinstance(each, _Hinge) and skeleton.kinds[each.joint] is not JointKind.HINGE:
                kinds[each.joint], axes[each.joint] = JointKind.HINGE, each.axis
    new = {joint: limit for joint, limit in limits.items() if limit is not None}
    return skeleton.with_kinds(kinds, axes).with_limits(new) if kinds or new else skeleton


# Ranges of single joints ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Hinge:
    """A joint that bends about one axis."""

    role: str
    joint: int
    axis: Array
    """(3,) in the joint's own frame."""
    sign: float
    """1 where positive angles about the axis flex, else -1."""
    rest_bend: float
    allowed: Range
    """The range of its bend in radians."""

    def angles(self, relative: Array) -> Array:
        """(count,) the bends of rotations relative to rest (count, 4)."""
        return np.asarray(self.rest_bend + self.sign * rotations.twist_angle(relative, self.axis))

    def extents(self, relative: Array) -> Array:
        """None: a hinge has no swing."""
        return np.zeros(0)

    def limit(self, allowed: Range | None, extents: Array) -> JointLimit | None:
        """The limit of a range of bends; None where the range limits nothing."""
        if allowed is None:
            return None
        ends = sorted(self.sign * (angle - self.rest_bend) for angle in allowed)
        return HingeLimit(ends[0], ends[1])


@dataclass(frozen=True, eq=False)
class _Ball:
    """A joint with a swing and a twist."""

    role: str
    joint: int
    axis: Array
    """(3,) the bone in the joint's own frame."""
    mirror: float
    """-1 on the right side, where positive twists turn the other way."""
    rest_twist: float
    """The twist at rest."""
    allowed: Range
    """The range of its twist in radians."""
    region: Star | Strip

    def angles(self, relative: Array) -> Array:
        """(count,) the twists of rotations relative to rest (count, 4), as of a left joint."""
        return np.asarray(self.rest_twist + self.mirror * rotations.twist_angle(relative, self.axis))

    def extents(self, relative: Array) -> Array:
        """The extents of the swing that enclose the table's and rotations relative to rest (count, 4)."""
        directions = rotations.rotate(relative, self.axis)
        return np.maximum(self.region.extents(), self.region.extents_for(directions, MARGIN))

    def limit(self, allowed: Range | None, extents: Array) -> JointLimit | None:
        """The limit of a range of twists and a swing; None where both limit nothing."""
        swing = self.region.polygon(extents)
        if allowed is None and swing is None:
            return None
        twist = None
        if allowed is not None:
            ends = sorted(self.mirror * (angle - self.rest_twist) for angle in allowed)
            twist = (ends[0], ends[1])
        return BallLimit(self.axis, twist=twist, swing=swing)


_Limited = _Hinge | _Ball


def _by_role(ranges: Sequence[_Limited]) -> Iterator[list[_Limited]]:
    """The ranges in groups of one role: a joint and its counterpart on the other side."""
    groups: dict[tuple[str, type], list[_Limited]] = {}
    for each in ranges:
        groups.setdefault((each.role, type(each)), []).append(each)
    yield from groups.values()


def _largest(extents: Sequence[Array]) -> Array:
    return np.asarray(np.max(np.stack(extents), axis=0))


# The character -------------------------------------------------------------------------------------------------------


class _Character:
    """A skeleton, the axes of its body at rest, and the motion to which limits are widened."""

    def __init__(self, skeleton: Skeleton, motion: Motion | None) -> None:
        self._skeleton = skeleton
        self._motion = motion
        self._marks = skeleton.landmarks
        self._rotations, self._places = skeleton.rest
        self._up = np.eye(3)[skeleton.up_axis]
        self._left = self._leftward()
        self._forward = np.cross(self._left, self._up)

    def relative(self, joint: int) -> Array:
        """(1 + frames, 4) the rotations of a joint relative to its rest: at rest, then in every frame."""
        rest = rotations.IDENTITY[None]
        if self._motion is None:
            return rest
        back = rotations.conjugate(self._skeleton.rest_rotations[joint])
        return np.concatenate([rest, rotations.multiply(back, self._motion.rotations[:, joint])])

    def _leftward(self) -> Array:
        """(3,) the horizontal direction from right to left."""
        for role in ("hip", "shoulder"):
            left, right = (getattr(self._marks, f"{side}_{role}") for side in SIDES)
            if left is not None and right is not None:
                across = self._places[left] - self._places[right]
                across = across - (across @ self._up) * self._up
                if float(np.linalg.norm(across)) > NO_LENGTH * self._skeleton.size:
                    return rotations.unit(across)
        return np.cross(self._up, forward_of(self._skeleton))

    def _may_limit(self, joint: int, kinds: Sequence[JointKind] = (JointKind.BALL,)) -> bool:
        return self._skeleton.kinds[joint] in kinds and joint not in self._skeleton.limits

    def _to_rest_frame(self, joint: int, vectors: Array) -> Array:
        """World vectors (..., 3) at rest in the frame that a joint has at rest."""
        return rotations.rotate(rotations.conjugate(self._rotations[joint]), vectors)

    def _toward(self, name: str, side: str) -> Array:
        """(3,) the world direction at rest that a name of the table means on a side."""
        out = -self._left if side == "right" else self._left
        ways = {"forward": self._forward, "up": self._up, "out": out}
        return ways[name] if name in ways else -ways[next(way for way, back in OPPOSITE.items() if back == name)]

    def _bone(self, joint: int, end: int | BodyPoint | None, otherwise: Array) -> Array:
        """(3,) the unit direction at rest from a joint to its end; `otherwise` where they are at one place."""
        if end is not None:
            bone = self._skeleton.rest_place(end) - self._places[joint]
            if float(np.linalg.norm(bone)) > SAME_PLACE * self._skeleton.size:
                return rotations.unit(bone)
        return rotations.unit(otherwise)

    # Balls ---------------------------------------------------------------------------------------------------------

    def _ball(
        self,
        role: str,
        joint: int,
        side: str,
        mobility: BallMobility,
        bone: Array,
        zero: Array,
        rest_twist: float = 0.0,
    ) -> Iterator[_Ball]:
        """The range of a ball joint whose bone points to `bone` at rest and to `zero` in the anatomical position.

        Both are unit world directions (3,). Nothing is yielded for joints that have other limits or cannot have one.
        """
        if not self._may_limit(joint):
            return
        first, second = (name for name in mobility.swing if name in OPPOSITE)
        ways = np.stack([self._toward(first, side), self._toward(second, side)])
        if float(np.linalg.norm(np.cross(zero, ways[0]))) < ACROSS:
            ways = np.stack([np.cross(zero, ways[1]), ways[1]])
        one = rotations.unit(ways[0] - (ways[0] @ zero) * zero)
        other = np.cross(zero, one)
        along = float(other @ ways[1])
        if along < 0.0 if abs(along) > ACROSS else side == "right":
            other = -other
        names = (first, second, OPPOSITE[first], OPPOSITE[second])
        quarters = tuple(float(np.deg2rad(mobility.swing[name])) for name in names)
        frame = self._to_rest_frame(joint, np.stack([one, other, zero]))
        low, high = (float(np.deg2rad(angle)) for angle in mobility.twist)
        yield _Ball(
            role,
            joint,
            self._to_rest_frame(joint, bone),
            -1.0 if side == "right" else 1.0,
            rest_twist,
            (low, high),
            Star(frame, (quarters[0], quarters[1], quarters[2], quarters[3])),
        )

    def trunk(self) -> Iterator[_Limited]:
        """The ranges of spine, neck and head: each of their joints has its share, about the vertical."""
        marks = self._marks
        neck = [joint for joint in (marks.neck, marks.head) if joint is not None]
        if len(neck) == 2:
            chain = self._skeleton.tree.chain(neck[1])
            neck = list(chain[: chain.index(neck[0]) + 1]) if neck[0] in chain else neck
        for name, mobility, joints in (("spine", anatomy.SPINE, marks.spine), ("neck", anatomy.NECK, neck)):
            for joint in joints:
                share = mobility.shared_by(len(joints))
                for side in SIDES:  # seen from both sides, so that the trunk moves as far to the right as to the left
                    yield from self._ball(f"{name} {joint}", joint, side, share, self._up, self._up)

    def limbs(self) -> Iterator[_Limited]:
        """The ranges of legs and arms."""
        down = -self._up
        legs = {side: self._marks.leg(side) for side in SIDES}
        arms = {side: self._marks.arm(side) for side in SIDES}
        knees = self._hinges("knee", anatomy.KNEE, {side: leg[:3] for side, leg in legs.items()})
        elbows = self._hinges("elbow", anatomy.ELBOW, {side: arm[1:] for side, arm in arms.items()})
        yield from (each for hinge in (knees, elbows) for each, _ in hinge.values())
        for side in SIDES:
            hip, knee, ankle, toe = legs[side]
            if hip is not None and knee is not None:
                bone, twist = self._bone(hip, knee, down), self._rest_twist(side, "knee", hip, knees)
                yield from self._ball("hip", hip, side, anatomy.HIP, bone, down, twist)
                yield from self._inside("thigh", side, hip, knee, anatomy.HIP)
            if ankle is not None:
                ball = getattr(self._marks, f"{side}_ball")
                foot = self._bone(ankle, ball if toe is None else toe, self._forward)
                yield from self._ball("ankle", ankle, side, anatomy.ANKLE, foot, foot)
                yield from self._inside("foot", side, ankle, toe, anatomy.ANKLE)
            yield from self._arm(side, arms[side], elbows)
        yield from self._toes({side: leg[3] for side, leg in legs.items()})

    def _arm(
        self, side: str, arm: Sequence[int | None], elbows: dict[str, tuple[_Limited, Array]]
    ) -> Iterator[_Limited]:
        clavicle, shoulder, elbow, wrist = arm
        out, down = self._toward("out", side), -self._up
        if clavicle is not None and shoulder is not None:
            bone = self._bone(clavicle, shoulder, out)
            yield from self._ball("clavicle", clavicle, side, anatomy.CLAVICLE, bone, bone)
        if shoulder is not None and elbow is not None:
            raised = anatomy.SHOULDER.swing["out"] - (0.0 if clavicle is None else anatomy.GIRDLE)
            swing = {**anatomy.SHOULDER.swing, "forward": raised, "out": raised}
            mobility = BallMobility(swing, anatomy.SHOULDER.twist)
            bone, twist = self._bone(shoulder, elbow, down), self._rest_twist(side, "elbow", shoulder, elbows)
            yield from self._ball("shoulder", shoulder, side, mobility, bone, down, twist)
            yield from self._inside("upper arm", side, shoulder, elbow, mobility)
        if elbow is not None and wrist is not None:
            finger, fingertip = (getattr(self._marks, f"{side}_{part}") for part in ("finger", "fingertip"))
            forearm = self._bone(elbow, wrist, down)
            hand = self._bone(wrist, fingertip if finger is None else finger, forearm)
            yield from self._ball("wrist", wrist, side, anatomy.WRIST, hand, forearm)
            yield from self._inside("forearm", side, elbow, wrist, anatomy.WRIST)
            yield from self._inside("hand", side, wrist, finger, anatomy.WRIST)

    def _between(self, start: int | None, end: int | None) -> Iterator[int]:
        """The joints between two landmarks that may have limits, from the first to the second."""
        if start is not None and end is not None and self._skeleton.tree.carriers(end)[start]:
            chain = self._skeleton.tree.chain(end)
            yield from (joint for joint in reversed(chain[1 : chain.index(start)]) if self._may_limit(joint))

    def rigid(self) -> list[int]:
        """The joints inside pelvis, shanks and clavicles."""
        found: list[int] = []
        for side in SIDES:
            (hip, knee, ankle, _), (clavicle, shoulder, _, _) = self._marks.leg(side), self._marks.arm(side)
            for ends in ((self._marks.hips, hip), (knee, ankle), (clavicle, shoulder)):
                found += self._between(*ends)
        return found

    def _inside(
        self, role: str, side: str, start: int | None, end: int | None, mobility: BallMobility
    ) -> Iterator[_Limited]:
        """The ranges of joints inside a bone: those in the place of its landmark `start` have its range; the others
        turn about the bone, over which they spread its twist."""
        for place, joint in enumerate(self._between(start, end)):
            bone = self._bone(joint, end, -self._up)
            axis = self._to_rest_frame(joint, bone)
            apart = float(np.linalg.norm(self._places[joint] - self._places[start]))
            if apart > SAME_PLACE * self._skeleton.size and self._residual(joint, axis) <= HINGE_RESIDUAL:
                low, high = (float(np.deg2rad(angle)) for angle in mobility.twist)
                yield _Hinge(f"{role} {place}", joint, axis, -1.0 if side == "right" else 1.0, 0.0, (low, high))
            else:
                yield from self._ball(f"{role} {place}", joint, side, mobility, bone, bone)

    def _rest_twist(self, side: str, hinge: str, ball: int, hinges: dict[str, tuple[_Limited, Array]]) -> float:
        """The twist of a thigh or an upper arm at rest, in radians, from the axis of the hinge at its end.

        It is 0 where a swing from straight down, without twist, brings the axis from pointing sideways to where it is.
        """
        if side not in hinges:
            return 0.0
        limited, axis = hinges[side]
        bone = self._bone(ball, limited.joint, -self._up)
        sideways = self._left if hinge == "knee" else -self._left
        neutral = rotations.rotate(rotations.between(-self._up, bone), sideways)
        twist = np.arctan2(bone @ np.cross(neutral, axis), neutral @ axis - (neutral @ bone) * (axis @ bone))
        return float(twist if side == "left" else -twist)

    # Hinges --------------------------------------------------------------------------------------------------------

    def _hinges(
        self, role: str, mobility: HingeMobility, limbs: dict[str, Sequence[int | None]]
    ) -> dict[str, tuple[_Limited, Array]]:
        """By side, the range of a knee or an elbow, and its axis (3,) in the world at rest, about which it flexes.

        `limbs` has ball joint, hinge and end by side. Where the motion of one side is no hinge, neither is one.
        """
        known: dict[str, tuple[int, int, int]] = {}
        for side, (ball, hinge, end) in limbs.items():
            if ball is None or hinge is None or end is None:
                continue
            if self._may_limit(hinge, (JointKind.BALL, JointKind.HINGE)) and self._has_bones((ball, hinge, end)):
                known[side] = (ball, hinge, end)
        limb = "leg" if role == "knee" else "arm"
        axes = self._of_both_sides(limb, known, {side: self._turn_axis(limb, each) for side, each in known.items()})
        is_hinge = all(self._is_hinge(joints, axes[side]) for side, joints in known.items())
        if not is_hinge:
            planes = {side: self._plane_axis(limb, joints) for side, joints in known.items()}
            axes = self._of_both_sides(limb, known, planes)
        found: dict[str, tuple[_Limited, Array]] = {}
        for side, joints in known.items():
            limited: _Limited
            if is_hinge or self._skeleton.kinds[joints[1]] is JointKind.HINGE:
                limited = self._hinge(role, joints, axes[side], mobility)
            else:
                limited = self._bending_ball(role, side, joints, axes[side], mobility)
            found[side] = (limited, rotations.rotate(self._rotations[joints[1]], axes[side]))
        return found

    def _has_bones(self, joints: Sequence[int]) -> bool:
        carried = self._skeleton.tree.carriers(joints[2])
        lengths = [float(np.linalg.norm(bone)) for bone in bones_at_rest(self._skeleton, joints)]
        return bool(carried[joints[0]] and carried[joints[1]]) and min(lengths) > NO_LENGTH * self._skeleton.size

    def _turn_axis(self, limb: str, joints: Sequence[int]) -> Array | None:
        """(3,) the axis of a hinge, or about which a joint turns in the motion; None where it is none and hardly turns.

        It is in the joint's own frame, and positive angles about it flex the limb.
        """
        turns = self._motion is not None and measured_axis(joints[1], sampled(self._motion)) is not None
        if not turns and self._skeleton.kinds[joints[1]] is not JointKind.HINGE:
            return None
        return hinge_axis(self._skeleton, limb, joints, self._motion)

    def _plane_axis(self, limb: str, joints: Sequence[int]) -> Array | None:
        """(3,) the normal, in the joint's own frame at rest, of the plane in which the lower bone moves with the upper
        one; None where it hardly moves. Positive angles about it flex the limb."""
        if self._skeleton.kinds[joints[1]] is JointKind.HINGE:
            return self._turn_axis(limb, joints)
        upper, lower = (rotations.unit(bone) for bone in bones_at_rest(self._skeleton, joints))
        directions = np.vstack([upper, rotations.rotate(self.relative(joints[1]), lower)])
        values, vectors = np.linalg.eigh(directions.T @ directions / len(directions))
        if values[1] < np.sin(HINGE_RESIDUAL) ** 2:
            return None
        motion = None if self._motion is None else sampled(self._motion)
        return with_flexing_sign(self._skeleton, limb, joints, vectors[:, 0], motion)

    def _of_both_sides(
        self, limb: str, known: dict[str, tuple[int, int, int]], axes: dict[str, Array | None]
    ) -> dict[str, Array]:
        """The axes by side; where one is None, the mirror image of the other, or else that of the rest pose."""
        complete: dict[str, Array] = {}
        for side, mine in known.items():
            other = SIDES[1 - SIDES.index(side)]
            axis, counterpart = axes[side], axes.get(other)
            if axis is None and counterpart is not None and self._are_mirrored(mine, known[other]):
                image = self._mirror_image(rotations.rotate(self._rotations[known[other][1]], counterpart))
                axis = self._to_rest_frame(mine[1], -image)  # an axis is mirrored as a turn, not as an arrow
            complete[side] = hinge_axis(self._skeleton, limb, mine) if axis is None else axis
        return complete

    def _mirror_image(self, vectors: Array) -> Array:
        """World vectors (..., 3) mirrored left to right."""
        return vectors - 2.0 * (vectors @ self._left)[..., None] * self._left

    def _are_mirrored(self, mine: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether both bones of a limb are, at rest, mirror images of its counterpart's."""
        bones = [np.diff(self._places[list(joints)], axis=0) for joints in (mine, theirs)]
        one, other = rotations.unit(bones[0]), rotations.unit(self._mirror_image(bones[1]))
        return bool((np.sum(one * other, axis=-1) > np.cos(MIRRORED)).all())

    def _is_hinge(self, joints: Sequence[int], axis: Array) -> bool:
        """Whether a joint rotates about nothing but an axis (3,) that is across its bones."""
        for bone in bones_at_rest(self._skeleton, joints):
            if float(np.linalg.norm(np.cross(axis, bone))) < ACROSS * float(np.linalg.norm(bone)):
                return False
        return self._residual(joints[1], axis) <= HINGE_RESIDUAL

    def _residual(self, joint: int, axis: Array) -> float:
        """The rotation of a joint in the motion besides that about an axis (3,), root mean square, in radians."""
        if self._motion is None or not self._motion.frames:
            return 0.0
        local = sampled(self._motion).rotations[:, joint]
        swing, _ = rotations.swing_twist(rotations.multiply(rotations.conjugate(rotations.mean(local)), local), axis)
        return float(np.sqrt(np.mean(rotations.angle_between(swing, rotations.IDENTITY) ** 2)))

    def _hinge(self, role: str, joints: Sequence[int], axis: Array, mobility: HingeMobility) -> _Hinge:
        """The range of a hinge that flexes about `axis` (3,), in its own frame."""
        joint = joints[1]
        own = self._skeleton.hinge_axes[joint] if self._skeleton.kinds[joint] is JointKind.HINGE else axis
        low, high = (float(np.deg2rad(angle)) for angle in mobility.bend)
        rest_bend = float(bend_of(*bones_at_rest(self._skeleton, joints), axis))
        return _Hinge(role, joint, own, 1.0 if own @ axis > 0.0 else -1.0, rest_bend, (low, high))

    def _bending_ball(self, role: str, side: str, joints: Sequence[int], axis: Array, mobility: HingeMobility) -> _Ball:
        """The range of a ball joint that bends about `axis` (3,): its lower bone stays near the plane of flexion."""
        upper, lower = (rotations.unit(bone) for bone in bones_at_rest(self._skeleton, joints))
        straight = rotations.unit(upper - (upper @ axis) * axis)
        mirror = -1.0 if side == "right" else 1.0
        frame = np.stack([straight, np.cross(axis, straight), mirror * axis])
        along = (float(np.deg2rad(mobility.bend[0])), float(np.deg2rad(mobility.bend[1])))
        low, high = (float(np.deg2rad(angle)) for angle in mobility.twist)
        region = Strip(frame, along, float(np.deg2rad(anatomy.SLACK)))
        return _Ball(role, joints[1], lower, mirror, 0.0, (low, high), region)

    def _toes(self, toes: dict[str, int | None]) -> Iterator[_Limited]:
        """The ranges of the toes: hinges where the motion bends them about one axis, else balls."""
        motion = None if self._motion is None else sampled(self._motion)
        known = {side: joint for side, joint in toes.items() if joint is not None and self._may_limit(joint)}
        bones: dict[str, Array] = {}
        hinges: dict[str, Array] = {}
        for side, joint in known.items():
            bones[side] = self._bone(joint, getattr(self._marks, f"{side}_toe_tip"), self._forward)
            axis = None if motion is None else measured_axis(joint, motion)
            along = self._to_rest_frame(joint, bones[side])
            if axis is None or self._residual(joint, axis) > HINGE_RESIDUAL:
                continue
            if float(np.linalg.norm(np.cross(axis, along))) >= ACROSS:
                rises = np.cross(axis, along) @ self._to_rest_frame(joint, self._up)
                hinges[side] = np.asarray(axis if rises >= 0.0 else -axis)
        for side, joint in known.items():
            if len(hinges) == len(known):
                low, high = (float(np.deg2rad(angle)) for angle in anatomy.TOE_HINGE.bend)
                yield _Hinge("toe", joint, hinges[side], 1.0, 0.0, (low, high))
            else:
                yield from self._ball("toe", joint, side, anatomy.TOE, bones[side], bones[side])

    def fingers(self) -> Iterator[_Limited]:
        """The ranges of finger joints that bend about one axis, in the motion or as they are bent at rest, and of the
        knuckle that is a landmark in any case."""
        for side in SIDES:
            wrist, finger = (getattr(self._marks, f"{side}_{part}") for part in ("wrist", "finger"))
            if wrist is None:
                continue
            tree, parents = self._skeleton.tree, self._skeleton.parents
            palm = (wrist,) if finger is None else tree.chain(finger)[1:]
            hinges: dict[int, _Hinge] = {}
            for joint in np.flatnonzero(tree.ancestry[:, wrist]).tolist():
                if joint in palm or not self._may_limit(joint):
                    continue
                above = int(parents[joint])
                mobility = anatomy.KNUCKLE_HINGE if above in palm else anatomy.FINGER
                hinge = self._finger_hinge(f"{side} finger {joint}", joint, mobility, hinges.get(above))
                if hinge is not None:
                    hinges[joint] = hinge
                elif joint == finger:
                    tip = getattr(self._marks, f"{side}_fingertip")
                    bone = self._bone(joint, tip, self._bone(wrist, finger, -self._up))
                    yield from self._ball("knuckle", joint, side, anatomy.KNUCKLE, bone, bone)
            yield from hinges.values()

    def _finger_hinge(self, role: str, joint: int, mobility: HingeMobility, above: _Hinge | None) -> _Hinge | None:
        """The range of a finger joint; None where nothing shows that it is a hinge.

        The last joint of a finger bends about the axis of the one above it, if that is a hinge.
        """
        below = np.flatnonzero(self._skeleton.parents == joint)
        joints = (int(self._skeleton.parents[joint]), joint, *below.tolist())
        if len(below) == 0 and above is not None:
            axis = self._to_rest_frame(joint, rotations.rotate(self._rotations[above.joint], above.axis))
            low, high = (float(np.deg2rad(angle)) for angle in mobility.bend)
            is_hinge = self._residual(joint, axis) <= HINGE_RESIDUAL
            return _Hinge(role, joint, axis, 1.0, 0.0, (low, high)) if is_hinge else None
        if len(below) != 1 or not self._has_bones(joints) or not self._shows_axis(joints):
            return None
        axis = hinge_axis(self._skeleton, "arm", joints, self._motion)
        return self._hinge(role, joints, axis, mobility) if self._is_hinge(joints, axis) else None

    def _shows_axis(self, joints: Sequence[int]) -> bool:
        """Whether a joint moves in the motion, or is bent at rest."""
        if self._motion is not None and measured_axis(joints[1], sampled(self._motion)) is not None:
            return True
        upper, lower = bones_at_rest(self._skeleton, joints)
        return bool(
            rotations.lengths(rotations.cross(rotations.unit(upper), rotations.unit(lower))) > np.sin(BENT_AT_REST)
        )
