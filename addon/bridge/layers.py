# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as a layer: an NLA strip above the source that replaces changed properties or combines with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import bpy
import numpy as np

from ...solver import rotations
from . import context, rotation_channels, versions
from .arrays import Array
from .curves import bone_path
from .keys import linear_keys, write_keys
from .plan import ChangedProperty
from .reading import Reading
from .sources import BASE_TRACK, LAYER_TRACK, SOURCE_TRACK, Animation, result_name


def new_layer(
    armature: bpy.types.Object,
    before: Animation,
    reading: Reading,
    plan: Iterable[ChangedProperty],
    blending: Literal["replace", "combine"],
) -> tuple[bpy.types.Action, str]:
    """Make an action of the planned changes in a new NLA track on top, with the source in a track below it.

    Returns the action and its slot. Channels of these properties without an f-curve get their values from a third track
    in between: as soon as a strip animates one channel of a property, Blender resets its other channels to the default.
    """
    data = armature.animation_data
    assert data is not None
    plan = list(plan)
    action = bpy.data.actions.new("Result")
    action.name = result_name(armature, before)
    slot = versions.ensure_slot(action, armature)
    for changed in plan:
        written = changed if blending == "replace" else changed.with_values(_differences(changed))
        for index in range(changed.width):
            curve = versions.new_curve(action, slot, changed.path, index, changed.name)
            write_keys(curve, written.keys(index))
    partly_keyed = [] if before.uses_nla(armature) or data.action is None else _partly_keyed_quaternions(reading)
    span = _whole_span(data, reading)
    if data.action is not None:
        _push_down(data, span).name = SOURCE_TRACK
    base = _base_action(
        armature, before, f"{action.name} base", partly_keyed, _values_without_curves(reading, plan, partly_keyed)
    )
    if base is not None:
        track = data.nla_tracks.new()
        track.name = BASE_TRACK
        _new_strip(track, *base, span)
    track = data.nla_tracks.new()
    track.name = LAYER_TRACK
    strip = _new_strip(track, action, slot, (float(reading.key_times[0]), float(reading.key_times[-1])))
    strip.blend_type = "REPLACE" if blending == "replace" else "COMBINE"
    strip.extrapolation = "NOTHING"
    data.use_nla = True
    return action, slot


Channel = tuple[str, str, int]
"""A bone, its property and the index in it."""


def _partly_keyed_quaternions(reading: Reading) -> list[Channel]:
    """All channels of quaternions of which only some are keyed: in a strip the others would be reset to the default."""
    rig = reading.rig
    attribute = rotation_channels.property_of(rotation_channels.QUATERNION)[0]
    wholes = (
        [(rig.names[bone], attribute, index) for index in range(4)]
        for bone in rig.bones_by_mode.get(rotation_channels.QUATERNION, ())
    )
    return [channel for whole in wholes if 0 < sum(part in reading.keyed for part in whole) < 4 for channel in whole]


def _values_without_curves(
    reading: Reading, plan: Iterable[ChangedProperty], partly_keyed: Iterable[Channel]
) -> dict[Channel, float]:
    """The values of channels without an f-curve, of properties that the layer animates or that are partly keyed."""
    values = {
        (changed.name, changed.attribute, index): float(changed.source[0, index])
        for changed in plan
        for index in range(changed.width)
    }
    for bone, attribute, index in partly_keyed:
        values[bone, attribute, index] = float(reading.channels.rotation[0, reading.rig.index[bone], index])
    return {channel: value for channel, value in values.items() if channel not in reading.keyed}


def _base_action(
    armature: bpy.types.Object, before: Animation, name: str, partly_keyed: list[Channel], values: dict[Channel, float]
) -> tuple[bpy.types.Action, str] | None:
    """Make an action of constant `values` and of the f-curves of partly keyed quaternions; None without values."""
    if not values:
        return None
    kept = {(bone_path(bone, attribute), index) for bone, attribute, index in partly_keyed}
    if kept and before.source is not None:
        action, slot = before.source.copy(), before.slot
        action.use_fake_user = False
        for curve in versions.curves_of(action, slot):
            if (curve.data_path, curve.array_index) not in kept:
                versions.remove_curve(action, slot, curve)
        versions.remove_groups_without_curves(action, slot)
    else:
        action = bpy.data.actions.new(name)
        slot = versions.ensure_slot(action, armature)
    action.name = name
    for (bone, attribute, index), value in values.items():
        curve = versions.new_curve(action, slot, bone_path(bone, attribute), index, bone)
        write_keys(curve, linear_keys(np.zeros(1), np.array([value])))
    return action, slot


def _differences(changed: ChangedProperty) -> Array:
    """The values (frames, channels) of a combining strip that changes the source into the result."""
    if changed.attribute != "rotation_quaternion":
        return changed.values - changed.source
    lower = rotation_channels.to_quaternions(changed.source, rotation_channels.QUATERNION)
    upper = rotation_channels.to_quaternions(changed.values, rotation_channels.QUATERNION)
    change = rotations.quotient(rotations.conjugate(lower), rotations.conjugate(upper))
    return rotations.continuous(rotations.align(change, rotations.IDENTITY))


def _whole_span(data: bpy.types.AnimData, reading: Reading) -> tuple[float, float]:
    """The first and the last time of the action, the reading and the scene together.

    A strip is constant beyond its ends, so the extrapolation of curves must be inside it wherever the scene plays.
    """
    keyed = data.action.frame_range if data.action is not None else reading.key_times[[0, -1]]
    scene = context.scene()
    first = min(float(keyed[0]), float(reading.key_times[0]), float(scene.frame_start))
    last = max(float(keyed[1]), float(reading.key_times[-1]), float(scene.frame_end))
    return first, last


def _push_down(data: bpy.types.AnimData, span: tuple[float, float]) -> bpy.types.NlaTrack:
    """Move the assigned action into a strip in a new track on top, and return the track."""
    action, slot = data.action, versions.slot_of(data)
    assert action is not None
    blend, influence, extrapolation = data.action_blend_type, data.action_influence, data.action_extrapolation
    had_tracks = len(data.nla_tracks) > 0
    track = data.nla_tracks.new()
    strip = _new_strip(track, action, slot, span)
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
    """Add a strip that plays an action at the times of its keys, over a span of at least one frame."""
    strip = track.strips.new(action.name, int(np.floor(span[0])), action)
    versions.assign(strip, action, slot)
    first, last = span[0], max(span[1], span[0] + 1.0)
    strip.use_sync_length = False
    strip.action_frame_end, strip.action_frame_start = last, first
    strip.frame_end, strip.frame_start = last, first
    strip.scale = 1.0
    strip.frame_start, strip.frame_end = first, last
    return strip
