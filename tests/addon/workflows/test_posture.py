# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool without a window: what is dragged comes, what holds stays, and Esc restores."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion
from numpy.typing import NDArray

from poise.addon import bridge
from poise.addon.workflows import pins, posture
from poise.solver import PoiseError

Array = NDArray[np.float64]

HAND, FOOT, OTHER_FOOT, HIPS = "l_wrist", "r_talocrural", "l_talocrural", "HumanoidRoot"
STILL = 2e-6
"""Metres: single precision in the pose of a character at a few metres from the origin."""


def head(armature: bpy.types.Object, bone: str) -> Array:
    bpy.context.view_layer.update()
    return np.array(armature.matrix_world @ armature.pose.bones[bone].head)


def turn(armature: bpy.types.Object, bone: str) -> Quaternion:
    bpy.context.view_layer.update()
    return (armature.matrix_world @ armature.pose.bones[bone].matrix).to_quaternion()


def channels(armature: bpy.types.Object) -> list[list[float]]:
    return [
        [*bone.location, *bone.rotation_quaternion, *bone.rotation_euler, *bone.scale] for bone in armature.pose.bones
    ]


def by(*way: float) -> Array:
    return np.array(way)


def center_of_mass(armature: bpy.types.Object) -> Array:
    return np.asarray(bridge.read_shown(armature).clip.center_of_mass()[0])


def settled(session: posture.PostureSession, target: Any) -> None:
    """Move to a target and go on until the posture is at rest."""
    session.move(target)
    for _ in range(100):
        session.go_on()
    assert session.is_at_rest


def test_a_hand_comes_to_the_mouse_while_feet_and_balance_hold(armature: bpy.types.Object) -> None:
    feet = [head(armature, bone) for bone in (FOOT, OTHER_FOOT)]
    turns, mass = [turn(armature, bone) for bone in (FOOT, OTHER_FOOT)], center_of_mass(armature)
    session = posture.begin(armature, HAND)
    target = head(armature, HAND) + by(0.1, -0.15, 0.2)
    settled(session, target)
    assert np.allclose(head(armature, HAND), target, atol=1e-4)
    for bone, place, turned in zip((FOOT, OTHER_FOOT), feet, turns, strict=True):
        assert np.allclose(head(armature, bone), place, atol=STILL)
        assert turn(armature, bone).rotation_difference(turned).angle < 1e-4
    assert np.allclose(center_of_mass(armature)[:2], mass[:2], atol=1e-4)


def test_out_of_reach_it_comes_near_and_a_pinned_foot_stays(armature: bpy.types.Object) -> None:
    armature.poise.posture.feet_stay = False
    pins.pin(armature, [FOOT], "BOTH")
    foot, hand = head(armature, FOOT), head(armature, HAND)
    target = hand + by(2.0, 1.0, 1.0)
    session = posture.begin(armature, HAND)
    for share in np.linspace(0.0, 1.0, 12):
        session.move(hand + share * (target - hand))
        assert np.allclose(head(armature, FOOT), foot, atol=STILL)
    session.finish()
    assert np.allclose(head(armature, FOOT), foot, atol=STILL)
    assert np.linalg.norm(target - head(armature, HAND)) < 0.85 * np.linalg.norm(target - hand)


def test_without_pins_and_balance_the_body_is_free(armature: bpy.types.Object) -> None:
    settings = armature.poise.posture
    settings.feet_stay, settings.balance = False, "OFF"
    foot = head(armature, FOOT)
    settled(posture.begin(armature, HAND), head(armature, HAND) + by(0.5, 0.0, 0.3))
    assert np.linalg.norm(head(armature, FOOT) - foot) > 0.01


def test_hips_go_down_and_knees_bend(armature: bpy.types.Object) -> None:
    foot, hips = head(armature, FOOT), head(armature, HIPS)
    settled(posture.begin(armature, HIPS), hips - (0.0, 0.0, 0.2))
    assert head(armature, HIPS)[2] == pytest.approx(hips[2] - 0.2, abs=1e-3)
    assert np.allclose(head(armature, FOOT), foot, atol=STILL)


def test_a_dragged_foot_is_not_held(armature: bpy.types.Object) -> None:
    pins.pin(armature, [FOOT], "BOTH")
    target = head(armature, FOOT) + by(0.0, 0.0, 0.15)
    settled(posture.begin(armature, FOOT), target)
    assert np.allclose(head(armature, FOOT), target, atol=1e-3)


@pytest.mark.parametrize("hold", ["PLACE", "ROTATION"])
def test_a_pin_holds_the_place_or_the_rotation_alone(armature: bpy.types.Object, hold: str) -> None:
    pins.pin(armature, ["skullbase"], hold)
    place, turned = head(armature, "skullbase"), turn(armature, "skullbase")
    settled(posture.begin(armature, "vt1"), head(armature, "vt1") + by(0.1, 0.1, 0.05))
    moved = float(np.linalg.norm(head(armature, "skullbase") - place))
    angle = turn(armature, "skullbase").rotation_difference(turned).angle
    assert (moved < 1e-5) == (hold == "PLACE")
    assert (angle < 1e-3) == (hold == "ROTATION")


def test_the_wheel_says_how_many_bones_move(armature: bpy.types.Object) -> None:
    armature.poise.posture.balance = "OFF"
    before = channels(armature)
    session = posture.begin(armature, HAND)
    chain = session.moving_bones
    assert armature.poise.posture.use_all and "whole body" in session.description
    session.move(head(armature, HAND) + by(0.1, 0.0, 0.1))
    session.recruit(-1)
    assert not armature.poise.posture.use_all and session.moving_bones == chain[:-1]
    for _ in range(len(chain) - 3):
        session.recruit(-1)
    assert session.moving_bones == chain[:2] and chain[1] in session.description
    names = [bone.name for bone in armature.pose.bones]
    moved = {name for name, old, new in zip(names, before, channels(armature), strict=True) if old != new}
    assert moved == set(chain[:2])
    for _ in range(20):
        session.recruit(-1)
    assert session.moving_bones == chain[:1]
    for _ in range(20):
        session.recruit(1)
    assert armature.poise.posture.use_all


def test_the_rest_of_the_body_only_keeps_the_balance(armature: bpy.types.Object) -> None:
    settings = armature.poise.posture
    chest, hand, moved = head(armature, "vt1"), head(armature, HAND), []
    for use_all in (True, False):
        settings.use_all, settings.recruit_level = use_all, 2
        mass, session = center_of_mass(armature), posture.begin(armature, HAND)
        settled(session, hand + by(0.3, -0.5, 0.3))
        moved.append(float(np.linalg.norm(head(armature, "vt1") - chest)))
        assert np.allclose(center_of_mass(armature)[:2], mass[:2], atol=1e-3)
        session.cancel()
    assert 0.0 < moved[1] < 0.5 * moved[0]


def test_cancel_restores_to_the_bit_also_what_has_no_keys(armature: bpy.types.Object) -> None:
    armature.pose.bones["r_elbow"].rotation_euler = (0.3, 0.2, 0.1)
    before = channels(armature)
    session = posture.begin(armature, HAND)
    session.move(head(armature, HAND) + by(0.3, 0.0, 0.3))
    assert channels(armature) != before
    session.cancel()
    assert channels(armature) == before


def test_the_shown_pose_is_dragged_and_not_the_action(armature: bpy.types.Object) -> None:
    keyed = head(armature, "r_elbow")
    armature.pose.bones["r_shoulder"].rotation_euler = (0.5, 0.3, 0.1)
    elbow = head(armature, "r_elbow")
    assert np.linalg.norm(elbow - keyed) > 0.05
    session = posture.begin(armature, HAND)
    armature.poise.posture.balance = "OFF"
    armature.poise.posture.use_all, armature.poise.posture.recruit_level = False, 2
    settled(session, head(armature, HAND) + by(0.0, 0.0, 0.1))
    session.finish()
    assert np.allclose(head(armature, "r_elbow"), elbow, atol=STILL)


def test_only_auto_keying_writes_keys(armature: bpy.types.Object) -> None:
    scene, hand = bpy.context.scene, head(armature, HAND)
    scene.tool_settings.use_keyframe_insert_auto = False
    session = posture.begin(armature, HAND)
    session.move(hand + by(0.1, 0.0, 0.1))
    assert session.finish().endswith("moved.")
    assert np.linalg.norm(head(armature, HAND) - hand) > 0.05
    scene.frame_set(scene.frame_current)
    assert np.allclose(head(armature, HAND), hand, atol=STILL)
    scene.tool_settings.use_keyframe_insert_auto = True
    session = posture.begin(armature, HAND)
    session.move(hand + by(0.1, 0.0, 0.1))
    assert "keyed" in session.finish()
    dragged = head(armature, HAND)
    scene.frame_set(scene.frame_current)
    assert np.allclose(head(armature, HAND), dragged, atol=1e-5) and np.linalg.norm(dragged - hand) > 0.05
    scene.tool_settings.use_keyframe_insert_auto = False


def test_an_armature_without_animation_is_posed(armature: bpy.types.Object) -> None:
    armature.animation_data_clear()
    target = head(armature, HAND) + by(0.05, -0.1, 0.1)
    settled(posture.begin(armature, HAND), target)
    assert np.allclose(head(armature, HAND), target, atol=1e-3)


def test_a_load_shifts_the_body_where_it_is_balanced_over_the_feet(armature: bpy.types.Object) -> None:
    settings = armature.poise.posture
    settings.balance = "CENTER"
    target = head(armature, HAND) + by(0.2, 0.0, 0.2)
    session = posture.begin(armature, HAND)
    settled(session, target)
    alone = head(armature, HIPS)
    session.cancel()
    load = armature.poise.loads.add()
    load.bone, load.mass = HAND, 20.0
    settled(posture.begin(armature, HAND), target)
    assert np.linalg.norm(head(armature, HIPS)[:2] - alone[:2]) > 0.02
    mass, feet = center_of_mass(armature), []
    clip = bridge.read_shown(armature).clip
    for side in ("left", "right"):
        feet += [clip.position(getattr(clip.skeleton.landmarks, f"{side}_{part}"))[0] for part in ("heel", "ball")]
    assert np.linalg.norm(mass[:2] - np.mean(feet, axis=0)[:2]) > 0.02  # without the load it would not be over them


def test_the_ground_stops_a_hand(armature: bpy.types.Object) -> None:
    deep = head(armature, HAND) * (1.0, 1.0, 0.0) - (0.0, 0.0, 0.3)
    settings = armature.poise.posture
    settings.feet_stay, settings.balance = True, "OFF"
    session = posture.begin(armature, HAND)
    settled(session, deep)
    tip = bridge.read_shown(armature).clip
    assert head(armature, HAND)[2] > -1e-3
    assert tip.position(tip.skeleton.landmarks.left_fingertip)[0, 2] > -1e-3
    session.cancel()
    settings.use_ground = False
    settled(posture.begin(armature, HAND), deep)
    assert head(armature, HAND)[2] < -0.05


def test_a_wall_stops_a_hand(armature: bpy.types.Object) -> None:
    hand = head(armature, HAND)
    wall = bpy.data.objects.new("Wall", None)
    bpy.context.scene.collection.objects.link(wall)
    wall.location = hand + by(0.1, 0.0, 0.0)
    wall.rotation_euler = (0.0, -np.pi / 2, 0.0)  # its z axis points along -x
    pins.add_wall(armature, wall)
    settled(posture.begin(armature, HAND), hand + by(0.3, 0.0, 0.1))
    assert head(armature, HAND)[0] < hand[0] + 0.1 + 1e-4


def test_limits_hold_and_can_be_switched_off(armature: bpy.types.Object) -> None:
    for bone in armature.pose.bones:
        if bone.name not in ("l_elbow", HIPS):
            bone.lock_rotation = (True, True, True)
    elbow = armature.pose.bones["l_elbow"]
    for axis in "xyz":
        setattr(elbow, f"use_ik_limit_{axis}", True)
        setattr(elbow, f"ik_min_{axis}", -0.2)
        setattr(elbow, f"ik_max_{axis}", 0.2)
    armature.poise.posture.use_all, armature.poise.posture.recruit_level = False, 0
    armature.poise.posture.balance = "OFF"
    hand, before = head(armature, HAND), turn(armature, "l_elbow")
    angles = []
    for limited in (True, False):
        armature.poise.posture.use_limits = limited
        session = posture.begin(armature, HAND)
        settled(session, hand + by(0.5, -0.5, 0.5))
        angles.append(turn(armature, "l_elbow").rotation_difference(before).angle)
        session.cancel()
    assert angles[0] < 0.7 * angles[1]


def test_bones_that_cannot_move_are_said(armature: bpy.types.Object) -> None:
    for bone in armature.pose.bones:
        bone.lock_rotation, bone.lock_location = (True, True, True), (True, True, True)
    with pytest.raises(PoiseError, match=r"locked: unlock the rotation of one of them"):
        posture.begin(armature, HAND)
    with pytest.raises(PoiseError, match="has no bone 'tail'"):
        posture.begin(armature, "tail")


def test_a_control_rig_is_left_alone_with_a_sentence(rigify: bpy.types.Object) -> None:
    before = channels(rigify)
    for bone in ("hand_ik.R", "DEF-hand.R"):
        with pytest.raises(PoiseError, match="bakeable copy"):
            posture.begin(rigify, bone)
    assert channels(rigify) == before


def test_the_nearest_place_on_a_bone_to_the_mouse() -> None:
    first, last = np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])
    away = np.array([0.0, -1.0, 0.0])
    for height, share in ((-1.0, 0.0), (0.5, 0.25), (3.0, 1.0)):
        assert posture.nearest_share(first, last, np.array([0.3, 5.0, height]), away) == pytest.approx(share)
    assert posture.nearest_share(first, last, np.array([0.1, 0.0, 5.0]), np.array([0.0, 0.0, -1.0])) == 0.0
