# SPDX-License-Identifier: GPL-3.0-or-later
"""Points more and points less."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge, translation

from .test_constraints import LEFT, items, refused, run


def test_a_point_is_added_where_the_bone_is_shown(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("constraint_add_pin", bone=LEFT, frame=20)
    bpy.context.scene.frame_set(44)
    run("point_add")
    (item,) = items(armature)
    assert [point.begin for point in item.points] == [20.0, 44.0]
    assert item.begin <= 20.0 and item.end >= 44.0 and item.active_point == 1
    place = reading.clip.position(LEFT)[reading.frame_of(44)]
    np.testing.assert_allclose(np.array(item.points[1].object.location), place, atol=1e-5)
    assert "point at frame 44 already" in refused("point_add")


@pytest.mark.parametrize("kind", ["orientation", "look_at"])
def test_every_kind_with_points_takes_another(armature: bpy.types.Object, reading: bridge.Reading, kind: str) -> None:
    span = {"frame": 20} if kind == "orientation" else {"begin": 5, "end": 30}
    run(f"constraint_add_{kind}", bone="skullbase", **span)
    run("point_add", frame=50)
    (found,) = translation.translate(armature, reading).constraints
    assert max(point.stay[1] for point in found.points) == reading.frame_of(50)  # type: ignore[attr-defined]


def test_what_has_no_points_says_so(armature: bpy.types.Object) -> None:
    run("constraint_add_pose", bone=LEFT)
    assert "no points" in refused("point_add")
    assert "no such point" in refused("point_remove")


def test_a_point_is_removed_with_its_empty(armature: bpy.types.Object) -> None:
    run("constraint_add_trajectory", bone=LEFT, begin=5, end=45, count=3)
    (item,) = items(armature)
    names = [point.object.name for point in item.points]
    run("point_remove", point=1)
    assert [point.object.name for point in item.points] == [names[0], names[2]]
    assert names[1] not in bpy.data.objects
    item.active_point = 1
    run("point_remove")
    assert item.active_point == 0 and len(item.points) == 1
    assert "no such point" in refused("point_remove", point=5)


def test_a_footplant_gets_its_empty_back(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("constraint_add_footplant", foot="LEFT", begin=10, end=25)
    (item,) = items(armature)
    place = list(item.points[0].object.location)
    bpy.data.objects.remove(item.points[0].object)
    run("point_add")
    np.testing.assert_allclose(list(item.points[0].object.location), place, atol=1e-6)
    run("point_remove")
    assert len(translation.translate(armature, reading).constraints) == 1, "it needs no empty to stand"
    run("point_add")
    np.testing.assert_allclose(list(item.points[0].object.location), place, atol=1e-5)
    assert "has it already" in refused("point_add")
