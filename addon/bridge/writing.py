# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as an action of its own: a copy of the source in which only what changed has new keys."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from . import versions
from .arrays import Array, BoolArray, floats
from .curves import Keys, is_heard, joined, straight_keys, values_at, write_keys
from .plan import ChangedProperty
from .sources import Animation, name_of_result


def new_action(armature: bpy.types.Object, before: Animation, plan: Iterable[ChangedProperty]) -> bpy.types.Action:
    """A new action with the planned changes, assigned to the armature; where there is no source, only with these."""
    data = armature.animation_data
    assert data is not None
    if before.source is not None:
        action = before.source.copy()
        slot = before.slot
    else:
        action = bpy.data.actions.new("Result")
        slot = versions.ensure_slot(action, armature)
        data.action_blend_type, data.action_influence = "REPLACE", 1.0
    action.name = name_of_result(armature, before)
    present = {(curve.data_path, curve.array_index): curve for curve in versions.curves_of(action, slot)}
    for changed in plan:
        for index in range(changed.width):
            curve = present.get((changed.path, index))
            if curve is None:
                curve = versions.new_curve(action, slot, changed.path, index, changed.name)
                write_keys(curve, changed.keys(changed.values, index))
            else:
                _replace_keys(curve, changed.times, changed.values[:, index], changed.keyed)
    versions.assign(data, action, slot)
    return action


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
