# SPDX-License-Identifier: GPL-3.0-or-later
"""A kick: standing on the right foot, the left leg swings back, kicks forward to hip height, and is put down again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solver.body.skeleton import Skeleton, Up
from ..solver.core import rotations
from ..solver.core.arrays import Array
from ..solver.synthetic.axes import from_y_up
from ..solver.synthetic.contacts import Contact, Foot, SyntheticMotion
from ..solver.synthetic.curves import EasedCurve, eased
from ..solver.synthetic.puppet import (
    MIRROR,
    NECK,
    SIDE_OF,
    SPINE,
    FootPose,
    Puppet,
    check_arguments,
    degrees,
    facing,
    first_frame,
    heel_to_ball,
    last_frame,
    skeleton_or_human,
)

# Seconds. A swing kick takes people about a third of a second from its farthest back to its height.
_BEGIN, _BACK, KICK, _DRAWN_IN, _STANDS = 0.10, 0.86, 1.20, 1.62, 2.25
"""Weight goes to the right foot, the leg is back, it kicks, it is drawn in, and both feet carry again."""
_HEEL_OFF, _TOE_OFF, _LANDED = 0.40, 0.58, 2.00
"""Of the left foot, which lands flat."""
_PASSING = 0.5 * (_BACK + KICK)
"""The time at which the left foot passes the right one."""
_DURATION = 2.4
_OVERLAP = 0.06
"""Seconds over which one move is blended into the next."""
_KEYS = np.array([_BEGIN, _BACK, KICK, _DRAWN_IN, _STANDS])


@dataclass(frozen=True, eq=False)
class Kick(SyntheticMotion):
    """A kick; its contacts are the right foot throughout, and the left one before and after."""

    kick_frame: int
    """The frame in which the left foot is highest."""


def _keyed(*middle: tuple[float, float, float]) -> EasedCurve:
    """Turns in degrees, or shares of the size, when the leg is back, kicks and is drawn in; none at either end."""
    return EasedCurve(_KEYS, np.array([(0.0, 0.0, 0.0), *middle, (0.0, 0.0, 0.0)]), _OVERLAP)


_PELVIS_WAY = _keyed((-0.066, -0.012, 0.0), (-0.070, -0.008, 0.020), (-0.070, -0.016, -0.005))
"""Over the right foot, whose knee gives, and forward with the kick."""
_PELVIS_TURN = _keyed((9.0, 14.0, 3.0), (-16.0, -16.0, 5.0), (-4.0, -4.0, 4.0))
"""Left hip back and trunk forward; then left hip forward and up, trunk back."""
_CHEST_TURN = _keyed((4.0, -24.0, -2.0), (5.0, 26.0, 2.0), (4.0, 6.0, 0.0))
"""Against the pelvis, and over the right foot."""
_NECK_TURN = _keyed((2.0, 8.0, 4.0), (14.0, -8.0, 4.0), (6.0, -2.0, 2.0))
"""Eyes toward where the foot will be."""

_LEFT_ARM = _keyed((-38.0, 0.0, 30.0), (32.0, 0.0, 42.0), (0.0, 0.0, 22.0))
_RIGHT_ARM = _keyed((28.0, 0.0, -42.0), (-42.0, 0.0, -36.0), (-8.0, 0.0, -22.0))
"""The arms move against the leg of their side, and out to the sides for balance."""
_ELBOWS = _keyed((-38.0, 0.0, 0.0), (-30.0, 0.0, 0.0), (-25.0, 0.0, 0.0))

_IN_THE_AIR = eased((_TOE_OFF, 0.0), (_BACK - 0.02, 1.0), (_DRAWN_IN, 1.0), (_LANDED, 0.0))
"""From 0, where the left foot is placed on the floor, to 1, where it is placed by the swing of the leg."""
_LEG_SWING = eased(
    (_TOE_OFF - 0.1, 0.0),
    (_BACK, 38.0),
    (KICK - 0.02, -92.0),
    (_DRAWN_IN + 0.05, -12.0),
    (_LANDED, 0.0),
    overlap=_OVERLAP,
)
"""Degrees from hanging down to the line from hip to ankle, positive backward."""
_LEG_LENGTH = eased(
    (_TOE_OFF - 0.1, 0.88),
    (_BACK, 0.75),
    (_PASSING, 0.78),
    (KICK, 0.98),
    (_DRAWN_IN, 0.80),
    (_LANDED, 0.97),
    overlap=_OVERLAP,
)
"""Of the leg's whole length, from hip to ankle: the knee is bent going back and coming down."""
_FOOT_PITCH = eased(
    (_HEEL_OFF, 0.0),
    (_TOE_OFF, 42.0),
    (_BACK, 100.0),
    (KICK, -50.0),
    (_DRAWN_IN, 16.0),
    (_LANDED, 0.0),
    overlap=_OVERLAP,
)
"""Degrees, heel up and toes down."""
_TOE_PITCH = eased(
    (_TOE_OFF + 0.03, 0.0), (_BACK + 0.02, 88.0), (KICK, -52.0), (_DRAWN_IN, 10.0), (_LANDED, 0.0), overlap=_OVERLAP
)
"""The same for the toes, which lie on the floor until they leave it."""


def kick(skeleton: Skeleton | None = None, *, fps: float = 30.0, heading: float = 0.0, up: Up = "y") -> Kick:
    """A made-up human (`skeleton`; None is the usual one with `up` up) kicks with the left foot.

    Before and after it stands at the origin as at rest, turned by `heading` radians to the left.
    """
    skeleton = skeleton_or_human(skeleton, up)
    check_arguments(fps, heading)
    frames = last_frame(_DURATION * fps) + 1
    times = np.arange(frames) / fps
    size = skeleton.size
    puppet = Puppet(skeleton, frames)
    puppet.move(size * _PELVIS_WAY(times))
    puppet.turn(skeleton.names[0], np.deg2rad(_PELVIS_TURN(times)))
    puppet.bend(SPINE, np.deg2rad(_CHEST_TURN(times)))
    puppet.bend(NECK, np.deg2rad(_NECK_TURN(times)))
    puppet.turn("l_shoulder", np.deg2rad(_LEFT_ARM(times)))
    puppet.turn("r_shoulder", np.deg2rad(_RIGHT_ARM(times)))
    for side in MIRROR:
        puppet.turn(side + "elbow", np.deg2rad(_ELBOWS(times)))
    flat = {side: puppet.stand_at_rest(side) for side in MIRROR}
    puppet.place_foot("r_", flat["r_"])
    puppet.place_foot("l_", _kicking_foot(puppet, flat["l_"], times))
    turn = facing(heading, skeleton.up)

    def contact(foot: Foot, **frames: int) -> Contact:
        ball = flat[SIDE_OF[foot]].ball[0]
        heel = ball - heel_to_ball(skeleton, SIDE_OF[foot])
        return Contact(foot, **frames, heel=rotations.rotate(turn, heel), toe=rotations.rotate(turn, ball))

    end, landed = frames - 1, first_frame(_LANDED * fps)
    heel_off, toe_off = last_frame(_HEEL_OFF * fps), last_frame(_TOE_OFF * fps)
    contacts = (
        contact("right", heel_strike=0, toe_strike=0, heel_off=end, toe_off=end),
        contact("left", heel_strike=0, toe_strike=0, heel_off=heel_off, toe_off=toe_off),
        contact("left", heel_strike=landed, toe_strike=landed, heel_off=end, toe_off=end),
    )
    return Kick(puppet.clip(fps, heading), contacts, round(KICK * fps))


def _kicking_foot(puppet: Puppet, flat: FootPose, times: Array) -> FootPose:
    """The path of the left foot: it rolls over its toes, is carried by the leg, and is put down in its first place."""
    skeleton = puppet.skeleton
    foot, toes = (
        rotations.exp(from_y_up(degrees(pitch(times), 0.0, 0.0), skeleton.up)) for pitch in (_FOOT_PITCH, _TOE_PITCH)
    )
    leg = sum(float(np.linalg.norm(skeleton.offsets[skeleton.index(bone)])) for bone in ("l_knee", "l_talocrural"))
    hanging = leg * from_y_up((0.0, -1.0, 0.0), skeleton.up)
    swing = rotations.exp(from_y_up(degrees(_LEG_SWING(times), 0.0, 0.0), skeleton.up))
    hip = puppet.state().positions[:, skeleton.index("l_hip")]
    ankle = hip + _LEG_LENGTH(times)[:, None] * rotations.rotate(swing, hanging)
    carried = FootPose.from_ankle(skeleton, "l_", ankle, foot, toes)
    share = _IN_THE_AIR(times)[:, None]
    return FootPose((1.0 - share) * flat.ball + share * carried.ball, foot, toes)
