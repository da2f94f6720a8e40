# SPDX-License-Identifier: GPL-3.0-or-later
"""A golf swing: both feet planted, both hands on a club, back, down and through.

A right-handed player faces z and plays toward x, the left. Hands and club turn about the normal of one inclined plane,
through the line to the target and the club as it is addressed; the club lags behind the hands, and these behind the
trunk, as players' do. Hands that never slide on the grip and heels that never lift ask more of shoulders, wrists and
ankles than `anatomy` gives them: this swing is for characters without limits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solver.body.skeleton import Skeleton, Up
from ..solver.core import rotations
from ..solver.core.arrays import Array
from ..solver.synthetic.axes import from_y_up
from ..solver.synthetic.contacts import Contact, Foot, SyntheticMotion
from ..solver.synthetic.curves import eased
from ..solver.synthetic.puppet import (
    MIRROR,
    NECK,
    SIDE_OF,
    SPINE,
    FootPose,
    Puppet,
    Side,
    check_arguments,
    degrees,
    facing,
    heel_to_ball,
    last_frame,
    skeleton_or_human,
)

DURATION = 2.2
"""Seconds. The back swing takes three times as long as the way down to the ball."""
_BACK = (0.12, 1.02)
"""The times at which the back swing begins and ends, for the whole body."""
_PELVIS_THROUGH, _CHEST_THROUGH, _ARMS_THROUGH, _CLUB_THROUGH = (0.86, 1.56), (0.92, 1.66), (0.94, 1.74), (1.02, 1.68)
"""The times at which each part of the body begins and ends to swing through: from the ground up."""
IMPACT = 0.5 * sum(_ARMS_THROUGH)
"""Seconds until the hands are again where they began."""


_STANCE = 0.16
"""Sizes of the character from the middle to each heel."""
_HEELS_BEHIND = -0.075
"""How far behind the middle of the body the heels are, as at rest, in sizes of the character."""
_TURNED_OUT = np.deg2rad(16.0)
_KNEES_OUT = np.deg2rad(14.0)
_SETTLED = (0.0, -0.070, -0.035)
"""How far the pelvis is from rest at address, in sizes of the character: down and back, over bent knees."""
_SHIFT_BACK, _SHIFT_THROUGH = -0.020, 0.045
"""Weight goes to the right foot, then to the left one: where the pelvis is aside, in sizes of the character."""
_RISE = 0.010
"""How much the pelvis rises in the follow-through, in sizes of the character."""

# Degrees. Turns to the right are negative, about an axis that leans forward with the trunk.
_PELVIS_LEAN, _SPINE_LEAN, _NECK_LEAN = 26.0, 8.0, 4.0
_STRAIGHTENS = -14.0
"""The share of that lean that is lost in the follow-through."""
_PELVIS_BACK, _PELVIS_FINISH = -28.0, 32.0
_SPINE_BACK, _SPINE_FINISH = -38.0, 30.0
_SHOULDER_ACROSS, _SHOULDER_UP = 16.0, 10.0
"""How far the shoulder of the arm that crosses the chest comes forward and up."""
_EYES = 0.75
"""The share of the trunk's turn that the neck undoes: the eyes stay with the ball."""

_PLANE = 54.0
"""The club's slope at address, below the horizontal."""
_ARMS_BACK, _ARMS_FINISH = 114.0, -114.0
_CLUB_BACK, _CLUB_FINISH = 200.0, -200.0
"""How far the hands and the club turn in the plane, backward positive."""
_ROLL_BACK, _ROLL_FINISH = 85.0, -85.0
"""How far the hands roll about the club: their backs face out of the plane when they are aside."""

_ARMS_AT_ADDRESS = 66.0
"""The slope at address of the line from between the shoulders to the left wrist, below the horizontal."""
_STRETCH = 0.985
"""The share of its length up to which an arm is stretched: the left one going back, the right one going through."""
_BLEND = 0.06
"""The width of the blend from the one straight arm to the other, in sizes of the character."""

_CLUB_IN_HAND = 60.0
"""Degrees from the thumb's direction toward the fingers' in which the club lies in the left hand."""
_GRIP = 0.085
"""How far down the club the right hand is, in sizes of the character."""
_PALMS_APART = 0.045
"""How far the wrists are from each other across the club, in sizes of the character."""
_ELBOWS_TOWARD = (0.35, -0.55, -0.55)
"""The direction of the left elbow in the frame of the chest: out, down and back."""


@dataclass(frozen=True, eq=False)
class GolfSwing(SyntheticMotion):
    """A golf swing; its contacts are both feet throughout."""

    impact_frame: int
    """The frame nearest to the time at which the hands are again where they began."""
    grip: Array
    """(3,) the place of the right wrist in the left wrist's frame, the same in all frames."""


def golf_swing(skeleton: Skeleton | None = None, *, fps: float = 30.0, heading: float = 0.0, up: Up = "y") -> GolfSwing:
    """A made-up human (`skeleton`; None is the usual one with `up` up) swings a made-up club, standing at the origin.

    The player faces `heading` radians to the left of where the human faces at rest. The right wrist keeps its place
    and its rotation in the left wrist's frame.
    """
    skeleton = skeleton_or_human(skeleton, up)
    check_arguments(fps, heading)
    frames = last_frame(DURATION * fps)
    times = np.arange(frames) / fps
    puppet = Puppet(skeleton, frames)
    _turn_trunk(puppet, times)
    feet = {}
    for side, mirror in MIRROR.items():
        place = skeleton.size * np.array((mirror * _STANCE, 0.0, _HEELS_BEHIND))
        feet[side] = puppet.stand(side, place, _TURNED_OUT)
        puppet.place_foot(side, feet[side], _KNEES_OUT)
    grip = _hold_club(puppet, times)
    turn = facing(heading, skeleton.up)
    contacts = tuple(_contact(skeleton, foot, feet[side], turn) for foot, side in SIDE_OF.items())
    return GolfSwing(puppet.clip(fps, heading), contacts, round(IMPACT * fps), grip)


def _swing(times: Array, through: tuple[float, float], back: float, finish: float) -> Array:
    """(frames,) from 0 at address to `back`, then through to `finish`."""
    return eased((_BACK[0], 0.0), (_BACK[1], back))(times) + eased((through[0], 0.0), (through[1], finish - back))(
        times
    )


def _turn_trunk(puppet: Puppet, times: Array) -> None:
    aside = _swing(times, _PELVIS_THROUGH, _SHIFT_BACK, _SHIFT_THROUGH)
    rising = _swing(times, _CHEST_THROUGH, 0.0, 1.0)
    way = np.array(_SETTLED) + np.stack([aside, _RISE * rising, np.zeros_like(times)], axis=-1)
    puppet.move(puppet.skeleton.size * way)
    turn = _swing(times, _PELVIS_THROUGH, _PELVIS_BACK, _PELVIS_FINISH)
    twist = _swing(times, _CHEST_THROUGH, _SPINE_BACK, _SPINE_FINISH)
    puppet.turn(puppet.skeleton.names[0], degrees(_PELVIS_LEAN + _STRAIGHTENS * rising, 0.0, 0.0))
    puppet.turn(puppet.skeleton.names[0], degrees(0.0, turn, 0.0))
    puppet.bend(SPINE, degrees(_SPINE_LEAN, twist, 0.0))
    for side, mirror in MIRROR.items():
        back, finish = (1.0, 0.2) if side == "l_" else (0.2, 1.0)
        across = mirror * _swing(times, _ARMS_THROUGH, back, finish)
        puppet.turn(side + "sternoclavicular", degrees(0.0, -_SHOULDER_ACROSS * across, _SHOULDER_UP * across))
    looking = _EYES * (turn + twist) * (1.0 - rising)
    puppet.bend(NECK, degrees(_NECK_LEAN, -looking, 0.0))


def _hold_club(puppet: Puppet, times: Array) -> Array:
    """Bring both hands to the club; returns (3,) the place of the right wrist in the left wrist's frame."""
    skeleton = puppet.skeleton
    size, up = skeleton.size, skeleton.up
    normal = np.cross((1.0, 0.0, 0.0), _sloping(_PLANE))
    state = puppet.state()
    chest = state.rotations[:, skeleton.index(SPINE[-1])]

    club = _sloping(_CLUB_IN_HAND)
    pointing = rotations.exp(from_y_up(degrees(_PLANE - _CLUB_IN_HAND, 0.0, 0.0), up))
    turned = np.deg2rad(_swing(times, _CLUB_THROUGH, _CLUB_BACK, _CLUB_FINISH))
    rolled = np.deg2rad(_swing(times, _CLUB_THROUGH, _ROLL_BACK, _ROLL_FINISH))
    hand = rotations.multiply(
        rotations.multiply(rotations.exp(from_y_up(turned[:, None] * normal, up)), pointing),
        rotations.exp(from_y_up(rolled[:, None] * club, up)),
    )
    grip = size * from_y_up(_GRIP * club - (_PALMS_APART, 0.0, 0.0), up)
    held = rotations.rotate(hand, grip)

    hanging = from_y_up(_sloping(_ARMS_AT_ADDRESS), up)
    arms = np.deg2rad(_swing(times, _ARMS_THROUGH, _ARMS_BACK, _ARMS_FINISH))
    way = rotations.rotate(rotations.exp(from_y_up(arms[:, None] * normal, up)), hanging)
    shoulders = {side: state.positions[:, skeleton.index(side + "shoulder")] for side in MIRROR}
    middle = 0.5 * (shoulders["l_"] + shoulders["r_"])
    arm = sum(float(np.linalg.norm(skeleton.offsets[skeleton.index(bone)])) for bone in ("l_elbow", "l_wrist"))
    left_reach = _distance_along(way, shoulders["l_"] - middle, _STRETCH * arm)
    right_reach = _distance_along(way, shoulders["r_"] - middle - held, _STRETCH * arm)
    left = middle + _smaller(left_reach, right_reach, _BLEND * size)[:, None] * way
    wrists: dict[Side, Array] = {"l_": left, "r_": left + held}
    for side, wrist in wrists.items():
        toward = rotations.rotate(chest, from_y_up(np.array(_ELBOWS_TOWARD) * (MIRROR[side], 1.0, 1.0), up))
        puppet.place_hand(side, wrist, hand, toward)
    return grip


def _sloping(below: float) -> Array:
    """(3,) the direction ahead, by an angle in degrees below the horizontal."""
    return np.array((0.0, -np.sin(np.deg2rad(below)), np.cos(np.deg2rad(below))))


def _distance_along(way: Array, center: Array, radius: float) -> Array:
    """(frames,) the distance along the directions `way` (frames, 3) to the far side of the sphere about `center`
    (frames, 3)."""
    along = np.einsum("fi,fi->f", way, center)
    return np.asarray(along + np.sqrt(radius**2 - np.einsum("fi,fi->f", center, center) + along**2))


def _smaller(first: Array, second: Array, width: float) -> Array:
    """A smooth minimum of two arrays: a little less than the smaller one where they are nearly equal."""
    return np.asarray(0.5 * (first + second - np.sqrt((first - second) ** 2 + width**2)))


def _contact(skeleton: Skeleton, foot: Foot, flat: FootPose, turn: Array) -> Contact:
    """The contact of a foot that stays in place in all frames."""
    ball = flat.ball[0]
    heel = ball - rotations.rotate(flat.foot[0], heel_to_ball(skeleton, SIDE_OF[foot]))
    last = len(flat.ball) - 1
    return Contact(foot, 0, 0, last, last, heel=rotations.rotate(turn, heel), toe=rotations.rotate(turn, ball))
