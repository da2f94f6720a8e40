# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are renamed behind a result are followed."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import renaming, versions

from .rigs import blender_pose, changed, new_armature, straight_chain, swing

FRAMES = range(1, 25)
NAMES = ("a", "b", "c")


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
def test_the_source_follows(target: bridge.Target) -> None:
    """Keyed, unkeyed and disconnected bones grouped_by_inheritance."""
    armature = straight_chain(NAMES)
    armature.pose.bones["a"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    swing(armature, FRAMES, names=("b", "c"))
    before = blender_pose(armature, NAMES, FRAMES)
    once = bridge.read(armature, 1, 24)
    result = changed(once.clip, np.random.default_rng(1), NAMES, ["b"])
    bridge.bake(once, result, target=target)
    for bone, name in zip(armature.data.bones, ("d", "x", "y"), strict=True):
        bone.name = name
    again = bridge.read(armature, 1, 24)
    assert np.array_equal(again.clip.motion.rotations, once.clip.motion.rotations)
    assert np.array_equal(again.clip.motion.translations, once.clip.motion.translations)
    bridge.restore_source(armature)
    np.testing.assert_allclose(blender_pose(armature, ("d", "x", "y"), FRAMES), before, atol=1e-6)
    assert [bone.use_connect for bone in armature.data.bones] == [False, True, True]
    groups = {
        curve.group.name
        for curve in versions.curves_of(armature.animation_data.action, versions.slot_of(armature.animation_data))
    }
    assert groups == {"x", "y"}


def test_new_names_are_found_by_old_ones() -> None:
    armature = straight_chain(NAMES)
    before = bridge.bone_names(armature)
    assert bridge.renames(before, armature) == {}
    armature.data.bones["b"].name = "thigh"
    assert bridge.renames(before, armature) == {"b": "thigh"}
    assert bridge.renames(before[:2], armature) == {}


def test_bones_that_change_places_are_not_renamed() -> None:
    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        for name in ("b", "a", "c"):
            edit_bones.new(name).tail = (0.0, 0.0, 1.0)

    assert bridge.renames(NAMES, new_armature("Other", build)) == {}


def test_paths_of_other_bones_stay() -> None:
    path = 'pose.bones["a"].location'
    assert renaming.rename_path(path, {"a": "b.L"}) == 'pose.bones["b.L"].location'
    for other in (path, "location", 'pose.bones["c"]["prop"]'):
        assert renaming.rename_path(other, {"b": "x"}) == other
