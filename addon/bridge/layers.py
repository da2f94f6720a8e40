# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as a layer: an NLA strip above the source that replaces what changed, or combines with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import bpy
import numpy as np

from ...solver import rotations
from . import context, rotation_channels, versions
from .arrays import Array
from .curves import write_keys
from .plan import ChangedProperty
from .reading import Reading
from .sources import LAYER_TRACK, SOURCE_TRACK, Animation, name_of_result


def new_layer(
    armature: bpy.types.Object,
    before: Animation,
    reading: Reading,
    plan: Iterable[ChangedProperty],
    blending: Literal["replace", "combine"],
) -> bpy.types.Action:
    """A new action with nothing but the planned changes, in a track on top of all others; the source goes below it."""
    data = armature.animation_data
    assert data is not None
    action = bpy.data.actions.new("Result")
    action.name = name_of_result(armature, before)
    slot = versions.ensure_slot(action, armature)
    for changed in plan:
        values = changed.values if blending == "replace" else _differences(reading, changed)
        for index in range(changed.width):
            curve = versions.new_curve(action, slot, changed.path, index, changed.name)
            write_keys(curve, changed.keys(values, index))
    if data.action is not None:
        below = _push_down(data, reading)
        below.name = SOURCE_TRACK
    track = data.nla_tracks.new()
    track.name = LAYER_TRACK
    span = float(reading.key_times[0]), float(reading.key_times[-1])
    strip = _new_strip(track, action, slot, span)
    strip.blend_type = "REPLACE" if blending == "replace" else "COMBINE"
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
    lower = rotation_channels.to_quaternions(below, rotation_channels.QUATERNION)
    upper = rotation_channels.to_quaternions(changed.values, rotation_channels.QUATERNION)
    change = rotations.quotient(rotations.conjugate(lower), rotations.conjugate(upper))
    return rotations.continuous(rotations.align(change, rotations.IDENTITY))


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
