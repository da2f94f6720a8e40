# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects to stand on, and the soles of meshes that armatures move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge

from ...solver.grounds import box
from ..shoes import in_shoes
from ..walking import walking_armature


def mesh_object(name: str, vertices: Any, faces: Any) -> bpy.types.Object:
    """A mesh in the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices).tolist(), [], np.asarray(faces).tolist())
    held = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(held)
    return held


def test_triangles_are_in_world_space_with_modifiers() -> None:
    step = mesh_object("Step", *box(np.zeros(3), np.ones(3)))
    step.location, step.scale = (5.0, 0.0, 1.0), (2.0, 2.0, 0.5)
    array = step.modifiers.new("Array", "ARRAY")
    array.count = 2
    bpy.context.view_layer.update()
    vertices, triangles = bridge.triangles_of([step])
    np.testing.assert_allclose(vertices.min(axis=0), (5.0, 0.0, 1.0), atol=1e-6)
    np.testing.assert_allclose(vertices.max(axis=0), (9.0, 2.0, 1.5), atol=1e-6)
    assert len(triangles) == 24 and triangles.max() < len(vertices)
    other = mesh_object("Other", [(0, 0, 7), (1, 0, 7), (0, 1, 7)], [(0, 1, 2)])
    both, together = bridge.triangles_of([step, other])
    assert len(together) == 25
    np.testing.assert_allclose(both[together[-1]][:, 2], 7.0)


def test_without_faces_there_is_a_sentence() -> None:
    points = mesh_object("Points", [(0, 0, 0)], [])
    with pytest.raises(bridge.BridgeError, match=r"'Points'.*has no faces"):
        bridge.triangles_of([points])


def test_the_plane_of_an_object_goes_through_its_origin_across_its_z() -> None:
    ramp = bpy.data.objects.new("Ramp", None)
    bpy.context.scene.collection.objects.link(ramp)
    ramp.location, ramp.rotation_euler, ramp.scale = (1.0, 2.0, 3.0), (0.3, 0.0, 0.0), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    point, normal = bridge.plane_of(ramp)
    np.testing.assert_allclose(point, (1.0, 2.0, 3.0), atol=1e-6)
    np.testing.assert_allclose(normal / np.linalg.norm(normal), (0.0, -np.sin(0.3), np.cos(0.3)), atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 0.01, 100.0])
def test_the_lowest_vertices_of_a_foot_say_how_thick_its_sole_is(scale: float, tmp_path: Path) -> None:
    """However the heel is found: heel and ball lie as high above the lowest vertices as their soles are thick."""
    armature = walking_armature(tmp_path)
    bare = bridge.read(armature).clip.skeleton
    lowest = min(bare.rest_place(point)[2] for point in (bare.landmarks.left_heel, bare.landmarks.left_ball))
    shoes = in_shoes(armature, 0.03 * bare.size)
    assert bridge.is_skinned_to(shoes, armature)
    armature.scale = (scale, scale, scale)
    bpy.context.view_layer.update()
    skeleton = bridge.read(armature).clip.skeleton
    floor = scale * (lowest - 0.03 * bare.size)
    for side in ("left", "right"):
        for part in ("heel", "ball"):
            above = skeleton.rest_place(getattr(skeleton.landmarks, f"{side}_{part}"))[2] - floor
            assert skeleton.soles[f"{side}_{part}"] == pytest.approx(above, abs=1e-3 * skeleton.size)
