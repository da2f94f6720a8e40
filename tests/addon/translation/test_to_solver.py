# SPDX-License-Identifier: GPL-3.0-or-later
"""What saved constraints make a character do, and what is reported where they cannot be used."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import create
from poise.solver.core import rotations

from ..walking import select_bones

HAND, HEAD, OTHER = "l_wrist", "skullbase", "r_wrist"


def solved(armature: bpy.types.Object, reading: bridge.Reading) -> solver.Clip:
    """The motion that satisfies all constraints of a character."""
    found = translation.translate(armature, reading)
    return solver.deform(translation.clip_with_settings(armature, reading), found.constraints).clip


def frame(reading: bridge.Reading, time: float) -> int:
    return reading.frame_of(time)


def test_a_pin_leads_the_bone_to_its_empty(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0, hold=5.0)
    before = reading.clip.position(HAND)[frame(reading, 20)]
    np.testing.assert_allclose(np.array(pin.points[0].object.location), before, atol=1e-5)
    pin.points[0].object.location += Vector((0.0, 0.0, 0.1))
    after = solved(armature, reading).position(HAND)[frame(reading, 20) : frame(reading, 25) + 1]
    assert np.abs(after - np.add(before, (0.0, 0.0, 0.1))).max() < 1e-4


def test_a_hand_that_is_moved_leaves_the_feet_where_they_are(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    pin.points[0].object.location += Vector((0.0, -0.1, 0.1))
    after = solved(armature, reading)
    for foot in ("l_metatarsal", "r_metatarsal"):
        np.testing.assert_allclose(after.position(foot), reading.clip.position(foot), rtol=0.0, atol=1e-12)


def test_the_tail_of_a_bone_is_pinned(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, ["l_elbow"], 20.0, at_tail=True)
    place = reading.clip.position(HAND)[frame(reading, 20)]
    np.testing.assert_allclose(np.array(pin.points[0].object.location), place, atol=1e-5)


def test_a_bone_posed_without_a_key_is_pinned_where_it_is_shown(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    bpy.context.scene.frame_set(20)
    bone = armature.pose.bones["l_shoulder"]
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = Quaternion((1.0, 0.0, 0.0), 1.0)
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    shown = armature.matrix_world @ armature.pose.bones[HAND].head
    assert (Vector(pin.points[0].object.location) - shown).length < 1e-5
    assert np.linalg.norm(np.array(shown) - reading.clip.position(HAND)[frame(reading, 20)]) > 0.05


def test_an_untouched_trajectory_changes_nothing(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    create.add_trajectories(armature, [HAND, OTHER], 5.0, 40.0, 4)
    after = solved(armature, reading)
    assert np.abs(after.world.positions - reading.clip.world.positions).max() < 1e-4 * reading.clip.skeleton.size


def test_an_orientation_turns_the_bone_as_its_empty(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (item,) = create.add_orientations(armature, [HEAD], 20.0)
    empty = item.points[0].object
    empty.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), 0.4) @ empty.rotation_quaternion
    turned = solved(armature, reading).orientation(HEAD)[frame(reading, 20)]
    wanted = np.array(empty.rotation_quaternion)
    assert abs(abs(turned @ wanted) - 1.0) < 1e-6


def test_a_head_looks_at_what_moves(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    head = reading.clip.position(HEAD)
    ahead = np.array([0.0, -5.0, 0.0])
    for time, aside in ((1, -2.0), (67, 2.0)):
        ball.location = head[frame(reading, time)] + ahead + (aside, 0.0, 0.3)
        ball.keyframe_insert("location", frame=time)
    (item,) = create.add_look_at(armature, [HEAD], 1.0, 67.0, "Ball")
    after = solved(armature, reading)
    point = item.points[0]
    for time in range(round(point.begin), round(point.end) + 1, 10):
        bpy.context.scene.frame_set(time)
        eye = after.position(HEAD)[frame(reading, time)]
        looks = rotations.rotate(after.orientation(HEAD)[frame(reading, time)], np.array(item.axis))
        wanted = np.array(ball.matrix_world.translation) - eye
        assert looks @ wanted / np.linalg.norm(wanted) > np.cos(np.radians(1.0)), f"frame {time}"


def test_a_head_looks_from_where_it_is_in_the_result(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    ball.location = reading.clip.position(HEAD)[frame(reading, 30)] + np.array([0.3, -1.0, 0.0])
    (item,) = create.add_look_at(armature, [HEAD], 10.0, 50.0, "Ball")
    (pin,) = create.add_pins(armature, ["HumanoidRoot"], 20.0, hold=20.0)
    pin.points[0].object.location += Vector((0.4, 0.0, 0.0))
    pin.priority = 2
    after = solved(armature, reading)
    for time in range(20, 41, 5):
        now = frame(reading, time)
        assert np.linalg.norm(after.position(HEAD)[now] - reading.clip.position(HEAD)[now]) > 0.1
        looks = rotations.rotate(after.orientation(HEAD)[now], np.array(item.axis))
        wanted = np.array(ball.location) - after.position(HEAD)[now]
        assert looks @ wanted / np.linalg.norm(wanted) > np.cos(np.radians(0.1)), f"frame {time}"


def test_the_axis_that_looks_points_ahead(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    skeleton = reading.clip.skeleton
    turns, places = skeleton.rest
    toes = places[skeleton.index("l_metatarsal")] - places[skeleton.index("l_talocrural")]
    axis = create.looking_axis(armature, HEAD)
    assert rotations.rotate(turns[skeleton.index(HEAD)], axis) @ (toes / np.linalg.norm(toes)) > 0.7


@pytest.mark.parametrize("space", ["LOCAL", "WORLD"])
def test_a_held_pose_is_kept_on_parents_or_in_the_world(
    armature: bpy.types.Object, reading: bridge.Reading, space: str
) -> None:
    bones = ["l_shoulder", "l_elbow", "HumanoidRoot"]
    item = create.add_pose(armature, bones, 30.0, 20.0, 34.0, space)
    assert [listed.bone for listed in item.bones] == bones
    after = solved(armature, reading)
    first, last, shown = (frame(reading, time) for time in (20, 34, 30))
    for bone in bones:
        joint = reading.clip.skeleton.index(bone)
        if space == "WORLD":
            before, held = reading.clip.orientation(bone)[shown], after.orientation(bone)[first : last + 1]
        else:
            before, held = (clip.motion.rotations[:, joint] for clip in (reading.clip, after))
            before, held = before[shown], held[first : last + 1]
        angles = 2.0 * np.arccos(np.clip(np.abs(held @ before), 0.0, 1.0))
        assert angles.max() < 1e-3, f"{bone} turns by {angles.max():.3g} radians while it is held"
    moved = np.abs(reading.clip.orientation("l_shoulder")[first] @ reading.clip.orientation("l_shoulder")[shown])
    assert moved < 0.9999, "the source moves, so holding it still is something"


def test_balance_moves_the_centre_of_mass(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    item = create.add_balance(armature)
    item.displacement = (0.03, 0.0, 0.0)
    create.add_footplant(armature, "left", 10.0, 25.0)
    (balance, _) = translation.translate(armature, reading).constraints
    assert isinstance(balance, solver.Balance)
    np.testing.assert_allclose(balance.displacement, (0.03, 0.0, 0.0), atol=1e-7)


def test_a_moved_empty_moves_its_plant_and_only_then(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    item = create.add_footplant(armature, "left", 10.0, 25.0)
    (plant,) = translation.translate(armature, reading).constraints
    assert isinstance(plant, solver.Footplant)
    assert plant.position is None and plant.heading is None
    assert tuple(plant.shift) == (0.0, 0.0, 0.0) and plant.turn == 0.0
    empty = item.points[0].object
    empty.location += Vector((0.1, 0.2, 0.3))
    empty.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), 0.5) @ empty.rotation_quaternion
    (plant,) = translation.translate(armature, reading).constraints
    assert isinstance(plant, solver.Footplant)
    np.testing.assert_allclose(plant.shift, (0.1, 0.2, 0.3), atol=1e-6)
    assert abs(plant.turn - 0.5) < 1e-6


def test_a_parented_empty_is_where_its_parent_takes_it(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    cart = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(cart)
    for time in (1, 41):
        cart.location = (0.0, 0.0, 0.01 * (time - 1))
        cart.keyframe_insert("location", frame=time)
    empty = pin.points[0].object
    place = np.array(empty.location)
    empty.parent = cart
    bpy.context.scene.frame_set(33)
    (found,) = translation.translate(armature, reading).constraints
    assert isinstance(found, solver.ShapeConstraint)
    (point,) = found.points
    height = _height_at(cart, 20)
    np.testing.assert_allclose(point.location, np.add(place, (0.0, 0.0, height)), atol=1e-5)
    assert bpy.context.scene.frame_current == 33


def _height_at(cart: bpy.types.Object, time: int) -> float:
    now = bpy.context.scene.frame_current
    bpy.context.scene.frame_set(time)
    height = float(cart.matrix_world.translation.z)
    bpy.context.scene.frame_set(now)
    return height


def test_points_on_a_bone_stay_there_whatever_is_shown(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    """An empty that hangs on the reference bone has the same place on it while a result is shown that moves it."""
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    pin.reference, pin.reference_bone = "BONE", HEAD
    empty = pin.points[0].object
    (before,) = _locations(armature, reading)
    place = empty.matrix_basis.copy()
    bpy.context.scene.frame_set(20)
    empty.parent, empty.parent_type, empty.parent_bone = armature, "BONE", HEAD
    bpy.context.view_layer.update()
    empty.matrix_world = place
    bpy.context.view_layer.update()
    (parented,) = _locations(armature, reading)
    np.testing.assert_allclose(parented, before, atol=1e-4)
    turns = reading.clip.motion.rotations.copy()
    joint = reading.clip.skeleton.index("vt6")
    turns[1:-1, joint] = rotations.multiply(turns[1:-1, joint], rotations.exp(np.array([0.3, 0.2, 0.1])))
    changed = reading.clip.with_motion(solver.Motion(turns, reading.clip.motion.translations))
    bridge.bake(reading, changed)
    (shown,) = _locations(armature, bridge.read(armature))
    np.testing.assert_allclose(shown, parented, atol=1e-4)


def _locations(armature: bpy.types.Object, reading: bridge.Reading) -> list[Any]:
    (found,) = translation.translate(armature, reading).constraints
    return [point.location for point in found.points]  # type: ignore[attr-defined]


def test_a_hand_follows_an_empty_that_moves(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0, hold=10.0)
    empty = pin.points[0].object
    for time in (20, 30):
        empty.keyframe_insert("location", frame=time)
        empty.location.z += 0.1
    after = solved(armature, reading).position(HAND)
    for time in (20, 24, 30):
        bpy.context.scene.frame_set(time)
        miss = np.array(empty.matrix_world.translation) - after[frame(reading, time)]
        assert np.linalg.norm(miss) < 1e-4, f"frame {time}"


def test_a_way_that_is_given_frame_by_frame_is_one_moving_empty(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    rng = np.random.default_rng(3)
    way = reading.clip.position(HAND)[10:30] + 0.1 * rng.normal(size=(20, 3))
    points = [solver.ConstraintPoint(place, 10.0 + number) for number, place in enumerate(way)]
    item = translation.store_constraint(armature, reading, solver.ShapeConstraint(HAND, 5, 35, points=points))
    assert len(item.points) == 1
    (found,) = translation.translate(armature, reading).constraints
    assert isinstance(found, solver.ShapeConstraint)
    np.testing.assert_allclose([point.location for point in found.points], way, atol=1e-6)
    np.testing.assert_allclose([point.stay for point in found.points], [point.stay for point in points])


def test_frames_outside_of_what_is_read_are_cut_off(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [HAND], 20.0)
    create.add_footplant(armature, "left", 10.0, 25.0)
    create.add_trajectories(armature, [HAND], 5.0, 60.0, 6)
    part = bridge.read(armature, 22, 40)
    found = translation.translate(armature, part)
    plant, trajectory = found.constraints
    assert isinstance(plant, solver.Footplant) and isinstance(trajectory, solver.ShapeConstraint)
    assert (plant.heel_strike, plant.heel_off) == (0.0, 3.0)
    assert (trajectory.begin, trajectory.end) == (0.0, 18.0)
    assert all(0.0 <= point.begin <= 18.0 for point in trajectory.points)
    (skipped,) = found.skipped
    assert "Pin" in skipped and "frames that are solved" in skipped
    solver.deform(part.clip, found.constraints)


@pytest.mark.parametrize("step", [0.5, 2.0])
def test_frames_are_the_clips_whatever_the_step(armature: bpy.types.Object, step: float) -> None:
    create.add_footplant(armature, "left", 11.0, 25.0)
    (pin,) = create.add_pins(armature, [HAND], 21.0, hold=4.0)
    character_of(armature).constraints[0].ease_in = 6.0
    part = bridge.read(armature, 5, 45, step=step)
    plant, found = translation.translate(armature, part).constraints
    assert isinstance(plant, solver.Footplant) and isinstance(found, solver.ShapeConstraint)
    assert (plant.heel_strike, plant.toe_off, plant.ease_in) == (6.0 / step, 20.0 / step, 6.0 / step)
    assert [point.stay for point in found.points] == [(16.0 / step, 20.0 / step)]
    after = solver.deform(part.clip, [found]).clip.position(HAND)
    place = np.array(pin.points[0].object.location)
    np.testing.assert_allclose(after[part.frame_of(23)], place, atol=1e-4)


# What is reported --------------------------------------------------------------------------------------------------


def complaint(armature: bpy.types.Object, reading: bridge.Reading) -> str:
    with pytest.raises(solver.PoiseError) as message:
        translation.translate(armature, reading)
    sentence = str(message.value)
    assert sentence.endswith(".") and "\n" not in sentence
    return sentence


def rename(armature: bpy.types.Object, old: str, new: str) -> None:
    armature.data.bones[old].name = new


def test_a_renamed_bone_is_followed(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [HAND, OTHER], 20.0)
    rename(armature, HAND, "Other")
    rename(armature, OTHER, HAND)
    first, second = translation.translate(armature, bridge.read(armature)).constraints
    assert (first.joint, second.joint) == ("Other", HAND)  # type: ignore[attr-defined]


def test_a_deleted_bone_is_reported(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_middle1"], 20.0)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["l_middle1"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "'l_middle1' has been deleted" in complaint(armature, bridge.read(armature))


def _delete_in_the_viewport(empty: bpy.types.Object) -> None:
    for collection in list(empty.users_collection):
        collection.objects.unlink(empty)


def _delete_in_a_script(empty: bpy.types.Object) -> None:
    bpy.data.objects.remove(empty)


@pytest.mark.parametrize("delete", [_delete_in_the_viewport, _delete_in_a_script])
def test_a_constraint_with_a_deleted_empty_is_left_out(
    armature: bpy.types.Object, reading: bridge.Reading, delete: Any
) -> None:
    pin, other = create.add_pins(armature, [HAND, "r_wrist"], 20.0)
    delete(pin.points[0].object)
    found = translation.translate(armature, reading)
    assert found.uids == (other.uid,) and not found.skipped
    assert set(found.lost) == {pin.uid} and "the empty of its point 1 has been deleted" in found.lost[pin.uid]


def test_a_constraint_with_a_deleted_reference_is_left_out(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    pin.reference, pin.reference_object = "OBJECT", bpy.data.objects.new("Box", None)
    found = translation.translate(armature, reading)
    assert not found.constraints and "'Box'" in found.lost[pin.uid]


def test_hidden_and_locked_bones_are_reported(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    create.add_pins(armature, [HAND], 20.0)
    bridge.set_hidden(armature.pose.bones[HAND])
    assert "hidden" in complaint(armature, reading)
    bridge.set_hidden(armature.pose.bones[HAND], False)
    armature.pose.bones[HAND].lock_location = armature.pose.bones[HAND].lock_rotation = (True, True, True)
    assert "locked" in complaint(armature, reading)


def _no_points(item: Any) -> None:
    item.points.clear()


def _backwards(item: Any) -> None:
    item.begin, item.end = 30.0, 10.0


def _point_backwards(item: Any) -> None:
    item.points[0].begin, item.points[0].end = 21.0, 19.0


def _point_outside(item: Any) -> None:
    item.end = 15.0


def _nothing_recruited(item: Any) -> None:
    item.recruit = "BONES"


def _no_bone(item: Any) -> None:
    item.bone, item.bone_id = "", ""


def _no_object(item: Any) -> None:
    item.reference = "OBJECT"


def _no_reference_bone(item: Any) -> None:
    item.reference = "BONE"


@pytest.mark.parametrize(
    ("corrupt", "message"),
    [
        (_no_points, "no points"),
        (_backwards, "after its end"),
        (_point_backwards, "point 1 begins at frame 21, after its end at 19: end it later"),
        (_point_outside, "outside its constraint"),
        (_nothing_recruited, "none is listed"),
        (_no_bone, "no bone"),
        (_no_object, "missing"),
        (_no_reference_bone, "no bone"),
    ],
)
def test_what_is_wrong_with_a_constraint_is_reported(
    armature: bpy.types.Object, reading: bridge.Reading, corrupt: Any, message: str
) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    corrupt(pin)
    assert message in complaint(armature, reading)


def test_a_disabled_constraint_is_left_out(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, [HAND], 20.0)
    pin.enabled = False
    assert not translation.translate(armature, reading).constraints


def test_landmarks_and_mass_reach_the_solver(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    character = character_of(armature)
    assert translation.clip_with_settings(armature, reading) is reading.clip
    landmark = character.landmarks.add()
    landmark.mark, landmark.bone, landmark.offset = "left_heel", "l_knee", (0.0, 0.1, 0.0)
    character.mass = 55.0
    skeleton = translation.clip_with_settings(armature, reading).skeleton
    set_up = translation.reading_with_settings(armature, reading)
    assert translation.clip_with_settings(armature, set_up) is set_up.clip, "what is set up already is not set up again"
    assert skeleton.total_mass == 55.0
    heel = skeleton.landmarks.left_heel
    assert heel is not None and heel.joint == skeleton.index("l_knee")
    np.testing.assert_allclose(heel.offset, (0.0, 0.1, 0.0), atol=1e-7)
    landmark.bone = "missing"
    with pytest.raises(translation.TranslationError, match="deleted"):
        translation.clip_with_settings(armature, reading)


def test_the_ground_is_the_animators(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    character = character_of(armature)
    character.ground_height = 0.5
    assert translation.ground_of(armature, reading.clip) is None, "it is off until it is switched on"
    character.use_ground = True
    ground = translation.ground_of(armature, reading.clip)
    assert ground is not None and ground.height == 0.5


@pytest.mark.parametrize("own_height", [True, False])
def test_a_plant_that_keeps_its_height_is_saved_so(
    own_height: bool, armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    plant = solver.Footplant(foot="left", toe_strike=5, toe_off=15, own_height=own_height)
    item = translation.store_constraint(armature, reading, plant)
    assert item.ground_choice == ("OWN" if own_height else "AUTO")
    (again,) = translation.translate(armature, reading).constraints
    assert isinstance(again, solver.Footplant) and again.own_height is own_height


def test_nothing_is_selected_for_translation(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    """Selection and mode have no say in it."""
    create.add_pins(armature, [HAND], 20.0)
    select_bones(armature)
    assert len(translation.translate(armature, reading).constraints) == 1
