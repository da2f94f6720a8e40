# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounded parts of which the body of a character is made, each carried by one joint.

They form the pieces of a mannequin: trunk, face, arms, legs and shoes, which overlap at the joints. Lengths are shares
of the character's size, hip to heel, and describe a slender adult. Any character whose hips, legs, arms and head are
known gets such a body; any other gets a tube around each of its bones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..body.joints import BodyPoint
from ..body.skeleton import Skeleton
from ..core.arrays import Array, BoolArray

TRUNK, FACE = "trunk", "face"
"""The names of pieces, besides the legs, arms and shoes of both sides, such as "left leg"."""


@dataclass(frozen=True, eq=False)
class RoundPart:
    """A tube with round ends, whose radius changes linearly, flattened along one direction. In the world at rest."""

    joint: int
    piece: str
    """The parts of a piece have one surface in common."""
    begin: Array
    """(3,)"""
    end: Array
    """(3,)"""
    begin_radius: float
    end_radius: float
    flat: Array | None = None
    """(3,) the direction, of length 1, along which it is flattened; None where it is round."""
    thickness: float = 1.0
    """Half its thickness along `flat` as a share of the radius; more than 1 makes it thicker."""

    def distance(self, points: Array) -> Array:
        """(points,) how far points (points, 3) are outside of the part, negative inside; too far where flattened."""
        begin, end, points = self._widened(self.begin), self._widened(self.end), self._widened(points)
        way = end - begin
        share = np.clip((points - begin) @ way / max(float(way @ way), 1e-300), 0.0, 1.0)
        radius = self.begin_radius + share * (self.end_radius - self.begin_radius)
        return np.linalg.norm(points - begin - share[:, None] * way, axis=1) - radius

    def box(self, distance: float) -> tuple[Array, Array]:
        """The lowest and the highest corner (3,) of a box around all places within a distance of the part."""
        reach = max(self.begin_radius, self.end_radius) * max(1.0, self.thickness) + distance
        return np.minimum(self.begin, self.end) - reach, np.maximum(self.begin, self.end) + reach

    def may_reach(self, points: Array, distance: float) -> BoolArray:
        """(points,) whether points can be within a distance of the part, by its box."""
        low, high = self.box(distance)
        found = np.ones(len(points), dtype=bool)
        for axis in range(3):
            found &= (points[:, axis] > low[axis]) & (points[:, axis] < high[axis])
        return found

    def _widened(self, points: Array) -> Array:
        """Points in a space in which the part is round."""
        if self.flat is None:
            return points
        return points + (1.0 / self.thickness - 1.0) * np.multiply.outer(points @ self.flat, self.flat)


def body_parts(skeleton: Skeleton) -> list[RoundPart]:
    """The parts of a character's body in its rest pose."""
    figure = _Figure(skeleton)
    return list(figure.parts()) if figure.is_human else list(_tubes(skeleton))


def forward_of(skeleton: Skeleton) -> Array:
    """(3,) the horizontal direction, of length 1, in which a character faces at rest."""
    return _Figure(skeleton).forward


_BONE_RADIUS = 0.1
"""The radius of a tube around a bone, as a share of its length."""
_THINNEST, _THICKEST = 0.015, 0.06


def _tubes(skeleton: Skeleton) -> Iterator[RoundPart]:
    """A tube around each bone, from a joint to its child or its tip, carried by that joint."""
    _, places = skeleton.rest
    size = skeleton.size
    ends = [(int(parent), places[joint]) for joint, parent in enumerate(skeleton.parents) if parent >= 0]
    ends += [(skeleton.index(tip.joint), skeleton.rest_place(tip)) for tip in skeleton.tips]
    for joint, end in ends:
        length = float(np.linalg.norm(end - places[joint]))
        radius = float(np.clip(_BONE_RADIUS * length, _THINNEST * size, _THICKEST * size))
        yield RoundPart(joint, TRUNK, places[joint], end, radius, radius)


# Of the trunk, by the share of the way from the hips to the neck: half its width and half its depth.
_HEIGHTS = (-0.12, 0.06, 0.30, 0.48, 0.72, 0.88, 1.0)
_WIDTHS = (0.120, 0.170, 0.146, 0.134, 0.172, 0.168, 0.080)
_DEPTHS = (0.100, 0.118, 0.102, 0.096, 0.112, 0.100, 0.062)
_SHOULDERS = 0.43
"""The distance between the shoulders of the body that the widths describe."""
_SLICES = 14
"""Tubes of which the trunk is made: its outline has no corners."""


class _Figure:
    """Places and directions of a body at rest, by its landmarks."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton, self.marks, self.size = skeleton, skeleton.landmarks, skeleton.size
        self.up = np.eye(3)[skeleton.up_axis]
        left, right = self.marks.left_hip, self.marks.right_hip
        across = np.eye(3)[0] if left is None or right is None else self.at(left) - self.at(right)
        across = across - self.up * (across @ self.up)
        length = float(np.linalg.norm(across))
        self.left = across / length if length > 1e-9 * self.size else np.eye(3)[0]
        self.forward = np.cross(self.left, self.up)

    @property
    def is_human(self) -> bool:
        """Whether all joints are known of which the parts of a human are made."""
        marks = self.marks
        needed = [marks.hips, marks.head, marks.head_top]
        for side in ("left", "right"):
            needed += [*marks.leg(side)[:3], *marks.arm(side)[1:], getattr(marks, f"{side}_heel")]
        return all(each is not None for each in needed)

    def at(self, point: int | BodyPoint | None) -> Array:
        """(3,) the place of a landmark."""
        assert point is not None
        return np.asarray(self.skeleton.rest_place(point))

    def parts(self) -> Iterator[RoundPart]:
        yield from self._trunk()
        yield from self._head()
        for side, sign in (("left", 1.0), ("right", -1.0)):
            yield from self._leg(side)
            yield from self._foot(side, sign)
            yield from self._arm(side)
            yield from self._hand(side)

    def _part(self, joint: int, piece: str, begin: Array, end: Array, radii: tuple[float, float]) -> RoundPart:
        return RoundPart(joint, piece, begin, end, radii[0] * self.size, radii[1] * self.size)

    def _trunk(self) -> Iterator[RoundPart]:
        """Slices from the crotch to the neck, each carried by the joint of the spine at its height."""
        marks = self.marks
        hips = 0.5 * (self.at(marks.left_hip) + self.at(marks.right_hip))
        shoulders = 0.5 * (self.at(marks.left_shoulder) + self.at(marks.right_shoulder))
        top = shoulders + 0.035 * self.size * self.up
        top = top + self.forward * ((hips - top) @ self.forward) * 0.6
        wide = float(np.linalg.norm(self.at(marks.left_shoulder) - self.at(marks.right_shoulder)))
        wider = float(np.clip(wide / (_SHOULDERS * self.size), 0.7, 1.4))
        pelvis = int(self.skeleton.parents[marks.left_hip]) if marks.left_hip is not None else 0
        carriers = [(pelvis, -np.inf)] + [
            (joint, float((self.at(joint) - hips) @ self.up / ((top - hips) @ self.up))) for joint in marks.spine
        ]
        ends = np.linspace(_HEIGHTS[0], _HEIGHTS[-1], _SLICES + 1)
        centers = hips + np.multiply.outer(ends, top - hips)
        widths, depths = (np.interp(ends, _HEIGHTS, values) * self.size for values in (_WIDTHS, _DEPTHS))
        for index in range(_SLICES):
            middle = 0.5 * (ends[index] + ends[index + 1])
            joint = max((carrier for carrier in carriers if carrier[1] <= middle), key=lambda carrier: carrier[1])[0]
            radii = wider * widths[index : index + 2]
            # The middle line of these tubes lies across the body, so that the outline follows the widths.
            for begin, radius, depth in zip(centers[index : index + 2], radii, depths[index : index + 2], strict=True):
                across = (radius - depth) * self.left
                yield RoundPart(joint, TRUNK, begin - across, begin + across, depth, depth)
        if marks.neck is not None:
            head = self.at(marks.head) + 0.02 * self.size * self.up
            yield self._part(marks.neck, TRUNK, top - 0.05 * self.size * self.up, head, (0.060, 0.054))
        for side in ("left", "right"):
            clavicle = getattr(marks, f"{side}_clavicle")
            joint = clavicle if clavicle is not None else carriers[-1][0]
            inner = top - 0.05 * self.size * self.up
            yield self._part(joint, TRUNK, inner, self.at(getattr(marks, f"{side}_shoulder")), (0.062, 0.050))

    def _head(self) -> Iterator[RoundPart]:
        joint = self.marks.head
        assert joint is not None
        size, crown = self.size, self.at(self.marks.head_top)
        # Faces are as high as the distance from crown to chin of an adult, whatever the neck's joints are.
        skull = crown - 0.100 * size * self.up + 0.006 * size * self.forward
        yield RoundPart(joint, TRUNK, skull, skull, 0.088 * size, 0.088 * size, self.forward, 1.16)
        jaw = crown - 0.175 * size * self.up + 0.030 * size * self.forward
        yield self._part(joint, TRUNK, skull, jaw, (0.080, 0.050))
        # The face stands a little out of the head.
        brow = skull + (0.012 * self.up + 0.040 * self.forward) * size
        chin = skull + (-0.066 * self.up + 0.046 * self.forward) * size
        yield replace(self._part(joint, FACE, brow, chin, (0.078, 0.056)), flat=self.left, thickness=0.88)
        nose = crown - 0.130 * size * self.up + 0.105 * size * self.forward
        yield self._part(joint, FACE, nose + 0.03 * size * self.up, nose, (0.010, 0.017))

    def _leg(self, side: str) -> Iterator[RoundPart]:
        hip, knee, ankle, _ = self.marks.leg(side)
        assert hip is not None and knee is not None and ankle is not None
        piece = f"{side} leg"
        places = [self.at(joint) for joint in (hip, knee, ankle)]
        middle = places[0] + 0.45 * (places[1] - places[0]) + 0.010 * self.size * self.forward
        yield self._part(hip, piece, places[0], middle, (0.092, 0.083))
        yield self._part(hip, piece, middle, places[1], (0.083, 0.057))
        calf = places[1] + 0.30 * (places[2] - places[1]) - 0.014 * self.size * self.forward
        yield self._part(knee, piece, places[1], calf, (0.055, 0.060))
        yield self._part(knee, piece, calf, places[2], (0.060, 0.036))

    def _foot(self, side: str, sign: float) -> Iterator[RoundPart]:
        """Heel, instep and toes; the ball's joint carries the toes where there is one."""
        marks, size = self.marks, self.size
        ankle, piece = marks.leg(side)[2], f"{side} shoe"
        heel = getattr(marks, f"{side}_heel")
        assert ankle is not None
        ball = getattr(marks, f"{side}_ball") or heel
        tip = getattr(marks, f"{side}_toe_tip") or ball
        floor = float(self.at(heel) @ self.up)

        def above(place: Array, height: float) -> Array:
            return place + self.up * (floor + height * size - place @ self.up)

        carrier, toes = self.skeleton.index(ball.joint), self.skeleton.index(tip.joint)
        holder = int(self.skeleton.parents[carrier]) if carrier != ankle else ankle
        back, front, end = above(self.at(heel), 0.034), above(self.at(ball), 0.022), above(self.at(tip), 0.012)
        inward = -sign * 0.012 * size * self.left
        back = back + 0.050 * size * _unit(front - back)
        yield self._part(ankle, piece, self.at(ankle), back, (0.040, 0.038))
        yield self._part(holder, piece, back, front + inward, (0.038, 0.032))
        yield self._part(holder, piece, back, front - 1.8 * inward, (0.038, 0.028))
        yield self._part(holder, piece, self.at(ankle), front, (0.038, 0.030))
        end = end - 0.016 * size * _unit(end - front)
        yield self._part(toes, piece, front + inward, end + inward, (0.028, 0.017))
        yield self._part(
            toes, piece, front - 1.8 * inward, end - 1.6 * inward - 0.018 * size * self.forward, (0.024, 0.015)
        )

    def _arm(self, side: str) -> Iterator[RoundPart]:
        _, shoulder, elbow, wrist = self.marks.arm(side)
        assert shoulder is not None and elbow is not None and wrist is not None
        piece = f"{side} arm"
        places = [self.at(joint) for joint in (shoulder, elbow, wrist)]
        yield self._part(shoulder, piece, places[0], places[1], (0.067, 0.041))
        middle = places[1] + 0.28 * (places[2] - places[1])
        yield self._part(elbow, piece, places[1], middle, (0.041, 0.044))
        yield self._part(elbow, piece, middle, places[2], (0.044, 0.027))

    def _hand(self, side: str) -> Iterator[RoundPart]:
        """A mitten with a thumb, flattened across the palm."""
        marks, size, piece = self.marks, self.size, f"{side} arm"
        elbow, wrist = marks.arm(side)[2:]
        assert elbow is not None and wrist is not None
        place = self.at(wrist)
        along = _unit(place - self.at(elbow))
        finger = getattr(marks, f"{side}_finger")
        knuckles = self.at(finger) if finger is not None else place + 0.09 * size * along
        tip = getattr(marks, f"{side}_fingertip")
        end = self.at(tip) if tip is not None else knuckles + 0.09 * size * along
        palm = np.cross(along, self.forward)
        flat = _unit(palm) if np.linalg.norm(palm) > 0.1 else self.up
        fingers = wrist if finger is None else finger
        edge = np.cross(flat, along)
        thumb_way = edge * np.sign(edge @ self.forward or 1.0)
        end = end - 0.024 * size * _unit(end - knuckles)
        palm_part = self._part(wrist, piece, place + 0.2 * (knuckles - place), knuckles, (0.034, 0.042))
        yield replace(palm_part, flat=flat, thickness=0.6)
        yield replace(self._part(fingers, piece, knuckles, end, (0.041, 0.030)), flat=flat, thickness=0.5)
        base = place + 0.25 * (knuckles - place)
        yield self._part(wrist, piece, base, base + (0.075 * along + 0.045 * thumb_way) * size, (0.020, 0.014))


def _unit(vector: Array) -> Array:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-300))
