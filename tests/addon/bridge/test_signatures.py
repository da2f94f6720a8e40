# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures differ after every edit that changes what is read, and only then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions

from .rigs import changed, straight_chain, swing

NAMES = ("a", "b", "c")
FEW = 0.05
"""Seconds within which a walk's source is signed on a busy machine; it takes about a tenth of that."""


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(NAMES)
    swing(armature, range(1, 25))
    return armature


def _curves(armature: Any) -> Any:
    animation = bridge.animation_of(armature)
    assert animation.source is not None
    return versions.curves_of(animation.source, animation.slot)


def _move_key(armature: Any) -> None:
    _curves(armature)[1].keyframe_points[7].co[1] += 1e-3


def _interpolate(armature: Any) -> None:
    _curves(armature)[0].keyframe_points[3].interpolation = "CONSTANT"


def _move_handle(armature: Any) -> None:
    key = _curves(armature)[0].keyframe_points[3]
    assert key.interpolation == "BEZIER"
    key.handle_left_type = "FREE"
    key.handle_left[1] += 0.2


def _mute(armature: Any) -> None:
    _curves(armature)[0].mute = True


def _modifier(armature: Any) -> None:
    _curves(armature)[0].modifiers.new("NOISE")


def _unkeyed(armature: Any) -> None:
    armature.pose.bones["c"].scale[0] = 1.5


def _rest(armature: Any) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["c"].tail.x += 0.1
    bpy.ops.object.mode_set(mode="OBJECT")


def _rename(armature: Any) -> None:
    armature.data.bones["c"].name = "d"


def _inherit(armature: Any) -> None:
    armature.data.bones["b"].inherit_scale = "NONE"


def _lock(armature: Any) -> None:
    armature.pose.bones["b"].lock_rotation[1] = True


def _place(armature: Any) -> None:
    armature.location.x += 1.0


def _parent(armature: Any) -> None:
    armature.parent = bpy.data.objects.new("Parent", None)
    armature.parent.location.z = 2.0


def _constrain(armature: Any) -> None:
    armature.pose.bones["c"].constraints.new("COPY_ROTATION")


def _fps(armature: Any) -> None:
    bpy.context.scene.render.fps = 48


def _other_action(armature: Any) -> None:
    animation = armature.animation_data
    versions.assign(animation, animation.action.copy(), versions.slot_of(animation))


EDITS = (
    _move_key,
    _interpolate,
    _move_handle,
    _mute,
    _modifier,
    _unkeyed,
    _rest,
    _rename,
    _inherit,
    _lock,
    _place,
    _parent,
    _constrain,
    _fps,
    _other_action,
)


def signature(armature: bpy.types.Object) -> str:
    bpy.context.view_layer.update()
    return bridge.source_signature(armature)


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_of_the_source_is_noticed(edit: Callable[[Any], None], armature: Any) -> None:
    if edit is _move_handle:
        for key in _curves(armature)[0].keyframe_points:
            key.interpolation = "BEZIER"
    before = signature(armature)
    edit(armature)
    assert signature(armature) != before


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit not in (_other_action, _move_handle)])
def test_every_edit_is_noticed_behind_a_result_too(edit: Callable[[Any], None], armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), ["b"]))
    before = signature(armature)
    edit(armature)
    assert signature(armature) != before


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
def test_a_result_and_another_frame_change_nothing(target: bridge.Target, armature: Any) -> None:
    before = signature(armature)
    reading = bridge.read(armature, 1, 24)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(1), ["b"], ["c"]), target=target)
    assert signature(armature) == before
    for frame in (5, 17):
        bpy.context.scene.frame_set(frame)
        assert signature(armature) == before
    armature.select_set(False)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    assert signature(armature) == before


def test_what_moves_a_rig_is_noticed(armature: Any) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    held: Any = armature.pose.bones["c"].constraints.new("COPY_ROTATION")
    held.target = target
    before = signature(armature)
    target.rotation_euler.x = 0.4
    moved = signature(armature)
    assert moved != before
    held.influence = 0.5
    assert signature(armature) != moved
    target.keyframe_insert("rotation_euler", frame=1)
    keyed = signature(armature)
    target.rotation_euler.x = 1.4
    target.keyframe_insert("rotation_euler", frame=20)
    animated = signature(armature)
    assert animated != keyed
    bpy.context.scene.frame_set(10)
    assert signature(armature) == animated


def test_the_objects_that_a_motion_depends_on_count(armature: Any) -> None:
    parent, child = bpy.data.objects.new("Parent", None), bpy.data.objects.new("Child", None)
    child.parent = parent

    def of(*left_out: Any) -> str:
        found = bridge.Signature()
        found.add_object(child, left_out=left_out)
        return found.text

    before, alone = of(), of(parent)
    parent.location.x = 1.0
    assert of() != before and of(parent) == alone
    child.location.y = 1.0
    assert of(parent) != alone


def test_the_faces_of_an_object_count() -> None:
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [], [(0, 1, 2)])
    solid = bpy.data.objects.new("Ground", mesh)

    def of() -> str:
        found = bridge.Signature()
        found.add_shape(solid)
        return found.text

    found = [of()]
    mesh.vertices[0].co.z = 0.5
    found.append(of())
    solid.modifiers.new("Thick", "SOLIDIFY")
    found.append(of())
    assert len(set(found)) == 3


def test_a_walk_is_signed_in_a_few_milliseconds() -> None:
    armature = straight_chain([f"bone {number}" for number in range(31)])
    swing(armature, range(1, 351))
    assert len(_curves(armature)) >= 124
    bridge.source_signature(armature)
    begin = time.process_time()
    bridge.source_signature(armature)
    assert time.process_time() - begin < FEW
