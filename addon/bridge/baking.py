# SPDX-License-Identifier: GPL-3.0-or-later
"""From a changed clip to an action beside the source, or to an NLA layer above it: only the channels that changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import bpy
import numpy as np

from ...solver import Clip
from . import context, rotation_channels, sampling, sources, versions
from .arrays import Array, BoolArray, floats
from .checks import check_animation, check_armature
from .connections import check_connections_editable, connect, disconnect
from .curves import Keys, bone_path, is_heard, joined, straight_keys, values_at, write_keys
from .edits import Edits, check_result, edits_for
from .errors import BridgeError
from .posing import pose_of
from .reading import Reading
from .rig import Rig
from .steps import finished
from .thinning import keys_needed

Target = Literal["action", "replace", "combine"]
"""Where a result goes: an action of its own, or an NLA strip above the source that replaces or adds to it."""

_LOCKED = 1e-5
"""Radians, or shares of the size, by which a locked channel may seem to change through rounding."""

_LONGEST_STEM = 50
"""Bytes of the source's name that are kept: the longest name in Blender 4 has 63, with room for suffix and number."""


@dataclass(frozen=True)
class Baked:
    """What was baked."""

    action: str
    """The name of the new action."""
    bones: tuple[str, ...]
    """Bones whose channels have changed."""
    curves: int
    """How many f-curves were written."""
    keys: int
    """How many keys they have together."""
    disconnected: tuple[str, ...]
    """Bones that had to be disconnected from their parents, so that they can be stretched away."""
    gap: float
    """The largest distance between a joint of the result and its bone as baked, in the scene's units."""
    notes: tuple[str, ...]
    """What the animator should know, a sentence each."""


def bake(
    reading: Reading,
    result: Clip,
    *,
    target: Target = "action",
    tolerance: float = 0.0,
    stretch: bool = True,
) -> Baked:
    """Bake a changed clip of what was read, and show it on the armature.

    A `tolerance` above zero leaves out keys, as long as every channel stays within it (radians; lengths as a share of
    the character's size). With `stretch`, connected bones that the result moves away from their parents are
    disconnected; without, they stay. Mode, frame and selection stay as they are.
    """
    armature = _checked(reading, result, target, tolerance)
    rig = reading.rig
    edits = edits_for(reading, result, may_leave_parent=stretch)
    _check_locks(reading, edits)
    loose = tuple(rig.names[bone] for bone in edits.moved_bones.tolist() if _is_held(armature, rig.names[bone]))
    if loose:
        check_connections_editable(armature)
    plan = _plan(reading, edits, tolerance)
    _check_groups(armature, plan)

    before = sources.animation_of(armature)
    connect(armature, [name for name in before.record.disconnected if name not in _moved(rig, edits)])
    disconnect(armature, loose)
    kept_loose = tuple(name for name in before.record.disconnected if name in _moved(rig, edits))
    sources.take_down_result(armature)
    record = sources.Record(_unkeyed(reading, plan), (*kept_loose, *loose), rig.names)
    if target == "action":
        action = _new_action(armature, before, plan)
    else:
        action = _new_layer(armature, before, reading, plan, target)
    sources.mark(action, before.source, before.slot, record)
    action.use_fake_user = True
    if before.source is not None and not context.is_linked(before.source):
        before.source.use_fake_user = True
    sources.show_now()
    gap = _gap(reading, edits, plan, result)
    return Baked(
        action=action.name,
        bones=tuple(dict.fromkeys(rig.names[channel.bone] for channel in plan)),
        curves=sum(channel.width for channel in plan),
        keys=sum(channel.width * int(channel.keyed.sum()) for channel in plan),
        disconnected=loose,
        gap=gap,
        notes=_notes(reading, loose, gap),
    )


# Before anything is touched ---------------------------------------------------------------------------------------


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
    is_blended = data.action_blend_type != "REPLACE" or data.action_influence < 1.0
    if target == "action" and animation.uses_nla(armature) and animation.source is not None and is_blended:
        raise BridgeError(
            f"The action of {armature.name!r} is blended over NLA strips: bake to a layer, or set its blending to "
            "Replace with full influence."
        )
    soloed = next((track.name for track in data.nla_tracks if track.is_solo), None)
    if target != "action" and soloed is not None:
        raise BridgeError(f"NLA track {soloed!r} is soloed, which would silence the new layer: end its solo first.")
    return armature


def _check_locks(reading: Reading, edits: Edits) -> None:
    armature, rig = reading.armature, reading.rig
    assert armature.pose is not None
    for bone in edits.turned_bones.tolist():
        locks = np.array(armature.pose.bones[rig.names[bone]].lock_rotation)
        off = np.abs(edits.channels.rotation[:, bone] - reading.channels.rotation[:, bone]).max(axis=0)
        is_euler = rotation_channels.property_of(rig.modes[bone]) == rotation_channels.EULER
        if locks.all() or (is_euler and (locks & (off[:3] > _LOCKED)).any()):
            raise BridgeError(_locked_sentence(rig.names[bone], "rotation", "turn"))
    reach, shifts = reading.clip.skeleton.size, reading.channels.shifts(rig)
    for bone in edits.moved_bones.tolist():
        locks = np.array(armature.pose.bones[rig.names[bone]].lock_location)
        off = np.abs(edits.channels.location[:, bone] - shifts[:, bone]).max(axis=0)
        if (locks & (off > _LOCKED * reach)).any():
            raise BridgeError(_locked_sentence(rig.names[bone], "location", "move"))


def _locked_sentence(name: str, what: str, how: str) -> str:
    return (
        f"The {what} of bone {name!r} is locked, but the result would {how} it: unlock it (sidebar, Item), or keep it "
        "out of what the constraints recruit."
    )


def _is_held(armature: bpy.types.Object, name: str) -> bool:
    assert isinstance(armature.data, bpy.types.Armature)
    return armature.data.bones[name].use_connect


def _moved(rig: Rig, edits: Edits) -> set[str]:
    return {rig.names[bone] for bone in edits.moved_bones.tolist()}


# What is to be written --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ChangedProperty:
    """A property of a bone that changes, all of its channels together."""

    bone: int
    name: str
    """Of the bone."""
    attribute: str
    values: Array
    """(frames, channels)"""
    source: Array
    """(frames, channels) what the source has."""
    times: Array
    """(frames,) as f-curves count them."""
    keyed: BoolArray
    """(frames,) which frames get a key."""

    @property
    def width(self) -> int:
        """How many channels there are."""
        return self.values.shape[1]

    @property
    def path(self) -> str:
        """The data path."""
        return bone_path(self.name, self.attribute)


def _plan(reading: Reading, edits: Edits, tolerance: float) -> list[ChangedProperty]:
    rig, source, times = reading.rig, reading.channels, reading.key_times
    size = reading.clip.skeleton.size / max(float(np.cbrt(np.abs(np.linalg.det(reading.world[0, :3, :3])))), 1e-12)
    plan = []
    for bone in range(len(rig)):
        if edits.turned[:, bone].any():
            attribute, width = rotation_channels.property_of(rig.modes[bone])
            values = edits.channels.rotation[:, bone, :width]
            # A quaternion's components change half as fast as the angle.
            allowed = np.full(width, 0.5 * tolerance if attribute == "rotation_quaternion" else tolerance)
            plan.append((bone, attribute, values, source.rotation[:, bone, :width], allowed))
        if edits.moved[:, bone].any():
            values = edits.channels.location[:, bone]
            plan.append((bone, "location", values, source.location[:, bone], np.full(3, tolerance * size)))
    every = np.ones(len(times), dtype=bool)
    return [
        ChangedProperty(
            bone=bone,
            name=rig.names[bone],
            attribute=attribute,
            values=values,
            source=before,
            times=times,
            keyed=keys_needed(times, values, allowed) if tolerance > 0.0 and len(times) > 1 else every,
        )
        for bone, attribute, values, before, allowed in plan
    ]


def _check_groups(armature: bpy.types.Object, plan: list[ChangedProperty]) -> None:
    """A muted group would silence what is written into it."""
    found = sources.animation_of(armature)
    if found.source is None:
        return
    paths = {changed.path for changed in plan}
    for curve in versions.curves_of(found.source, found.slot):
        if curve.data_path in paths and curve.group is not None and curve.group.mute:
            raise BridgeError(f"The group {curve.group.name!r} of action {found.source.name!r} is muted: unmute it.")


def _unkeyed(reading: Reading, plan: list[ChangedProperty]) -> dict[str, list[float]]:
    """What the bones hold in properties that were not wholly keyed: baking over them would lose it."""
    remembered = {}
    for changed in plan:
        channels = {(changed.name, changed.attribute, index) for index in range(changed.width)}
        if not channels <= reading.keyed:
            remembered[changed.path] = [float(value) for value in changed.source[0]]
    return remembered


# An action of its own ---------------------------------------------------------------------------------------------


def _new_action(armature: bpy.types.Object, before: sources.Animation, plan: list[ChangedProperty]) -> bpy.types.Action:
    data = armature.animation_data
    assert data is not None
    if before.source is not None:
        action = before.source.copy()
        slot = before.slot
    else:
        action = bpy.data.actions.new("Result")
        slot = versions.ensure_slot(action, armature)
        data.action_blend_type, data.action_influence = "REPLACE", 1.0
    action.name = _name_of_result(armature, before)
    present = {(curve.data_path, curve.array_index): curve for curve in versions.curves_of(action, slot)}
    for changed in plan:
        for index in range(changed.width):
            curve = present.get((changed.path, index))
            if curve is None:
                curve = versions.new_curve(action, slot, changed.path, index, changed.name)
                write_keys(curve, straight_keys(changed.times[changed.keyed], changed.values[changed.keyed, index]))
            else:
                _replace_keys(curve, changed.times, changed.values[:, index], changed.keyed)
    versions.assign(data, action, slot)
    return action


def _name_of_result(armature: bpy.types.Object, before: sources.Animation) -> str:
    stem = (before.source or armature).name.encode()[:_LONGEST_STEM].decode(errors="ignore")
    return stem + sources.SUFFIX


def _replace_keys(curve: bpy.types.FCurve, times: Array, values: Array, keyed: BoolArray) -> None:
    """Give an f-curve new keys from the first to the last time, and leave it as it is before and after."""
    heard = is_heard(curve)
    curve.mute = False
    if not curve.is_valid:
        curve.data_path = str(curve.data_path)  # forgets that the path once led nowhere
    keyed_times = floats(curve.keyframe_points, "co", 2)[:, 0] if heard else np.empty(0)
    alters = [modifier for modifier in curve.modifiers if modifier.type != "CYCLES" and not modifier.mute]
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0
    earlier = _outer_times(keyed_times, times[0], -step, bool(alters))
    later = _outer_times(keyed_times, times[-1], step, bool(alters))
    # Where the curve went on from an outer key to one that is replaced, its way there is kept at every frame.
    before, after = values_at(curve, earlier), values_at(curve, later)
    for modifier in alters:
        curve.modifiers.remove(modifier)
    middle = straight_keys(
        np.concatenate([earlier, times[keyed], later]), np.concatenate([before, values[keyed], after])
    )
    first, last = middle.times[0], middle.times[-1]
    if not ((keyed_times < first) | (keyed_times > last)).any():
        write_keys(curve, middle)
        return
    held = Keys.of(curve)
    outer_left, outer_right = held.where(held.times < first), held.where(held.times > last)
    if outer_left.times.size:
        outer_left.choices["interpolation"][-1] = middle.choices["interpolation"][0]
        outer_left.free_handles(-1)
    if outer_right.times.size:
        outer_right.free_handles(0)
    write_keys(curve, joined(outer_left, middle, outer_right))


def _outer_times(keyed_times: Array, edge: float, step: float, all_of_it: bool) -> Array:
    """Times between the edge and the next key beyond it (or the last one), ascending; none where there is no key."""
    beyond = keyed_times[(keyed_times - edge) * np.sign(step) > 0.0]
    if beyond.size == 0:
        return np.empty(0)
    distances = np.abs(beyond - edge)
    reach = float(distances.max() if all_of_it else distances.min())
    count = int(np.ceil(reach / abs(step) - 1e-6)) - (0 if all_of_it else 1)
    found = edge + step * np.arange(1, count + 1)
    return found if step > 0.0 else found[::-1]


# A layer above the source -----------------------------------------------------------------------------------------


def _new_layer(
    armature: bpy.types.Object,
    before: sources.Animation,
    reading: Reading,
    plan: list[ChangedProperty],
    target: Target,
) -> bpy.types.Action:
    data = armature.animation_data
    assert data is not None
    action = bpy.data.actions.new("Result")
    action.name = _name_of_result(armature, before)
    slot = versions.ensure_slot(action, armature)
    for changed in plan:
        values = changed.values if target == "replace" else _differences(reading, changed)
        for index in range(changed.width):
            curve = versions.new_curve(action, slot, changed.path, index, changed.name)
            write_keys(curve, straight_keys(changed.times[changed.keyed], values[changed.keyed, index]))
    if data.action is not None:
        below = _push_down(data, reading)
        below.name = sources.SOURCE_TRACK
    track = data.nla_tracks.new()
    track.name = sources.LAYER_TRACK
    span = float(reading.key_times[0]), float(reading.key_times[-1])
    strip = _new_strip(track, action, slot, span)
    strip.blend_type = "REPLACE" if target == "replace" else "COMBINE"
    strip.extrapolation = "NOTHING"
    data.use_nla = True
    return action


def _differences(reading: Reading, changed: ChangedProperty) -> Array:
    """(frames, channels) what a combining strip must hold to turn the source into the result."""
    is_quaternion = changed.attribute == "rotation_quaternion"
    # What no f-curve below animates, a strip is combined with the property's default instead of its value.
    default = np.zeros(changed.width)
    if is_quaternion:
        default[0] = 1.0
    elif changed.attribute == "rotation_axis_angle":
        default[2] = 1.0
    is_keyed = np.array([(changed.name, changed.attribute, index) in reading.keyed for index in range(changed.width)])
    below = np.where(is_keyed, changed.source, default)
    if not is_quaternion:
        return changed.values - below
    lower = rotation_channels.to_matrices(below, rotation_channels.QUATERNION)
    upper = rotation_channels.to_matrices(changed.values, rotation_channels.QUATERNION)
    return rotation_channels.same_signs(rotation_channels.matrices_to_quaternions(lower.swapaxes(-1, -2) @ upper))


def _push_down(data: bpy.types.AnimData, reading: Reading) -> bpy.types.NlaTrack:
    """Move the assigned action into a strip on top of all tracks."""
    action, slot = data.action, versions.slot_of(data)
    assert action is not None
    keyed = action.frame_range
    # A strip holds its ends: what curves do beyond their keys must be inside it, wherever the scene plays.
    scene = context.scene()
    first = min(float(keyed[0]), float(reading.key_times[0]), float(scene.frame_start))
    last = max(float(keyed[1]), float(reading.key_times[-1]), float(scene.frame_end))
    blend, influence, extrapolation = data.action_blend_type, data.action_influence, data.action_extrapolation
    had_tracks = len(data.nla_tracks) > 0
    track = data.nla_tracks.new()
    strip = _new_strip(track, action, slot, (first, last))
    if had_tracks:
        strip.blend_type, strip.extrapolation = blend, extrapolation
        if influence < 1.0:
            strip.use_animated_influence = True
            strip.influence = influence
    versions.assign(data, None)
    return track


def _new_strip(
    track: bpy.types.NlaTrack, action: bpy.types.Action, slot: str, span: tuple[float, float]
) -> bpy.types.NlaStrip:
    """A strip that plays an action at its own times, over a span of at least one frame."""
    strip = track.strips.new(action.name, int(np.floor(span[0])), action)
    versions.assign(strip, action, slot)
    first, last = span[0], max(span[1], span[0] + 1.0)
    strip.use_sync_length = False
    strip.action_frame_end, strip.action_frame_start = last, first
    strip.frame_end, strip.frame_start = last, first
    strip.scale = 1.0
    strip.frame_start, strip.frame_end = first, last
    return strip


# Afterwards -------------------------------------------------------------------------------------------------------


def _gap(reading: Reading, edits: Edits, plan: list[ChangedProperty], result: Clip) -> float:
    """How far the bones are from the joints: as Blender stores the keys, or of a control rig, as it evaluates them."""
    if reading.method == "evaluated":
        pose = finished(sampling.sample(reading.armature, context.scene(), reading.rig, reading.times)).pose
    else:
        stored = edits.channels.copy()
        for changed in plan:
            held = stored.location if changed.attribute == "location" else stored.rotation
            for index in range(changed.width):
                keys = changed.values[changed.keyed, index].astype(np.float32)
                held[:, changed.bone, index] = np.interp(changed.times, changed.times[changed.keyed], keys)
        rig = reading.rig
        if edits.moved.any():
            rig = replace(rig, connected=rig.connected & ~edits.moved.any(axis=0))
        pose = pose_of(rig, stored)
    heads = pose.seen_through(reading.world).heads[:, reading.joints.bones]
    return float(np.linalg.norm(heads - result.world.positions, axis=-1).max())


def _notes(reading: Reading, loose: tuple[str, ...], gap: float) -> tuple[str, ...]:
    notes = []
    if loose:
        notes.append(
            f"{len(loose)} connected bone(s), first {loose[0]!r}, were disconnected so that they can be stretched; "
            "Restore Source connects them again."
        )
    if reading.method == "evaluated" and gap > 1e-3 * reading.clip.skeleton.size:
        notes.append(
            f"The rig's own constraints hold bones up to {gap:.3g} away from where the result wants them: bake the rig "
            "to its bones first."
        )
    return tuple(notes)
