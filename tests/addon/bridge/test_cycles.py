# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that are marked as cyclic count as such where they were read as a whole."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from poise.addon import bridge

from ..walking import walking_armature


@pytest.fixture
def marked(tmp_path: Path) -> bpy.types.Object:
    """A walk with a frame range of its own, marked as cyclic."""
    armature = walking_armature(tmp_path)
    action, scene = armature.animation_data.action, bpy.context.scene
    action.use_frame_range = action.use_cyclic = True
    action.frame_start, action.frame_end = scene.frame_start, scene.frame_end
    return armature


def test_a_marked_action_that_was_read_as_a_whole(marked: bpy.types.Object) -> None:
    assert bridge.is_marked_cyclic(bridge.read(marked))


@pytest.mark.parametrize("mark", ["use_frame_range", "use_cyclic"])
def test_an_action_that_is_not_marked(marked: bpy.types.Object, mark: str) -> None:
    setattr(marked.animation_data.action, mark, False)
    assert not bridge.is_marked_cyclic(bridge.read(marked))


def test_a_part_of_a_marked_action(marked: bpy.types.Object) -> None:
    scene = bpy.context.scene
    assert not bridge.is_marked_cyclic(bridge.read(marked, scene.frame_start, scene.frame_end - 10))
    assert not bridge.is_marked_cyclic(bridge.read(marked, scene.frame_start + 10, scene.frame_end))
