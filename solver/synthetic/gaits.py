# SPDX-License-Identifier: GPL-3.0-or-later
"""A steady walk straight ahead, without its first and its last step."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..body.skeleton import Skeleton, Up
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import MotionError
from .axes import from_y_up
from .contacts import Contact, Foot, SyntheticMotion
from .curves import wave
from .puppet import (
    MIRROR,
    NECK,
    SIDE_OF,
    SPINE,
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
from .rolling import HEEL_OFF, TOE_OFF, TOE_STRIKE, RollingFoot
from .skating import skated

STEP_LENGTH = 0.72
"""Sizes of the character from one heel to the other's next strike: what a captured walk of 1.3 sizes a second has."""
SPEED = 1.3
"""Sizes of the character a second."""

_STEP_WIDTH = 0.11
"""Sizes of the character between the heels, across the walk."""
_TURNED_OUT = np.deg2rad(6.0)
_KNEES_OUT = np.deg2rad(4.0)
"""How far feet and knees point outward."""

_STRETCH = 0.996
"""The largest extension of a leg, as a share of its length. It sets the pelvis's height and keeps knees bent."""

BEGIN = -0.25
"""Time of the clip's first frame, in cycles from the first strike of the left heel: mid-stance of the right foot."""
_FIRST_PLANT: dict[Side, float] = {"l_": 0.0, "r_": -0.5}
"""When each foot's first plant begins, in cycles."""
_MIDSTANCE, _ANKLE_BEFORE_HEEL = 0.215, 0.045
"""When, in cycles after a heel strikes, the pelvis passes above the ankle; and how far before the heel that is, in
sizes of the character."""

_SAMPLES = 201
"""Samples of a cycle at which the reach of the legs is computed."""
# The trunk oscillates once a cycle sideways, and twice vertically and along the walk. Phases count in cycles from
# the left heel's strike; lengths are in sizes of the character, angles in degrees.
_BOB, _LOWEST = 0.016, 0.05
"""The pelvis is lowest soon after a heel strikes."""
_SWAY, _LEFTMOST = 0.020, 0.29
"""It moves over the stance foot."""
_SURGE, _FOREMOST = 0.008, 0.17
"""It is ahead of its mean in double support."""
_PELVIS_TURN, _PELVIS_TURNED = 5.0, 0.98
"""The hip of the foot that strikes is in front."""
_PELVIS_LIST, _PELVIS_LISTED = 3.5, 0.14
"""The hip of the swing leg is lower."""
_PELVIS_TILT = 2.0
_LEAN = 3.0
"""Forward, of the pelvis and of the whole trunk."""
_CHEST_TURN, _CHEST_TURNED = 4.5, 0.5
"""The shoulders turn against the pelvis."""
_CHEST_LIST = 0.6
"""List of the chest as a share of the pelvis's, in the opposite direction."""

_ARM_SWING, _ARM_MIDDLE, _ARM_FOREMOST = 21.0, 4.0, 0.52
"""An arm is in front with the other side's foot, and swings farther back than ahead."""
_ARM_OUT = 5.0
_ELBOW_SWING, _ELBOW_MIDDLE, _ELBOW_MOST = 11.0, 26.0, 0.56
_PALM_IN = 12.0
"""Twist of the upper arm, which brings the forearm in front of the body."""
_HAND_CURL = 20.0


def walk(
    skeleton: Skeleton | None = None,
    *,
    steps: int = 8,
    fps: float = 30.0,
    step_length: float = STEP_LENGTH,
    speed: float = SPEED,
    heading: float = 0.0,
    up: Up = "y",
    skate: float = 0.0,
    seed: int = 0,
) -> SyntheticMotion:
    """A made-up human (`skeleton`; None is the usual one with `up` up) walks `steps` steps on the floor, height 0.

    It begins at mid-stance of the right foot and ends at mid-stance of one of the feet, so that there is one contact
    more than steps. `step_length` is in sizes of the character, `speed` in sizes a
    second. It starts at the origin and goes `heading` radians to the left of where the human faces at rest.

    `skate` adds the faults of captured feet, by so many sizes of the character (see `skated`), while the contacts stay
    as they are; `seed` chooses the faults.
    """
    skeleton = skeleton_or_human(skeleton, up)
    check_arguments(fps, heading)
    check_count("walk", "step", steps)
    check_positive("walk", step_length=step_length, speed=speed)
    frames_per_cycle = 2.0 * step_length / speed * fps
    frames = last_frame(0.5 * steps * frames_per_cycle) + 1
    feet = {side: _foot(skeleton, side, step_length) for side in MIRROR}
    cycles = BEGIN + np.arange(frames) / frames_per_cycle
    puppet = Puppet(skeleton, frames)
    _move_trunk(puppet, cycles, step_length)
    puppet.move((0.0, _pelvis_height(skeleton, feet, step_length), 0.0))
    _swing_arms(puppet, cycles)
    _place_feet(puppet, feet, cycles)
    contacts = _contacts(feet, steps, frames, frames_per_cycle, facing(heading, skeleton.up))
    return SyntheticMotion(skated(puppet.clip(fps, heading), contacts, skate, seed), contacts)


def _foot(skeleton: Skeleton, side: Side, step_length: float) -> RollingFoot:
    ankle = float(_travelled(np.array(_FIRST_PLANT[side] + _MIDSTANCE), step_length))
    heel = (MIRROR[side] * 0.5 * _STEP_WIDTH, 0.0, ankle - _ANKLE_BEFORE_HEEL)
    return RollingFoot(
        skeleton,
        side,
        heel=skeleton.size * from_y_up(heel, skeleton.up),
        stride=skeleton.size * from_y_up((0.0, 0.0, 2.0 * step_length), skeleton.up),
        turned_out=_TURNED_OUT,
    )


def _travelled(cycles: Array, step_length: float) -> Array:
    """The distance that the pelvis has travelled, in sizes of the character."""
    return np.asarray(2.0 * step_length * (cycles - BEGIN))


def _move_trunk(puppet: Puppet, cycles: Array, step_length: float) -> None:
    """Move and turn the pelvis, but not to its mean height; turn spine and head."""
    turn = -_PELVIS_TURN * wave(cycles, _PELVIS_TURNED)
    listing = _PELVIS_LIST * wave(cycles, _PELVIS_LISTED)
    chest_turn = -_CHEST_TURN * wave(cycles, _CHEST_TURNED)
    chest_listing = -_CHEST_LIST * listing
    way = [
        _SWAY * wave(cycles, _LEFTMOST),
        -_BOB * wave(cycles, _LOWEST, times=2),
        _travelled(cycles, step_length) + _SURGE * wave(cycles, _FOREMOST, times=2),
    ]
    puppet.move(puppet.skeleton.size * np.stack(way, axis=-1))
    puppet.turn(puppet.skeleton.names[0], degrees(_PELVIS_TILT, turn, listing))
    puppet.bend(SPINE, degrees(_LEAN - _PELVIS_TILT, chest_turn - turn, chest_listing - listing))
    puppet.bend(NECK, degrees(-_LEAN, -chest_turn, -chest_listing))


def _swing_arms(puppet: Puppet, cycles: Array) -> None:
    for side, mirror in MIRROR.items():
        own = cycles - _FIRST_PLANT[side]
        puppet.turn(side + "shoulder", degrees(0.0, 0.0, mirror * _ARM_OUT))
        puppet.turn(side + "shoulder", degrees(_ARM_MIDDLE - _ARM_SWING * wave(own, _ARM_FOREMOST), 0.0, 0.0))
        puppet.turn(side + "shoulder", degrees(0.0, -mirror * _PALM_IN, 0.0))
        puppet.turn(side + "elbow", degrees(-_ELBOW_MIDDLE - _ELBOW_SWING * wave(own, _ELBOW_MOST), 0.0, 0.0))
        puppet.turn(side + "middle1", degrees(0.0, 0.0, -mirror * _HAND_CURL))


def _place_feet(puppet: Puppet, feet: Mapping[Side, RollingFoot], cycles: Array) -> None:
    for side, foot in feet.items():
        puppet.place_foot(side, foot.at(cycles - _FIRST_PLANT[side]), _KNEES_OUT)


def _pelvis_height(skeleton: Skeleton, feet: Mapping[Side, RollingFoot], step_length: float) -> float:
    """The mean height of the pelvis above its rest height: the largest that the legs reach through a whole cycle.

    By symmetry the left leg's cycle is enough. It is sampled independently of the frame rate, so that the motion is
    the same at every rate.
    """
    cycles = np.linspace(0.0, 1.0, _SAMPLES)
    puppet = Puppet(skeleton, _SAMPLES)
    _move_trunk(puppet, cycles, step_length)
    ankle = feet["l_"].at(cycles).ankle(skeleton, "l_")
    way = ankle - puppet.state().positions[:, skeleton.index("l_hip")]
    height = way[:, skeleton.up_axis]
    reach = _STRETCH * sum(
        float(np.linalg.norm(skeleton.offsets[skeleton.index(j)])) for j in ("l_knee", "l_talocrural")
    )
    room = reach**2 - (way**2).sum(axis=1) + height**2
    if (room <= 0.0).any():
        raise MotionError(
            f"Legs cannot reach steps of {step_length:g} times the length of a leg: ask for shorter ones."
        )
    return float((height + np.sqrt(room)).min())


def _contacts(
    feet: Mapping[Side, RollingFoot], steps: int, frames: int, frames_per_cycle: float, turn: Array
) -> tuple[Contact, ...]:
    """One contact for each heel strike, from the last one before the clip begins."""

    def frame(cycle: float, rounded: Callable[[float], int]) -> int:
        return min(max(rounded((cycle - BEGIN) * frames_per_cycle), 0), frames - 1)

    contacts = []
    for step in range(steps + 1):
        foot: Foot = "right" if step % 2 == 0 else "left"
        side = SIDE_OF[foot]
        strike = 0.5 * (step - 1)
        heel, toe = feet[side].plant(step // 2)
        contacts.append(
            Contact(
                foot,
                heel_strike=frame(strike, first_frame),
                toe_strike=frame(strike + TOE_STRIKE, first_frame),
                heel_off=frame(strike + HEEL_OFF, last_frame),
                toe_off=frame(strike + TOE_OFF, last_frame),
                heel=rotations.rotate(turn, heel),
                toe=rotations.rotate(turn, toe),
            )
        )
    return tuple(contacts)
