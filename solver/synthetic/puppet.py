# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and closed-form inverse kinematics of the made-up human, for motions written by hand.

Nothing here uses the solver, because the solver is tested with these motions. Unless a docstring says otherwise,
vectors have y up, the face toward z and the left toward x, in the skeleton's own units, whichever axis
is up in the skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint, JointKind
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..body.skeleton import Skeleton, Up
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.errors import MotionError
from .axes import from_y_up
from .contacts import Foot
from .hanim import human

Side = Literal["l_", "r_"]
SIDE_OF: dict[Foot, Side] = {"left": "l_", "right": "r_"}
MIRROR: dict[Side, float] = {"l_": 1.0, "r_": -1.0}
"""Sign of mirrored components of a side: x of positions, y and z of rotation vectors."""

SPINE = ("vl5", "vl2", "vt11", "vt6", "vt1")
NECK = ("vc4", "skullbase")

_KNEE_AXIS, _ELBOW_AXIS = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
"""Hinge axes at rest, y up: a positive angle about them bends the limb."""


@dataclass(frozen=True, eq=False)
class FootPose:
    """Positions and rotations of a foot, in the world of its skeleton."""

    ball: Array
    """(frames, 3) position of the ball (the toe joint)."""
    foot: Array
    """(frames, 4) world rotation of the foot behind the ball."""
    toes: Array
    """(frames, 4) world rotation of the toes."""

    def ankle(self, skeleton: Skeleton, side: Side) -> Array:
        """(frames, 3) position of the ankle."""
        return self.ball - rotations.rotate(self.foot, _ankle_to_ball(skeleton, side))

    @staticmethod
    def from_ankle(skeleton: Skeleton, side: Side, ankle: Array, foot: Array, toes: Array) -> FootPose:
        """The pose whose ankle is at `ankle` (frames, 3)."""
        return FootPose(ankle + rotations.rotate(foot, _ankle_to_ball(skeleton, side)), foot, toes)


@dataclass(eq=False)
class Puppet:
    """A human with one posture a frame, all at rest at first.

    Rotation vectors and positions are (3,) or (frames, 3). Move the trunk first: limbs reach from where it is.
    """

    skeleton: Skeleton
    frames: int
    local: Array = field(init=False)
    """(frames, joints, 4)"""
    root: Array = field(init=False)
    """(frames, 3) in the skeleton's own axes."""

    def __post_init__(self) -> None:
        if np.abs(self.skeleton.rest_rotations - rotations.IDENTITY).max() > 0.0:
            raise MotionError("Made-up motions are for the made-up human: its joints have no rotations at rest.")
        self.local = np.tile(rotations.IDENTITY, (self.frames, len(self.skeleton), 1))
        self.root = np.tile(self.skeleton.offsets[0], (self.frames, 1))

    def turn(self, joint: str, rotation_vector: ArrayLike) -> None:
        """Append a local rotation to a joint: a rotation vector in radians, y up."""
        index = self.skeleton.index(joint)
        turn = rotations.exp(from_y_up(rotation_vector, self.skeleton.up))
        self.local[:, index] = rotations.multiply(self.local[:, index], turn)

    def bend(self, joints: tuple[str, ...], rotation_vector: ArrayLike) -> None:
        """Distribute a rotation equally over a chain of joints."""
        for joint in joints:
            self.turn(joint, np.asarray(rotation_vector, dtype=np.float64) / len(joints))

    def move(self, shift: ArrayLike) -> None:
        """Translate the whole body."""
        self.root = self.root + from_y_up(shift, self.skeleton.up)

    def stand(self, side: Side, place: ArrayLike, turned_out: float) -> FootPose:
        """A flat foot in all frames, with its heel's landmark at `place` and turned outward by `turned_out` radians."""
        up = self.skeleton.up
        yaw = rotations.exp(from_y_up((0.0, MIRROR[side] * turned_out, 0.0), up))
        ball = from_y_up(place, up) + rotations.rotate(yaw, heel_to_ball(self.skeleton, side))
        turned = np.tile(yaw, (self.frames, 1))
        return FootPose(np.tile(ball, (self.frames, 1)), turned, turned)

    def stand_at_rest(self, side: Side) -> FootPose:
        """The foot where it is at rest, in all frames."""
        _, places = self.skeleton.rest
        ball = np.tile(places[self.skeleton.index(side + "metatarsal")], (self.frames, 1))
        still = np.tile(rotations.IDENTITY, (self.frames, 1))
        return FootPose(ball, still, still)

    def state(self) -> WorldState:
        """World positions and rotations of all joints."""
        return WorldState.of(self.skeleton, self._motion)

    def place_foot(self, side: Side, pose: FootPose, knee_out: ArrayLike = 0.0, *, or_nearest: bool = False) -> None:
        """Bend the leg so that its foot has this pose; the knee points outward by `knee_out` radians.

        A pose out of reach raises a `MotionError`; with `or_nearest`, the straight leg points at it instead.
        """
        skeleton = self.skeleton
        out = MIRROR[side] * np.asarray(knee_out)
        across = from_y_up(np.stack([np.cos(out), np.zeros_like(out), -np.sin(out)], axis=-1), skeleton.up)
        knee_axis = from_y_up(_KNEE_AXIS, skeleton.up)
        leg = ("hip", "knee", "talocrural")
        self._reach(side, leg, pose.ankle(skeleton, side), knee_axis, across, or_nearest=or_nearest)
        knee, ankle, toes = (skeleton.index(side + name) for name in ("knee", "talocrural", "metatarsal"))
        self.local[:, ankle] = rotations.multiply(rotations.conjugate(self.state().rotations[:, knee]), pose.foot)
        self.local[:, toes] = rotations.multiply(rotations.conjugate(pose.foot), pose.toes)

    def leg_length(self, side: Side) -> float:
        """From hip to ankle along the bones, in the skeleton's units."""
        bones = [self.skeleton.index(side + name) for name in ("knee", "talocrural")]
        return float(np.linalg.norm(self.skeleton.offsets[bones], axis=1).sum())

    def place_hand(self, side: Side, wrist: Array, hand: Array, elbow_toward: Array) -> None:
        """Put the wrist at `wrist` (frames, 3) and turn the hand to the world rotation `hand` (frames, 4).

        The elbow points toward the direction `elbow_toward` (frames, 3); all three are in the
        skeleton's own axes. Rotations about the forearm are given to the elbow, unless it is a hinge.
        """
        skeleton = self.skeleton
        shoulder = self.state().positions[:, skeleton.index(side + "shoulder")]
        across = np.cross(elbow_toward, wrist - shoulder)
        self._reach(side, ("shoulder", "elbow", "wrist"), wrist, from_y_up(_ELBOW_AXIS, skeleton.up), across)
        elbow, end = skeleton.index(side + "elbow"), skeleton.index(side + "wrist")
        relative = rotations.multiply(rotations.conjugate(self.state().rotations[:, elbow]), hand)
        if skeleton.kinds[elbow] is not JointKind.HINGE:
            _, twist = rotations.swing_twist(relative, skeleton.offsets[end])
            self.local[:, elbow] = rotations.multiply(self.local[:, elbow], twist)
            relative = rotations.multiply(rotations.conjugate(twist), relative)
        self.local[:, end] = relative

    def _reach(
        self,
        side: Side,
        names: tuple[str, str, str],
        target: Array,
        hinge: Array,
        across: Array,
        *,
        or_nearest: bool = False,
    ) -> None:
        """Turn the first joint of a limb and bend its middle one about `hinge` so that its end is at `target`.

        `across`, (3,) or (frames, 3), is the preferred direction of the hinge's axis, made orthogonal to the limb.
        """
        skeleton, state = self.skeleton, self.state()
        first, middle, end = (skeleton.index(side + name) for name in names)
        upper, lower = skeleton.offsets[middle], skeleton.offsets[end]
        way = target - state.positions[:, first]
        # The square of the distance from first to end is that of a bent pair of bones: a + b cos(bend - straight).
        along = (upper @ hinge) * (lower @ hinge)
        cosine, sine = upper @ lower - along, upper @ np.cross(hinge, lower)
        straight, most = np.arctan2(sine, cosine), np.hypot(cosine, sine)
        wanted = (np.einsum("fi,fi->f", way, way) - upper @ upper - lower @ lower) / 2.0 - along
        if not or_nearest and (np.abs(wanted) > most).any():
            frame = int(np.argmax(np.abs(wanted) - most))
            raise MotionError(
                f"The {side}{names[2]} cannot reach its place at frame {frame}: ask for a smaller movement."
            )
        bend = rotations.from_axis_angle(hinge, straight + np.arccos(np.clip(wanted / most, -1.0, 1.0)))
        limb = upper + rotations.rotate(bend, lower)
        pointed = np.broadcast_to(across, way.shape)
        aim = _frames(way, pointed) @ np.swapaxes(_frames(limb, np.broadcast_to(hinge, limb.shape)), -1, -2)
        parent = state.rotations[:, skeleton.parents[first]]
        self.local[:, first] = rotations.multiply(rotations.conjugate(parent), rotations.from_matrix(aim))
        self.local[:, middle] = bend

    @property
    def _motion(self) -> Motion:
        return Motion.from_root(self.skeleton, self.local, self.root)

    def motion(self, heading: float) -> Motion:
        """The whole motion, turned about the vertical through the origin by `heading` radians."""
        motion = Motion(self.local.copy(), self._motion.translations)
        turn = facing(heading, self.skeleton.up)
        motion.rotations[:, 0] = rotations.multiply(turn, motion.rotations[:, 0])
        motion.translations[:, 0] = rotations.rotate(turn, motion.translations[:, 0])
        # q and -q are the same rotation, but differences between frames need the same sign.
        return Motion(rotations.continuous(motion.rotations), motion.translations)

    def clip(self, fps: float, heading: float) -> Clip:
        """The motion, turned by `heading` radians, as a clip."""
        return Clip(self.skeleton, self.motion(heading), fps)


def facing(heading: float, up: Up) -> Array:
    """(4,) the rotation about the vertical by `heading` radians to the left."""
    return rotations.exp(heading * from_y_up((0.0, 1.0, 0.0), up))


def _ankle_to_ball(skeleton: Skeleton, side: Side) -> Array:
    """(3,) from the ankle to the ball, at rest."""
    bones = [skeleton.index(side + name) for name in ("subtalar", "midtarsal", "metatarsal")]
    return np.asarray(skeleton.offsets[bones].sum(axis=0))


def heel_to_ball(skeleton: Skeleton, side: Side) -> Array:
    """(3,) from the landmark of the heel to the ball, at rest."""
    heel: BodyPoint = skeleton.landmarks.require("left_heel" if side == "l_" else "right_heel")
    ankle, ball = skeleton.index(heel.joint), skeleton.index(side + "metatarsal")
    _, places = skeleton.rest
    return np.asarray(places[ball] - places[ankle] - np.array(heel.offset))


def skeleton_or_human(skeleton: Skeleton | None, up: Up) -> Skeleton:
    """The given skeleton, or the usual human with this axis up."""
    return human(up) if skeleton is None else skeleton


def check_arguments(fps: float, heading: float) -> None:
    """Raise a `MotionError` for an invalid frame rate or heading."""
    if not (np.isfinite(fps) and fps > 0.0):
        raise MotionError(f"The frame rate must be a finite, positive number, not {fps!r}.")
    if not np.isfinite(heading):
        raise MotionError("The heading must be a finite number of radians.")


def check_positive(motion: str, **values: float) -> None:
    """Raise a `MotionError` for a named value of a motion that is not finite and positive."""
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0.0):
            what = name.replace("_", " ")
            raise MotionError(f"The {what} of a {motion} must be a finite, positive number, not {value!r}.")


def check_count(motion: str, of: str, count: int) -> None:
    """Raise a `MotionError` for a number of steps or hops (`of`, in the singular) that is not a positive integer."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise MotionError(f"A {motion} has one {of} or more, not {count!r}.")


def degrees(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array:
    """(..., 3) rotation vectors, from degrees about each axis."""
    return np.deg2rad(np.stack(np.broadcast_arrays(x, y, z), axis=-1))


ON_A_FRAME = 1e-9
"""Times this near to a frame, in frames, count as that frame."""


def first_frame(time: float) -> int:
    """The first frame from a time on; times count in frames."""
    return int(np.ceil(time - ON_A_FRAME))


def last_frame(time: float) -> int:
    """The last frame up to a time; times count in frames."""
    return int(np.floor(time + ON_A_FRAME))


def _frames(first: Array, second: Array) -> Array:
    """(frames, 3, 3) orthonormal columns: along `first`, toward `second`, and orthogonal to both."""
    one = first / np.linalg.norm(first, axis=-1, keepdims=True)
    two = second - np.einsum("fi,fi->f", one, second)[:, None] * one
    two = two / np.linalg.norm(two, axis=-1, keepdims=True)
    return np.stack([one, two, np.cross(one, two)], axis=-1)
