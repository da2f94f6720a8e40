# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo and redo around everything that changes the file, and what becomes of files on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.solver import Clip

from .rigs import action_values, blender_pose, changed, straight_chain, swing

FRAMES = range(1, 25)
NAMES = ("a", "b", "c")
TARGETS = ("action", "replace", "combine")


def armature() -> bpy.types.Object:
    """Found by its name: undo and loading replace objects."""
    return bpy.data.objects["Chain"]


def begin(mode: str = "OBJECT") -> None:
    made = straight_chain(NAMES)
    swing(made, FRAMES, names=("a", "b"))
    made.pose.bones["c"].rotation_quaternion = (0.8, 0.1, 0.2, 0.5)
    bpy.context.scene.frame_set(5)
    bpy.ops.object.mode_set(mode=mode)


def read() -> bridge.Reading:
    return bridge.read(armature(), FRAMES[0], FRAMES[-1])


def stretched(clip: Clip) -> Clip:
    """Changed so that keyed and unkeyed bones turn, and a connected one leaves its parent."""
    return changed(clip, np.random.default_rng(1), ["b", "c"], ["a", "c"], most=0.2)


def bake(target: bridge.Target) -> None:
    reading = read()
    bridge.bake(reading, stretched(reading.clip), target=target)


def state() -> dict[str, Any]:
    """All that the bridge may change, and what it may not."""
    found = armature()
    animation, scene = found.animation_data, bpy.context.scene
    return {
        "shown": bridge.animation_of(found).result is not None,
        "action": animation.action and animation.action.name,
        "slot": versions.slot_of(animation),
        "tracks": [(track.name, [strip.name for strip in track.strips]) for track in animation.nla_tracks],
        "actions": {
            action.name: (
                {slot: action_values(action, slot) for slot in slots_of(action)},
                action.use_fake_user,
                bridge.is_result(action),
            )
            for action in bpy.data.actions
        },
        "connected": [bone.use_connect for bone in found.data.bones],
        "mode": (
            found.mode,
            scene.frame_current,
            [bone.name for bone in found.pose.bones if versions.is_selected(bone)],
        ),
    }


def slots_of(action: bpy.types.Action) -> list[str]:
    return [slot.identifier for slot in versions.slots_of(action)] if versions.ACTIONS_HAVE_SLOTS else [""]


def step(work: Callable[[], object]) -> tuple[dict[str, Any], Any]:
    """Do something that undo can take back, as an operator does; tell how all is afterwards."""
    work()
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="Work")
    return look()


def undo() -> tuple[dict[str, Any], Any]:
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        assert bpy.ops.ed.undo() == {"FINISHED"}
    return look()


def redo() -> tuple[dict[str, Any], Any]:
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        assert bpy.ops.ed.redo() == {"FINISHED"}
    return look()


def look() -> tuple[dict[str, Any], Any]:
    found = state()
    shown = blender_pose(armature(), NAMES, FRAMES)
    bpy.context.scene.frame_set(found["mode"][1])
    return found, shown


def assert_same(found: tuple[dict[str, Any], Any], expected: tuple[dict[str, Any], Any]) -> None:
    assert found[0] == expected[0]
    np.testing.assert_allclose(found[1], expected[1], atol=1e-6)


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("ending", [bridge.restore_source, bridge.apply_result])
def test_undo_and_redo_bring_everything_back(ending: Callable[..., object], target: bridge.Target, mode: str) -> None:
    before = step(lambda: begin(mode))
    source = read().clip.motion
    baked = step(lambda: bake(target))
    assert baked[0]["shown"] and baked[0]["connected"] == [False, True, False]
    ended = step(lambda: ending(armature()))
    assert not ended[0]["shown"]
    assert_same(undo(), baked)
    assert_same(undo(), before)
    assert_same(redo(), baked)
    again = read().clip.motion
    np.testing.assert_allclose(again.rotations, source.rotations, atol=1e-6)
    np.testing.assert_allclose(again.translations, source.translations, atol=1e-6)
    assert_same(redo(), ended)
    assert_same(undo(), baked)


@pytest.mark.parametrize("target", TARGETS)
def test_solving_again_after_undo_gives_the_same(target: bridge.Target) -> None:
    step(begin)
    baked = step(lambda: bake(target))
    undo()
    assert_same(step(lambda: bake(target)), baked)


def test_a_reading_from_before_undo_can_be_baked() -> None:
    step(begin)
    reading = read()
    armature().location.x = 5.0
    step(lambda: None)
    undo()
    bridge.bake(reading, stretched(reading.clip))
    assert bridge.animation_of(armature()).result is not None


# --- files --------------------------------------------------------------------------------------------------------


def open_again(path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))


@pytest.mark.parametrize("target", TARGETS)
def test_a_file_that_is_saved_and_opened_is_solved_to_the_same_result(target: bridge.Target, tmp_path: Path) -> None:
    """Bit for bit, whether it was saved with the result or without, and as often as one likes."""
    begin()
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bake(target)
    once = look()
    for _ in range(3):
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        open_again(path)
        assert_same(look(), once)
        bake(target)
        assert state() == once[0]
    bridge.restore_source(armature())
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    open_again(path)
    assert [action.name for action in bpy.data.actions] == ["Motion"]
    bake(target)
    assert state() == once[0]


@pytest.mark.parametrize("target", TARGETS)
def test_a_file_that_cannot_be_written_can_be_worked_on(target: bridge.Target, tmp_path: Path) -> None:
    """Baking is about the open file; the one on disk stays as it is."""
    begin()
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bake(target)
    expected = look()
    # Even those who may write everywhere cannot write the file that Blender fills before it takes the place of the old.
    (tmp_path / "scene.blend@").mkdir()
    path.chmod(0o444)
    on_disk = path.read_bytes()
    open_again(path)
    bake(target)
    assert_same(look(), expected)
    with pytest.raises(RuntimeError, match=r"[Cc]annot"):
        bpy.ops.wm.save_mainfile()
    assert_same(look(), expected)
    bridge.restore_source(armature())
    assert not state()["shown"]
    assert path.read_bytes() == on_disk
