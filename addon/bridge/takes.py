# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: the animations of one armature in a file, of which one is shown and the others are actions that wait.

Files of several actions come from exporters of games and from libraries of clips. One take after the other is assigned,
with NLA strips off and without poses that another take has left in bones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from . import context, versions
from .connections import disconnect, is_connected
from .curves import TRANSFORMS, bone_property
from .sources import (
    HIDDEN,
    SOURCE,
    ResultRecord,
    animation_of,
    evaluated_strips,
    hide_result,
    is_result,
    show_result,
    update_frame,
)

_REST: dict[str, Any] = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}
"""The channels of a bone in its rest pose."""

_STILL = 1e-5
"""Extents of the armature: locations below this are rounding."""

Pose = Mapping[str, Mapping[str, tuple[float, ...]]]
"""Values of channels by bone and property."""


@dataclass(frozen=True)
class Take:
    """One animation of an armature."""

    name: str
    """That of the source action; of the armature where only NLA strips animate."""
    source: bpy.types.Action | None
    """None where only NLA strips animate."""
    slot: str
    result: bpy.types.Action | None
    """A result of Poise of this source that is in the file."""
    is_shown: bool
    """Whether the armature shows this take."""


def takes_of(armature: bpy.types.Object, armatures: Sequence[bpy.types.Object]) -> list[Take]:
    """The takes of an armature: the shown one, then by name each other action that moves its bones.

    `armatures` are all of the file: an action belongs to one of them. Actions of strips that are evaluated are parts of
    the shown take, and actions of one frame are poses.
    """
    shown = animation_of(armature)
    name = shown.source.name if shown.source is not None else armature.name
    takes = [Take(name, shown.source, shown.slot, shown.result, is_shown=True)]
    used = _used_actions(armatures) | ({shown.source} if shown.source is not None else set())
    for action in sorted(bpy.data.actions, key=lambda found: found.name):
        begin, end = _ends(action)
        if action in used or is_result(action) or context.is_linked(action) or end <= begin:
            continue
        owner, slot = _owner(action, armatures)
        if owner == armature and not versions.has_unsupported_layers(action):
            result = next((found for found in bpy.data.actions if _is_result_of(found, action)), None)
            takes.append(Take(action.name, action, slot, result, is_shown=False))
    return takes


def _used_actions(armatures: Sequence[bpy.types.Object]) -> set[bpy.types.Action]:
    """The actions that armatures show, with those of strips that are evaluated."""
    used: set[bpy.types.Action] = set()
    for armature in armatures:
        animation = armature.animation_data
        if animation is None:
            continue
        shown = animation_of(armature)
        used |= {action for action in (shown.source, shown.result) if action is not None}
        for track in animation.nla_tracks if animation.use_nla else ():
            used |= {strip.action for strip in evaluated_strips(animation, track) if strip.action is not None}
    return used


def _is_result_of(result: bpy.types.Action, source: bpy.types.Action) -> bool:
    return is_result(result) and context.custom_property(result, SOURCE) == source


def _owner(action: bpy.types.Action, armatures: Sequence[bpy.types.Object]) -> tuple[bpy.types.Object | None, str]:
    """The armature that an action animates, with the slot, or None: the one most of whose bones it moves, else the one
    that a slot is named after, or that has it in a muted strip, else the first."""
    best: tuple[int, bool, bool] = (0, False, False)
    owner, its_slot = None, ""
    slots = [str(slot.identifier) for slot in versions.slots_of(action)] or [""]
    for armature in armatures:
        assert armature.pose is not None
        names = {bone.name for bone in armature.pose.bones}
        for slot in slots:
            moved = _moved_bones(action, slot) & names
            rank = (len(moved), slot == f"OB{armature.name}", _has_in_strip(armature, action))
            if moved and rank > best:
                best, owner, its_slot = rank, armature, slot
    return owner, its_slot


def _moved_bones(action: bpy.types.Action, slot: str) -> set[str]:
    """The bones that f-curves of a slot move."""
    return {bone for bone, _, _ in _moved_channels(action, slot)}


def _has_in_strip(armature: bpy.types.Object, action: bpy.types.Action) -> bool:
    animation = armature.animation_data
    tracks = animation.nla_tracks if animation is not None else ()
    return any(strip.action == action for track in tracks for strip in track.strips)


# Assigning ----------------------------------------------------------------------------------------------------------


def stored_pose(armature: bpy.types.Object) -> Pose:
    """The channels of all bones, for `assign_take`."""
    assert armature.pose is not None
    return {bone.name: {name: tuple(getattr(bone, name)) for name in _REST} for bone in armature.pose.bones}


def assign_take(armature: bpy.types.Object, take: Take, takes: Sequence[Take], pose: Pose, *, uses_nla: bool) -> None:
    """Show the source of a take instead of what the armature shows. `takes` are all of the armature.

    Channels that no take keys keep the values of `pose`. Those that some take keys have them for the shown take, and
    else begin as in the rest pose. `uses_nla` says whether strips are evaluated with the shown take.
    """
    shown = animation_of(armature)
    if shown.result is not None and not shown.is_hidden:
        hide_result(armature)
    animation = armature.animation_data
    assert animation is not None and armature.pose is not None
    if context.custom_property(armature, HIDDEN) is not None and not take.is_shown:
        del armature[HIDDEN]
    animation.use_nla = uses_nla and take.is_shown
    versions.assign(animation, take.source, take.slot)
    keyed = {found[:2] for each in takes for found in _moved_channels(each.source, each.slot)}
    for bone in armature.pose.bones:
        for name, rest in _REST.items():
            setattr(bone, name, pose[bone.name][name] if take.is_shown or (bone.name, name) not in keyed else rest)
    update_frame()


def show_result_of(armature: bpy.types.Object, take: Take) -> None:
    """Assign the result of a take instead of its source, which the armature shows."""
    assert take.result is not None
    armature[HIDDEN] = take.result
    show_result(armature)


def free_moved_bones(armature: bpy.types.Object) -> tuple[str, ...]:
    """Disconnect bones whose locations some action of the file moves, and return their names.

    Importers connect bones that begin where their parents end, also where keys move them away from there: a connected
    bone does not follow its location.
    """
    dimensions: Any = armature.dimensions
    extent = max(dimensions[:])
    moved: set[str] = set()
    for action in bpy.data.actions:
        for curve in versions.all_curves_of(action):
            found = bone_property(curve.data_path)
            if found is not None and found[1] == "location" and found[0] not in moved:
                values = [abs(point.co[1]) for point in curve.keyframe_points]
                if max(values, default=0.0) > _STILL * extent:
                    moved.add(found[0])
    names = tuple(sorted(name for name in moved if is_connected(armature, name)))
    disconnect(armature, names)
    return names


def frames_of(take: Take) -> tuple[int, int]:
    """The first and last frame that the source of a take has keys for, or is said to last."""
    assert take.source is not None
    return _ends(take.source)


def _ends(action: bpy.types.Action) -> tuple[int, int]:
    """The first and last frame of an action."""
    ends: Any = action.frame_range
    return round(ends[0]), max(round(ends[1]), round(ends[0]))


def keep_result(armature: bpy.types.Object, result: bpy.types.Action) -> None:
    """Let a result that is not shown stay in the file, and look right when it is assigned."""
    result.use_fake_user = True
    assert armature.pose is not None
    bones = ResultRecord.read(result).disconnected
    disconnect(armature, bones)
    animation = armature.animation_data
    action = animation.action if animation is not None else None
    paths = {curve.data_path for curve in versions.all_curves_of(action)} if action is not None else set()
    for name in bones:
        bone = context.get_item(armature.pose.bones, name)
        if bone is not None and bone.path_from_id("location") not in paths:
            bone.location = _REST["location"]  # it had no effect as long as the bone was connected


def play_as_tracks(armature: bpy.types.Object, actions: Mapping[str, bpy.types.Action], shown: str, pose: Pose) -> None:
    """Replace the animation of an armature by NLA tracks, one for each action, named by the keys: so exporters write
    each as an animation of its own.

    An action gets keys for channels that only others have, since a bone would keep what another track has left in it:
    those of `pose` for the action of the name `shown`, and of the rest pose for the others.
    """
    animation = armature.animation_data or armature.animation_data_create()
    assert animation is not None
    animation.action = None
    animation.use_nla = True
    for track in list(animation.nla_tracks):
        animation.nla_tracks.remove(track)
    slots = {name: versions.present_slot(action, "") for name, action in actions.items()}
    channels = set().union(*(_moved_channels(action, slots[name]) for name, action in actions.items()))
    for name, action in actions.items():
        for bone, path, index in sorted(channels - _moved_channels(action, slots[name])):
            values = pose.get(bone, _REST) if name == shown else _REST
            curve = versions.new_curve(action, slots[name], bone_path(bone, path), index, bone)
            curve.keyframe_points.insert(_ends(action)[0], values[path][index])
        track = animation.nla_tracks.new()
        strip = track.strips.new(name, _ends(action)[0], action)
        versions.assign(strip, action, slots[name])
        track.name = strip.name = name
    update_frame()


def bone_path(bone: str, name: str) -> str:
    """The data path of a property of a bone."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{name}'


def _moved_channels(action: bpy.types.Action | None, slot: str) -> set[tuple[str, str, int]]:
    """Bone, property and index of each f-curve of a slot that moves a bone."""
    if action is None:
        return set()
    curves = [(bone_property(curve.data_path), curve.array_index) for curve in versions.curves_of(action, slot)]
    return {(*found, index) for found, index in curves if found is not None and found[1] in TRANSFORMS}
