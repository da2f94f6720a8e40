# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks, mass, soles and ground that the animator has set reach the solver, and nothing is copied without need."""

from __future__ import annotations

import bpy
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of

from ..bridge.test_solids import mesh_object


def test_without_settings_the_clip_is_what_was_read(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    assert translation.clip_with_settings(armature, reading) is reading.clip
    assert translation.reading_with_settings(armature, reading) is reading


def test_mass_and_soles_are_the_animators(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    character = character_of(armature)
    character.mass, character.sole_ball = 42.0, 0.02
    skeleton = translation.clip_with_settings(armature, reading).skeleton
    assert skeleton.total_mass == 42.0
    assert skeleton.set_soles == {"left_ball": pytest.approx(0.02), "right_ball": pytest.approx(0.02)}
    again = translation.reading_with_settings(armature, reading)
    assert translation.reading_with_settings(armature, again) is again


def test_anatomical_limits_are_an_option_of_the_character(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    assert not reading.clip.skeleton.limits
    character_of(armature).use_anatomical_limits = True
    clip = translation.clip_with_settings(armature, reading)
    skeleton = clip.skeleton
    assert len(skeleton.limits) == len(skeleton) - 2, "all but root and pelvis"
    assert skeleton.kinds[skeleton.index("l_knee")] == "hinge"
    for joint, limit in skeleton.limits.items():
        bound = limit.bound_to(skeleton.hinge_axes[joint]) if isinstance(limit, solver.HingeLimit) else limit
        back = solver.rotations.conjugate(skeleton.rest_rotations[joint])
        relative = solver.rotations.multiply(back, clip.motion.rotations[:, joint])
        assert bound.excess(relative).max() < 0.0, skeleton.names[joint]
    again = translation.reading_with_settings(armature, reading)
    assert translation.reading_with_settings(armature, again) is again


def test_a_landmark_on_a_deleted_bone_is_refused(armature: bpy.types.Object) -> None:
    bpy.ops.poise.landmark_set(mark="left_fingertip", bone="l_middle1", mirror=False)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["l_middle1"])
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(translation.TranslationError, match=r"left fingertip was set to bone 'l_middle1'.*deleted"):
        translation.clip_with_settings(armature, bridge.read(armature))


def test_the_ground_is_off_a_plane_or_objects(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    character, clip = character_of(armature), reading.clip
    assert translation.ground_of(armature, clip) is None
    character.use_ground, character.ground_height = True, 0.25
    assert translation.ground_of(armature, clip).height == 0.25
    character.ground_kind = "MESH"
    with pytest.raises(translation.TranslationError, match="choose an object or a collection"):
        translation.ground_of(armature, clip)
    character.ground_mesh = mesh_object("Floor", [(-9, -9, 0), (9, -9, 0), (0, 9, 0)], [(0, 1, 2)])
    bpy.context.view_layer.update()
    assert translation.ground_of(armature, clip) is not None
