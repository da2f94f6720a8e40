# SPDX-License-Identifier: GPL-3.0-or-later
"""Each action of an armature is read, baked and exported as a take of its own."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions

from .rigs import assert_blender_shows, blender_pose, changed, key, set_action, straight_chain, swing

NAMES = ("a", "b", "c")
WALK, RUN = range(1, 25), range(5, 20)


@pytest.fixture
def armature() -> bpy.types.Object:
    """An armature that shows the action Walk, beside which there is Run; Walk alone moves the root."""
    made = straight_chain(NAMES)
    swing(made, RUN, ["b", "c"])
    made.animation_data.action.name = "Run"
    made.animation_data.action.use_fake_user = True
    swing(made, WALK)
    made.animation_data.action.name = "Walk"
    key(made, 'pose.bones["a"].location', 1, WALK, np.linspace(1.0, 2.0, len(WALK)))
    bpy.context.scene.frame_set(20)
    return made


def takes(armature: bpy.types.Object) -> list[bridge.Take]:
    return bridge.takes_of(armature, [armature])


def assign(armature: bpy.types.Object, take: bridge.Take) -> None:
    pose = bridge.stored_pose(armature)
    bridge.assign_take(armature, take, takes(armature), pose, uses_nla=armature.animation_data.use_nla)


def test_the_shown_action_comes_first_and_poses_and_results_are_none(armature: bpy.types.Object) -> None:
    shown = armature.animation_data.action
    set_action(armature, "A Pose")
    key(armature, 'pose.bones["a"].location', 0, [1.0], [0.5])
    set_action(armature, "Lamp")
    key(armature, "location", 0, WALK, np.linspace(0.0, 1.0, len(WALK)))
    versions.assign(armature.animation_data, shown, versions.present_slot(shown, ""))
    reading = bridge.read(armature, WALK[0], WALK[-1])
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), ["b"]))
    found = takes(armature)
    assert [(take.name, take.is_shown) for take in found] == [("Walk", True), ("Run", False)]
    assert found[0].result is armature.animation_data.action and found[1].result is None
    assert bridge.frames_of(found[1]) == (RUN[0], RUN[-1])


def test_an_action_belongs_to_the_armature_whose_bones_it_moves(armature: bpy.types.Object) -> None:
    other = straight_chain(("x", "y", "b"))
    swing(other, WALK)
    everyone = [armature, other]  # words: ok
    assert [take.name for take in bridge.takes_of(armature, everyone)] == ["Walk", "Run"]
    assert [take.name for take in bridge.takes_of(other, everyone)] == ["Motion"]


def test_strips_that_play_are_parts_of_the_shown_take(armature: bpy.types.Object) -> None:
    animation, run = armature.animation_data, bpy.data.actions["Run"]
    track = animation.nla_tracks.new()
    strip = track.strips.new("Run", 5, run)
    versions.assign(strip, run, versions.present_slot(run, ""))
    assert [take.name for take in takes(armature)] == ["Walk"]
    track.mute = True
    assert [take.name for take in takes(armature)] == ["Walk", "Run"]


def test_a_take_is_read_without_what_another_has_left_in_bones(armature: bpy.types.Object) -> None:
    """The root stands where Walk has put it, and Run does not key it."""
    assert armature.pose.bones["a"].location[1] > 1.5
    assign(armature, takes(armature)[1])
    reading = bridge.read(armature, RUN[0], RUN[-1])
    assert np.allclose(reading.clip.position("a"), 0.0, atol=1e-6)
    assert_blender_shows(reading.clip, armature, RUN)


def test_takes_are_baked_one_after_the_other_and_the_shown_one_is_shown_again(armature: bpy.types.Object) -> None:
    found, pose = takes(armature), bridge.stored_pose(armature)
    results = {}
    for take, seed in ((found[1], 2), (found[0], 3)):
        bridge.assign_take(armature, take, found, pose, uses_nla=True)
        reading = bridge.read(armature, *bridge.frames_of(take))
        # Moved bones are disconnected from their parents, which concerns all takes of the armature.
        result = changed(reading.clip, np.random.default_rng(seed), ["b"], ["c"] if take.name == "Run" else [])
        bridge.bake(reading, result)
        results[take.name] = (bridge.animation_of(armature).result, result)
    run, run_clip = results["Run"]
    bridge.keep_result(armature, run)
    walk, walk_clip = results["Walk"]
    assert armature.animation_data.action is walk and run.use_fake_user
    assert_blender_shows(walk_clip, armature, WALK)
    versions.assign(armature.animation_data, run, versions.present_slot(run, ""))
    armature.pose.bones["a"].matrix_basis.identity()
    assert_blender_shows(run_clip, armature, RUN)


def test_results_are_found_and_shown_again(armature: bpy.types.Object) -> None:
    assign(armature, takes(armature)[1])
    reading = bridge.read(armature, RUN[0], RUN[-1])
    clip = changed(reading.clip, np.random.default_rng(4), ["b"])
    bridge.bake(reading, clip)
    result = armature.animation_data.action
    walk = bpy.data.actions["Walk"]
    bridge.hide_result(armature)
    versions.assign(armature.animation_data, walk, versions.present_slot(walk, ""))
    again = takes(armature)
    assert [(take.name, take.result) for take in again] == [("Walk", None), ("Run", result)]
    assign(armature, again[1])
    bridge.show_result_of(armature, again[1])
    assert armature.animation_data.action is result
    assert_blender_shows(clip, armature, RUN)


def test_takes_play_as_tracks_of_their_own(armature: bpy.types.Object) -> None:
    armature.pose.bones["c"].scale = (1.0, 1.5, 1.0)  # no take keys it
    found, pose, poses = takes(armature), bridge.stored_pose(armature), {}
    for take in found:
        bridge.assign_take(armature, take, found, pose, uses_nla=True)
        poses[take.name] = blender_pose(armature, NAMES, bridge_frames(take))
    actions = {take.name: take.source for take in found if take.source is not None}
    bridge.play_as_tracks(armature, actions, "Walk", pose)
    tracks = armature.animation_data.nla_tracks
    assert sorted(track.name for track in tracks) == ["Run", "Walk"] and armature.animation_data.action is None
    for take in found:
        for track in tracks:
            track.mute = track.name != take.name
        assert np.allclose(blender_pose(armature, NAMES, bridge_frames(take)), poses[take.name], atol=1e-5)


def test_connected_bones_that_keys_move_are_freed(armature: bpy.types.Object) -> None:
    """As after an import of FBX, which connects bones and keys all their locations."""
    for name, size in (("b", 0.0), ("c", 0.2)):
        key(armature, f'pose.bones["{name}"].location', 1, WALK, size * np.linspace(0.0, 1.0, len(WALK)))
    before = blender_pose(armature, NAMES, [WALK[-1]])
    assert bridge.free_moved_bones(armature) == ("c",)
    after = blender_pose(armature, NAMES, [WALK[-1]])
    apart = np.linalg.norm((after - before)[0, :, :3, 3], axis=-1)
    assert np.allclose(apart, [0.0, 0.0, 0.2], atol=1e-5)
    assert bridge.free_moved_bones(armature) == ()


def bridge_frames(take: bridge.Take) -> range:
    begin, end = bridge.frames_of(take)
    return range(begin, end + 1)
