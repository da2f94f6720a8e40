# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices of feet and heads as Blender holds them: weights, meshes on bones, scales, poses that do not matter."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from poise.addon import bridge
from poise.solver import Skeleton
from poise.solver.core import rotations

from ..exported import Traits, exported


def skin_in_world(skeleton: Skeleton) -> np.ndarray:
    """(points, 3) at rest."""
    assert skeleton.skin is not None
    turned, placed = skeleton.rest
    joints = skeleton.skin.joints
    return np.asarray(placed[joints] + rotations.rotate(turned[joints], skeleton.skin.offsets))


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_skin_is_where_the_mesh_is_at_rest_whatever_the_frame(scale: float) -> None:
    character = exported(Traits(skinned=True, scale=scale, lying=True))
    body = bpy.data.objects["Body"]
    there = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices])
    for frame in (1, 20):
        bpy.context.scene.frame_set(frame)
        found = skin_in_world(bridge.read(character.armature).clip.skeleton)
        assert len(found) == len(there)
        order, expected = np.lexsort(found.round(5).T), np.lexsort(there.round(5).T)
        np.testing.assert_allclose(found[order], there[expected], atol=1e-4)


def test_a_vertex_belongs_to_the_bone_that_moves_it_most() -> None:
    character = exported(Traits(skinned=True))
    body = bpy.data.objects["Body"]
    toes = body.vertex_groups["mixamorig:LeftToeBase"]
    foot = body.vertex_groups["mixamorig:LeftFoot"]
    moved = [vertex.index for vertex in body.data.vertices if vertex.groups[0].group == foot.index][:4]
    toes.add(moved, 0.95, "REPLACE")
    skeleton = bridge.read(character.armature).clip.skeleton
    counts = np.bincount(skeleton.skin.joints, minlength=len(skeleton))
    groups = [vertex.groups[0].group for vertex in body.data.vertices]
    assert counts[skeleton.index("mixamorig:LeftToeBase")] == groups.count(toes.index) + len(moved)


def test_meshes_that_hang_on_bones_count_and_those_of_others_do_not() -> None:
    character = exported(Traits())
    assert bridge.read(character.armature).clip.skeleton.skin is None
    mesh = bpy.data.meshes.new("Shoe")
    mesh.from_pydata([(0.0, 0.0, 0.0), (0.02, 0.0, 0.0), (0.0, 0.03, 0.01)], [], [])
    shoe = bpy.data.objects.new("Shoe", mesh)
    bpy.context.scene.collection.objects.link(shoe)
    shoe.parent, shoe.parent_type, shoe.parent_bone = character.armature, "BONE", "mixamorig:LeftFoot"
    stranger = bpy.data.objects.new("Stranger", mesh)
    bpy.context.scene.collection.objects.link(stranger)
    bpy.context.scene.frame_set(20)
    skeleton = bridge.read(character.armature).clip.skeleton
    assert skeleton.skin.joints.tolist() == [skeleton.index("mixamorig:LeftFoot")] * 3
    # The shoe is at the bone's tail, as Blender parents it.
    bone = character.armature.data.bones["mixamorig:LeftFoot"]
    at_tail = np.array(character.armature.matrix_world @ bone.matrix_local @ Matrix.Translation((0, bone.length, 0)))
    np.testing.assert_allclose(skin_in_world(skeleton)[0], at_tail[:3, 3], atol=1e-5)


def test_a_hidden_mesh_says_the_same() -> None:
    character = exported(Traits(skinned=True, tails=5.0))
    before = bridge.read(character.armature).clip.skeleton
    body = bpy.data.objects["Body"]
    body.hide_viewport = body.hide_render = True
    after = bridge.read(character.armature).clip.skeleton
    assert before.landmarks == after.landmarks


def test_dense_meshes_are_thinned_and_show_the_same_foot(monkeypatch: pytest.MonkeyPatch) -> None:
    character = exported(Traits(skinned=True))
    whole = bridge.read(character.armature).clip.skeleton
    monkeypatch.setattr("poise.addon.bridge.skins._MOST_VERTICES", 200)
    thinned = bridge.read(character.armature).clip.skeleton
    assert len(thinned.skin) < len(whole.skin)
    assert thinned.size == pytest.approx(whole.size, rel=0.05)
