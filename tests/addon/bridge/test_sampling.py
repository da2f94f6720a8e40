# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluation frame by frame tells how far it is, and leaves everything as it was, also where it is broken off."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import sampling

from .rigs import changed, straight_chain, swing

NAMES = ("a", "b", "c")


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(NAMES)
    swing(armature, range(1, 25))
    return armature


@pytest.fixture
def frame_by_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SLICE", 0.0)


@pytest.mark.usefixtures("frame_by_frame")
def test_steps_lead_from_nothing_to_everything(armature: bpy.types.Object) -> None:
    shares = list(bridge.read_in_steps(armature, 1, 10, method="evaluated"))
    assert shares == pytest.approx(np.arange(1, 11) / 10)


@pytest.mark.usefixtures("frame_by_frame")
@pytest.mark.parametrize("target", ["action", "combine"])
def test_a_reading_that_is_cancelled_leaves_no_trace(armature: bpy.types.Object, target: bridge.Target) -> None:
    reading = bridge.read(armature, 1, 24)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), ["b"], ["c"]), target=target)
    animation, scene = armature.animation_data, bpy.context.scene
    scene.frame_set(5, subframe=0.5)
    shown = [np.array(bone.matrix) for bone in armature.pose.bones]
    before = animation.action, [track.mute for track in animation.nla_tracks]
    steps = bridge.read_in_steps(armature, 1, 24, method="evaluated")
    for _ in range(2):
        next(steps)
        assert scene.frame_current == 5, "between its steps a window is drawn"
        assert (animation.action, [track.mute for track in animation.nla_tracks]) == before
    steps.close()
    assert (animation.action, [track.mute for track in animation.nla_tracks]) == before
    assert (scene.frame_current, scene.frame_subframe) == (5, 0.5)
    assert not armature.data.bones["c"].use_connect
    scene.frame_set(5, subframe=0.5)
    np.testing.assert_allclose([np.array(bone.matrix) for bone in armature.pose.bones], shown, atol=1e-6)


def test_frames_between_frames_are_reached(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    with sampling.frame_restored(scene):
        for time in (-3.25, 0.0, 7.5):
            sampling.set_frame(scene, time)
            assert scene.frame_current + scene.frame_subframe == time
    assert scene.frame_current == 1


def test_an_error_on_the_way_leaves_the_frame(armature: bpy.types.Object) -> None:
    with pytest.raises(ZeroDivisionError), sampling.frame_restored(bpy.context.scene):
        bpy.context.scene.frame_set(17)
        _ = 1 / 0
    assert bpy.context.scene.frame_current == 1
