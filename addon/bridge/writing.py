# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as an action of its own: a copy of the source in which only what changed has new keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from . import context, versions
from .arrays import Array, floats
from .curves import LINEAR, Keys, is_heard, joined, straight_keys, values_at, write_keys
from .plan import ChangedProperty
from .sources import Animation, name_of_result


def new_action(
    armature: bpy.types.Object, before: Animation, plan: Iterable[ChangedProperty]
) -> tuple[bpy.types.Action, str]:
    """A new action with the planned changes, assigned with its slot; where there is no source, only with these.

    Before and after the frames of the plan, it is the source as long as that has keys there. Where the source ends
    no later than the plan, the result ends as the source did: by holding its last values, or by going on.
    """
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
    curves = versions.curves_of(action, slot)
    present = {(curve.data_path, curve.array_index): curve for curve in curves}
    ends = [curve.range() for curve in curves if len(curve.keyframe_points) > 0]
    span = min((held[0] for held in ends), default=np.inf), max((held[1] for held in ends), default=-np.inf)
    for changed in plan:
        for index in range(changed.width):
            curve = present.get((changed.path, index))
            if curve is None:
                curve = versions.new_curve(action, slot, changed.path, index, changed.name)
            _replace_keys(curve, changed, index, span)
    versions.assign(data, action, slot)
    return action, slot


def _replace_keys(curve: bpy.types.FCurve, changed: ChangedProperty, index: int, span: tuple[float, float]) -> None:
    """Give an f-curve new keys from the first to the last time, and leave it as it is before and after.

    `span` is where the source has keys, in whatever curve.
    """
    source = _Source.of(curve)
    times = changed.times
    is_baked = source.is_altered or (source.repeats and (times[0] < source.times[0] or times[-1] > source.times[-1]))
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0
    begin, end = _played()
    earlier = _outer_times(source.times, times[0], -step, min(begin, span[0]) if is_baked else None)
    later = _outer_times(source.times, times[-1], step, max(end, span[1]) if is_baked else None)
    # A curve that ends inside goes back to the source at once, where that goes on in other curves.
    if earlier.size == 0 and not (source.times < times[0]).any() and span[0] < times[0] and changed.is_off(0):
        earlier = times[:1] - step
    if later.size == 0 and not (source.times > times[-1]).any() and span[1] > times[-1] and changed.is_off(-1):
        later = times[-1:] + step
    # Where the curve went on from an outer key to one that is replaced, its way there is kept at every frame.
    before = source.values_at(earlier, changed.source[0, index])
    after = source.values_at(later, changed.source[-1, index])
    inner = changed.keys(index)
    if later.size or (source.times > times[-1]).any():
        inner.choices["interpolation"][-1] = LINEAR
    middle = joined(straight_keys(earlier, before), inner, straight_keys(later, after))
    first, last = middle.times[0], middle.times[-1]
    slopes = None
    if source.goes_on and not is_baked:
        slopes = source.slope(min(first, source.times[0]), -1.0), source.slope(max(last, source.times[-1]), 1.0)
    curve.mute = False
    if not curve.is_valid:
        curve.data_path = str(curve.data_path)  # forgets that the path once led nowhere
    for modifier in list(curve.modifiers):
        if not modifier.mute and (is_baked or modifier.type != "CYCLES"):
            curve.modifiers.remove(modifier)
    keys, has_old_begin = middle, False
    if ((source.times < first) | (source.times > last)).any():
        held = Keys.of(curve)
        outer_left, outer_right = held.where(held.times < first), held.where(held.times > last)
        if outer_left.times.size:
            outer_left.choices["interpolation"][-1] = LINEAR
            outer_left.free_handles(-1)
        if outer_right.times.size:
            outer_right.free_handles(0)
        keys, has_old_begin = joined(outer_left, middle, outer_right), outer_left.times.size > 1
    if slopes is not None:
        keys.go_on_after(slopes[1])
        if not has_old_begin:
            keys.come_from_before(slopes[0])
    write_keys(curve, keys)


@dataclass(frozen=True, eq=False)
class _Source:
    """An f-curve before it gets other keys."""

    curve: bpy.types.FCurve
    times: Array
    """(keys,) of those that count."""
    is_altered: bool
    """Whether modifiers change its values, or make them without any key."""
    repeats: bool
    goes_on: bool
    """Whether it goes on beyond its keys as steeply as it reaches them."""

    @staticmethod
    def of(curve: bpy.types.FCurve) -> _Source:
        heard = is_heard(curve)
        kinds = {modifier.type for modifier in curve.modifiers if not modifier.mute} if heard else set()
        has_keys = heard and len(curve.keyframe_points) > 0
        return _Source(
            curve,
            floats(curve.keyframe_points, "co", 2)[:, 0] if has_keys else np.empty(0),
            is_altered=bool(kinds - {"CYCLES"}),
            repeats=has_keys and "CYCLES" in kinds,
            goes_on=has_keys and curve.extrapolation == "LINEAR",
        )

    def values_at(self, times: Array, value: float) -> Array:
        """(times,) with the value that the property has where there is neither a key nor a formula."""
        tells = self.times.size > 0 or self.is_altered
        return values_at(self.curve, times) if tells else np.full(len(times), value)

    def slope(self, time: float, direction: float) -> float:
        """A frame, beyond a time outside of the keys."""
        return direction * (self.curve.evaluate(time + direction) - self.curve.evaluate(time))


def _played() -> tuple[float, float]:
    """The first and the last time that the scene plays, as f-curves count them."""
    scene = context.scene()
    stretch = scene.render.frame_map_old / scene.render.frame_map_new
    return scene.frame_start * stretch, scene.frame_end * stretch


def _outer_times(keyed_times: Array, edge: float, step: float, end: float | None) -> Array:
    """Times between the edge and the next key beyond it, ascending; none where there is no key.

    Given an end, all times up to the last key and to this end.
    """
    distances = (keyed_times - edge) * np.sign(step)
    distances = distances[distances > 0.0]
    if end is not None:
        reach = max(float(distances.max(initial=0.0)), (end - edge) * float(np.sign(step)), 0.0)
        count = int(np.ceil(reach / abs(step) - 1e-6))
    elif distances.size:
        count = int(np.ceil(float(distances.min()) / abs(step) - 1e-6)) - 1
    else:
        count = 0
    found = edge + step * np.arange(1, count + 1)
    return found if step > 0.0 else found[::-1]
