# SPDX-License-Identifier: GPL-3.0-or-later
"""Heel, ball and tip of the toes of a foot in the rest pose.

Where a skin is known, they are its lowest, rearmost and foremost points. Otherwise they come from joints and ends of
bones, as far as these keep to the proportions of a foot: files without bone lengths (glTF) give the last bone of a
chain any length and any direction. The remaining points are estimated from the proportions of people.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ..joints import BodyPoint
from .figure import Figure

HEEL_SETBACK = 1.0 / 3.0
"""How far the heel lies behind the ankle, as a share of the horizontal way from the ankle to the ball.

Two reference bodies bracket it: the heel pivot of the Rigify human lies on the floor at 0.27, the rearmost point of the
heel bone of the HAnim nominal body, which is above the floor, at 0.39."""

TOE_LENGTH = 0.5
"""How far the toes reach beyond the ball, as the same share: 0.52 in the CMU skeleton, 0.61 in the Rigify human."""

BALL_ALONG_SOLE = 0.7
"""Where the ball lies on the way from the heel to the tip of the toes: at 0.68 in the Rigify human, 0.72 in the CMU
skeleton."""

ENDS_AT_BALL = 0.18
"""A foot bone without toes that reaches less far ahead of the ankle than this share of the leg, hip to ankle, ends at
the ball. In usual skeletons the ball is at 0.12 to 0.155 and the tip of the toes at 0.2 to 0.24."""

BALL_AHEAD, ANKLE_HEIGHT = 0.14, 0.1
"""Where nothing shows the foot: how far the ball lies ahead of the ankle, and the sole below, as shares of the leg."""

_LONGEST_FOOT = 0.6
"""The farthest that any point of a foot lies from the ankle, as a share of the leg: a human's toes are at 0.25, those
of cartoon characters at half."""

_SHORTEST_FOOT = 0.06
"""The least that a foot reaches from the ankle, as a share of the leg."""

_DEEPEST_SOLE = 0.3
"""The farthest that the sole lies below the ankle, as a share of the leg: 0.1 in people."""

_SHORTEST_TOES, _LONGEST_TOES, _TOES_ASKEW = 0.15, 1.2, 0.6
"""Shares of the way from ankle to ball between which the tip of the toes lies ahead of the ball; and, of that, by how
much it may lie off."""

_STANDING = 0.5
"""Cosine of the steepest lean at which a shin still stands: beyond 60 degrees the rest pose does not show the floor."""

_SOLE_SQUARE = 0.02
"""Sine of the angle to which a foot must be square to its shin, and point ahead, to count as built square to it."""

_SOLE, _FOOT = 0.75, 0.4
"""Shares of the ankle's height below which skin belongs to the sole, and to the foot without the ankle."""

_END_OF_SOLE = 0.15
"""The share of the foot's length from which the sideways place of heel and tip is taken."""

_LONG_FOOT, _TURNED_OUT = 1.3, 0.8
"""The spread of a foot's skin along it against that across, and the cosine of the angle to where the character faces,
from which on its long axis shows where the foot points: feet of robots are as wide as they are long."""

_ENOUGH_SKIN = 6
"""Points of skin on a foot: fewer do not show its shape."""


@dataclass(frozen=True)
class LegJoints:
    """The joints of a leg by index; hip and knee may be unknown, and there may be no joint at the ball."""

    hip: int | None
    knee: int | None
    ankle: int
    ball: int | None
    """The joint that bends the toes."""


@dataclass(frozen=True)
class FootPoints:
    """The points of a foot that touch the ground; None where the rest pose does not show them."""

    heel: BodyPoint | None = None
    ball: BodyPoint | None = None
    toe_tip: BodyPoint | None = None


def foot_points(
    figure: Figure, leg: LegJoints, forward: Array | None, named_heel: BodyPoint | None, heel_bones: Collection[int]
) -> FootPoints:
    """Heel, ball and tip of the toes of one foot.

    `forward` (3,) is the horizontal unit vector that the character faces, None if unknown; `named_heel` is the heel
    that a joint's name marks; `heel_bones` are joints between ankle and toes that carry the heel.
    """
    return _Foot(figure, leg, forward).points(named_heel, heel_bones)


class _Foot:
    """One foot; `start` (3,) is its ankle, `length` that of the leg from hip to ankle, 0 where it is unknown."""

    def __init__(self, figure: Figure, leg: LegJoints, forward: Array | None) -> None:
        self.figure, self.leg, self.forward = figure, leg, forward
        self.start = figure.positions[leg.ankle]
        self.length = _leg_length(figure, leg)

    def points(self, named_heel: BodyPoint | None, heel_bones: Collection[int]) -> FootPoints:
        figure, leg = self.figure, self.leg
        at_joint = None if leg.ball is None else BodyPoint(leg.ball)
        skin = self._skin()
        foot = self._to_ball()
        if foot is None:
            return FootPoints(named_heel, at_joint, None)
        knee = leg.knee if leg.knee is not None else leg.hip
        down = _down(figure, self.start if knee is None else figure.positions[knee], self.start, foot, self.forward)
        if down is None:
            return FootPoints(named_heel, at_joint, self._farthest_end())
        if skin is not None:
            from_skin = self._points_of_skin(skin, foot, down)
            if from_skin is not None:
                return FootPoints(named_heel or from_skin.heel, at_joint or from_skin.ball, from_skin.toe_tip)
        along_floor = foot - (foot @ down) * down
        tip = self._toe_tip(along_floor)
        under_ankle = self.start + self._drop(down, tip, skin) * down
        if tip is None:
            carrier = leg.ankle if leg.ball is None else leg.ball
            tip = figure.point(carrier, under_ankle + (1.0 + TOE_LENGTH) * along_floor)
        ball = at_joint or figure.point(leg.ankle, under_ankle + along_floor)
        inside = figure.path(leg.ankle, leg.ball)[:-1] if leg.ball is not None else []
        carrier = next((joint for joint in inside if joint in heel_bones), leg.ankle)
        return FootPoints(named_heel or figure.point(carrier, under_ankle - HEEL_SETBACK * along_floor), ball, tip)

    # Joints and ends of bones ---------------------------------------------------------------------------------------

    def _to_ball(self) -> Array | None:
        """(3,) from the ankle to the ball; None where nothing shows it, not even where the character faces."""
        figure, ball = self.figure, self.leg.ball
        if ball is not None and np.any(figure.positions[ball] != self.start):
            return np.asarray(figure.positions[ball] - self.start)
        end = self._farthest_end()
        if end is not None:
            way = figure.world(int(end.joint), end.offset) - self.start
            ends_at_ball = float(np.linalg.norm(figure.horizontal(way))) < ENDS_AT_BALL * self.length
            return np.asarray(way if ends_at_ball else way / (1.0 + TOE_LENGTH))
        if self.forward is not None and self.length > 0.0 and ball is None:
            return np.asarray(BALL_AHEAD * self.length * self.forward)
        return None if ball is None else np.zeros(3)

    def _ends(self, joint: int) -> list[tuple[int, Array]]:
        """Where bones below a joint end, each with the joint that carries that end."""
        figure = self.figure
        carriers, places = figure.tips_below(joint)
        below = [other for other in figure.subtree(joint) if other != joint and other not in figure.ends]
        return [*zip(carriers.tolist(), places, strict=True), *((other, figure.positions[other]) for other in below)]

    def _farthest_end(self) -> BodyPoint | None:
        """The end of the foot farthest from where it bends that a foot of this leg can have."""
        figure = self.figure
        joint = self.leg.ankle if self.leg.ball is None else self.leg.ball
        origin = figure.positions[joint]
        credible = [
            (carrier, place)
            for carrier, place in self._ends(joint)
            if np.any(place != origin) and self._is_on_foot(place)
        ]
        if not credible:
            return None
        carrier, place = max(credible, key=lambda end: float(np.linalg.norm(end[1] - origin)))
        return figure.point(carrier, place)

    def _is_on_foot(self, place: Array) -> bool:
        """Whether a place (3,) is where the end of a foot can be: not too far, not above the ankle, not behind."""
        way = place - self.start
        far = float(np.linalg.norm(way))
        if self.length > 0.0 and not _SHORTEST_FOOT * self.length <= far <= _LONGEST_FOOT * self.length:
            return False
        knee = self.leg.knee if self.leg.knee is not None else self.leg.hip
        if knee is None:
            return True
        shin = self.start - self.figure.positions[knee]
        # Up the shin again is no foot; the slope of a foot that tilts with a spread leg is.
        if float(way @ shin) < -_STANDING * far * float(np.linalg.norm(shin)):
            return False
        if self.forward is None or float(shin @ -self.figure.up) < _STANDING * float(np.linalg.norm(shin)):
            return True
        return float(way @ self.forward) > 0.0 or float(np.linalg.norm(self.figure.horizontal(way))) < 0.5 * far

    def _toe_tip(self, along_floor: Array) -> BodyPoint | None:
        """The end of the toes as the bones have it; None where no end of a bone keeps to the proportions of toes."""
        figure, ball = self.figure, self.leg.ball
        if ball is None or not np.any(figure.positions[ball] != self.start):
            end = self._farthest_end()
            if end is None or ball is not None:
                return end
            way = figure.world(int(end.joint), end.offset) - self.start
            return None if float(np.linalg.norm(figure.horizontal(way))) < ENDS_AT_BALL * self.length else end
        reach = float(np.linalg.norm(along_floor))
        if reach == 0.0:
            return self._farthest_end()
        ahead, origin = along_floor / reach, figure.positions[ball]
        credible = []
        for carrier, place in self._ends(ball):
            along = float((place - origin) @ ahead)
            askew = float(np.linalg.norm(place - origin - along * ahead))
            if _SHORTEST_TOES * reach <= along <= _LONGEST_TOES * reach and askew <= max(_TOES_ASKEW * along, 0.0):
                credible.append((along, carrier, place))
        if not credible:
            return None
        _, carrier, place = max(credible, key=lambda end: end[0])
        return figure.point(carrier, place)

    def _drop(self, down: Array, tip: BodyPoint | None, skin: Array | None) -> float:
        """How far the lowest of the foot's skin, or else of its joints and credible ends, lies below the ankle."""
        figure = self.figure
        if skin is not None:
            return max(float(((skin - self.start) @ down).max()), 0.0)
        below = [joint for joint in figure.subtree(self.leg.ankle) if joint not in figure.ends]
        places = [figure.positions[joint] for joint in below]
        ends = (tip, self._farthest_end() if self.leg.ball is None else None)
        places += [figure.world(int(end.joint), end.offset) for end in ends if end is not None]
        depths = (np.array(places) - self.start) @ down
        if self.length > 0.0:
            depths = depths[depths <= _DEEPEST_SOLE * self.length]
        if len(places) == 1 and self.leg.ball is None:
            return ANKLE_HEIGHT * self.length
        return float(depths.max(initial=0.0))

    # Skin -----------------------------------------------------------------------------------------------------------

    def _skin(self) -> Array | None:
        """(n, 3) the skin of the foot as far as a foot of this leg can reach; None where there is too little of it."""
        _, places = self.figure.skin_below(self.leg.ankle)
        if self.length > 0.0:
            places = places[np.linalg.norm(places - self.start, axis=1) <= _LONGEST_FOOT * self.length]
        return places if len(places) >= _ENOUGH_SKIN else None

    def _points_of_skin(self, skin: Array, foot: Array, down: Array) -> FootPoints | None:
        """The points of a foot with this skin (n, 3), given the way to its ball (3,) and where its sole faces (3,)."""
        figure, leg = self.figure, self.leg
        depths = (skin - self.start) @ down
        drop = float(depths.max())
        if drop <= 0.0:
            return None
        ahead = self._ahead(skin[depths >= _FOOT * drop], foot, down)
        if ahead is None:
            return None
        across = np.cross(down, ahead)
        along, aside = (skin - self.start) @ ahead, (skin - self.start) @ across
        in_sole, in_foot = depths >= _SOLE * drop, depths >= _FOOT * drop
        rear, front = float(along[in_sole].min()), float(along[in_foot].max())
        length = front - rear
        if front <= -rear:
            return None  # a foot reaches further ahead of the ankle than behind: this mesh does not fit its bones

        def on_sole(place: float, near: Array) -> Array:
            """A place along the sole, in the middle of the skin that is near, or else of all."""
            middle = float(np.median(aside[near] if near.any() else aside[in_foot]))
            return self.start + place * ahead + middle * across + drop * down

        heel = on_sole(rear, in_sole & (along <= rear + _END_OF_SOLE * length))
        tip = on_sole(front, in_foot & (along >= front - _END_OF_SOLE * length))
        ball_along = rear + BALL_ALONG_SOLE * length
        ball = on_sole(ball_along, in_foot & (np.abs(along - ball_along) <= _END_OF_SOLE * length))
        toes = leg.ankle if leg.ball is None else leg.ball
        return FootPoints(figure.point(leg.ankle, heel), figure.point(leg.ankle, ball), figure.point(toes, tip))

    def _ahead(self, foot_skin: Array, foot: Array, down: Array) -> Array | None:
        """(3,) the unit vector along the sole that the toes point to; None where neither joints nor skin show it."""
        along_floor = foot - (foot @ down) * down
        if self.leg.ball is None:
            # A foot bone without toes may point anywhere; the skin does not.
            level = foot_skin - foot_skin.mean(axis=0)
            level = level - (level @ down)[:, None] * down
            _, lengths, axes = np.linalg.svd(level, full_matrices=False)
            if self.forward is not None:
                along_floor = self.forward - (self.forward @ down) * down
            along = axes[0] * np.sign(float(axes[0] @ along_floor) or 1.0)
            is_long = float(lengths[0]) >= _LONG_FOOT * float(lengths[1])
            if is_long and float(along @ along_floor) >= _TURNED_OUT * float(np.linalg.norm(along_floor)):
                along_floor = along
        reach = float(np.linalg.norm(along_floor))
        return along_floor / reach if reach > 0.0 else None


def _leg_length(figure: Figure, leg: LegJoints) -> float:
    joints = [joint for joint in (leg.hip, leg.knee, leg.ankle) if joint is not None]
    return float(np.linalg.norm(np.diff(figure.positions[joints], axis=0), axis=1).sum())


def _down(figure: Figure, knee: Array, ankle: Array, foot: Array, forward: Array | None) -> Array | None:
    """Which way the sole of a foot faces in the rest pose, a unit vector (3,); None where the pose does not show it.

    It faces the floor where the character stands flat. Captured skeletons often spread their legs in the rest pose and
    tilt the feet along: a foot that is built exactly square to its shin stands flat where the shin is upright. The
    same holds where the rest pose does not stand at all, unless the foot only prolongs the shin.
    """
    shin = ankle - knee
    length, reach = float(np.linalg.norm(shin)), float(np.linalg.norm(foot))
    if length == 0.0 or reach == 0.0:
        return -figure.up
    shin = shin / length
    square = foot - (foot @ shin) * shin
    if shin @ -figure.up < _STANDING:
        return shin if float(np.linalg.norm(square)) >= _STANDING * reach else None
    if forward is None:
        return -figure.up
    askew = square - (square @ forward) * forward
    return shin if float(np.linalg.norm(askew)) <= _SOLE_SQUARE * reach else -figure.up
