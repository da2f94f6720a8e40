# SPDX-License-Identifier: GPL-3.0-or-later
"""New constraints have sensible frames, points and empties, and nothing is added where something is wrong."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.properties import character_of, ease_frames
from poise.addon.translation import TranslationError
from poise.addon.workflows import create


def test_a_span_gets_eases_within_the_range_of_the_scene(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    ease = ease_frames(scene)
    assert create.with_eases(scene, 20.0, 25.0) == (20.0 - ease, 25.0 + ease)
    first, last = scene.frame_start, scene.frame_end
    assert create.with_eases(scene, first + 1.0, last - 1.0) == (first, last)
    assert create.with_eases(scene, last + 5.0, last + 9.0) == (last + 5.0 - ease, last + 9.0)
    assert create.hold_frames(scene) == round(0.5 * scene.render.fps)


def test_points_of_a_trajectory_are_on_the_path_of_the_source(armature: bpy.types.Object) -> None:
    (item,) = create.add_trajectories(armature, ["l_wrist"], 5.0, 45.0, 3)
    reading = bridge.read(armature)
    assert [point.begin for point in item.points] == [15.0, 25.0, 35.0] and item.mode == "RELATIVE"
    for point in item.points:
        expected = reading.clip.position("l_wrist")[reading.frame_of(point.begin)]
        assert np.allclose(point.object.location, expected, atol=1e-5)
    with pytest.raises(TranslationError, match="no room for a point"):
        create.add_trajectories(armature, ["l_wrist"], 5.0, 6.0, 3)


@pytest.mark.parametrize("add", [create.add_pins, create.add_orientations])
def test_without_a_bone_nothing_is_added(armature: bpy.types.Object, add: object) -> None:
    with pytest.raises(TranslationError, match="No bone is selected"):
        add(armature, [], 20.0)
    with pytest.raises(bridge.BridgeError, match="no bone 'tail'"):
        add(armature, ["l_wrist", "tail"], 20.0)
    assert not len(character_of(armature).constraints)


def test_a_head_looks_at_an_empty_ahead_of_it_or_at_an_object(armature: bpy.types.Object) -> None:
    (look,) = create.add_look_at(armature, ["skullbase"], 5.0, 45.0)
    reading = bridge.read(armature)
    walked = reading.clip.position("skullbase")[-1] - reading.clip.position("skullbase")[0]
    ahead = np.array(look.points[0].object.location) - reading.clip.position("skullbase")[-1]
    assert walked[:2] @ ahead[:2] > 0.0, "the character does not walk past it"
    (other,) = create.add_look_at(armature, ["skullbase"], 5.0, 45.0, target="Walker")
    assert other.points[0].object == armature
    with pytest.raises(TranslationError, match="no object 'Missing'"):
        create.add_look_at(armature, ["skullbase"], 5.0, 45.0, target="Missing")


def test_the_foot_of_a_bone_is_that_of_its_leg(armature: bpy.types.Object) -> None:
    assert create.foot_of(armature, ["l_metatarsal"]) == "left" and create.foot_of(armature, ["r_hip"]) == "right"
    with pytest.raises(TranslationError, match="not clear which foot"):
        create.foot_of(armature, ["l_wrist"])


def test_a_point_is_added_and_removed_with_its_empty(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    end = pin.end
    create.add_point(armature, pin, 40.0)
    assert len(pin.points) == 2 and pin.active_point == 1 and pin.end > end
    with pytest.raises(TranslationError, match="has a point at frame 40 already"):
        create.add_point(armature, pin, 40.0)
    empty = pin.points[1].object.name
    create.remove_point(armature, pin, 1)
    assert len(pin.points) == 1 and empty not in bpy.data.objects


def test_a_held_pose_is_captured_again_of_other_bones(armature: bpy.types.Object) -> None:
    item = create.add_pose(armature, ["l_elbow", "l_wrist"], 10.0, 12.0, 20.0)
    first = [tuple(listed.rotation) for listed in item.bones]
    create.capture_pose(armature, item, 25.0)
    assert [tuple(listed.rotation) for listed in item.bones] != first
    create.capture_pose(armature, item, 25.0, ["r_elbow"])
    assert [listed.bone for listed in item.bones] == ["r_elbow"]
