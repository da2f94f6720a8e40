# SPDX-License-Identifier: GPL-3.0-or-later
"""From a changed motion back to channels: which channels must change, and to what.

Going down the hierarchy, each bone either keeps its source's channels, where these put it where the result wants it,
or gets the rotation and location that do. Scales never change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...solver import Clip, rotations
from . import rotation_channels
from .arrays import Array, BoolArray, IntArray
from .channels import Channels
from .errors import BridgeError
from .posing import Inheritance, Pose, alike, inherited, orientations, turns_for
from .reading import Reading

_ROUNDING = 2e-6
"""How far a bone may be off without any need to change its channels, as a share of the size or as a sine: keys in
single precision cannot say it more exactly."""

_WORTH_DISCONNECTING = 1e-4
"""How far a connected bone may be off before it is disconnected, as a share of the size."""


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
            _edit_bones(edits, wanted, inherited(rig, bones, edits.pose), turns, shifts, bones, may_leave_parent)
        for bone in generation[~reading.obeys[generation]].tolist():
            joint = int(wanted.joint_of[bone])
            if joint >= 0 and (turned[:, joint] | shifted[:, joint]).any():
                raise BridgeError(reading.unbakeable[rig.names[bone]])
            wanted.carry_along(edits.pose, bone, joint)
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
    """Where the result wants the bones, in world space. Arrays (…) are of some bones that are joints."""

    def __init__(self, reading: Reading, result: Clip, turned: BoolArray, shifted: BoolArray) -> None:
        self.reading = reading
        self.turned, self.shifted = turned, shifted
        self.axes = rotations.to_matrix(result.world.rotations)
        self.heads = result.world.positions
        self.linear, self.shift = reading.world[:, None, :3, :3], reading.world[:, None, :3, 3]
        self.inverse = np.linalg.inv(self.linear)
        self.size = reading.clip.skeleton.size
        self.joint_of = np.full(len(reading.rig), -1, dtype=np.int64)
        self.joint_of[reading.joints.bones] = np.arange(len(reading.joints))

    def turns_off(self, joints: IntArray, axes: Array) -> BoolArray:
        """(frames, joints) where axes (frames, joints, 3, 3) in the armature's space are not those of the joints."""
        world, known = orientations(self.linear @ axes)
        return (np.abs(world - self.axes[:, joints]).max(axis=(-2, -1)) > _ROUNDING) & known

    def distances(self, joints: IntArray, heads: Array) -> Array:
        """(frames, joints) how far heads (frames, joints, 3) in the armature's space are off, in sizes."""
        world = (self.linear @ heads[..., None])[..., 0] + self.shift
        return np.linalg.norm(world - self.heads[:, joints], axis=-1) / self.size

    def heads_of(self, joints: IntArray) -> Array:
        """(frames, joints, 3) in the armature's space."""
        return (self.inverse @ (self.heads[:, joints] - self.shift)[..., None])[..., 0]

    def carry_along(self, pose: Pose, bone: int, joint: int) -> None:
        """Let a bone that has no say of its own follow its joint, or stay where it is none."""
        before = self.reading.pose
        pose.axes[:, bone], pose.heads[:, bone] = before.axes[:, bone], before.heads[:, bone]
        if joint >= 0:
            world = self.reading.clip.world.rotations[:, [joint]]
            back = rotations.to_matrix(world).swapaxes(-1, -2)
            change = self.inverse @ self.axes[:, [joint]] @ back @ self.linear
            pose.axes[:, [bone]] = change @ before.axes[:, [bone]]
            pose.heads[:, [bone]] = self.heads_of(np.array([joint]))


def _edit_bones(
    edits: Edits,
    wanted: _Wanted,
    given: Inheritance,
    turns: Array,
    shifts: Array,
    bones: IntArray,
    may_leave_parent: bool,
) -> None:
    """Place bones of one generation, which inherit `given`, and change their channels where these do not place them.

    `turns` and `shifts` are what all channels of the source mean.
    """
    rig, pose, channels = wanted.reading.rig, edits.pose, edits.channels
    pose.axes[:, bones] = given.axes_of(turns[:, bones], channels.scale[:, bones])
    pose.heads[:, bones] = given.heads_of(shifts[:, bones])

    editable = (wanted.joint_of[bones] >= 0) & wanted.reading.obeys[bones]
    bones, given = bones[editable], given.of(editable)
    joints = wanted.joint_of[bones]
    changed = wanted.turned[:, joints] | wanted.turns_off(joints, pose.axes[:, bones])
    some = changed.any(axis=0)
    if some.any():
        turning, scale = bones[some], channels.scale[:, bones[some]]
        axes = given.of(some).axes
        found, solvable = turns_for(wanted.axes[:, joints[some]], wanted.linear @ axes, scale)
        changed = changed[:, some] & solvable
        edits.turned[:, turning] = changed
        for place, bone in enumerate(turning.tolist()):
            channels.rotation[:, bone] = rotation_channels.continuous(
                found[:, place], rig.modes[bone], channels.rotation[:, bone], changed[:, place]
            )
        turned = np.where(changed[..., None, None], found, turns[:, turning])
        pose.axes[:, turning] = given.of(some).axes_of(turned, scale)

    off = wanted.distances(joints, pose.heads[:, bones])
    changed = off > _ROUNDING
    # A scale that is almost even is no reason to take a rig apart.
    may_move = ~rig.connected[bones] | ((off > _WORTH_DISCONNECTING).any(axis=0) & may_leave_parent)
    some = changed.any(axis=0) & may_move
    if some.any():
        moving, way = bones[some], given.of(some)
        reachable = np.abs(np.linalg.det(way.reach)) > 0.0
        reach = np.linalg.inv(np.where(reachable[..., None, None], way.reach, np.eye(3)))
        heads = wanted.heads_of(joints[some])
        found = (reach @ (heads - way.origin)[..., None])[..., 0]
        changed = changed[:, some] & reachable
        edits.moved[:, moving] = changed
        channels.location[:, moving] = np.where(changed[..., None], found, shifts[:, moving])
        pose.heads[:, moving] = np.where(changed[..., None], heads, pose.heads[:, moving])
