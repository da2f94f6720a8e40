# SPDX-License-Identifier: GPL-3.0-or-later
"""Placements are where Blender has things, without scale."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion, Vector

from poise.addon import bridge, translation
from poise.addon.bridge.transforms import Transform, is_static, transforms_at
from poise.addon.properties import character_of, constraint_list, handles
from poise.addon.workflows import create
from poise.solver import BodyPoint
from poise.solver.core import rotations

from ..characters import armature, registered

__all__ = ["armature", "registered"]


@pytest.mark.parametrize("seed", range(4))
def test_a_placement_is_a_matrix_without_its_scale(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = Quaternion(rng.normal(size=4)).normalized()
    place = Vector(rng.normal(size=3))
    scale = Matrix.Diagonal((*rng.uniform(0.2, 3.0, size=3), 1.0))
    found = Transform.of(Matrix.Translation(place) @ turn.to_matrix().to_4x4() @ scale)
    np.testing.assert_allclose(found.location, place, atol=1e-6)
    assert abs(abs(found.quaternion @ np.array(turn)) - 1.0) < 1e-6
    somewhere = rng.normal(size=3)
    np.testing.assert_allclose(found.to_local(found.to_world(somewhere)), somewhere, atol=1e-12)
    np.testing.assert_allclose(found.to_world((0.0, 0.0, 0.0)), found.location)


@pytest.mark.parametrize("heading", np.linspace(-3.0, 3.0, 7).tolist())
def test_a_heading_is_the_solvers(heading: float) -> None:
    found = Transform.upright((1.0, 2.0, 3.0), heading)
    assert abs(found.heading - heading) < 1e-9
    faces = rotations.rotate(rotations.exp(np.array([0.0, 0.0, heading])), np.array([0.0, -1.0, 0.0]))
    np.testing.assert_allclose(found.axes @ (0.0, -1.0, 0.0), faces, atol=1e-9)


@pytest.mark.parametrize("direction", [(0.0, 0.0, -2.0), (1.0, 0.0, 0.0), (0.3, -0.4, 0.5)])
def test_z_points_along_a_direction(direction: tuple[float, float, float]) -> None:
    found = Transform.pointing((0.0, 0.0, 0.0), np.array(direction))
    np.testing.assert_allclose(found.axes[:, 2], np.array(direction) / np.linalg.norm(direction), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(found.axes), 1.0)
    np.testing.assert_allclose(found.axes.T @ found.axes, np.eye(3), atol=1e-12)


def test_moving_things_are_found_at_their_times_and_the_frame_stays(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    cart, child, still = (bpy.data.objects.new(name, None) for name in ("Cart", "Child", "Still"))
    for held in (cart, child, still):
        scene.collection.objects.link(held)
    for frame, place in ((1, (0.0, 0.0, 0.0)), (11, (5.0, 0.0, 0.0)), (21, (5.0, 7.0, 0.0))):
        cart.location = place
        cart.keyframe_insert("location", frame=frame)
    child.parent, child.location = cart, (0.0, 0.0, 1.0)
    still.location = (9.0, 9.0, 9.0)
    scene.frame_set(13, subframe=0.5)
    assert is_static(still) and not is_static(child) and not is_static(cart)
    asked = [(child, 21.0), (still, 1.0), (cart, 1.0), (child, 11.0), (child, 5.5)]
    found = [place.location for place in transforms_at(armature, asked)]
    np.testing.assert_allclose(found[:4], [(5, 7, 1), (9, 9, 9), (0, 0, 0), (5, 0, 1)], atol=1e-5)
    assert 0.0 < found[4][0] < 5.0
    assert (scene.frame_current, scene.frame_subframe) == (13, 0.5)


def test_points_are_found_also_where_their_collection_is_excluded(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    empty = pin.points[0].object
    for frame, height in ((10, 1.0), (30, 3.0)):
        empty.location.z = height
        empty.keyframe_insert("location", frame=frame)
    layer = bpy.context.view_layer.layer_collection.children[handles.collection_of(armature).name]
    layer.exclude = True
    (found,) = translation.translate(armature, bridge.read(armature)).constraints
    (point,) = found.points  # type: ignore[attr-defined]
    assert abs(point.location[2] - 2.0) < 1e-5


def test_what_blender_does_not_evaluate_is_reported(armature: bpy.types.Object) -> None:
    nowhere = bpy.data.objects.new("Nowhere", None)
    nowhere.keyframe_insert("location", frame=1)
    with pytest.raises(bridge.BridgeError, match="'Nowhere'"):
        transforms_at(armature, [(nowhere, 1.0)])


def test_a_scaled_turned_and_parented_armature_is_pinned_where_it_is(armature: bpy.types.Object) -> None:
    parent = bpy.data.objects.new("Stage", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.scale = (4.0, 5.0, 6.0), (2.0, 2.0, 2.0)
    armature.parent = parent
    armature.rotation_euler = Euler((0.2, 0.1, 1.0))
    armature.scale = (0.5, 0.5, 0.5)
    armature.scale *= 3.0
    bpy.context.view_layer.update()
    (pin,) = create.add_pins(armature, ["l_elbow"], 20.0, at_tail=True)
    reading = bridge.read(armature)
    place = reading.clip.position(BodyPoint("l_elbow", tuple(pin.offset)))[reading.frame_of(20)]
    np.testing.assert_allclose(np.array(pin.points[0].object.location), place, atol=1e-4)
    np.testing.assert_allclose(place, reading.clip.position("l_wrist")[reading.frame_of(20)], atol=1e-3)


def test_the_collection_follows_the_armature_and_its_name_is_free(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    collection = character_of(armature).collection
    armature.name, collection.name = "Renamed", "Whatever"
    create.add_pins(armature, ["r_wrist"], 20.0)
    assert len(collection.objects) == 2 and len(bpy.data.collections) == 1
    bpy.context.scene.collection.children.unlink(collection)
    create.add_pins(armature, ["skullbase"], 20.0)
    assert collection in list(bpy.context.scene.collection.children), "it is linked again where points are needed"
    while len(character_of(armature).constraints):
        constraint_list.remove(armature, 0)
    assert not bpy.data.collections


def test_an_empty_that_two_constraints_share_outlives_one_of_them(armature: bpy.types.Object) -> None:
    one, other = create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    shared = one.points[0].object
    bpy.data.objects.remove(other.points[0].object)
    other.points[0].object = shared
    constraint_list.remove(armature, 0)
    assert character_of(armature).constraints[0].points[0].object == shared
