# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves have the values that Blender gives them, and data paths lead to bones and back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon.bridge import curves

from .rigs import key, set_action, straight_chain

PATH = 'pose.bones["a"].location'
TIMES = np.arange(-5.0, 40.0)


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(["a"])
    set_action(armature)
    return armature


def evaluated(curve: bpy.types.FCurve, times: np.ndarray) -> np.ndarray:
    return np.array([curve.evaluate(time) for time in times])


@pytest.mark.parametrize("interpolation", ["CONSTANT", "LINEAR", "BEZIER", "BOUNCE", "ELASTIC", "SINE"])
@pytest.mark.parametrize("frames", [range(-5, 40), range(-20, 60), [0, 3, 17.5, 30], [12], range(0, 80, 2)])
def test_values_are_blenders(armature: bpy.types.Object, interpolation: str, frames: list[float]) -> None:
    values = np.random.default_rng(1).normal(size=len(frames))
    curve = key(armature, PATH, 0, frames, values, interpolation)
    assert np.array_equal(curves.values_at(curve, TIMES), evaluated(curve, TIMES))
    between = TIMES + 0.25
    assert np.array_equal(curves.values_at(curve, between), evaluated(curve, between))


@pytest.mark.parametrize("kind", ["CYCLES", "STEPPED", "NOISE", "LIMITS", "GENERATOR"])
def test_modifiers_count_even_where_every_frame_is_keyed(armature: bpy.types.Object, kind: str) -> None:
    curve = key(armature, PATH, 0, list(TIMES), np.sin(TIMES))
    modifier = curve.modifiers.new(kind)
    if kind == "STEPPED":
        modifier.frame_step = 4.0
    if kind == "LIMITS":
        modifier.use_max_y, modifier.max_y = True, 0.2
    found = curves.values_at(curve, TIMES)
    assert np.array_equal(found, evaluated(curve, TIMES))
    assert kind == "CYCLES" or not np.array_equal(found, np.sin(TIMES).astype(np.float32))


def test_a_muted_curve_or_group_is_not_heard(armature: bpy.types.Object) -> None:
    curve = key(armature, PATH, 0, [1], [1.0], group="held")
    assert curves.is_evaluated_curve(curve)
    curve.mute = True
    assert not curves.is_evaluated_curve(curve)
    curve.mute = False
    curve.group.mute = True
    assert not curves.is_evaluated_curve(curve)


@pytest.mark.parametrize("name", ["a", "thigh.L", 'with "quotes"', "back\\slash", "brackets [0].x", "Ünïcode 手"])
def test_paths_and_names_lead_to_each_other(name: str) -> None:
    assert curves.bone_property(curves.bone_path(name, "location")) == (name, "location")


@pytest.mark.parametrize("path", ["location", 'pose.bones["a"]["prop"]', 'pose.bones["a"].constraints["c"].influence'])
def test_other_paths_are_no_properties_of_bones(path: str) -> None:
    assert curves.bone_property(path) is None
