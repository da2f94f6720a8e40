# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pie menu changes: the constraints of the selected bones at the frame, or the active one."""

from __future__ import annotations

import bpy

from ..walking import select_bones
from .test_constraints import items, refused, run


def pinned(armature: bpy.types.Object) -> None:
    """Both wrists are pinned at frame 20, which is the current one; the right pin is active."""
    run("constraint_add_pin", bone="l_wrist", frame=20)
    run("constraint_add_pin", bone="r_wrist", frame=20)
    bpy.context.scene.frame_set(20)


def test_the_selected_bones_are_unpinned_at_the_frame(armature: bpy.types.Object) -> None:
    pinned(armature)
    run("constraint_add_pin", bone="l_wrist", frame=60)
    select_bones(armature, "l_wrist")
    run("unpin")
    assert [(item.bone, item.points[0].begin) for item in items(armature)] == [("r_wrist", 20.0), ("l_wrist", 60.0)]
    assert "Nothing holds the selected bones" in refused("unpin")
    assert len(items(armature)) == 2


def test_in_object_mode_the_active_handle_is_unpinned(armature: bpy.types.Object) -> None:
    pinned(armature)
    assert "Nothing holds" in refused("unpin"), "an armature in object mode shows no selected bones"
    bpy.context.view_layer.objects.active = items(armature)[1].points[0].object
    run("unpin")
    bpy.context.view_layer.objects.active = armature
    assert [item.bone for item in items(armature)] == ["l_wrist"]


def test_bones_help_that_did_not(armature: bpy.types.Object) -> None:
    pinned(armature)
    first, second = items(armature)
    before = first.recruit_level
    run("recruit_step", direction="MORE")
    assert (first.recruit_level, second.recruit_level) == (before, before + 1)
    select_bones(armature, "l_wrist")
    run("recruit_step", direction="LESS")
    assert (first.recruit_level, second.recruit_level) == (before - 1, before + 1)
    for _ in range(before - 1):
        run("recruit_step", direction="LESS")
    assert "only its own bone" in refused("recruit_step", direction="LESS")


def test_the_priority_of_the_selected_bones_is_raised(armature: bpy.types.Object) -> None:
    pinned(armature)
    first, second = items(armature)
    select_bones(armature, "l_wrist")
    run("priority_step", direction="UP")
    assert first.priority > second.priority
    assert "already the most important" in refused("priority_step", direction="UP")
    run("priority_step", direction="DOWN")
    assert first.priority == second.priority


def test_a_bone_can_be_given(armature: bpy.types.Object) -> None:
    pinned(armature)
    run("unpin", bone="l_wrist")
    assert [item.bone for item in items(armature)] == ["r_wrist"]
