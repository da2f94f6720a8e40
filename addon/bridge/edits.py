# SPDX-License-Identifier: GPL-3.0-or-later
"""From a changed motion back to channels: which channels must change, and to what.

Going down the hierarchy, each bone either keeps its source's channels, where these put it where the result wants it,
or gets the rotation and location that do. Scales never change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...solver import Clip
from . import rotation_channels
from .arrays import Array, BoolArray, IntArray
from .channels import Channels
from .errors import BridgeError
from .posing import Inheritance, Pose, alike, inherited, orientations, turns_for
from .reading import Reading

_ROUNDING = 1e-9
"""How far a bone that nobody has changed may seem to be off, as a share of the size or as a sine."""


@dataclass(eq=False)
class Edits:
    """What the channels shall be."""

    channels: Channels
    """Those of the source, but for what has changed."""
    turned: BoolArray
    """(frames, bones) where a rotation has changed."""
    moved: BoolArray
    """(frames, bones) where a location has changed."""
    pose: Pose
    """Of all bones, in the armature's space."""

    @property
    def turned_bones(self) -> IntArray:
        """The bones whose rotation changes in some frame."""
        return np.flatnonzero(self.turned.any(axis=0))

    @property
    def moved_bones(self) -> IntArray:
        """The bones whose location changes in some frame."""
        return np.flatnonzero(self.moved.any(axis=0))


def edits_for(reading: Reading, result: Clip, may_leave_parent: bool) -> Edits:
    """The channels that a result asks for; joints that are bit for bit the source's keep theirs.

    Where bones may not leave their parents, connected ones stay at their parent's tail, whatever the result says.
    """
    check_result(reading, result)
    rig, source = reading.rig, reading.clip.motion
    frames = len(reading.times)
    edits = Edits(
        reading.channels.copy(),
        np.zeros((frames, len(rig)), dtype=bool),
        np.zeros((frames, len(rig)), dtype=bool),
        Pose.empty(frames, len(rig)),
    )
    turned = (result.motion.rotations != source.rotations).any(axis=-1)
    shifted = (result.motion.translations != source.translations).any(axis=-1)
    if not (turned.any() or shifted.any()):
        edits.pose = Pose(reading.pose.axes, reading.pose.heads)
        return edits
    wanted = _Wanted(reading, result, turned, shifted)
    turns, shifts = edits.channels.turns(rig), edits.channels.shifts(rig)
    for generation in rig.generations:
        for bones in alike(rig, generation):
            given = inherited(rig, bones, edits.pose)
            edits.pose.axes[:, bones] = given.axes_of(turns[:, bones], edits.channels.scale[:, bones])
            edits.pose.heads[:, bones] = given.heads_of(shifts[:, bones])
            for place, bone in enumerate(bones.tolist()):
                joint = wanted.joint_of[bone]
                one = Inheritance(
                    given.axes[:, place], given.reach[:, place], given.origin[:, place], given.stretch[:, place]
                )
                if joint >= 0 and reading.obeys[bone]:
                    _edit_bone(edits, wanted, one, turns, shifts, bone, joint, may_leave_parent)
                elif joint >= 0:
                    if (turned[:, joint] | shifted[:, joint]).any():
                        raise BridgeError(reading.unbakeable[rig.names[bone]])
                    wanted.carry_along(edits.pose, bone, joint)
                elif not reading.obeys[bone]:
                    edits.pose.axes[:, bone] = reading.pose.axes[:, bone]
                    edits.pose.heads[:, bone] = reading.pose.heads[:, bone]
    return edits


def check_result(reading: Reading, result: Clip) -> None:
    """Raise unless a clip is of the character and the frames that were read."""
    if result.skeleton.names != reading.clip.skeleton.names:
        raise BridgeError(f"The result is not of armature {reading.armature_name!r} as it was read: solve again.")
    if result.frames != reading.clip.frames:
        raise BridgeError(
            f"The result has {result.frames} frames, but {reading.clip.frames} were read: bake a whole one."
        )


class _Wanted:
    """Where the result wants the bones, in world space."""

    def __init__(self, reading: Reading, result: Clip, turned: BoolArray, shifted: BoolArray) -> None:
        self.reading = reading
        self.turned, self.shifted = turned, shifted
        self.axes = rotation_channels.quaternions_to_matrices(result.world.rotations)
        self.heads = result.world.positions
        self.before = reading.clip.world
        self.linear, self.shift = reading.world[:, :3, :3], reading.world[:, :3, 3]
        self.inverse = np.linalg.inv(self.linear)
        self.size = reading.clip.skeleton.size
        self.joint_of = np.full(len(reading.rig), -1, dtype=np.int64)
        self.joint_of[reading.joints.bones] = np.arange(len(reading.joints))

    def turns_off(self, joint: int, axes: Array) -> BoolArray:
        """(frames,) where axes (frames, 3, 3) in the armature's space are not those of a joint."""
        world, known = orientations(self.linear @ axes)
        return (np.abs(world - self.axes[:, joint]).max(axis=(-2, -1)) > _ROUNDING) & known

    def is_off(self, joint: int, heads: Array) -> BoolArray:
        """(frames,) where heads (frames, 3) in the armature's space are not those of a joint."""
        world = (self.linear @ heads[..., None])[..., 0] + self.shift
        return np.linalg.norm(world - self.heads[:, joint], axis=-1) > _ROUNDING * self.size

    def head(self, joint: int) -> Array:
        """(frames, 3) in the armature's space."""
        return (self.inverse @ (self.heads[:, joint] - self.shift)[..., None])[..., 0]

    def carry_along(self, pose: Pose, bone: int, joint: int) -> None:
        """Let a bone that has no say of its own follow its joint."""
        back = rotation_channels.quaternions_to_matrices(self.before.rotations[:, joint]).swapaxes(-1, -2)
        change = self.inverse @ self.axes[:, joint] @ back @ self.linear
        pose.axes[:, bone] = change @ self.reading.pose.axes[:, bone]
        pose.heads[:, bone] = self.head(joint)


def _edit_bone(
    edits: Edits,
    wanted: _Wanted,
    given: Inheritance,
    turns: Array,
    shifts: Array,
    bone: int,
    joint: int,
    may_leave_parent: bool,
) -> None:
    rig, pose, channels = wanted.reading.rig, edits.pose, edits.channels
    scale = channels.scale[:, bone]
    changed = wanted.turned[:, joint] | wanted.turns_off(joint, pose.axes[:, bone])
    if changed.any():
        found, solvable = turns_for(wanted.axes[:, joint], wanted.linear @ given.axes, scale)
        changed &= solvable
        edits.turned[:, bone] = changed
        channels.rotation[:, bone] = rotation_channels.continuous(
            found, rig.modes[bone], channels.rotation[:, bone], changed
        )
        turned = np.where(changed[:, None, None], found, turns[:, bone])
        pose.axes[:, bone] = given.axes_of(turned, scale)
    changed = wanted.is_off(joint, pose.heads[:, bone])
    if changed.any() and (may_leave_parent or not rig.connected[bone]):
        reachable = np.abs(np.linalg.det(given.reach)) > 0.0
        changed &= reachable
        reach = np.linalg.inv(np.where(reachable[:, None, None], given.reach, np.eye(3)))
        shift = (reach @ (wanted.head(joint) - given.origin)[..., None])[..., 0]
        edits.moved[:, bone] = changed
        channels.location[:, bone] = np.where(changed[:, None], shift, shifts[:, bone])
        pose.heads[:, bone] = np.where(changed[:, None], wanted.head(joint), pose.heads[:, bone])
