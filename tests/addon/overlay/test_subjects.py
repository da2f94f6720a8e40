# SPDX-License-Identifier: GPL-3.0-or-later
"""The subject that is drawn: the newest solve while its result is there, else the source as read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay import readings, subjects
from poise.addon.overlay.marks import marks_of
from poise.addon.workflows import latest


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    yield
    for kept in (readings, subjects, latest):
        kept.forget()


def test_without_a_motion_there_is_a_body_of_the_armatures_size(armature: Any) -> None:
    subject = subjects.of(armature)
    assert subject.source is None and subject.shown is None and subject.frame_at(1.0) is None
    assert 0.3 * max(armature.dimensions) < subject.body.size < 0.7 * max(armature.dimensions)
    assert subjects.of(armature) is subject


def test_a_reading_gives_the_source(armature: Any) -> None:
    readings.read_now(armature)
    subject = subjects.of(armature)
    assert subject.source is not None and subject.result is None and subject.shown is subject.source
    assert subject.body.size == subject.source.skeleton.size
    first, last = bpy.context.scene.frame_start, bpy.context.scene.frame_end
    assert subject.frame_at(first) == 0 and subject.frame_at(last) == last - first
    assert subject.frame_at(last + 1) is None


def test_a_solve_gives_source_and_result_until_the_source_is_restored(armature: Any) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    armature.poise.constraints[0].points[0].object.location.x += 0.1
    bpy.ops.poise.solve()
    subject = subjects.of(armature)
    assert subject.result is not None and subject.result is latest.of(armature).shown
    assert subject.uids == (armature.poise.constraints[0].uid,)
    assert subjects.of(armature) is subject
    bpy.ops.poise.source_restore()
    assert subjects.of(armature).result is None


def test_a_level_ground_follows_its_setting_at_once(armature: Any) -> None:
    assert subjects.of(armature).ground is None
    armature.poise.use_ground, armature.poise.ground_height = True, 0.25
    assert subjects.of(armature).ground.level == pytest.approx(0.25)
    plane = bpy.data.objects.new("Plane", None)
    bpy.context.scene.collection.objects.link(plane)
    armature.poise.ground_plane = plane
    plane.location.z = 0.5
    bpy.context.view_layer.update()
    ground = subjects.of(armature).ground
    assert ground.heights(np.zeros((1, 3)), 2).tolist() == pytest.approx([0.5])
    plane.rotation_euler.x = 0.5 * 3.14159265
    bpy.context.view_layer.update()
    assert subjects.of(armature).ground is None, "nothing stands on a wall"


def test_switched_off_parts_leave_out_their_marks(armature: Any) -> None:
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.constraint_add_footplant(foot="LEFT")
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    marks, display = marks_of(armature), armature.poise.display
    assert subjects.drawn_marks(armature, marks) == marks
    display.footprints = False
    assert [mark.kind for mark in subjects.drawn_marks(armature, marks) if not mark.is_proposal] == ["SHAPE"]
    display.points = False
    assert all(mark.is_proposal for mark in subjects.drawn_marks(armature, marks))
    display.proposals = False
    assert not subjects.drawn_marks(armature, marks)
