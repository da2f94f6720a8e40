# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints from the selection and from Python, and what can be done with them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of

from ..property_values import property_values
from ..walking import select_bones

LEFT, RIGHT, HEAD = "l_wrist", "r_wrist", "skullbase"
ADDING = ("pin", "trajectory", "footplant", "orientation", "look_at", "balance", "pose", "handplant")


def run(name: str, **given: Any) -> Any:
    """Run an operator; what it reports as an error is raised."""
    return getattr(bpy.ops.poise, name)(**given)


def refused(name: str, **given: Any) -> str:
    """The sentence with which an operator refuses."""
    with pytest.raises(RuntimeError) as message:
        run(name, **given)
    return str(message.value).removeprefix("Error: ").strip()


def items(armature: bpy.types.Object) -> list[Any]:
    return list(character_of(armature).constraints)


def set_preview(begin: int, end: int) -> None:
    scene = bpy.context.scene
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = begin, end


# Adding -----------------------------------------------------------------------------------------------------------


def test_each_kind_is_added_from_the_selection_and_can_be_solved(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    set_preview(10, 25)
    bpy.context.scene.frame_set(20)
    for kind in ADDING:
        select_bones(armature, {"footplant": "l_talocrural", "handplant": "l_wrist"}.get(kind, HEAD))
        assert run(f"constraint_add_{kind}") == {"FINISHED"}
    kinds = ["SHAPE", "SHAPE", "FOOTPLANT", "ORIENTATION", "LOOK_AT", "BALANCE", "POSE", "HANDPLANT"]
    assert [item.kind for item in items(armature)] == kinds
    for item in items(armature):
        found = translation.translate(armature, reading, [item])
        assert found.constraints and not found.skipped
        report = solver.deform(translation.clip_with_settings(armature, reading), found.constraints).report
        assert not report.conflicts, f"{item.name} does not hold as it was added"
    assert len({item.uid for item in items(armature)}) == len(kinds)
    assert bpy.context.scene.frame_current == 20


def test_everything_can_be_given_from_python(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT, frame=12.5, hold=3.0)
    run("constraint_add_trajectory", bone=f"{LEFT}, {RIGHT}", begin=5, end=45, count=4, mode="ABSOLUTE")
    run("constraint_add_footplant", foot="RIGHT", begin=30, end=40)
    run("constraint_add_pose", bone="l_elbow", frame=7, begin=20, end=30, space="WORLD")
    pin, one, other, plant, pose = items(armature)
    assert (pin.points[0].begin, pin.points[0].end) == (12.5, 15.5)
    assert pin.begin < 12.5 and pin.end > 15.5
    assert [one.bone, other.bone] == [LEFT, RIGHT]
    assert len(one.points) == 4 and one.mode == "ABSOLUTE"
    assert (one.begin, one.end) == (5.0, 45.0)
    assert (plant.foot, plant.heel_strike, plant.toe_off) == ("RIGHT", 30.0, 40.0)
    assert (pose.pose_space, pose.begin, pose.end) == ("WORLD", 20.0, 30.0)


def test_several_bones_give_a_pin_each_and_the_empties_have_a_collection(armature: bpy.types.Object) -> None:
    select_bones(armature, LEFT, RIGHT)
    run("constraint_add_pin")
    empties = [item.points[0].object for item in items(armature)]
    collection = character_of(armature).collection
    assert collection.name == f"Poise {armature.name}"
    assert set(collection.objects) == set(empties)
    assert {empty.name for empty in empties} == {f"{LEFT} 1", f"{RIGHT} 1"}


def test_the_usual_priorities_keep_feet_before_balance_before_hands(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    run("constraint_add_balance")
    run("constraint_add_footplant", foot="LEFT")
    hand, balance, foot = (item.priority for item in items(armature))
    assert foot > balance > hand


def test_the_foot_is_that_of_the_selected_leg(armature: bpy.types.Object) -> None:
    for bone in ("r_knee", "r_metatarsal", "l_hip"):
        run("constraint_add_footplant", bone=bone, begin=10, end=20)
    assert [item.foot for item in items(armature)] == ["RIGHT", "RIGHT", "LEFT"]
    assert "which foot is meant" in refused("constraint_add_footplant", bone=LEFT, begin=10, end=20)


def test_look_at_takes_an_object(armature: bpy.types.Object) -> None:
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    ball.location = (0.0, -20.0, 1.0)
    run("constraint_add_look_at", bone=HEAD, target="Ball")
    assert items(armature)[0].points[0].object == ball
    run("constraint_remove")
    assert "Ball" in bpy.data.objects, "an object that is not ours is left alone"
    assert "no object 'Missing'" in refused("constraint_add_look_at", bone=HEAD, target="Missing")


def _empty_range(armature: bpy.types.Object) -> dict[str, Any]:
    return {"bone": LEFT, "begin": 30, "end": 20}


def _nothing_selected(armature: bpy.types.Object) -> dict[str, Any]:
    select_bones(armature)
    return {}


def _unknown_bone(armature: bpy.types.Object) -> dict[str, Any]:
    return {"bone": "missing"}


def _hidden_bone(armature: bpy.types.Object) -> dict[str, Any]:
    bridge.set_hidden(armature.pose.bones[LEFT])
    return {"bone": LEFT}


def _locked_bone(armature: bpy.types.Object) -> dict[str, Any]:
    armature.pose.bones[LEFT].lock_location = armature.pose.bones[LEFT].lock_rotation = (True, True, True)
    return {"bone": LEFT}


def _edit_mode(armature: bpy.types.Object) -> dict[str, Any]:
    bpy.ops.object.mode_set(mode="EDIT")
    return {"bone": LEFT}


@pytest.mark.parametrize("kind", ["pin", "trajectory", "orientation", "look_at", "pose"])
@pytest.mark.parametrize(
    ("corrupt", "message"),
    [
        (_nothing_selected, "No bone is selected"),
        (_unknown_bone, "no bone 'missing'"),
        (_hidden_bone, "hidden"),
        (_locked_bone, "locked"),
        (_edit_mode, "edit mode"),
    ],
)
def test_what_is_wrong_is_reported_and_nothing_is_added(
    armature: bpy.types.Object, kind: str, corrupt: Any, message: str
) -> None:
    given = corrupt(armature)
    objects = set(bpy.data.objects)
    assert message in refused(f"constraint_add_{kind}", **given)
    assert not items(armature)
    assert set(bpy.data.objects) == objects
    assert not bpy.data.collections


def test_a_range_that_ends_before_it_begins_is_refused(armature: bpy.types.Object) -> None:
    assert "no frame from 30 to 20" in refused("constraint_add_trajectory", **_empty_range(armature))
    assert "no room for a point" in refused("constraint_add_trajectory", bone=LEFT, begin=10, end=10)


def test_operators_say_why_they_cannot_run() -> None:
    assert not bpy.ops.poise.constraint_add_pin.poll()
    assert "Select an armature" in refused("constraint_add_pin")


def test_operators_on_a_constraint_ask_for_one(armature: bpy.types.Object) -> None:
    for name in ("remove", "duplicate", "mirror", "move", "select_bones", "pick"):
        assert "no constraint yet" in refused(f"constraint_{name}")
    run("constraint_add_pin", bone=LEFT)
    assert "no constraint number 7" in refused("constraint_remove", index=7)


def test_with_one_of_the_empties_active_its_character_is_meant(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    bpy.context.view_layer.objects.active = items(armature)[0].points[0].object
    run("constraint_add_pin", bone=RIGHT)
    assert len(items(armature)) == 2


def test_another_armature_is_meant_by_an_override(armature: bpy.types.Object) -> None:
    twin = armature.copy()
    bpy.context.scene.collection.objects.link(twin)
    with bpy.context.temp_override(object=twin, active_object=twin):
        run("constraint_add_pin", bone=LEFT)
    assert len(items(twin)) == 1 and not items(armature)


# Changing the list --------------------------------------------------------------------------------------------------


def test_removing_takes_the_empties_along_and_leaves_no_trace(armature: bpy.types.Object) -> None:
    before = set(bpy.data.objects)
    run("constraint_add_pin", bone=f"{LEFT},{RIGHT}")
    run("constraint_add_trajectory", bone=LEFT)
    run("constraint_remove", index=0)
    assert [item.name for item in items(armature)] == [f"Pin {RIGHT}", f"Trajectory {LEFT}"]
    run("constraint_remove")
    run("constraint_remove")
    assert not items(armature)
    assert set(bpy.data.objects) == before and not bpy.data.collections


def test_a_copy_is_equal_and_has_empties_of_its_own(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("constraint_add_trajectory", bone=LEFT, begin=5, end=45)
    run("constraint_duplicate")
    one, other = items(armature)
    assert one.uid != other.uid and other.name == f"Trajectory {LEFT}.001"
    first, second = translation.translate(armature, reading).constraints
    assert [p.stay for p in first.points] == [p.stay for p in second.points]  # type: ignore[attr-defined]
    other.points[0].object.location += Vector((1.0, 0.0, 0.0))
    first, second = translation.translate(armature, reading).constraints
    apart = np.subtract(second.points[0].location, first.points[0].location)  # type: ignore[attr-defined]
    np.testing.assert_allclose(apart, (1.0, 0.0, 0.0), atol=1e-6)
    run("constraint_remove")
    assert all(point.object is not None for point in items(armature)[0].points)


def test_moving_changes_only_the_order_of_importance(armature: bpy.types.Object) -> None:
    for bone in (LEFT, RIGHT, HEAD):
        run("constraint_add_pin", bone=bone)

    def levels() -> list[int]:
        priorities = [item.priority for item in items(armature)]
        return [sorted(set(priorities)).index(priority) for priority in priorities]

    assert levels() == [0, 0, 0]
    run("constraint_move", index=2, direction="UP")
    assert levels() == [0, 0, 1]
    run("constraint_move", index=1, direction="UP")
    assert levels() == [0, 1, 2]
    run("constraint_move", index=1, direction="UP")
    assert levels() == [0, 1, 1]
    run("constraint_move", index=1, direction="UP")
    assert levels() == [0, 2, 1]
    run("constraint_move", index=1, direction="DOWN")
    assert levels() == [0, 1, 1]
    run("constraint_move", index=2, direction="DOWN")
    assert levels() == [0, 2, 1]
    assert "most important" in refused("constraint_move", index=1, direction="UP")
    assert "least important" in refused("constraint_move", index=0, direction="DOWN")


def test_bones_are_selected_back(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    run("constraint_add_pose", bone="l_elbow,r_elbow", begin=10, end=20)
    select_bones(armature, HEAD)
    armature.data.bones[LEFT].name = "Renamed"
    run("constraint_select_bones", index=0)
    assert selection(armature) == {"Renamed"}
    run("constraint_select_bones", extend=True)
    assert selection(armature) == {"Renamed", "l_elbow", "r_elbow"}


def selection(armature: bpy.types.Object) -> set[str]:
    return {bone.name for bone in armature.pose.bones if bridge.is_selected(bone)}


def test_bones_are_picked_for_every_role(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("constraint_add_pin", bone=LEFT)
    select_bones(armature, RIGHT)
    run("constraint_pick")
    select_bones(armature, HEAD)
    run("constraint_pick", role="REFERENCE")
    run("constraint_pick", role="RECRUITED", bone=f"{RIGHT},r_elbow")
    (found,) = translation.translate(armature, reading).constraints
    assert isinstance(found, solver.ShapeConstraint)
    assert (found.joint, found.reference, found.recruit) == (RIGHT, HEAD, (RIGHT, "r_elbow"))
    run("constraint_add_pose", bone=LEFT, begin=10, end=20)
    run("constraint_pick", bone="l_elbow,r_elbow")
    assert [listed.bone for listed in items(armature)[1].bones] == ["l_elbow", "r_elbow"]


def test_a_captured_pose_replaces_the_former(armature: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(10)
    run("constraint_add_pose", bone="l_shoulder", begin=10, end=20)
    (item,) = items(armature)
    before = list(item.bones[0].rotation)
    bpy.context.scene.frame_set(25)
    run("pose_capture")
    assert abs(np.dot(before, list(item.bones[0].rotation))) < 0.9999
    run("constraint_add_pin", bone=LEFT)
    assert "holds no pose" in refused("pose_capture")


# Duplicated characters ----------------------------------------------------------------------------------------------


def duplicate(*chosen: bpy.types.Object, linked: bool = False) -> bpy.types.Object:
    """The copy of the first of some objects, which are duplicated as Shift+D does, or Alt+D."""
    bpy.ops.object.select_all(action="DESELECT")
    for found in chosen:
        found.select_set(True)
    bpy.context.view_layer.objects.active = chosen[0]
    bpy.ops.object.duplicate(linked=linked)
    return bpy.context.view_layer.objects.active


def empties(armature: bpy.types.Object) -> list[Any]:
    return [point.object for item in items(armature) for point in item.points]


def places(armature: bpy.types.Object) -> list[tuple[float, ...]]:
    return [tuple(empty.location) for empty in empties(armature)]


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("first", ["copy", "original"])
def test_a_duplicated_character_gets_its_own_empties(armature: bpy.types.Object, linked: bool, first: str) -> None:
    run("constraint_add_pin", bone=LEFT)
    run("constraint_add_trajectory", bone=RIGHT)
    where = places(armature)
    copy = duplicate(armature, linked=linked)
    removed, kept = (copy, armature) if first == "copy" else (armature, copy)
    bpy.context.view_layer.objects.active = removed
    run("constraint_remove", index=0)
    run("constraint_remove", index=0)
    assert not items(removed)
    assert None not in empties(kept) and places(kept) == where
    assert all(empty.name in bpy.context.scene.objects for empty in empties(kept))
    bpy.context.view_layer.objects.active = kept
    run("solve")
    assert all(item.enabled for item in items(kept))
    run("constraint_remove", index=0)
    run("constraint_remove", index=0)
    assert not [found for found in bpy.data.objects if found.type == "EMPTY"]


def test_moving_an_empty_of_a_copy_leaves_the_original(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    copy = duplicate(armature)
    assert empties(copy) == empties(armature), "as Blender copies it"
    assert run("handles_make_own") == {"FINISHED"}
    (one,), (other,) = empties(armature), empties(copy)
    assert one != other and tuple(one.location) == tuple(other.location)
    assert one.users_collection[0] != other.users_collection[0]
    assert other.users_collection[0] == character_of(copy).collection
    assert not bpy.ops.poise.handles_make_own.poll()
    bpy.context.view_layer.objects.active = armature
    assert not bpy.ops.poise.handles_make_own.poll(), "the original keeps its own"
    run("constraint_duplicate")
    assert empties(armature)[0] == one


def test_a_copy_of_an_empty_moves_as_the_original_does(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    (empty,) = empties(armature)
    for frame, height in ((10, 0.0), (20, 1.0)):
        empty.location.z = height
        empty.keyframe_insert("location", frame=frame)
    copy = duplicate(armature)
    run("handles_make_own")
    (own,) = empties(copy)
    assert own.animation_data.action != empty.animation_data.action
    for frame in (10, 14, 20):
        bpy.context.scene.frame_set(frame)
        assert own.matrix_world.translation.z == pytest.approx(empty.matrix_world.translation.z), frame
    assert own.matrix_world.translation.z == pytest.approx(1.0)


def test_empties_that_were_duplicated_with_their_armature_are_the_copys(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    copy = duplicate(armature, *empties(armature))
    (one,), (other,) = empties(armature), empties(copy)
    assert one != other
    run("handles_make_own")
    assert empties(copy) == [other] and other.users_collection == (character_of(copy).collection,)
    assert one.users_collection == (character_of(armature).collection,)


def test_a_copy_of_a_renamed_character_gets_its_own_empties_too(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT)
    armature.name = "Bob"
    copy = duplicate(armature)
    for each in (armature, copy):
        bpy.context.view_layer.objects.active = each
        run("constraint_duplicate")
    assert not set(empties(armature)) & set(empties(copy))


def test_an_object_to_look_at_stays_shared(armature: bpy.types.Object) -> None:
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    run("constraint_add_look_at", bone=HEAD, target="Ball")
    run("constraint_add_pin", bone=LEFT)
    copy = duplicate(armature)
    run("handles_make_own")
    assert empties(copy)[0] == empties(armature)[0] == ball and empties(copy)[1] != empties(armature)[1]


# Armatures that cannot be changed ------------------------------------------------------------------------------------


CHANGING = (
    *((f"constraint_add_{kind}", {"bone": LEFT}) for kind in ("pin", "trajectory", "orientation", "look_at", "pose")),
    ("constraint_add_footplant", {"foot": "LEFT"}),
    ("constraint_add_balance", {}),
    ("constraint_remove", {}),
    ("constraint_duplicate", {}),
    ("constraint_mirror", {}),
    ("constraint_move", {}),
    ("constraint_select_bones", {}),
    ("constraint_pick", {"bone": RIGHT}),
    ("point_add", {}),
    ("point_remove", {}),
    ("pose_capture", {}),
    ("character_recognise", {}),
    ("landmark_set", {"mark": "head", "bone": LEFT}),
    ("landmark_clear", {}),
    ("constraints_save", {"filepath": "/nowhere/constraints.json"}),
    ("constraints_load", {"filepath": "/nowhere/constraints.json"}),
)


@pytest.mark.parametrize("overridden", [False, True])
def test_linked_armatures_are_left_alone(armature: bpy.types.Object, tmp_path: Any, overridden: bool) -> None:
    run("constraint_add_pin", bone=LEFT)
    name, path = armature.name, str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = [name]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    if overridden:
        linked = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = linked
    before = property_values(character_of(linked))
    for operator, given in CHANGING:
        sentence = refused(operator, **given)
        assert ("library override" if overridden else "is linked") in sentence, f"{operator}: {sentence}"
    assert property_values(character_of(linked)) == before


def test_without_an_action_what_needs_a_motion_says_so(armature: bpy.types.Object) -> None:
    armature.animation_data_clear()
    for kind in ("trajectory", "footplant", "pose"):
        given = {"foot": "LEFT"} if kind == "footplant" else {"bone": LEFT}
        assert "no action" in refused(f"constraint_add_{kind}", **given)
    assert not items(armature)
