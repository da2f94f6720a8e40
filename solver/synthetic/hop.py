# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops on one leg, in place or ahead, whose centre of mass obeys physics.

The centre of mass is given (`BouncingPath`), and the pelvis is placed so that it is met. The curves of trunk, arms and
feet were fitted so that the angular momentum changes by 0.1 in flight at the usual distance, and by 0.2 in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.gravity import earth_gravity
from ..body.skeleton import Skeleton, Up
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import MotionError
from .axes import from_y_up, to_y_up
from .bouncing import BouncingPath
from .contacts import Contact, Foot, SyntheticMotion
from .curves import curve, wave
from .mass_centers import follow_with_center_of_mass, height_by_extension
from .puppet import (
    MIRROR,
    NECK,
    SIDE_OF,
    SPINE,
    FootPose,
    Puppet,
    Side,
    check_arguments,
    check_count,
    check_positive,
    degrees,
    facing,
    first_frame,
    last_frame,
    skeleton_or_human,
)
from .stepping import SteppingFoot

DISTANCE = 0.4
"""Sizes of the character from one plant to the next."""
PERIOD = 0.4
"""Seconds from one strike to the next, on the earth: people who hop in place choose about this."""

_STANCE = 0.62
"""Share of a hop in which the foot stands."""
_HEEL_OFF = 0.32
"""When the heel begins to rise, as a share of a hop."""
_STRETCH = 0.985
"""The largest extension of the leg, as a share of its length."""
_SAMPLES = 81
"""Samples of a hop at which the extension of the leg is computed."""
_KNEES_OUT = np.deg2rad(3.0)
_TURNED_OUT = np.deg2rad(4.0)
_SLOPE_SHARE = 0.9
"""The slope of the forces, as a share of that at which they would point from the ball to the centre of mass."""
_BALL_AHEAD = 0.02
"""Sizes of the character by which the ball is ahead of the centre of mass in the middle of a stance."""

_RAISED = curve((_STANCE, 0.0), (0.74, 0.035), (0.87, 0.042), (1.0, 0.0))
"""Height of the ball over shares of a hop, in sizes of the character."""
_CARRIED = curve((_STANCE, 0.0), (0.74, 0.205), (0.87, 0.658), (1.0, 1.0))
"""The way of the ball over shares of a hop, in shares of the distance."""
_PITCH = curve((_HEEL_OFF, 0.0), (_STANCE, 56.7), (0.72, 46.5), (0.9, 2.1), (1.0, 0.0))
_TOE_PITCH = curve((_STANCE, 0.0), (0.75, 22.0), (0.9, 4.0), (1.0, 0.0))
"""Degrees of foot and toes over shares of a hop, positive with the heel up."""

_FREE_BALL, _FREE_PITCH, _FREE_TOES = (0.10, -0.62, -0.28), 84.0, 70.0
"""The ball of the other foot from the centre of mass, outward, up and ahead in sizes; degrees of foot and toes."""
_FREE_SWING, _FREE_SWUNG = 0.043, 0.785
"""Sizes of the character by which the other foot swings ahead before each strike."""

_LEAN, _PELVIS_TILT = 9.0, 12.0
"""Degrees, forward, of the trunk and of the pelvis."""
_NOD, _NODDED = 1.13, 0.56
_FAST_NOD, _FAST_NODDED = 1.46, 0.287
"""Degrees by which the trunk bends more and less in each hop, once and twice."""
_LIST = 5.0
"""Degrees by which the hip of the free leg is higher."""
_ARM_OUT, _ARM_MIDDLE, _ARM_SWING = 20.0, 12.0, 17.8
_ELBOW = 78.0


def hop(
    skeleton: Skeleton | None = None,
    *,
    hops: int = 5,
    foot: Foot = "left",
    fps: float = 60.0,
    distance: float = DISTANCE,
    gravity: float | None = None,
    heading: float = 0.0,
    up: Up = "y",
) -> SyntheticMotion:
    """A made-up human (`skeleton`; None is the usual one with `up` up) hops `hops` times on one foot.

    It begins and ends while the whole foot stands, so that there is one contact more than hops. Each hop goes
    `distance` sizes of the character ahead, `heading` radians to the left of where the human faces at rest; with a
    distance of 0 it hops in place. The centre of mass starts above the origin.

    While the foot is off the floor, the centre of mass falls freely with `gravity` (the skeleton's units a second
    squared; None is `earth_gravity`); in a stance the ground pushes with a smooth force that begins and ends at zero.
    Under another gravity the whole motion is as much slower, or faster, as a fall is.
    """
    skeleton = skeleton_or_human(skeleton, up)
    check_arguments(fps, heading)
    check_count("hopping motion", "hop", hops)
    if foot not in SIDE_OF:
        raise MotionError(f"A human hops on the 'left' or on the 'right' foot, not on {foot!r}.")
    earth = earth_gravity(skeleton)
    gravity = earth if gravity is None else gravity
    check_positive("hop", gravity=gravity)
    if not (np.isfinite(distance) and distance >= 0.0):
        raise MotionError(f"The distance of a hop must be a finite number that is not negative, not {distance!r}.")
    hopper = _Hopper(skeleton, SIDE_OF[foot], distance)
    frames_per_hop = PERIOD * float(np.sqrt(earth / gravity)) * fps
    frames = last_frame(hops * frames_per_hop) + 1
    puppet = hopper.posed(hopper.begin + np.arange(frames) / frames_per_hop)
    contacts = hopper.contacts(foot, hops, frames, frames_per_hop, facing(heading, skeleton.up))
    return SyntheticMotion(puppet.clip(fps, heading), contacts)


@dataclass(frozen=True, eq=False)
class _Hopper:
    """Hops on the earth as a function of time in hops, from a strike on. Vectors have y up."""

    skeleton: Skeleton
    side: Side
    distance: float

    begin = 0.25
    """Time of the clip's first frame: the heel has not risen yet."""

    def center(self, cycles: Array) -> Array:
        """(frames, 3) the centre of mass, but not at its height; at `begin` it is at z = 0."""
        size = self.skeleton.size
        path = BouncingPath(
            gravity=earth_gravity(self.skeleton),
            step=PERIOD,
            stance=_STANCE * PERIOD,
            step_length=size * self.distance,
            slope_ahead=_SLOPE_SHARE * 0.5 * _STANCE * self.distance,
        )
        places = path.at(PERIOD * np.append(self.begin, cycles))
        places[:, 2] -= places[0, 2]
        return places[1:]

    @cached_property
    def foot(self) -> SteppingFoot:
        """The one that hops."""
        return SteppingFoot(self.skeleton, self.side, _TURNED_OUT)

    @cached_property
    def ball(self) -> Array:
        """(3,) its ball in the stance in which the clip begins, below the centre of mass."""
        _, places = self.skeleton.rest
        height = to_y_up(places[self.skeleton.index(self.side + "metatarsal")], self.skeleton.up)[1]
        return np.array([0.0, height, _BALL_AHEAD * self.skeleton.size])

    @property
    def stride(self) -> Array:
        """(3,) from each plant to the next."""
        return np.array([0.0, 0.0, self.distance * self.skeleton.size])

    def posed(self, cycles: Array) -> Puppet:
        """The human at these times (frames,)."""
        puppet = self._trunk(cycles)
        raised = np.array([0.0, self._height, 0.0])
        follow_with_center_of_mass(puppet, self.center(cycles) + raised, self._foot_poses(cycles, raised), _KNEES_OUT)
        return puppet

    @cached_property
    def _height(self) -> float:
        """The height of the centre of mass at a strike: that at which the leg is extended by `_STRETCH` at most.

        One hop is sampled independently of the frame rate, so that the motion is the same at every rate.
        """
        cycles = np.linspace(0.0, 1.0, _SAMPLES)
        # The other leg's foot moves with the body, so its height must be about right already.
        poses = self._foot_poses(cycles, np.array([0.0, self.skeleton.size, 0.0]))
        return height_by_extension(self._trunk(cycles), self.center(cycles), poses, _KNEES_OUT, self.side, _STRETCH)

    def _foot_poses(self, cycles: Array, raised: Array) -> dict[Side, FootPose]:
        plant = np.floor(cycles)
        phase = cycles - plant
        moved = (plant + _CARRIED(phase))[:, None] * self.stride
        moved[:, 1] += self.skeleton.size * _RAISED(phase)
        ball = from_y_up(self.ball + moved, self.skeleton.up)
        standing = self.foot.pose(ball, np.deg2rad(_PITCH(phase)), np.deg2rad(_TOE_PITCH(phase)))
        other: Side = "r_" if self.side == "l_" else "l_"
        outward, height, behind = _FREE_BALL
        swing = _FREE_SWING * wave(cycles, _FREE_SWUNG)
        around = np.stack(
            [np.full_like(swing, MIRROR[other] * outward), np.full_like(swing, height), behind + swing], axis=-1
        )
        free = self.center(cycles) + raised + self.skeleton.size * around
        held = SteppingFoot(self.skeleton, other, 0.0).pose(
            from_y_up(free, self.skeleton.up),
            np.full_like(swing, np.deg2rad(_FREE_PITCH)),
            np.full_like(swing, np.deg2rad(_FREE_TOES)),
        )
        return {self.side: standing, other: held}

    def _trunk(self, cycles: Array) -> Puppet:
        """The human with trunk and arms in their rotations."""
        puppet = Puppet(self.skeleton, len(cycles))
        loaded = wave(cycles, 0.5 * _STANCE)
        lean = _LEAN + _NOD * wave(cycles, _NODDED) + _FAST_NOD * wave(cycles, _FAST_NODDED, times=2)
        listing = MIRROR[self.side] * _LIST
        puppet.turn(self.skeleton.names[0], degrees(_PELVIS_TILT, 0.0, -listing))
        puppet.bend(SPINE, degrees(lean - _PELVIS_TILT, 0.0, listing))
        puppet.bend(NECK, degrees(-lean, 0.0, 0.0))
        for side, mirror in MIRROR.items():
            puppet.turn(side + "shoulder", degrees(0.0, 0.0, mirror * _ARM_OUT))
            puppet.turn(side + "shoulder", degrees(_ARM_MIDDLE + _ARM_SWING * loaded, 0.0, 0.0))
            puppet.turn(side + "elbow", degrees(-_ELBOW, 0.0, 0.0))
        return puppet

    def contacts(self, foot: Foot, hops: int, frames: int, frames_per_hop: float, turn: Array) -> tuple[Contact, ...]:
        """One contact for each strike, from the last one before the clip begins."""

        def frame(cycle: float, rounded: Callable[[float], int]) -> int:
            return min(max(rounded((cycle - self.begin) * frames_per_hop), 0), frames - 1)

        found = []
        for number in range(hops + 1):
            ball = from_y_up(self.ball + number * self.stride, self.skeleton.up)
            places = (rotations.rotate(turn, place) for place in (ball - self.foot.sole, ball))
            strike, heel_off = frame(number, first_frame), frame(number + _HEEL_OFF, last_frame)
            found.append(Contact(foot, strike, strike, heel_off, frame(number + _STANCE, last_frame), *places))
        return tuple(found)
