# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties are made in the character's collection, and deleted with their constraint unless something else uses them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon.bridge.transforms import Transform
from poise.addon.properties import constraint_list, handles

HOME = Transform.upright((1.0, 2.0, 3.0), 0.5)


@pytest.fixture
def item(armature: bpy.types.Object) -> object:
    """A constraint with one point."""
    item = constraint_list.new_item(armature, "SHAPE", "Pin")
    handles.add_empty(armature, item, item.points.add(), HOME)
    return item


def test_an_empty_has_the_transform_of_its_point(armature: bpy.types.Object, item: object) -> None:
    point = item.points[0]
    assert point.object.name in handles.collection_of(armature).objects
    bpy.context.view_layer.update()
    for transform in (
        Transform.of(point.object.matrix_world),
        Transform.from_quaternion(point.home, point.home_rotation),
    ):
        assert np.allclose(transform.location, HOME.location) and np.allclose(transform.axes, HOME.axes, atol=1e-6)
    assert point.object.empty_display_size == pytest.approx(0.05 * max(armature.dimensions))


def test_a_lost_empty_is_made_at_its_home(armature: bpy.types.Object, item: object) -> None:
    bpy.data.objects.remove(item.points[0].object)
    handles.make_empties(armature, item)
    assert np.allclose(item.points[0].object.location, HOME.location)


def test_removing_the_last_empty_removes_the_collection(armature: bpy.types.Object, item: object) -> None:
    collection = handles.collection_of(armature).name
    constraint_list.remove(armature, 0)
    assert collection not in bpy.data.collections and not [o for o in bpy.data.objects if o.type == "EMPTY"]


def test_an_empty_in_use_or_of_the_animator_is_kept(armature: bpy.types.Object, item: object) -> None:
    shared = item.points[0].object
    other = constraint_list.new_item(armature, "SHAPE", "Other")
    other.points.add().object = shared
    own = bpy.data.objects.new("Mine", None)
    bpy.context.scene.collection.objects.link(own)
    other.points.add().object = own
    constraint_list.remove(armature, 0)
    assert shared.name in bpy.data.objects
    constraint_list.remove(armature, 0)
    assert "Mine" in bpy.data.objects and len([o for o in bpy.data.objects if o.type == "EMPTY"]) == 1


def test_an_empty_that_was_deleted_in_the_viewport_is_noticed(armature: bpy.types.Object, item: object) -> None:
    empty = item.points[0].object
    assert handles.is_in_scene(empty) and not handles.is_in_scene(None)
    assert empty in handles.objects_in_scene() and None not in handles.objects_in_scene()
    bpy.context.scene.collection.children_recursive[0].objects.unlink(empty)
    assert not handles.is_in_scene(empty) and empty not in handles.objects_in_scene()


def test_the_handle_of_a_footplant_is_as_large_as_the_foot(armature: bpy.types.Object) -> None:
    item = constraint_list.new_item(armature, "FOOTPLANT", "Plant")
    handle = handles.add_empty(armature, item, item.points.add(), HOME)
    assert handle.empty_display_size == pytest.approx(0.5 * handles.FOOT_SHARE * max(armature.dimensions))
    bpy.ops.poise.character_recognise()
    length = handles.foot_length(armature, "left")
    assert 0.08 < length / max(armature.dimensions) < 0.25
    assert length == pytest.approx(handles.foot_length(armature, "right"), rel=1e-3)
    assert handles.handle_size(armature, item) == pytest.approx(0.5 * length)
    armature.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert handles.foot_length(armature, "left") == pytest.approx(2.0 * length)
