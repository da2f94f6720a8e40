# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses that bones carry are counted in the centre of mass, and kept when the file is saved."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import loads


def center(armature: bpy.types.Object) -> np.ndarray:
    """(frames, 3) the centre of mass of the source, as solves see it."""
    return translation.clip_with_settings(armature, bridge.read(armature)).center_of_mass()


def test_a_load_moves_the_centre_of_mass(armature: bpy.types.Object) -> None:
    before = center(armature)
    clip = bridge.read(armature).clip
    assert loads.add(armature, ["l_wrist"], 10.0) == 1
    character_of(armature).loads[0].offset = (0.0, 0.1, 0.0)
    skeleton = translation.clip_with_settings(armature, bridge.read(armature)).skeleton
    (load,) = skeleton.loads
    assert load.point.joint == skeleton.index("l_wrist") and load.point.offset == pytest.approx((0.0, 0.1, 0.0))
    carried = clip.position(load.point)
    body = clip.skeleton.total_mass
    np.testing.assert_allclose(center(armature), (body * before + 10.0 * carried) / (body + 10.0), atol=1e-6)
    reading = translation.reading_with_settings(armature, bridge.read(armature))
    assert translation.reading_with_settings(armature, reading) is reading
    loads.remove(armature, 0)
    np.testing.assert_array_equal(center(armature), before)


def test_loads_are_saved_and_follow_their_bones(armature: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.poise.load_add(bone="l_wrist,r_wrist", mass=3.0)
    loaded = center(armature)
    armature.data.bones["l_wrist"].name = "hand"
    name, path = armature.name, str(tmp_path / "loaded.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened = bpy.data.objects[name]
    assert [load.mass for load in character_of(opened).loads] == [3.0, 3.0]
    np.testing.assert_allclose(center(opened), loaded, atol=1e-6)
    bpy.context.view_layer.objects.active = opened
    bpy.ops.poise.load_remove(load=1)
    assert len(character_of(opened).loads) == 1


def test_a_load_on_a_deleted_bone_is_refused(armature: bpy.types.Object) -> None:
    loads.add(armature, ["l_middle1"], 2.0)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["l_middle1"])
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(translation.TranslationError, match=r"load of 2 kg: bone 'l_middle1'.*deleted"):
        center(armature)
    with pytest.raises(translation.TranslationError, match="no such load"):
        loads.remove(armature, 5)
    with pytest.raises(translation.TranslationError, match="Select the bones"):
        loads.add(armature, [], 5.0)
