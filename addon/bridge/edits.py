# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of bones that make a clip: which of them must change, and to which values.

From the roots down, each bone keeps the channels of the source where they already put it where the result has it, else
gets the rotation and location that do. Scales never change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...solver import Clip, rotations
from . import rotation_channels
from .arrays import Array, BoolArray, IntArray
from .channels import Channels
from .direct_channels import DirectChannels, Values
from .errors import BridgeError
from .posing import BonePose, Inheritance, grouped_by_inheritance, inheritance_of, orientations, pose_of, rotations_for
from .reading import Reading

_ROUNDING = 2e-6
"""How far a bone may be off without a change of its channels, as a share of the size or as a sine: the resolution of
keys in single precision."""

_WORTH_DISCONNECTING = 1e-4
"""How far a connected bone may be off before it is disconnected, as a share of the size."""


@dataclass(eq=False)
class Edits:
    """The channels of the result, and where they differ from the source."""

    channels: Channels
    """Those of the source, except where they change."""
    rotation_changed: BoolArray
    """(frames, bones)"""
    location_changed: BoolArray
    """(frames, bones)"""
    pose: BonePose
    """Of all bones in armature space."""

    @property
    def rotated_bones(self) -> IntArray:
        """The bones whose rotation changes in some frame."""
        return np.flatnonzero(self.rotation_changed.any(axis=0))

    @property
    def moved_bones(self) -> IntArray:
        """The bones whose location changes in some frame."""
        return np.flatnonzero(self.location_changed.any(axis=0))


def edits_for(reading: Reading, result: Clip, may_leave_parent: bool) -> Edits:
    """The channels that give the bones the motion of `result`; joints that equal the source's bit for bit keep theirs.

    Without `may_leave_parent`, connected bones stay at the tail of their parent.
    """
    check_result(reading, result)
    rig, source = reading.rig, reading.clip.motion
    frames = len(reading.times)
    edits = Edits(
        reading.channels.copy(),
        np.zeros((frames, len(rig)), dtype=bool),
        np.zeros((frames, len(rig)), dtype=bool),
        BonePose.empty(frames, len(rig)),
    )
    rotated = (result.motion.rotations != source.rotations).any(axis=-1)
    translated = (result.motion.translations != source.translations).any(axis=-1)
    if not (rotated.any() or translated.any()):
        edits.pose = BonePose(reading.pose.axes, reading.pose.heads)
        return edits
    direct = DirectChannels.of(reading)
    values = direct.values(result) if direct is not None else None
    if values is not None:
        _take_values(edits, reading, values, rotated)
        return edits
    wanted = _ResultPose(reading, result)
    editor = _Editor(edits, wanted, rotated, may_leave_parent)
    for generation in rig.generations:
        for bones in grouped_by_inheritance(rig, generation):
            editor.edit(bones, inheritance_of(rig, bones, edits.pose))
        for bone in generation[~reading.follows_channels[generation]].tolist():
            joint = int(wanted.joint_of[bone])
            if joint >= 0 and (rotated[:, joint] | translated[:, joint]).any():
                raise BridgeError(reading.unbakeable[rig.names[bone]])
            wanted.follow_joint(edits.pose, bone, joint)
    return edits


def _take_values(edits: Edits, reading: Reading, values: Values, rotated: BoolArray) -> None:
    """Take channels that were found straight from the joints, which were `rotated` (frames, joints)."""
    channels = edits.channels
    for (bone, attribute), found in values.items():
        if attribute == "location":
            edits.location_changed[:, bone] = (found != channels.location[:, bone]).any(axis=-1)
            channels.location[:, bone] = found
        else:
            channels.rotation[:, bone, : found.shape[1]] = found
    edits.rotation_changed[:, reading.joints.bones] = rotated
    edits.pose = pose_of(reading.rig, channels)


def check_result(reading: Reading, result: Clip) -> None:
    """Raise unless a clip is of the character and the frames that were read."""
    if result.skeleton.names != reading.clip.skeleton.names:
        raise BridgeError(f"The result is not of armature {reading.armature_name!r} as it was read: solve again.")
    if result.frames != reading.clip.frames:
        raise BridgeError(
            f"The result has {result.frames} frames, but {reading.clip.frames} were read: bake a whole one."
        )


class _ResultPose:
    """Where the result has the bones that are joints, in world space."""

    def __init__(self, reading: Reading, result: Clip) -> None:
        self.reading = reading
        self.axes = rotations.to_matrix(result.world.rotations)
        self.heads = result.world.positions
        self.linear, self.shift = reading.world[:, None, :3, :3], reading.world[:, None, :3, 3]
        self.inverse = np.linalg.inv(self.linear)
        self.size = reading.clip.skeleton.size
        self.joint_of = np.full(len(reading.rig), -1, dtype=np.int64)
        self.joint_of[reading.joints.bones] = np.arange(len(reading.joints))

    def rotation_differs(self, joints: IntArray, axes: Array) -> BoolArray:
        """Where axes (frames, joints, 3, 3) in armature space differ from those of the joints, (frames, joints)."""
        world, known = orientations(self.linear @ axes)
        return (np.abs(world - self.axes[:, joints]).max(axis=(-2, -1)) > _ROUNDING) & known

    def distances(self, joints: IntArray, heads: Array) -> Array:
        """Distances (frames, joints) from heads (frames, joints, 3) in armature space to joints, in character sizes."""
        world = (self.linear @ heads[..., None])[..., 0] + self.shift
        return np.linalg.norm(world - self.heads[:, joints], axis=-1) / self.size

    def heads_of(self, joints: IntArray) -> Array:
        """Positions (frames, joints, 3) of joints in armature space."""
        return (self.inverse @ (self.heads[:, joints] - self.shift)[..., None])[..., 0]

    def follow_joint(self, pose: BonePose, bone: int, joint: int) -> None:
        """Fill `pose` for a bone that its channels do not move: as its joint moves, or as in the source without one."""
        before = self.reading.pose
        pose.axes[:, bone], pose.heads[:, bone] = before.axes[:, bone], before.heads[:, bone]
        if joint >= 0:
            world = self.reading.clip.world.rotations[:, [joint]]
            back = rotations.to_matrix(world).swapaxes(-1, -2)
            change = self.inverse @ self.axes[:, [joint]] @ back @ self.linear
            pose.axes[:, [bone]] = change @ before.axes[:, [bone]]
            pose.heads[:, [bone]] = self.heads_of(np.array([joint]))


class _Editor:
    """Fills the pose and the channels of `edits` for one group of bones after the other, parents first."""

    def __init__(self, edits: Edits, wanted: _ResultPose, rotated: BoolArray, may_leave_parent: bool) -> None:
        self.edits = edits
        self.wanted = wanted
        self.rotated = rotated
        self.may_leave_parent = may_leave_parent
        self.rig = wanted.reading.rig
        self.matrices = edits.channels.rotation_matrices(self.rig)
        self.locations = edits.channels.effective_locations(self.rig)

    def edit(self, bones: IntArray, inheritance: Inheritance) -> None:
        """Pose bones by their channels, and change the channels of joints that are not where the result has them."""
        pose, scale = self.edits.pose, self.edits.channels.scale
        pose.axes[:, bones] = inheritance.axes_of(self.matrices[:, bones], scale[:, bones])
        pose.heads[:, bones] = inheritance.heads_of(self.locations[:, bones])
        editable = (self.wanted.joint_of[bones] >= 0) & self.wanted.reading.follows_channels[bones]
        self._edit_rotations(bones[editable], inheritance.of(editable))
        self._edit_locations(bones[editable], inheritance.of(editable))

    def _edit_rotations(self, bones: IntArray, inheritance: Inheritance) -> None:
        pose, channels, joints = self.edits.pose, self.edits.channels, self.wanted.joint_of[bones]
        changed = self.rotated[:, joints] | self.wanted.rotation_differs(joints, pose.axes[:, bones])
        some = changed.any(axis=0)
        if not some.any():
            return
        bones, joints, inheritance = bones[some], joints[some], inheritance.of(some)
        scale = channels.scale[:, bones]
        found, solvable = rotations_for(self.wanted.axes[:, joints], self.wanted.linear @ inheritance.axes, scale)
        changed = changed[:, some] & solvable
        self.edits.rotation_changed[:, bones] = changed
        for column, bone in enumerate(bones.tolist()):
            channels.rotation[:, bone] = rotation_channels.continuous(
                found[:, column], self.rig.modes[bone], channels.rotation[:, bone], changed[:, column]
            )
        matrices = np.where(changed[..., None, None], found, self.matrices[:, bones])
        pose.axes[:, bones] = inheritance.axes_of(matrices, scale)

    def _edit_locations(self, bones: IntArray, inheritance: Inheritance) -> None:
        pose, joints = self.edits.pose, self.wanted.joint_of[bones]
        distances = self.wanted.distances(joints, pose.heads[:, bones])
        changed = distances > _ROUNDING
        # A scale that is not quite uniform is no reason to disconnect bones.
        is_far = (distances > _WORTH_DISCONNECTING).any(axis=0)
        some = changed.any(axis=0) & (~self.rig.connected[bones] | (is_far & self.may_leave_parent))
        if not some.any():
            return
        bones, joints, inheritance = bones[some], joints[some], inheritance.of(some)
        invertible = np.abs(np.linalg.det(inheritance.location_axes)) > 0.0
        inverse = np.linalg.inv(np.where(invertible[..., None, None], inheritance.location_axes, np.eye(3)))
        heads = self.wanted.heads_of(joints)
        found = (inverse @ (heads - inheritance.origin)[..., None])[..., 0]
        changed = changed[:, some] & invertible
        self.edits.location_changed[:, bones] = changed
        self.edits.channels.location[:, bones] = np.where(changed[..., None], found, self.locations[:, bones])
        pose.heads[:, bones] = np.where(changed[..., None], heads, pose.heads[:, bones])
