# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as an action of its own: a copy of the source in which only changed properties have new keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from . import context, versions
from .arrays import Array, floats
from .curves import is_evaluated_curve, values_at
from .keys import LINEAR, Keys, concatenated, linear_keys, write_keys
from .plan import ChangedProperty
from .sources import Animation, result_name


def new_action(
    armature: bpy.types.Object, before: Animation, plan: Iterable[ChangedProperty]
) -> tuple[bpy.types.Action, str]:
    """Make and assign an action with the planned changes, and return it with its slot.

    It is a copy of the source action; without one, it holds the planned changes alone. Before and after the frames of
    the plan it equals the source as far as that has keys there. Where the source ends no later than the plan, the
    result extrapolates as the source did.
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
    action.name = result_name(armature, before)
    curves = versions.curves_of(action, slot)
    present = {(curve.data_path, curve.array_index): curve for curve in curves}
    ranges = [curve.range() for curve in curves if len(curve.keyframe_points) > 0]
    first_key = min((ends[0] for ends in ranges), default=np.inf)
    last_key = max((ends[1] for ends in ranges), default=-np.inf)
    for changed in plan:
        for index in range(changed.width):
            curve = present.get((changed.path, index))
            if curve is None:
                curve = versions.new_curve(action, slot, changed.path, index, changed.name)
            _replace_keys(curve, changed, index, (first_key, last_key))
    versions.assign(data, action, slot)
    return action, slot


def _replace_keys(
    curve: bpy.types.FCurve, changed: ChangedProperty, index: int, keyed_range: tuple[float, float]
) -> None:
    """Give an f-curve the keys of one channel of a changed property, and keep its keys before and after them.

    `keyed_range` is the first and the last time at which any f-curve of the source has a key.
    """
    source = _SourceCurve.of(curve)
    is_baked = source.must_be_baked(changed.times)
    new_keys = _new_keys(source, changed, index, keyed_range, is_baked)
    first, last = new_keys.times[0], new_keys.times[-1]
    # Before the curve changes, since its slopes are evaluated.
    slopes = None if is_baked else source.extrapolation_slopes(first, last)
    _make_evaluated(curve, keeps_cycles=not is_baked)
    before, after = source.outer_keys(first, last)
    keys = concatenated(before, new_keys, after)
    if slopes is not None:
        keys.extrapolate_after(slopes[1])
        if before.times.size <= 1:
            keys.extrapolate_before(slopes[0])
    write_keys(curve, keys)


def _new_keys(
    source: _SourceCurve, changed: ChangedProperty, index: int, keyed_range: tuple[float, float], is_baked: bool
) -> Keys:
    """The keys of the plan, with keys around them at which the curve returns to the values of the source."""
    times = changed.times
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0
    played = _played_range()
    earlier = _outer_times(source.times, times[0], -step, min(played[0], keyed_range[0]) if is_baked else None)
    later = _outer_times(source.times, times[-1], step, max(played[1], keyed_range[1]) if is_baked else None)
    has_keys_before, has_keys_after = bool((source.times < times[0]).any()), bool((source.times > times[-1]).any())
    # A curve that has no key there returns to the source at once, where other curves of the source go on.
    if earlier.size == 0 and not has_keys_before and keyed_range[0] < times[0] and changed.differs_from_source(0):
        earlier = times[:1] - step
    if later.size == 0 and not has_keys_after and keyed_range[1] > times[-1] and changed.differs_from_source(-1):
        later = times[-1:] + step
    planned = changed.keys(index)
    if later.size or has_keys_after:
        planned.enums["interpolation"][-1] = LINEAR
    # From an outer key to one that is replaced, the source is kept at every frame.
    return concatenated(
        linear_keys(earlier, source.values_at(earlier, changed.source[0, index])),
        planned,
        linear_keys(later, source.values_at(later, changed.source[-1, index])),
    )


def _make_evaluated(curve: bpy.types.FCurve, keeps_cycles: bool) -> None:
    """Unmute an f-curve and remove its modifiers, except that cycles may stay."""
    curve.mute = False
    if not curve.is_valid:
        curve.data_path = str(curve.data_path)  # clears Blender's note that the path was invalid
    for modifier in list(curve.modifiers):
        if not modifier.mute and not (keeps_cycles and modifier.type == "CYCLES"):
            curve.modifiers.remove(modifier)


@dataclass(frozen=True, eq=False)
class _SourceCurve:
    """An f-curve before its keys are replaced."""

    curve: bpy.types.FCurve
    times: Array
    """(keys,) empty where Blender does not evaluate the curve."""
    has_modifiers: bool
    """Whether modifiers other than cycles change its values, or make them without any key."""
    repeats: bool
    extrapolates: bool
    """Whether it continues linearly beyond its keys."""

    @staticmethod
    def of(curve: bpy.types.FCurve) -> _SourceCurve:
        is_evaluated = is_evaluated_curve(curve)
        kinds = {modifier.type for modifier in curve.modifiers if not modifier.mute} if is_evaluated else set()
        has_keys = is_evaluated and len(curve.keyframe_points) > 0
        return _SourceCurve(
            curve,
            floats(curve.keyframe_points, "co", 2)[:, 0] if has_keys else np.empty(0),
            has_modifiers=bool(kinds - {"CYCLES"}),
            repeats=has_keys and "CYCLES" in kinds,
            extrapolates=has_keys and curve.extrapolation == "LINEAR",
        )

    def must_be_baked(self, times: Array) -> bool:
        """Whether keys at `times` alone cannot continue the curve: modifiers shape it, or times lie in a repetition."""
        return self.has_modifiers or (self.repeats and (times[0] < self.times[0] or times[-1] > self.times[-1]))

    def values_at(self, times: Array, constant: float) -> Array:
        """The values (times,) of the curve; `constant` where it has neither keys nor modifiers."""
        has_values = self.times.size > 0 or self.has_modifiers
        return values_at(self.curve, times) if has_values else np.full(len(times), constant)

    def extrapolation_slopes(self, first: float, last: float) -> tuple[float, float] | None:
        """The slopes before and after all keys, with new ones from `first` to `last`; None where it is constant."""
        if not self.extrapolates:
            return None
        return self._slope(min(first, self.times[0]), -1.0), self._slope(max(last, self.times[-1]), 1.0)

    def _slope(self, time: float, direction: float) -> float:
        """The slope per frame just beyond a time outside of the keys."""
        return direction * (self.curve.evaluate(time + direction) - self.curve.evaluate(time))

    def outer_keys(self, first: float, last: float) -> tuple[Keys, Keys]:
        """The keys of the curve before `first` and after `last`, with handles that new keys between do not move."""
        if not ((self.times < first) | (self.times > last)).any():
            nothing = linear_keys(np.empty(0), np.empty(0))
            return nothing, nothing
        keys = Keys.of(self.curve)
        before, after = keys.where(keys.times < first), keys.where(keys.times > last)
        if before.times.size:
            before.enums["interpolation"][-1] = LINEAR
            before.free_handles(-1)
        if after.times.size:
            after.free_handles(0)
        return before, after


def _played_range() -> tuple[float, float]:
    """The first and the last frame of the scene in the time of f-curves."""
    scene = context.scene()
    stretch = scene.render.frame_map_old / scene.render.frame_map_new
    return scene.frame_start * stretch, scene.frame_end * stretch


def _outer_times(keyed_times: Array, edge: float, step: float, end: float | None) -> Array:
    """The times, `step` apart and ascending, between the edge and the next key beyond it; none without such a key.

    With an `end`, all times up to the last key and to this end.
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
