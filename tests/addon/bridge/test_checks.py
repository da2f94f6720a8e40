# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input: one sentence that says what to do, and nothing changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.solver import Motion, PoiseError

from .rigs import new_armature, set_action, straight_chain, swing

FRAMES = range(1, 25)
NAMES = ("a", "b", "c")


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    return armature


def refused(read: Callable[[], object], message: str) -> None:
    with pytest.raises(bridge.BridgeError, match=re.escape(message)) as caught:
        read()
    sentence = str(caught.value)
    assert isinstance(caught.value, PoiseError)
    assert sentence.endswith(".") and "\n" not in sentence and sentence.count(". ") == 0


def test_no_armature() -> None:
    refused(lambda: bridge.read(None), "There is no armature: select one")


def test_something_else_than_an_armature() -> None:
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    refused(lambda: bridge.read(cube), "'Cube' is no armature but of type mesh")
    refused(lambda: bridge.read(bpy.data.objects.new("Empty", None)), "'Empty' is no armature but of type empty")


def test_an_armature_without_bones() -> None:
    refused(lambda: bridge.read(new_armature("Bare", lambda bones: None)), "Armature 'Bare' has no bones")


def test_an_armature_without_action() -> None:
    armature = straight_chain(NAMES)
    refused(lambda: bridge.read(armature), "Armature 'Chain' has no action: assign or record one first.")
    armature.animation_data_create()
    refused(lambda: bridge.read(armature), "Armature 'Chain' has no action: assign or record one first.")


def test_an_action_without_slot(armature: bpy.types.Object) -> None:
    if not versions.ACTIONS_HAVE_SLOTS:
        pytest.skip("this Blender has no slots")
    armature.animation_data.action_slot = None
    refused(lambda: bridge.read(armature), "Action 'Motion' has no slot assigned")


def test_a_muted_nla_track(armature: bpy.types.Object) -> None:
    action, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    track = armature.animation_data.nla_tracks.new()
    track.name = "Walk"
    versions.assign(track.strips.new("Walk", 1, action), action, slot)
    versions.assign(armature.animation_data, None)
    track.mute = True
    refused(lambda: bridge.read(armature), "has no action, and NLA track 'Walk' is muted: unmute it")
    track.mute = False
    track.strips[0].mute = True
    refused(lambda: bridge.read(armature), "has no action, and NLA track 'Walk' is muted: unmute it")
    track.strips[0].mute = False
    armature.animation_data.use_nla = False
    refused(lambda: bridge.read(armature), "NLA track 'Walk' is off, since the whole NLA stack is")
    armature.animation_data.use_nla = True
    assert bridge.read(armature, 1, 5).method == "evaluated"


@pytest.mark.parametrize(("begin", "end"), [(5, 4), (3, 2.5), (1, float("nan")), (float("inf"), float("inf"))])
def test_a_range_without_frames(armature: bpy.types.Object, begin: float, end: float) -> None:
    refused(lambda: bridge.read(armature, begin, end), f"There is no frame from {begin:g} to {end:g}")


def test_one_frame_is_a_range(armature: bpy.types.Object) -> None:
    reading = bridge.read(armature, 5, 5)
    assert reading.clip.frames == 1
    bridge.bake(reading, reading.clip)


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan")])
def test_a_step_that_leads_nowhere(armature: bpy.types.Object, step: float) -> None:
    refused(lambda: bridge.read(armature, 1, 5, step=step), "The step between frames must be a positive number")


def test_edit_mode_and_rest_position(armature: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    refused(
        lambda: bridge.read(armature), "Armature 'Chain' is in edit mode, where nothing moves: leave edit mode first."
    )
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.data.pose_position = "REST"
    refused(lambda: bridge.read(armature), "Armature 'Chain' shows its rest position")


def test_an_armature_outside_the_scene(armature: bpy.types.Object) -> None:
    bpy.context.scene.collection.objects.unlink(armature)
    refused(lambda: bridge.read(armature), "Armature 'Chain' is not in the view layer")


def test_an_armature_that_is_switched_off_can_still_be_read_from_its_keys(armature: bpy.types.Object) -> None:
    armature.hide_viewport = True
    assert bridge.read(armature, 1, 5).method == "curves"
    message = "Blender does not evaluate armature 'Chain', since it is switched off in the viewport"
    refused(lambda: bridge.read(armature, 1, 5, method="evaluated"), message)


def test_linked_and_overridden_armatures(armature: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {armature})
    bpy.data.objects.remove(armature)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Chain"]
    (linked,) = wanted.objects
    bpy.context.scene.collection.objects.link(linked)
    refused(lambda: bridge.read(linked), "Armature 'Chain' is linked from")
    override = linked.override_create(remap_local_usages=True)
    refused(lambda: bridge.read(override), "Armature 'Chain' is a library override")


def test_linked_armature_data_are_no_hindrance_until_bones_must_be_disconnected(
    armature: bpy.types.Object, tmp_path: Path
) -> None:
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {armature.data})
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.armatures = [armature.data.name]
    (armature.data,) = wanted.armatures
    reading = bridge.read(armature, 1, 5)
    bridge.bake(reading, reading.clip)
    shifts = reading.clip.motion.translations.copy()
    shifts[2, 1] += 0.5
    result = reading.clip.with_motion(Motion(reading.clip.motion.rotations, shifts))
    refused(lambda: bridge.bake(reading, result), "must be disconnected to be stretched, but its armature data")


def test_tweak_mode(armature: bpy.types.Object) -> None:
    action, slot = armature.animation_data.action, versions.slot_of(armature.animation_data)
    track = armature.animation_data.nla_tracks.new()
    versions.assign(track.strips.new("Walk", 1, action), action, slot)
    versions.assign(armature.animation_data, None)
    track.select = True
    track.strips[0].select = True
    armature.animation_data.nla_tracks.active = track
    armature.animation_data.use_tweak_mode = True
    assert armature.animation_data.use_tweak_mode
    refused(lambda: bridge.read(armature), "A strip of 'Chain' is being tweaked in the NLA editor")


def test_bones_that_constraints_may_name(armature: bpy.types.Object) -> None:
    bridge.check_bones(armature, NAMES)
    assert bridge.why_unusable(armature, "a") == ""
    refused(lambda: bridge.check_bones(armature, ["a", "gone"]), "Armature 'Chain' has no bone 'gone'")
    versions.set_hidden(armature.pose.bones["b"])
    refused(lambda: bridge.check_bones(armature, ["b"]), "Bone 'b' is hidden: show it")
    versions.set_hidden(armature.pose.bones["b"], False)
    armature.pose.bones["b"].lock_rotation = (True, True, True)
    refused(lambda: bridge.check_bones(armature, ["b"]), "Bone 'b' is locked: unlock")


def test_alt_h_is_advised_only_where_it_helps(armature: bpy.types.Object) -> None:
    collections, bone = armature.data.collections, armature.pose.bones["b"]
    outer = collections.new("Outer")
    inner = collections.new("Inner", parent=outer)
    inner.assign(bone.bone)
    versions.set_hidden(bone)
    assert bridge.why_unusable(armature, "b") == (
        "Bone 'b' is hidden: show it (Alt H in pose mode), or choose another one."
    )
    versions.set_hidden(bone, False)
    inner.is_visible = False
    message = bridge.why_unusable(armature, "b")
    assert "show its bone collection 'Inner' (" in message and "Alt H" not in message
    outer.is_visible = False
    assert "show its bone collection 'Inner' and 'Outer' (" in bridge.why_unusable(armature, "b")
    inner.is_visible = True
    message = bridge.why_unusable(armature, "b")
    assert "show its bone collection 'Outer' (" in message and "Alt H" not in message
    versions.set_hidden(bone)
    assert re.search(r"show its bone collection 'Outer' .*, then press Alt H", bridge.why_unusable(armature, "b"))
    versions.set_hidden(bone, False)
    outer.is_visible = True
    assert bridge.why_unusable(armature, "b") == ""
    collections.new("Alone").is_solo = True
    message = bridge.why_unusable(armature, "b")
    assert "solo its bone collection 'Inner' (" in message and "Alt H" not in message
    inner.is_solo = True
    assert bridge.why_unusable(armature, "b") == ""


def test_a_root_is_locked_only_where_it_may_not_move_either(armature: bpy.types.Object) -> None:
    root = armature.pose.bones["a"]
    root.lock_rotation = (True, True, True)
    assert not bridge.is_locked(root)
    root.lock_location = (True, True, True)
    assert bridge.is_locked(root)


def test_bones_to_read_must_exist(armature: bpy.types.Object) -> None:
    refused(lambda: bridge.read(armature, bones=["a", "gone"]), "Armature 'Chain' has no bone 'gone'")
    refused(lambda: bridge.read(armature, bones=[]), "At least one bone must be named")


def test_a_refused_reading_changes_nothing(armature: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(9, subframe=0.5)
    set_action(armature, "Another")
    before = armature.animation_data.action
    refused(lambda: bridge.read(armature, 5, 4), "There is no frame")
    assert armature.animation_data.action is before
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (9, 0.5)


def test_a_name_that_blender_has_cut_inside_of_a_letter() -> None:
    """Blender keeps 63 bytes of the name that a script gives, and nothing can read half a letter; 5.0 keeps letters."""
    armature = new_armature("Cut", lambda bones: setattr(bones.new("ä" * 40), "tail", (0.0, 0.0, 1.0)))
    if bpy.app.version < (5, 0):
        refused(lambda: bridge.read(armature), "Bone 1 of armature 'Cut' has a name that was cut inside of a letter")
    armature.data.bones[0].name = "short"
    refused(lambda: bridge.read(armature), "has no action")
