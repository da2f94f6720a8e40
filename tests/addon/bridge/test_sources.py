# SPDX-License-Identifier: GPL-3.0-or-later
"""The source waits behind its result, through solving again, saving, loading, restoring and applying."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import sources, versions

from .rigs import action_values, assert_blender_shows, blender_pose, changed, key, set_action, straight_chain, swing

FRAMES = range(1, 25)
NAMES = ("a", "b", "c")
TARGETS = ("action", "replace", "combine")


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    return armature


def bake(
    armature: bpy.types.Object, seed: int, target: bridge.Target = "action"
) -> tuple[bridge.Reading, bridge.Baked]:
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1])
    result = changed(reading.clip, np.random.default_rng(seed), ["b"], ["a"])
    return reading, bridge.bake(reading, result, target=target)


def test_an_armature_without_result_is_its_own_source(armature: bpy.types.Object) -> None:
    found = bridge.animation_of(armature)
    assert found.source is armature.animation_data.action and found.result is None
    assert not bridge.is_result(found.source) and not bridge.is_result(None)
    assert bridge.animation_of(straight_chain(NAMES)).source is None


@pytest.mark.parametrize("target", TARGETS)
def test_a_result_knows_its_source(armature: bpy.types.Object, target: bridge.Target) -> None:
    source = armature.animation_data.action
    _, baked = bake(armature, 1, target)
    found = bridge.animation_of(armature)
    assert found.source is source and found.result.name == baked.action == "Motion.poise"
    assert bridge.is_result(found.result) and not bridge.is_result(source)
    assert (found.layer is not None) == (target != "action")
    assert found.result.use_fake_user and source.use_fake_user


@pytest.mark.parametrize("first", TARGETS)
@pytest.mark.parametrize("second", TARGETS)
def test_solving_again_derives_from_the_source(
    armature: bpy.types.Object, first: bridge.Target, second: bridge.Target
) -> None:
    once, _ = bake(armature, 1, first)
    again, _ = bake(armature, 1, second)
    assert np.array_equal(again.clip.motion.rotations, once.clip.motion.rotations)
    assert np.array_equal(again.clip.motion.translations, once.clip.motion.translations)
    # Nothing keys the location of "a": below a layer, a strip of its own does.
    base = [] if second == "action" else ["Motion.poise base"]
    assert sorted(action.name for action in bpy.data.actions) == ["Motion", "Motion.poise", *base]
    tracks = [] if second == "action" else ["Poise source", "Poise base", "Poise"]
    assert [track.name for track in armature.animation_data.nla_tracks] == tracks
    result = changed(again.clip, np.random.default_rng(1), ["b"], ["a"])
    assert_blender_shows(result, armature, list(FRAMES))


def test_the_same_result_twice_is_the_same_action(armature: bpy.types.Object) -> None:
    bake(armature, 1)
    once = action_values(armature.animation_data.action, versions.slot_of(armature.animation_data))
    bake(armature, 2)
    bake(armature, 1)
    assert action_values(armature.animation_data.action, versions.slot_of(armature.animation_data)) == once


@pytest.mark.parametrize("target", TARGETS)
def test_bones_without_keys_come_back(armature: bpy.types.Object, target: bridge.Target) -> None:
    """A result keys bones that the source does not: where they stood before must not be lost."""
    bpy.data.actions.remove(armature.animation_data.action)
    armature.pose.bones["b"].rotation_quaternion = (0.8, 0.1, 0.2, 0.5)
    swing(armature, FRAMES, names=("c",))
    before = blender_pose(armature, NAMES, FRAMES)
    once, _ = bake(armature, 1, target)
    bpy.context.scene.frame_set(12)
    again, _ = bake(armature, 2, target)
    assert np.array_equal(again.clip.motion.rotations, once.clip.motion.rotations)
    evaluated = bridge.read(armature, FRAMES[0], FRAMES[-1], method="evaluated")
    np.testing.assert_allclose(evaluated.clip.world.positions, once.clip.world.positions, atol=1e-6)
    bridge.restore_source(armature)
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), before, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_a_bone_that_only_a_former_result_keyed_stands_as_in_the_source(
    armature: bpy.types.Object, target: bridge.Target
) -> None:
    bpy.data.actions.remove(armature.animation_data.action)
    armature.pose.bones["b"].rotation_quaternion = (0.8, 0.1, 0.2, 0.5)
    swing(armature, FRAMES, names=("c",))
    bake(armature, 1, target)
    bpy.context.scene.frame_set(12)
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1])
    result = changed(reading.clip, np.random.default_rng(2), ["c"])
    bridge.bake(reading, result, target=target)
    assert_blender_shows(result, armature, list(FRAMES))


def test_an_action_above_a_layer_is_the_source(armature: bpy.types.Object) -> None:
    """And the layer is then a track like any other."""
    bake(armature, 1, "replace")
    set_action(armature, "Above")
    for index in range(4):
        key(armature, 'pose.bones["c"].rotation_quaternion', index, [1, 24], [float(index == 0), 0.3])
    found = bridge.animation_of(armature)
    assert found.source.name == "Above" and found.result is None
    before = blender_pose(armature, NAMES, FRAMES)
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1])
    assert reading.method == "evaluated"
    assert_blender_shows(reading.clip, armature, list(FRAMES))
    result = changed(reading.clip, np.random.default_rng(3), ["b"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, list(FRAMES))
    bridge.restore_source(armature)
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), before, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_restoring_leaves_no_trace(armature: bpy.types.Object, target: bridge.Target) -> None:
    source, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    before = blender_pose(armature, NAMES, FRAMES)
    bake(armature, 1, target)
    bridge.restore_source(armature)
    animation = armature.animation_data
    assert (animation.action, versions.slot_of(animation), len(animation.nla_tracks)) == (source, slot, 0)
    assert [action.name for action in bpy.data.actions] == ["Motion"]
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), before, atol=1e-6)
    with pytest.raises(bridge.BridgeError, match="shows no result of Poise, so there is nothing to restore"):
        bridge.restore_source(armature)


@pytest.mark.parametrize("target", TARGETS)
def test_applying_makes_the_result_the_source(armature: bpy.types.Object, target: bridge.Target) -> None:
    source = armature.animation_data.action
    reading, _ = bake(armature, 1, target)
    shown = changed(reading.clip, np.random.default_rng(1), ["b"], ["a"])
    applied = bridge.apply_result(armature)
    assert applied.name == "Motion.poise" and not bridge.is_result(applied)
    tracks = [] if target == "action" else ["Poise source applied", "Poise base applied", "Poise applied"]
    assert [track.name for track in armature.animation_data.nla_tracks] == tracks
    assert bridge.animation_of(armature).result is None
    again = bridge.read(armature, FRAMES[0], FRAMES[-1])
    np.testing.assert_allclose(again.clip.world.positions, shown.world.positions, atol=1e-5)
    assert source.name in bpy.data.actions
    with pytest.raises(bridge.BridgeError, match="nothing to apply"):
        bridge.apply_result(armature)
    _, baked = bake(armature, 2, target)
    assert baked.action != "Motion.poise"


@pytest.mark.parametrize("target", TARGETS)
def test_saving_and_loading_keeps_everything(armature: bpy.types.Object, target: bridge.Target, tmp_path: Path) -> None:
    armature.pose.bones["b"].rotation_mode = "ZXY"
    bpy.data.actions.remove(armature.animation_data.action)
    swing(armature, FRAMES, names=("a", "c"))
    once, _ = bake(armature, 1, target)
    shown = blender_pose(armature, NAMES, FRAMES)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    armature = bpy.data.objects["Chain"]
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), shown, atol=1e-6)
    again, baked = bake(armature, 1, target)
    assert np.array_equal(again.clip.motion.rotations, once.clip.motion.rotations)
    assert baked.action == "Motion.poise"
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), shown, atol=1e-6)
    bridge.restore_source(armature)
    assert armature.animation_data.action.name == "Motion"


def test_a_result_that_others_use_is_kept(armature: bpy.types.Object) -> None:
    bake(armature, 1)
    kept = armature.animation_data.action
    other = straight_chain(NAMES)
    versions.assign(other.animation_data_create(), kept, versions.slot_of(armature.animation_data))
    _, baked = bake(armature, 2)
    assert other.animation_data.action is kept and baked.action == "Motion.poise.001"
    bridge.restore_source(armature)
    assert other.animation_data.action is kept


def test_renaming_the_source_loses_nothing(armature: bpy.types.Object) -> None:
    source = armature.animation_data.action
    bake(armature, 1)
    source.name = "Walk"
    _, baked = bake(armature, 2)
    assert baked.action == "Walk.poise" and bridge.animation_of(armature).source is source


@pytest.mark.parametrize("target", TARGETS)
def test_results_do_not_pile_up_where_the_source_was_assigned_by_hand(
    armature: bpy.types.Object, target: bridge.Target
) -> None:
    source, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    for seed in (1, 2, 3):
        bake(armature, seed, target)
        while armature.animation_data.nla_tracks:
            armature.animation_data.nla_tracks.remove(armature.animation_data.nla_tracks[0])
        versions.assign(armature.animation_data, source, slot)
    _, baked = bake(armature, 1)
    assert baked.action == "Motion.poise"
    assert [action.name for action in bpy.data.actions if bridge.is_result(action)] == ["Motion.poise"]


def test_a_result_that_is_shown_elsewhere_or_was_renamed_is_kept(armature: bpy.types.Object) -> None:
    source, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    bake(armature, 1)
    armature.animation_data.action.name = "Take I like"
    versions.assign(armature.animation_data, source, slot)
    bake(armature, 2)
    other = straight_chain(NAMES)
    other.animation_data_create().action = armature.animation_data.action
    versions.assign(armature.animation_data, source, slot)
    bake(armature, 3)
    found = sorted(action.name for action in bpy.data.actions if bridge.is_result(action))
    assert found == ["Motion.poise", "Motion.poise.001", "Take I like"]


def test_a_copy_replaces_the_result_that_was_duplicated_with_it(armature: bpy.types.Object) -> None:
    """Blender 4.3 counts one user too many of the actions that it duplicates along with an object."""
    bake(armature, 1)
    bpy.ops.object.select_all(action="DESELECT")
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.duplicate()
    copy = bpy.context.view_layer.objects.active
    for seed in (2, 3):
        bake(copy, seed)
        assert len([action for action in bpy.data.actions if bridge.is_result(action)]) == 2
    bridge.restore_source(copy)
    assert [action.name for action in bpy.data.actions if bridge.is_result(action)] == ["Motion.poise"]


def test_bones_that_a_replaced_result_has_disconnected_are_connected_again(armature: bpy.types.Object) -> None:
    source, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1])
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), [], ["b"]))
    assert not armature.data.bones["b"].use_connect
    versions.assign(armature.animation_data, source, slot)
    bake(armature, 2)
    bridge.restore_source(armature)
    assert armature.data.bones["b"].use_connect


def test_a_deleted_source_is_reported(armature: bpy.types.Object) -> None:
    source = armature.animation_data.action
    bake(armature, 1)
    bpy.data.actions.remove(source)
    message = "The source of action 'Motion.poise' has been deleted: apply the result to make it the new source."
    for ask in (bridge.read, bridge.restore_source):
        with pytest.raises(bridge.BridgeError) as caught:
            ask(armature)
        assert str(caught.value) == message
    bridge.apply_result(armature)
    assert bridge.read(armature).clip.frames > 0


def test_a_corrupt_record_is_reported(armature: bpy.types.Object) -> None:
    bake(armature, 1)
    armature.animation_data.action[sources.RECORD] = "not what was written"
    with pytest.raises(bridge.BridgeError, match=r"'poise_record' of action 'Motion\.poise' cannot be read"):
        bridge.read(armature)


def test_a_linked_source_is_copied(armature: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {armature.animation_data.action}, fake_user=True)
    bpy.data.actions.remove(armature.animation_data.action)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.actions = ["Motion"]
    (linked,) = wanted.actions
    slot = versions.slots_of(linked)[0].identifier if versions.ACTIONS_HAVE_SLOTS else ""
    versions.assign(armature.animation_data, linked, slot)
    reading, _ = bake(armature, 1)
    assert armature.animation_data.action.library is None
    assert_blender_shows(changed(reading.clip, np.random.default_rng(1), ["b"], ["a"]), armature, list(FRAMES))
    bridge.restore_source(armature)
    assert armature.animation_data.action is linked


def test_a_long_name_keeps_its_suffix(armature: bpy.types.Object) -> None:
    armature.animation_data.action.name = "é" * 31
    _, baked = bake(armature, 1)
    assert baked.action.endswith(".poise")


def test_an_armature_that_nla_strips_animate_has_its_own_name(armature: bpy.types.Object) -> None:
    action, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    strip = armature.animation_data.nla_tracks.new().strips.new("All", 1, action)
    versions.assign(strip, action, slot)
    versions.assign(armature.animation_data, None)
    _, baked = bake(armature, 1)
    assert baked.action == "Chain.poise"
    assert bridge.animation_of(armature).source is None
    bridge.restore_source(armature)
    assert armature.animation_data.action is None


def test_the_other_actions_of_the_armature_are_no_business_of_ours(armature: bpy.types.Object) -> None:
    """The animator assigns another action by hand: that one is the source now."""
    bake(armature, 1)
    other, _ = set_action(armature, "Another")
    key(armature, 'pose.bones["b"].rotation_quaternion', 0, [1], [1.0])
    found = bridge.animation_of(armature)
    assert found.source is other and found.result is None


# Comparing ------------------------------------------------------------------------------------------------------------


def stretched_bake(armature: bpy.types.Object, target: bridge.Target) -> None:
    """A result that turns keyed and unkeyed bones and takes a connected one off its parent."""
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1])
    bridge.bake(
        reading, changed(reading.clip, np.random.default_rng(1), ["b", "c"], ["a", "c"], most=0.2), target=target
    )


def partly_keyed() -> bpy.types.Object:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES, names=("a", "b"))
    armature.pose.bones["c"].rotation_quaternion = (0.8, 0.1, 0.2, 0.5)
    return armature


@pytest.mark.parametrize("target", TARGETS)
def test_a_hidden_result_shows_the_source_and_comes_back(target: bridge.Target) -> None:
    armature = partly_keyed()
    source = blender_pose(armature, NAMES, FRAMES)
    slot = versions.slot_of(armature.animation_data)
    values = action_values(armature.animation_data.action, slot)
    stretched_bake(armature, target)
    result, actions = blender_pose(armature, NAMES, FRAMES), sorted(bpy.data.actions.keys())
    connected = [bone.use_connect for bone in armature.data.bones]
    assert not bridge.is_result_hidden(armature) and bridge.has_result(armature)
    for _ in range(2):
        bridge.hide_result(armature)
        assert bridge.is_result_hidden(armature) and bridge.has_result(armature)
        assert np.allclose(blender_pose(armature, NAMES, FRAMES), source, atol=1e-6)
        found = bridge.animation_of(armature)
        assert found.is_hidden and found.result is not None and action_values(found.source, slot) == values
        bridge.show_result(armature)
        assert not bridge.is_result_hidden(armature)
        assert np.allclose(blender_pose(armature, NAMES, FRAMES), result, atol=1e-6)
        assert [bone.use_connect for bone in armature.data.bones] == connected
    assert sorted(bpy.data.actions.keys()) == actions, "nothing was baked or deleted"


@pytest.mark.parametrize("target", TARGETS)
def test_a_hidden_result_is_saved_and_loaded(target: bridge.Target, tmp_path: Path) -> None:
    armature = partly_keyed()
    stretched_bake(armature, target)
    result = blender_pose(armature, NAMES, FRAMES)
    bridge.hide_result(armature)
    source = blender_pose(armature, NAMES, FRAMES)
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    armature = bpy.data.objects["Chain"]
    assert bridge.is_result_hidden(armature)
    assert np.allclose(blender_pose(armature, NAMES, FRAMES), source, atol=1e-6)
    bridge.show_result(armature)
    assert np.allclose(blender_pose(armature, NAMES, FRAMES), result, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("second", TARGETS)
def test_baking_while_the_source_is_shown_replaces_the_hidden_result(
    armature: bpy.types.Object, target: bridge.Target, second: bridge.Target
) -> None:
    once, _ = bake(armature, 1, target)
    bridge.hide_result(armature)
    again, baked = bake(armature, 2, second)
    assert np.allclose(once.clip.motion.rotations, again.clip.motion.rotations), "it is read from the source"
    assert not bridge.is_result_hidden(armature) and bridge.animation_of(armature).result.name == baked.action
    assert [name for action in bpy.data.actions if "poise" in (name := action.name) and "base" not in name] == [
        "Motion.poise"
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_restoring_a_hidden_result_leaves_no_trace(armature: bpy.types.Object, target: bridge.Target) -> None:
    bake(armature, 1, target)
    bridge.hide_result(armature)
    bridge.restore_source(armature)
    assert not bridge.has_result(armature) and sources.HIDDEN not in armature
    assert bpy.data.actions.keys() == ["Motion"] and not armature.animation_data.nla_tracks


@pytest.mark.parametrize("target", TARGETS)
def test_applying_a_hidden_result_shows_it(armature: bpy.types.Object, target: bridge.Target) -> None:
    bake(armature, 1, target)
    result = blender_pose(armature, NAMES, FRAMES)
    bridge.hide_result(armature)
    bridge.apply_result(armature)
    assert not bridge.has_result(armature)
    assert np.allclose(blender_pose(armature, NAMES, FRAMES), result, atol=1e-6)


def test_another_action_instead_of_the_source_ends_the_comparison(armature: bpy.types.Object) -> None:
    bake(armature, 1)
    bridge.hide_result(armature)
    other = bpy.data.actions.new("Other")
    versions.assign(armature.animation_data, other)
    assert not bridge.has_result(armature) and not bridge.is_result_hidden(armature)
    with pytest.raises(bridge.BridgeError, match="no result"):
        bridge.show_result(armature)
    with pytest.raises(bridge.BridgeError, match="no result"):
        bridge.hide_result(armature)


def test_bones_that_are_renamed_meanwhile_move_in_the_hidden_result_too(armature: bpy.types.Object) -> None:
    bake(armature, 1)
    result = blender_pose(armature, NAMES, FRAMES)
    bridge.hide_result(armature)
    armature.data.bones["b"].name = "Renamed"
    bridge.show_result(armature)
    assert np.allclose(blender_pose(armature, ("a", "Renamed", "c"), FRAMES), result, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_the_source_is_read_alike_whether_it_is_shown_or_not(target: bridge.Target) -> None:
    armature = partly_keyed()
    stretched_bake(armature, target)
    reading = bridge.read(armature, FRAMES[0], FRAMES[-1], method="evaluated")
    bridge.hide_result(armature)
    hidden = bridge.read(armature, FRAMES[0], FRAMES[-1], method="evaluated")
    assert bridge.is_result_hidden(armature)
    assert np.allclose(hidden.clip.motion.rotations, reading.clip.motion.rotations, atol=1e-6)
    assert np.allclose(hidden.clip.motion.translations, reading.clip.motion.translations, atol=1e-6)
