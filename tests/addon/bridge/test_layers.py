# SPDX-License-Identifier: GPL-3.0-or-later
"""A layer is a strip above the source with only the changes, and channels without curves keep their values below it."""

from __future__ import annotations

from typing import Literal

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.bridge.sources import BASE_TRACK, LAYER_TRACK, SOURCE_TRACK

from .rigs import assert_blender_shows, changed, key, set_action, straight_chain, swing

FRAMES = range(1, 21)


@pytest.mark.parametrize(("blending", "type_of_strip"), [("replace", "REPLACE"), ("combine", "COMBINE")])
def test_the_layer_holds_only_the_changes(blending: Literal["replace", "combine"], type_of_strip: str) -> None:
    armature = straight_chain(["a", "b", "c"])
    swing(armature, FRAMES)
    source = armature.animation_data.action
    reading = bridge.read(armature, 1, 20)
    result = changed(reading.clip, np.random.default_rng(3), ["b"])
    bridge.bake(reading, result, target=blending)
    animation = armature.animation_data
    assert animation.action is None
    assert [track.name for track in animation.nla_tracks] == [SOURCE_TRACK, LAYER_TRACK]
    assert animation.nla_tracks[SOURCE_TRACK].strips[0].action == source
    (strip,) = animation.nla_tracks[LAYER_TRACK].strips
    assert (strip.blend_type, strip.frame_start, strip.frame_end) == (type_of_strip, 1.0, 20.0)
    paths = {curve.data_path for curve in versions.curves_of(strip.action, versions.slot_of(strip))}
    assert paths == {'pose.bones["b"].rotation_quaternion'}
    assert_blender_shows(result, armature, reading.times, 2e-5)


def test_a_quaternion_that_is_keyed_in_part_keeps_its_other_values() -> None:
    armature = straight_chain(["a", "b"])
    armature.pose.bones["a"].rotation_quaternion = (0.8, 0.0, 0.6, 0.0)
    set_action(armature)
    key(armature, 'pose.bones["a"].rotation_quaternion', 1, FRAMES, 0.1 * np.sin(np.arange(20.0)))
    reading = bridge.read(armature, 1, 20)
    result = changed(reading.clip, np.random.default_rng(3), ["b"])
    bridge.bake(reading, result, target="replace")
    assert BASE_TRACK in [track.name for track in armature.animation_data.nla_tracks]
    assert_blender_shows(result, armature, reading.times)
    bridge.restore_source(armature)
    assert len(armature.animation_data.nla_tracks) == 0
    assert not any(action.name.endswith("base") for action in bpy.data.actions), "what belonged to it is deleted"
