# SPDX-License-Identifier: GPL-3.0-or-later
"""A standing broad jump with both feet, whose centre of mass obeys physics.

The centre of mass is given (`LeapPath`, and free fall between), and the pelvis is placed so that it is met. Angular
momentum is not given: the curves of trunk, arms, feet and the centre of mass began as those of a captured jump and were
then fitted, at the usual distance and height, so that it changes by less than 0.04 in flight (masses times squared
sizes a second; 0.05 in the capture), and so that the ground need not push outside the soles: its forces pass between
the heels and the tips of the toes while feet are flat, and before those of the balls once the heels have risen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.gravity import earth_gravity
from ..body.kinematics import WorldState
from ..body.motion import Pose
from ..body.skeleton import Skeleton, Up
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import MotionError
from .axes import from_y_up, to_y_up
from .contacts import Contact, SyntheticMotion
from .curves import EasedCurve, SmoothCurve, curve, eased
from .leaping import LeapPath
from .mass_centers import follow_with_center_of_mass
from .puppet import (
    MIRROR,
    NECK,
    SIDE_OF,
    SPINE,
    FootPose,
    Puppet,
    Side,
    check_arguments,
    check_positive,
    degrees,
    facing,
    first_frame,
    last_frame,
    skeleton_or_human,
)
from .stepping import SteppingFoot

DISTANCE = 1.4
"""Sizes of the character, from where the feet leave to where they land: what a captured jump has."""
HEIGHT = 0.16
"""Sizes of the character by which the centre of mass rises above its place at the leap."""

# Times are in seconds on the earth.
_BEFORE, _AFTER = 1.25, 1.25
"""From the first frame to the leap, and from the landing to the last frame."""
_CROUCH = (0.937, 0.0)
"""From when to when the body is lowered, before the leap: it still falls when the push begins, as that of jumpers."""
_RISE = (0.9, 0.0)
"""Until when and from when the body is raised, after the landing."""
_PUSH, _STOP = 0.212, 0.156
"""How long the ground throws the body up, and how long it stops its fall."""
_DRIVE, _HALT = 0.341, 0.149
"""How long it throws it ahead, and how long it stops that."""
_LEAP_SWAY = (
    (1.0, 0.0),
    (0.75, -0.0048),
    (0.55, -0.0357),
    (0.4, -0.0234),
    (0.28, 0.0307),
    (0.2, 0.059),
    (0.13, 0.0295),
    (0.07, 0.0037),
    (0.02, 0.0),
)
_LANDING_SWAY = (
    (0.9, 0.0),
    (0.6, 0.0088),
    (0.4, -0.0327),
    (0.27, -0.0385),
    (0.18, -0.0656),
    (0.11, -0.0501),
    (0.06, -0.0069),
    (0.02, 0.0),
)
"""What the centre of mass is farther ahead, or behind after the landing, at seconds before the leap and after the
landing; in shares of the way from where it leaves, or lands, to where it stands."""
_HEEL_OFF = 0.33
"""When the heels begin to rise, before the leap."""

_LEAVE_AHEAD, _LAND_BEHIND = 0.274, 0.243
"""Of the centre of mass from the balls of the feet, at the leap and at the landing, in shares of the distance."""
_LEAVE_RISEN, _LAND_RISEN = -0.060, -0.086
"""Of the centre of mass above its height in standing, in sizes of the character."""

_TUCKED = curve((0.0, 0.0), (0.18, 0.090), (0.5, 0.283), (0.80, 0.020), (1.0, 0.0))
"""Height of the balls of the feet over shares of the flight, in sizes of the character."""
_CARRIED = curve((0.0, 0.0), (0.18, 0.018), (0.5, 0.439), (0.82, 0.888), (1.0, 1.0))
"""The way of the feet over shares of the flight, in shares of the distance: they trail, then reach ahead."""

_OVERLAP = 0.04
"""Seconds by which neighbouring eases of trunk and arms overlap."""


@dataclass(frozen=True)
class _Keys:
    """(time, degrees) pairs: seconds before the leap, shares of the flight, seconds after the landing."""

    before: tuple[tuple[float, float], ...] = ()
    flight: tuple[tuple[float, float], ...] = ()
    after: tuple[tuple[float, float], ...] = ()

    def placed(self, flight: float) -> list[tuple[float, float]]:
        """The pairs with times in seconds from the leap on, for a flight of so many seconds."""
        return [
            *((-time, value) for time, value in self.before),
            *((share * flight, value) for share, value in self.flight),
            *((flight + time, value) for time, value in self.after),
        ]

    def eased(self, flight: float) -> EasedCurve:
        """Through the values without overshoot."""
        return eased(*self.placed(flight), overlap=_OVERLAP)

    def smooth(self, flight: float) -> SmoothCurve:
        """Through the values with continuous derivatives."""
        return curve(*self.placed(flight))


_LEAN = _Keys(
    ((1.05, 0.0), (0.5, 43.1), (0.3, 51.9), (0.14, 47.5), (0.0, -4.4)),
    ((0.25, -4.5), (0.55, -1.9), (0.85, -8.2)),
    ((0.08, -15.9), (0.25, 30.7), (0.5, 20.7), (1.0, 0.0)),
)
"""Of the trunk, forward."""
_PELVIS_SHARE = 0.6
"""Of the lean: the rest is that of the spine."""
_NECK_SHARE = 0.6
"""Of the lean, by which the head is raised again."""
_ARMS_BACK = _Keys(
    ((1.0, 0.0), (0.5, 39.5), (0.3, 29.1), (0.08, -70.5)),
    ((0.15, -147.8), (0.5, -81.4), (0.85, -84.4)),
    ((0.12, -75.6), (0.4, -24.4), (1.0, 0.0)),
)
"""Of the upper arms, relative to the trunk; negative ahead."""
_ARMS_OUT = _Keys(((1.0, 0.0), (0.5, 8.0)), (), ((0.3, 8.0), (1.0, 0.0)))
_ELBOWS = _Keys(((1.0, 0.0), (0.45, 15.0), (0.3, 20.0), (0.0, 60.0)), ((1.0, 25.0),), ((1.0, 0.0),))
_PITCH = _Keys(
    ((_HEEL_OFF, 0.0), (0.2, 12.6), (0.1, 28.6), (0.0, 42.5)),
    ((0.22, 99.0), (0.6, 23.6), (0.85, 13.5), (1.0, 0.0)),
)
"""Of the feet, positive with the heel up."""
_TOE_PITCH = _Keys((), ((0.0, 0.0), (0.22, 58.0), (0.6, 12.0), (0.85, -6.0), (1.0, 0.0)))


def jump(
    skeleton: Skeleton | None = None,
    *,
    distance: float = DISTANCE,
    height: float = HEIGHT,
    fps: float = 60.0,
    gravity: float | None = None,
    heading: float = 0.0,
    up: Up = "y",
) -> SyntheticMotion:
    """A made-up human (`skeleton`; None is the usual one with `up` up) stands, jumps ahead with both feet, and stands.

    The feet land `distance` ahead, and the centre of mass rises by `height` from the leap to its highest place, both in
    sizes of the character. It starts above the origin and jumps `heading` radians to the left of where the human faces
    at rest. First and last posture are those at rest.

    While the feet are off the floor, the centre of mass falls freely with `gravity` (the skeleton's units a second
    squared; None is `earth_gravity`). Otherwise the ground pushes with a smooth force that is zero when the feet leave
    and when they land, and the weight while the human stands. Under another gravity the whole motion is as much slower,
    or faster, as a fall is, so that all of its postures are the same.
    """
    skeleton = skeleton_or_human(skeleton, up)
    check_arguments(fps, heading)
    earth = earth_gravity(skeleton)
    gravity = earth if gravity is None else gravity
    check_positive("jump", height=height, gravity=gravity)
    if not (np.isfinite(distance) and distance >= 0.0):
        raise MotionError(f"The distance of a jump must be a finite number that is not negative, not {distance!r}.")
    jumper = _Jumper(skeleton, distance, height)
    frames_per_second = fps * float(np.sqrt(earth / gravity))
    frames = last_frame(jumper.seconds * frames_per_second) + 1
    puppet = jumper.posed(np.arange(frames) / frames_per_second - _BEFORE)
    contacts = jumper.contacts(frames, frames_per_second, facing(heading, skeleton.up))
    return SyntheticMotion(puppet.clip(fps, heading), contacts)


@dataclass(frozen=True, eq=False)
class _Jumper:
    """The jump on the earth as a function of time in seconds, from the leap on. Vectors have y up."""

    skeleton: Skeleton
    distance: float
    height: float

    @cached_property
    def gravity(self) -> float:
        return earth_gravity(self.skeleton)

    @cached_property
    def speed(self) -> float:
        """Upward, at the leap."""
        return float(np.sqrt(2.0 * self.gravity * self.skeleton.size * self.height))

    @cached_property
    def flight(self) -> float:
        """Seconds from the leap to the landing."""
        fallen = self.skeleton.size * (self.height + _LEAVE_RISEN - _LAND_RISEN)
        return float((self.speed + np.sqrt(2.0 * self.gravity * fallen)) / self.gravity)

    @property
    def seconds(self) -> float:
        """Of the whole motion."""
        return _BEFORE + self.flight + _AFTER

    @cached_property
    def way(self) -> Array:
        """(3,) from the first place of each foot to its last."""
        return np.array([0.0, 0.0, self.distance * self.skeleton.size])

    @cached_property
    def balls(self) -> dict[Side, Array]:
        """(3,) the first place of each ball: that at rest."""
        _, places = self.skeleton.rest
        return {side: to_y_up(places[self.skeleton.index(side + "metatarsal")], self.skeleton.up) for side in MIRROR}

    @cached_property
    def _paths(self) -> tuple[LeapPath, LeapPath]:
        """Of the centre of mass before the leap, and after the landing backward in time."""
        size, ahead = self.skeleton.size, self.way[2]
        at_rest = WorldState.of(self.skeleton, Pose.rest(self.skeleton).motion)
        stand = to_y_up(at_rest.center_of_mass()[0], self.skeleton.up)
        ball = self.balls["l_"][2]
        leave = np.array([stand[0], stand[1] + _LEAVE_RISEN * size, ball + _LEAVE_AHEAD * ahead])
        land = np.array([stand[0], stand[1] + _LAND_RISEN * size, ball + (1.0 - _LAND_BEHIND) * ahead])
        velocity = np.array([0.0, self.speed, (land - leave)[2] / self.flight])
        landing = velocity - np.array([0.0, self.gravity * self.flight, 0.0])
        return (
            LeapPath(self.gravity, stand, leave, velocity, _PUSH, _DRIVE, _CROUCH, _LEAP_SWAY),
            LeapPath(self.gravity, stand + self.way, land, -landing, _STOP, _HALT, _RISE, _LANDING_SWAY),
        )

    def center(self, times: Array) -> Array:
        """(frames, 3) the centre of mass at times (frames,)."""
        leap, landing = self._paths
        before, after = np.maximum(-times, 0.0), np.maximum(times - self.flight, 0.0)
        path = leap.leave + times[:, None] * leap.velocity
        path[:, 1] -= 0.5 * self.gravity * times**2
        path[times <= 0.0] = leap.at(before[times <= 0.0])
        path[times >= self.flight] = landing.at(after[times >= self.flight])
        return path

    def posed(self, times: Array) -> Puppet:
        """The human at these times (frames,)."""
        puppet = self._trunk(times)
        follow_with_center_of_mass(puppet, self.center(times), self._foot_poses(times), 0.0)
        return puppet

    def _foot_poses(self, times: Array) -> dict[Side, FootPose]:
        shares = times / self.flight
        raised = self.skeleton.size * _TUCKED(shares)
        moved = np.stack([np.zeros_like(raised), raised, self.way[2] * _CARRIED(shares)], axis=-1)
        pitch, toe_pitch = (np.deg2rad(keys.smooth(self.flight)(times)) for keys in (_PITCH, _TOE_PITCH))
        return {
            side: self._foot(side).pose(from_y_up(ball + moved, self.skeleton.up), pitch, toe_pitch)
            for side, ball in self.balls.items()
        }

    def _foot(self, side: Side) -> SteppingFoot:
        return SteppingFoot(self.skeleton, side, 0.0)

    def _trunk(self, times: Array) -> Puppet:
        """The human with trunk and arms in their rotations."""
        puppet = Puppet(self.skeleton, len(times))
        lean, back, out, elbows = (keys.eased(self.flight)(times) for keys in (_LEAN, _ARMS_BACK, _ARMS_OUT, _ELBOWS))
        puppet.turn(self.skeleton.names[0], degrees(_PELVIS_SHARE * lean, 0.0, 0.0))
        puppet.bend(SPINE, degrees((1.0 - _PELVIS_SHARE) * lean, 0.0, 0.0))
        puppet.bend(NECK, degrees(-_NECK_SHARE * lean, 0.0, 0.0))
        for side, mirror in MIRROR.items():
            puppet.turn(side + "shoulder", degrees(0.0, 0.0, mirror * out))
            puppet.turn(side + "shoulder", degrees(back, 0.0, 0.0))
            puppet.turn(side + "elbow", degrees(-elbows, 0.0, 0.0))
        return puppet

    def contacts(self, frames: int, frames_per_second: float, turn: Array) -> tuple[Contact, ...]:
        """Both feet before the leap, and both after the landing."""
        heel_off = last_frame((_BEFORE - _HEEL_OFF) * frames_per_second)
        toe_off = last_frame(_BEFORE * frames_per_second)
        strike = first_frame((_BEFORE + self.flight) * frames_per_second)
        last, up = frames - 1, self.skeleton.up
        found = []
        for moved, (begin, heel_end, toe_end) in (
            (np.zeros(3), (0, heel_off, toe_off)),
            (self.way, (strike, last, last)),
        ):
            for foot, side in SIDE_OF.items():
                ball = from_y_up(self.balls[side] + moved, up)
                heel = ball - self._foot(side).sole
                places = (rotations.rotate(turn, place) for place in (heel, ball))
                found.append(Contact(foot, begin, begin, heel_end, toe_end, *places))
        return tuple(found)
