# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of the scene and of the clip are converted back and forth, also with steps and between frames."""

from __future__ import annotations

import bpy
import pytest

from poise.addon import bridge
from poise.addon.translation.times import nearest_frame, step_of, to_clip, to_scene, within


@pytest.mark.parametrize("step", [0.5, 1.0, 3.0])
def test_frames_are_converted_back_and_forth(armature: bpy.types.Object, step: float) -> None:
    reading = bridge.read(armature, 7, 37, step=step)
    assert step_of(reading) == step
    for index, time in enumerate(reading.times):
        assert to_clip(reading, time) == pytest.approx(index)
        assert to_scene(reading, index) == pytest.approx(time)
    assert to_clip(reading, 7 - step) == pytest.approx(-1.0)


def test_times_are_clamped_to_the_clip(armature: bpy.types.Object) -> None:
    reading = bridge.read(armature, 7, 17)
    assert [within(reading, time) for time in (-3.0, 4.25, 99.0)] == [0.0, 4.25, 10.0]
    assert [nearest_frame(reading, time) for time in (-3.0, 4.75, 99.0)] == [0, 5, 10]
    assert step_of(bridge.read(armature, 9, 9)) == 1.0, "one frame has no step"
