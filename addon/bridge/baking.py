# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes a changed clip to an action beside the source, or to an NLA layer above it, with only the changed channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import bpy
import numpy as np

from ...solver import Clip, finished, rotations
from . import context, rotation_channels, sampling, sources, versions
from .arrays import Array, IntArray
from .checks import check_animation, check_armature
from .connections import check_connections_editable, connect, disconnect, is_connected
from .edits import Edits, check_result, edits_for
from .errors import BridgeError
from .layers import new_layer
from .movers import COPY_SENTENCE
from .plan import ChangedProperty, planned_changes, unkeyed
from .posing import BonePose, orientations, pose_of
from .reading import Reading, mover_above
from .rig import Rig
from .units import format_length
from .writing import new_action

Target = Literal["action", "replace", "combine"]
"""Where a result goes: an action of its own, or an NLA strip above the source that replaces it or combines with it.

A combining strip can be mixed by its influence, but Blender raises its quaternions to a power in single precision,
which rounds small rotations to steps of 0.0007 radians. The other two are exact."""

Strain = Callable[[Clip], Array]
"""Judges a motion as baked: (frames, joints) how far the constraints that a joint moves are off in a frame, in shares
of what is allowed."""

_REPORTED_GAP = 1e-3
"""A gap above this share of the size is reported."""

_TIGHTENINGS = 3
"""How often tolerances are tightened where keys that were left out strain constraints, before keys are added there. On
captured walks three times save a seventh of the keys; more times save little."""

_COMBINED_ROUNDING = 2e-5
"""A gap of a combined result below this share of the size is rounding."""

_LOCK_TOLERANCE = 1e-5
"""Radians, or shares of the size, by which rounding may change a locked channel."""


@dataclass(frozen=True)
class Baked:
    """A result that was baked."""

    action: str
    """The name of the new action."""
    bones: tuple[str, ...]
    """The bones whose channels have changed."""
    curves: int
    """The number of f-curves that were written."""
    keys: int
    """The number of their keys."""
    disconnected: tuple[str, ...]
    """Bones that were disconnected from their parents, since the result moves them away."""
    gap: float
    """The largest distance between a joint of the result and its bone as baked, in Blender units."""
    notes: tuple[str, ...]
    """Sentences for the animator, the most important first."""
    rig_conflict: str = ""
    """How far a constraint of the rig keeps a bone from where the result has it, in one sentence, which is also the
    first of the notes; empty where no constraint does."""
    distances: Array = field(default_factory=lambda: np.zeros((0, 0)), compare=False, repr=False)
    """(frames, joints) from each joint of the result to its bone as baked, in Blender units."""
    angles: Array = field(default_factory=lambda: np.zeros((0, 0)), compare=False, repr=False)
    """(frames, joints) between the orientations of both, in radians; zero where all bones can be baked."""
    clip: Clip = field(kw_only=True, compare=False, repr=False)
    """The motion as baked."""

    def as_dict(self) -> dict[str, Any]:
        """The fields without the arrays and the clip, as JSON can write them."""
        kept = [each.name for each in fields(self) if each.name not in ("distances", "angles", "clip")]
        return {name: getattr(self, name) for name in kept}


def bake(
    reading: Reading,
    result: Clip,
    *,
    target: Target = "action",
    tolerance: float = 0.0,
    stretch: bool = True,
    strain: Strain | None = None,
) -> Baked:
    """Bake `result`, a changed clip of `reading`, and assign it to the armature.

    A `tolerance` above zero leaves out keys as long as smooth curves between the others stay within it (radians;
    lengths as a share of the character's size). With `stretch`, connected bones that the result moves away from their
    parents are disconnected; without it they stay. Mode, frame and selection do not change. `strain` judges the motion
    as baked: where it is above 1, keys are added until it is not, or none are left out.
    """
    armature = _checked(reading, result, target, tolerance)
    rig = reading.rig
    edits = edits_for(reading, result, may_leave_parent=stretch)
    _check_locks(reading, edits)
    before = sources.animation_of(armature)
    connections = _ChangedConnections.of(armature, before, [rig.names[bone] for bone in edits.moved_bones.tolist()])
    plan = planned_changes(reading, edits, tolerance)
    if tolerance > 0.0 and strain is not None:
        plan = _with_needed_keys(reading, edits, plan, result, strain)
    _check_groups(armature, plan)

    connections.apply(armature)
    action, slot = _write(armature, before, reading, plan, target, connections.disconnected)
    must_evaluate = reading.method == "evaluated" or target == "combine"
    pose = _shown_pose(reading) if must_evaluate else _keyed_pose(reading, edits, plan)
    distances, angles = _gaps(reading, pose, result)
    gap = float(distances.max())
    rig_conflict = _rig_conflict(reading, distances)
    notes = _notes(
        reading,
        connections.to_disconnect,
        gap,
        target,
        is_thinned=tolerance > 0.0,
        is_kept_off_by_rig=bool(rig_conflict),
    )
    return Baked(
        action=action.name,
        bones=tuple(dict.fromkeys(rig.names[channel.bone] for channel in plan)),
        curves=sum(channel.width for channel in plan),
        keys=_keys(action, slot, plan),
        disconnected=connections.to_disconnect,
        gap=gap,
        notes=(rig_conflict, COPY_SENTENCE, *notes) if rig_conflict else notes,
        rig_conflict=rig_conflict,
        distances=distances,
        angles=angles,
        clip=_clip_of(reading, pose, result),
    )


def _with_needed_keys(
    reading: Reading, edits: Edits, plan: list[ChangedProperty], result: Clip, strain: Strain
) -> list[ChangedProperty]:
    """The plan with as many keys as it takes until no joint strains a constraint, or no key is left out where one does.

    First the tolerances are tightened there, which needs fewer keys. Then keys are added in the worst frame of each run
    of such frames, again and again. Strain that would be there with all keys does not count: the rig is its cause.
    """
    joint_of = {int(bone): joint for joint, bone in enumerate(reading.joints.bones)}

    def strained_joints(plan: list[ChangedProperty]) -> Array:
        """(frames, joints)"""
        return strain(_clip_of(reading, _keyed_pose(reading, edits, plan), result))

    anyway = strained_joints(planned_changes(reading, edits, tolerance=0.0))
    anyway[anyway <= 1.0] = 0.0

    def strains(plan: list[ChangedProperty]) -> list[Array]:
        """(frames,) for each property of a plan."""
        found = strained_joints(plan) - anyway
        return [found[:, joint_of[changed.bone]] for changed in plan]

    for _ in range(_TIGHTENINGS):
        plan = [changed.with_strains(strained) for changed, strained in zip(plan, strains(plan), strict=True)]
    while True:
        more = [changed.with_keys(_worst_of_runs(each)) for changed, each in zip(plan, strains(plan), strict=True)]
        if all(now is before for now, before in zip(more, plan, strict=True)):
            return plan
        plan = more


def _worst_of_runs(strained: Array) -> IntArray:
    """Of each run of frames in which the strain (frames,) is above 1, the frame in which it is the largest."""
    changes = np.diff(np.concatenate([[0], (strained > 1.0).astype(np.int8), [0]]))
    runs = zip(np.flatnonzero(changes > 0), np.flatnonzero(changes < 0), strict=True)
    return np.array([begin + strained[begin:end].argmax() for begin, end in runs], dtype=np.int64)


@dataclass(frozen=True)
class _ChangedConnections:
    """Which bones a result disconnects from their parents and which it connects again."""

    to_disconnect: tuple[str, ...]
    to_connect: tuple[str, ...]
    disconnected: tuple[str, ...]
    """All that are disconnected afterwards because of a result."""

    @staticmethod
    def of(armature: bpy.types.Object, before: sources.Animation, moved: list[str]) -> _ChangedConnections:
        """For a result that moves the bones `moved`; raises where connections must change and cannot."""
        to_disconnect = tuple(name for name in moved if is_connected(armature, name))
        to_connect = tuple(name for name in before.record.disconnected if name not in moved)
        if to_disconnect or to_connect:
            check_connections_editable(armature)
        still_disconnected = tuple(name for name in before.record.disconnected if name in moved)
        return _ChangedConnections(to_disconnect, to_connect, (*still_disconnected, *to_disconnect))

    def apply(self, armature: bpy.types.Object) -> None:
        connect(armature, self.to_connect)
        disconnect(armature, self.to_disconnect)


def _write(
    armature: bpy.types.Object,
    before: sources.Animation,
    reading: Reading,
    plan: list[ChangedProperty],
    target: Target,
    disconnected: tuple[str, ...],
) -> tuple[bpy.types.Action, str]:
    """Replace a former result by an action with the planned changes, and return it with its slot."""
    sources.remove_result(armature)
    disconnected = tuple(dict.fromkeys((*disconnected, *sources.remove_unused_results(armature, before))))
    record = sources.ResultRecord(unkeyed(reading, plan), disconnected, reading.rig.names)
    if target == "action":
        action, slot = new_action(armature, before, plan)
    else:
        action, slot = new_layer(armature, before, reading, plan, target)
    sources.mark(action, before.source, before.slot, record)
    action.use_fake_user = True
    if before.source is not None and not context.is_linked(before.source):
        before.source.use_fake_user = True
    sources.update_frame()
    return action, slot


# Checks before anything changes -----------------------------------------------------------------------------------


def _checked(reading: Reading, result: Clip, target: Target, tolerance: float) -> bpy.types.Object:
    if target not in ("action", "replace", "combine"):
        raise BridgeError(f"A result goes to an 'action', or to a 'replace' or 'combine' layer, not to {target!r}.")
    if not (np.isfinite(tolerance) and tolerance >= 0.0):
        raise BridgeError(f"The tolerance must be a number that is not negative, not {tolerance!r}.")
    armature = check_armature(reading.armature)
    check_animation(armature)
    check_result(reading, result)
    now = Rig.of(armature)
    if now.names != reading.rig.names or now.modes != reading.rig.modes:
        raise BridgeError(f"The bones of armature {armature.name!r} have changed since it was read: solve again.")
    data = armature.animation_data
    assert data is not None
    animation = sources.animation_of(armature)
    source_name = animation.source.name if animation.source is not None else ""
    if source_name != reading.source_name:
        raise BridgeError(f"Armature {armature.name!r} has another source action than when it was read: solve again.")
    _check_nla(armature, data, animation, target)
    return armature


def _check_nla(
    armature: bpy.types.Object, data: bpy.types.AnimData, animation: sources.Animation, target: Target
) -> None:
    """Raise where the NLA settings of the armature would change or mute the result."""
    is_blended = data.action_blend_type != "REPLACE" or data.action_influence < 1.0
    if target == "action" and animation.uses_nla(armature) and animation.source is not None and is_blended:
        raise BridgeError(
            f"The action of {armature.name!r} is blended over NLA strips: bake to a layer, or set its blending to "
            "Replace with full influence."
        )
    if target != "action" and not data.use_nla and any(len(track.strips) > 0 for track in data.nla_tracks):
        raise BridgeError(
            f"The NLA stack of {armature.name!r} is off, and a layer would switch its tracks on: do so first, or bake "
            "to an action."
        )
    soloed = next((track.name for track in data.nla_tracks if track.is_solo), None)
    if target != "action" and soloed is not None:
        raise BridgeError(f"NLA track {soloed!r} is soloed, which would mute the new layer: end its solo first.")


def _check_locks(reading: Reading, edits: Edits) -> None:
    armature, rig = reading.armature, reading.rig
    assert armature.pose is not None
    for bone in edits.rotated_bones.tolist():
        locks = np.array(armature.pose.bones[rig.names[bone]].lock_rotation)
        change = np.abs(edits.channels.rotation[:, bone] - reading.channels.rotation[:, bone]).max(axis=0)
        is_euler = rotation_channels.property_of(rig.modes[bone]) == rotation_channels.EULER
        if locks.all() or (is_euler and (locks & (change[:3] > _LOCK_TOLERANCE)).any()):
            raise BridgeError(_locked_sentence(rig.names[bone], "rotation", "rotate"))
    size, locations = reading.size_in_armature, reading.channels.effective_locations(rig)
    for bone in edits.moved_bones.tolist():
        locks = np.array(armature.pose.bones[rig.names[bone]].lock_location)
        change = np.abs(edits.channels.location[:, bone] - locations[:, bone]).max(axis=0)
        if (locks & (change > _LOCK_TOLERANCE * size)).any():
            raise BridgeError(_locked_sentence(rig.names[bone], "location", "move"))


def _locked_sentence(name: str, what: str, how: str) -> str:
    return (
        f"The {what} of bone {name!r} is locked, but the result would {how} it: unlock it (sidebar, Item), or keep it "
        "out of what the constraints recruit."
    )


def _check_groups(armature: bpy.types.Object, plan: list[ChangedProperty]) -> None:
    """Raise where a group of f-curves is muted that the result changes: its new keys would have no effect."""
    found = sources.animation_of(armature)
    if found.source is None:
        return
    paths = {changed.path for changed in plan}
    for curve in versions.curves_of(found.source, found.slot):
        if curve.data_path in paths and curve.group is not None and curve.group.mute:
            raise BridgeError(f"The group {curve.group.name!r} of action {found.source.name!r} is muted: unmute it.")


# What is reported -------------------------------------------------------------------------------------------------


def _keys(action: bpy.types.Action, slot: str, plan: list[ChangedProperty]) -> int:
    """The number of keys of the f-curves of the plan."""
    paths = {changed.path for changed in plan}
    return sum(len(curve.keyframe_points) for curve in versions.curves_of(action, slot) if curve.data_path in paths)


def _shown_pose(reading: Reading) -> BonePose:
    """The pose of all bones that Blender shows, in armature space."""
    return finished(sampling.sample(reading.armature, context.scene(), reading.rig, reading.times)).pose


def _keyed_pose(reading: Reading, edits: Edits, plan: list[ChangedProperty]) -> BonePose:
    """The pose of all bones by the keys of the plan in single precision, in armature space."""
    stored = edits.channels.copy()
    for changed in plan:
        values = stored.location if changed.attribute == "location" else stored.rotation
        values[:, changed.bone, : changed.width] = changed.fit.curve_values.astype(np.float32)
    rig = reading.rig
    if edits.location_changed.any():
        rig = replace(rig, connected=rig.connected & ~edits.location_changed.any(axis=0))
    return pose_of(rig, stored)


def _clip_of(reading: Reading, pose: BonePose, result: Clip) -> Clip:
    """The clip of a pose of all bones in armature space, with the skeleton of the result."""
    return result.with_motion(reading.joints.motion(pose, reading.world))


def _gaps(reading: Reading, pose: BonePose, result: Clip) -> tuple[Array, Array]:
    """The distances and the angles (frames, joints) between joints of the result and their bones in a pose."""
    shown = pose.transformed(reading.world)
    bones = reading.joints.bones
    distances = np.linalg.norm(shown.heads[:, bones] - result.world.positions, axis=-1)
    if not reading.unbakeable:
        return distances, np.zeros_like(distances)
    axes, known = orientations(shown.axes[:, bones])
    angles = rotations.angle_between(result.world.rotations, rotations.from_matrix(axes))
    return distances, np.where(known, angles, 0.0)


def _rig_conflict(reading: Reading, distances: Array) -> str:
    """How far the rig keeps a bone from the result, given distances (frames, joints); empty where it does not."""
    movers = [mover_above(reading, name) for name in reading.joints.names]
    moved = [joint for joint, mover in enumerate(movers) if mover is not None]
    if not moved:
        return ""
    worst = moved[int(distances[:, moved].max(axis=0).argmax())]
    gap, bone, found = float(distances[:, worst].max()), reading.joints.names[worst], movers[worst]
    if found is None or gap <= _REPORTED_GAP * reading.clip.skeleton.size:
        return ""
    mover = found[1].description_for(bone)
    return (
        f"Bone {bone!r} is up to {format_length(gap)} away from where the result has it, since {mover} decides where "
        "it is."
    )


def _notes(
    reading: Reading,
    disconnected: tuple[str, ...],
    gap: float,
    target: Target,
    is_thinned: bool,
    is_kept_off_by_rig: bool,
) -> tuple[str, ...]:
    notes = []
    if disconnected:
        notes.append(
            f"{len(disconnected)} connected bone(s), first {disconnected[0]!r}, were disconnected so that they can be "
            "stretched; Restore Source connects them again."
        )
    is_coarse = target == "combine" and not is_thinned and not reading.unbakeable
    if is_coarse and _COMBINED_ROUNDING < gap / reading.clip.skeleton.size <= _REPORTED_GAP:
        notes.append(
            f"Blender combines quaternions coarsely, which puts bones up to {format_length(gap)} off: bake to a "
            "replacing layer where that matters."
        )
    if gap > _REPORTED_GAP * reading.clip.skeleton.size and not is_thinned and not is_kept_off_by_rig:
        notes.append(
            f"Connected bones are up to {format_length(gap)} away from where the result has them, since they may not "
            "leave their parents: bake with stretching."
        )
    return tuple(notes)
