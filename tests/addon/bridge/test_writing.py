# SPDX-License-Identifier: GPL-3.0-or-later
"""A result keeps the source outside of its frames: its keys, its extrapolation, its cycles and its modifiers' shape."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions

from .rigs import changed, key, set_action, straight_chain

PATH = 'pose.bones["a"].rotation_euler'
BEGIN, END = 10, 30


def source_with(extrapolation: str = "CONSTANT", modifier: str = "", last: int = 40) -> bpy.types.Object:
    """A bone that turns about x from frame 0 on, in a scene that plays frames 1 to 60."""
    armature = straight_chain(["a"])
    armature.pose.bones["a"].rotation_mode = "XYZ"
    set_action(armature)
    frames = np.arange(0.0, last + 1.0, 5.0)
    curve = key(armature, PATH, 0, frames, 0.01 * frames, "BEZIER")
    curve.extrapolation = extrapolation
    if modifier:
        curve.modifiers.new(modifier)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    return armature


def curve_of(armature: bpy.types.Object) -> bpy.types.FCurve:
    animation = armature.animation_data
    curves = versions.curves_of(animation.action, versions.slot_of(animation))
    return next(curve for curve in curves if curve.data_path == PATH and curve.array_index == 0)


def values(armature: bpy.types.Object, frames: np.ndarray) -> np.ndarray:
    return np.array([curve_of(armature).evaluate(frame) for frame in frames])


@pytest.mark.parametrize("modifier", ["", "CYCLES", "NOISE"])
@pytest.mark.parametrize("extrapolation", ["CONSTANT", "LINEAR"])
@pytest.mark.parametrize("last", [20, 40])
def test_outside_of_its_frames_a_result_is_the_source(extrapolation: str, modifier: str, last: int) -> None:
    armature = source_with(extrapolation, modifier, last)
    # A change inside of a cycle is repeated with it.
    until = last if modifier == "CYCLES" and last > END else 60
    outside = np.concatenate([np.arange(1.0, BEGIN), np.arange(END + 1.0, until)])
    before = values(armature, outside)
    reading = bridge.read(armature, BEGIN, END)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), ["a"]))
    assert values(armature, outside) == pytest.approx(before, abs=1e-4)
    assert not np.allclose(values(armature, np.arange(15.0, 25.0)), 0.01 * np.arange(15.0, 25.0))


def test_the_source_action_is_not_changed() -> None:
    armature = source_with()
    source = armature.animation_data.action
    slot = versions.slot_of(armature.animation_data)
    keys = [tuple(point.co) for point in versions.curves_of(source, slot)[0].keyframe_points]
    reading = bridge.read(armature, BEGIN, END)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), ["a"]))
    assert armature.animation_data.action != source
    assert [tuple(point.co) for point in versions.curves_of(source, slot)[0].keyframe_points] == keys
