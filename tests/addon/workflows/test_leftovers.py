# SPDX-License-Identifier: GPL-3.0-or-later
"""What a deleted character leaves behind is found and removed; what the animator has made or uses stays."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import create, leftovers, solve


@pytest.fixture
def solved(armature: bpy.types.Object) -> bpy.types.Object:
    """A character with two pins and a result."""
    create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    character_of(armature).constraints[0].points[0].object.location.z += 0.1
    solve.solve(armature)
    return armature


def delete(found: bpy.types.Object) -> None:
    """Delete an object as X does."""
    bpy.ops.object.select_all(action="DESELECT")
    found.select_set(True)
    bpy.ops.object.delete()


def empties() -> list[Any]:
    return [found for found in bpy.data.objects if found.type == "EMPTY"]


def test_a_living_character_has_no_leftovers(solved: bpy.types.Object) -> None:
    assert not leftovers.find()
    assert not bpy.ops.poise.leftovers_remove.poll()
    with pytest.raises(bridge.BridgeError, match="has left anything behind"):
        leftovers.remove()
    bpy.context.scene.collection.objects.unlink(solved)
    hidden = bpy.data.collections.new("Asset")
    hidden.objects.link(solved)
    assert not leftovers.find(), "an armature of a collection that no scene shows is not deleted"


def test_the_leftovers_of_a_deleted_character_are_removed(solved: bpy.types.Object) -> None:
    delete(solved)
    found = leftovers.find()
    assert found.sentence == "2 empties and 1 result"
    assert [collection.name for collection in found.collections] == ["Poise Walker"]
    assert len(empties()) == 2, "nothing is removed by itself"
    assert bpy.ops.poise.leftovers_remove() == {"FINISHED"}
    assert not empties() and not bpy.data.collections
    assert [action.name for action in bpy.data.actions] == ["Walker"], "the motion itself stays"
    assert not leftovers.find()


def test_an_armature_that_a_modifier_still_holds_is_deleted_too(solved: bpy.types.Object) -> None:
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    bpy.context.scene.collection.objects.link(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = solved
    bpy.context.scene.collection.objects.unlink(solved)
    assert "Walker" in bpy.data.objects
    assert len(leftovers.find().empties) == 2


def test_what_the_animator_has_made_or_uses_stays(solved: bpy.types.Object) -> None:
    collection = character_of(solved).collection
    followed, other = (item.points[0].object for item in character_of(solved).constraints)
    prop = bpy.data.objects.new("Prop", None)
    collection.objects.link(prop)
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    lamp.constraints.new("COPY_LOCATION").target = followed
    bridge.animation_of(solved).result.name = "Take I like"
    kept, removed = followed.name, other.name
    delete(solved)
    bpy.ops.poise.leftovers_remove()
    assert {found.name for found in empties()} == {"Prop", kept} and removed not in bpy.data.objects
    assert "Take I like" in bpy.data.actions
    assert set(collection.objects) == {prop, bpy.data.objects[kept]}


def test_what_the_animator_has_duplicated_or_renamed_stays(solved: bpy.types.Object) -> None:
    one, other = (item.points[0].object for item in character_of(solved).constraints)
    bpy.ops.object.select_all(action="DESELECT")
    one.select_set(True)
    bpy.ops.object.duplicate()
    (duplicated,) = (found for found in empties() if found not in (one, other))
    other.name = "Where the cup stands"
    kept = {duplicated.name, "Where the cup stands"}
    delete(solved)
    bpy.ops.poise.leftovers_remove()
    assert {found.name for found in empties()} == kept


def test_a_collection_that_was_renamed_stays(solved: bpy.types.Object) -> None:
    character_of(solved).collection.name = "Targets"
    delete(solved)
    bpy.ops.poise.leftovers_remove()
    assert not empties() and [found.name for found in bpy.data.collections] == ["Targets"]
    assert not leftovers.find()


def test_the_empties_of_a_copy_stay(solved: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    solved.select_set(True)
    bpy.context.view_layer.objects.active = solved
    bpy.ops.object.duplicate()
    copy = bpy.context.view_layer.objects.active
    delete(solved)
    assert not leftovers.find().empties and not leftovers.find().collections
    assert all(item.points[0].object is not None for item in character_of(copy).constraints)


def test_a_result_of_a_source_that_another_character_has_stays(solved: bpy.types.Object) -> None:
    other = bpy.data.objects.new("Other", solved.data)
    bpy.context.scene.collection.objects.link(other)
    other.animation_data_create().action = bridge.animation_of(solved).source
    delete(solved)
    assert not leftovers.find().results


def test_panels_look_again_only_where_something_was_added_or_removed(
    armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    looked = []
    find = leftovers.find
    monkeypatch.setattr(leftovers, "find", lambda: looked.append(1) or find())
    assert [leftovers.glance() for _ in range(5)] == [""] * 5 and len(looked) <= 1
    bpy.data.objects.remove(armature)
    assert [leftovers.glance() for _ in range(5)] == ["1 empty"] * 5 and len(looked) <= 2
    leftovers.forget_glance()
    assert leftovers.glance() == "1 empty" and len(looked) <= 3


def test_another_file_is_looked_at_anew(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    bpy.data.objects.remove(armature)
    assert leftovers.glance()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not leftovers.glance()
