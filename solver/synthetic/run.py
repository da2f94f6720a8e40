# SPDX-License-Identifier: GPL-3.0-or-later
"""A steady run straight ahead, without its first and its last step, whose centre of mass obeys physics.

The centre of mass is given (`BouncingPath`), and the pelvis is placed so that it is met. Angular momentum is not given:
the curves of trunk, arms and feet began as those of a captured run and were then fitted, at the usual speed, so that it
changes by less than 0.01 in flight (masses times squared sizes a second; by 0.06 in the captured run).
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
from .axes import from_y_up
from .bouncing import BouncingPath
from .contacts import Contact, Foot, SyntheticMotion
from .curves import wave
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
from .running_foot import RunningFoot

STEP_LENGTH = 1.0
"""Sizes of the character from one plant to the next of the other foot."""
SPEED = 3.0
"""Sizes of the character a second. With `STEP_LENGTH`, a step takes 0.333 s."""
STANCE = 0.68
"""Share of a step in which a foot stands: 0.227 s of 0.333, which leaves 0.107 s of flight."""

_BEGIN = 0.3
"""When the clip begins, as a share of the right foot's stance."""
_STEP_WIDTH = 0.07
"""Sizes of the character between the balls of the feet, across the run."""
_TURNED_OUT = np.deg2rad(5.0)
_KNEES_OUT = np.deg2rad(3.0)
"""How far feet and knees point outward."""
_BALL_BEFORE_CENTER = -0.03
"""Sizes of the character by which the ball is ahead of the centre of mass at the middle of a stance."""

_SLOPE_SHARE = 0.9
"""The slopes of the forces, as shares of those at which they would point from the ball to the centre of mass: those of
runners point above it."""
_STRETCH = 0.99
"""The largest extension of a leg, as a share of its length. It sets the height of the body and keeps knees bent."""
_SAMPLES = 81
"""Samples of a cycle at which the extension of the legs is computed."""
_MEAN_HEIGHT = 1.0
"""Sizes of the character: the centre of mass, nearly, which the slopes of the forces refer to."""

# The trunk oscillates once a cycle about the vertical and sideways, twice and four times forward. Phases count in
# cycles from the left foot's strike; angles are in degrees.
_LEAN = 5.0
_PELVIS_TILT = 7.0
"""Forward, of the trunk and of the pelvis."""
_PELVIS_TURN, _PELVIS_TURNED = 5.0, 0.92
"""The hip of the foot that strikes is in front."""
_PELVIS_LIST, _PELVIS_LISTED = 6.9, 0.09
"""The hip of the swing leg is lower in mid-stance."""
_CHEST_TURN, _CHEST_TURNED = 13.3, 0.446
"""The shoulders turn against the pelvis."""
_NOD, _NODDED = 3.74, 0.19
_FAST_NOD, _FAST_NODDED = 1.54, 0.122
"""The trunk bends forward under the load of each stance, and faster than it rises again."""

_ARM_SWING, _ARM_MIDDLE, _ARM_FOREMOST = 25.7, 22.0, 0.48
"""An arm is in front with the other side's leg; elbows stay behind the trunk."""
_ARM_OUT = 12.0
_ELBOW_SWING, _ELBOW_MIDDLE, _ELBOW_MOST = 8.0, 98.0, 0.50
_PALM_IN = 16.0
"""Twist of the upper arm, which brings the forearm in front of the body."""
_HAND_CURL = 30.0


def run(
    skeleton: Skeleton | None = None,
    *,
    steps: int = 6,
    fps: float = 60.0,
    step_length: float = STEP_LENGTH,
    speed: float = SPEED,
    stance: float = STANCE,
    gravity: float | None = None,
    heading: float = 0.0,
    up: Up = "y",
) -> SyntheticMotion:
    """A made-up human (`skeleton`; None is the usual one with `up` up) runs `steps` steps on the floor, height 0.

    It begins while the whole right foot stands and ends at the same time of a step, so that there is one contact more
    than steps. `step_length` is in sizes of the character, `speed` in sizes a second, and `stance` is the
    share of a step in which a foot stands. It starts near the origin and goes `heading` radians to the left of where
    the human faces at rest.

    While no foot stands, the centre of mass falls freely with `gravity` (the skeleton's units a second squared; None is
    `earth_gravity`). In a stance the ground pushes with a force that begins and ends at zero, smoothly, and whose mean
    over a step is the weight.
    """
    skeleton = skeleton_or_human(skeleton, up)
    check_arguments(fps, heading)
    check_count("run", "step", steps)
    gravity = earth_gravity(skeleton) if gravity is None else gravity
    check_positive("run", step_length=step_length, speed=speed, gravity=gravity)
    if not 0.0 < stance < 1.0:
        raise MotionError(f"In a run a foot stands for a share of each step between 0 and 1, not {stance!r}.")
    runner = _Runner(skeleton, step_length, step_length / speed, stance, gravity)
    frames_per_cycle = 2.0 * runner.step * fps
    frames = last_frame(0.5 * steps * frames_per_cycle) + 1
    puppet = runner.posed(runner.begin + np.arange(frames) / frames_per_cycle)
    contacts = runner.contacts(steps, frames, frames_per_cycle, facing(heading, skeleton.up))
    return SyntheticMotion(puppet.clip(fps, heading), contacts)


@dataclass(frozen=True, eq=False)
class _Runner:
    """The run as a function of time in cycles, from a strike of the left foot."""

    skeleton: Skeleton
    step_length: float
    step: float
    """Seconds."""
    stance: float
    gravity: float

    @property
    def toe_off(self) -> float:
        """When a plant ends, in cycles after it began."""
        return 0.5 * self.stance

    @property
    def begin(self) -> float:
        """Time of the clip's first frame: the right foot stands, and its heel has not risen yet."""
        return -0.5 + _BEGIN * self.toe_off

    def first_plant(self, side: Side) -> float:
        """When a foot's first plant begins."""
        return 0.0 if side == "l_" else -0.5

    @cached_property
    def path(self) -> BouncingPath:
        """Of the centre of mass, in the skeleton's units."""
        size = self.skeleton.size
        reach = 0.5 * self.stance * self.step_length / _MEAN_HEIGHT
        return BouncingPath(
            gravity=self.gravity,
            step=self.step,
            stance=self.stance * self.step,
            step_length=size * self.step_length,
            slope_ahead=_SLOPE_SHARE * reach,
            slope_inward=_SLOPE_SHARE * 0.5 * _STEP_WIDTH / _MEAN_HEIGHT,
        )

    def center(self, cycles: Array) -> Array:
        """(frames, 3) the centre of mass, y up, but not at its height; at `begin` it is at z = 0."""
        seconds = 2.0 * self.step * np.append(self.begin, cycles)
        places = self.path.at(seconds)
        places[:, 2] -= places[0, 2]
        return places[1:]

    @cached_property
    def feet(self) -> dict[Side, RunningFoot]:
        """Both feet, with their balls below the centre of mass at the middle of each stance."""
        skeleton, size = self.skeleton, self.skeleton.size
        found: dict[Side, RunningFoot] = {}
        for side, mirror in MIRROR.items():
            middle = self.center(np.array([self.first_plant(side) + 0.5 * self.toe_off]))[0, 2]
            _, places = skeleton.rest
            height = float(places[skeleton.index(side + "metatarsal")][skeleton.up_axis])
            ball = (mirror * 0.5 * _STEP_WIDTH * size, height, middle + _BALL_BEFORE_CENTER * size)
            found[side] = RunningFoot(
                skeleton,
                side,
                _TURNED_OUT,
                ball=from_y_up(ball, skeleton.up),
                stride=from_y_up((0.0, 0.0, 2.0 * self.step_length * size), skeleton.up),
                toe_off=self.toe_off,
            )
        return found

    def posed(self, cycles: Array) -> Puppet:
        """The human at these times (frames,)."""
        puppet = self._trunk(cycles)
        path = self.center(cycles) + np.array([0.0, self._height, 0.0])
        follow_with_center_of_mass(puppet, path, self._foot_poses(cycles), _KNEES_OUT)
        return puppet

    @cached_property
    def _height(self) -> float:
        """The height of the centre of mass at a strike: that at which the legs are extended by `_STRETCH` at most.

        By symmetry the left leg's cycle is enough. It is sampled independently of the frame rate, so that the motion
        is the same at every rate.
        """
        cycles = np.linspace(0.0, 1.0, _SAMPLES)
        poses = self._foot_poses(cycles)
        return height_by_extension(self._trunk(cycles), self.center(cycles), poses, _KNEES_OUT, "l_", _STRETCH)

    def _foot_poses(self, cycles: Array) -> dict[Side, FootPose]:
        return {side: foot.at(cycles - self.first_plant(side)) for side, foot in self.feet.items()}

    def _trunk(self, cycles: Array) -> Puppet:
        """The human with trunk and arms in their rotations."""
        puppet = Puppet(self.skeleton, len(cycles))
        turn = -_PELVIS_TURN * wave(cycles, _PELVIS_TURNED)
        listing = _PELVIS_LIST * wave(cycles, _PELVIS_LISTED)
        chest_turn = -_CHEST_TURN * wave(cycles, _CHEST_TURNED)
        lean = _LEAN + _NOD * wave(cycles, _NODDED, times=2) + _FAST_NOD * wave(cycles, _FAST_NODDED, times=4)
        puppet.turn(self.skeleton.names[0], degrees(_PELVIS_TILT, turn, listing))
        puppet.bend(SPINE, degrees(lean - _PELVIS_TILT, chest_turn - turn, -listing))
        puppet.bend(NECK, degrees(-lean, -chest_turn, 0.0))
        for side, mirror in MIRROR.items():
            own = cycles - self.first_plant(side)
            puppet.turn(side + "shoulder", degrees(0.0, 0.0, mirror * _ARM_OUT))
            puppet.turn(side + "shoulder", degrees(_ARM_MIDDLE - _ARM_SWING * wave(own, _ARM_FOREMOST), 0.0, 0.0))
            puppet.turn(side + "shoulder", degrees(0.0, -mirror * _PALM_IN, 0.0))
            puppet.turn(side + "elbow", degrees(-_ELBOW_MIDDLE - _ELBOW_SWING * wave(own, _ELBOW_MOST), 0.0, 0.0))
            puppet.turn(side + "middle1", degrees(0.0, 0.0, -mirror * _HAND_CURL))
        return puppet

    def contacts(self, steps: int, frames: int, frames_per_cycle: float, turn: Array) -> tuple[Contact, ...]:
        """One contact for each strike, from the last one before the clip begins."""

        def frame(cycle: float, rounded: Callable[[float], int]) -> int:
            return min(max(rounded((cycle - self.begin) * frames_per_cycle), 0), frames - 1)

        found = []
        for number in range(steps + 1):
            foot: Foot = "right" if number % 2 == 0 else "left"
            running = self.feet[SIDE_OF[foot]]
            strike = 0.5 * (number - 1)
            heel, toe = running.plant(number // 2)
            found.append(
                Contact(
                    foot,
                    heel_strike=frame(strike, first_frame),
                    toe_strike=frame(strike, first_frame),
                    heel_off=frame(strike + running.heel_off, last_frame),
                    toe_off=frame(strike + running.toe_off, last_frame),
                    heel=rotations.rotate(turn, heel),
                    toe=rotations.rotate(turn, toe),
                )
            )
        return tuple(found)
