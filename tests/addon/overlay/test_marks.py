# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks are equal as long as nothing that is drawn has changed, and follow handles."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay.marks import marks_of


def place_of(handle: Any) -> np.ndarray:
    return np.reshape(handle.matrix, (4, 4))[:3, 3]


def test_plants_and_pins_are_marked_in_the_order_of_the_list(armature: Any) -> None:
    bpy.ops.poise.constraint_add_footplant(foot="RIGHT")
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    plant, pin = marks_of(armature)
    assert (plant.kind, plant.foot, plant.is_active) == ("FOOTPLANT", "right", False)
    assert (pin.kind, pin.bone, pin.is_active, pin.is_proposal) == ("SHAPE", "l_wrist", True, False)
    saved = armature.poise.constraints[1]
    assert place_of(pin.handles[0]) == pytest.approx(np.array(saved.points[0].object.matrix_world.translation))
    assert (pin.begin, pin.end) == (saved.begin, saved.end) and pin.is_at(saved.begin) and not pin.is_at(saved.end + 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda item: setattr(item.points[0].object, "location", (1.0, 2.0, 3.0)),
        lambda item: setattr(item, "enabled", False),
        lambda item: setattr(item.points[0], "end", item.points[0].end + 2.0),
        lambda item: setattr(item, "name", "Other"),
    ],
)
def test_marks_differ_where_what_is_drawn_has_changed(armature: Any, change: Any) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    before = marks_of(armature)
    assert marks_of(armature) == before
    change(armature.poise.constraints[0])
    bpy.context.view_layer.update()
    assert marks_of(armature) != before


def test_a_renamed_bone_keeps_its_mark(armature: Any) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    armature.data.bones["l_wrist"].name = "Hand"
    assert marks_of(armature)[0].bone == "Hand"


def test_a_deleted_handle_is_left_out(armature: Any) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    empty = armature.poise.constraints[0].points[0].object
    for collection in list(empty.users_collection):
        collection.objects.unlink(empty)
    assert marks_of(armature)[0].handles == ()


def test_proposals_are_at_their_homes(armature: Any) -> None:
    bpy.ops.poise.detect_footplants()
    found = marks_of(armature)
    assert len(found) == len(armature.poise.found) > 0
    for mark, item in zip(found, armature.poise.found, strict=True):
        assert mark.is_proposal and mark.uid == item.uid
        assert place_of(mark.handles[0]) == pytest.approx(np.array(item.points[0].home))


def test_what_was_detected_is_where_it_was_found(armature: Any) -> None:
    bpy.ops.poise.detect_template(bone="l_talocrural", kind="LINE", begin=5, end=20)
    for mark, item in zip(marks_of(armature), armature.poise.found, strict=True):
        assert mark.detected is not None and mark.detected.kind == "LINE"
        assert mark.detected.location == tuple(item.detected.location)
        assert np.linalg.norm(mark.detected.direction) == pytest.approx(1.0, abs=1e-5)
    bpy.ops.poise.found_accept_all()
    assert all(mark.detected is None for mark in marks_of(armature)), "handles show constraints"
