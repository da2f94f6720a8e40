# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles of footprints and obstacles: where they are made, how they move, what they leave."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise import solver
from poise.addon import bridge
from poise.addon.properties import armature_in, character_of, handles
from poise.addon.workflows import physics_edit, physics_handles

from ..physical import stance_places


def fitted(clip: solver.Clip, *stances: tuple[str, float, float, tuple[float, float, float]]) -> Any:
    """What handles need of a fit, with stances in frames."""
    found = [
        SimpleNamespace(
            contact=contact,
            begin=begin / clip.fps,
            end=end / clip.fps,
            place=np.array(place),
            points=(f"{contact.split()[0]}_ball",),
        )
        for contact, begin, end, place in stances
    ]
    return SimpleNamespace(
        fit=SimpleNamespace(stances=found), read=SimpleNamespace(clip=clip), frame_at=lambda seconds: seconds * clip.fps
    )


LEFT = ("left foot", 10.0, 25.0, (0.1, -0.2, 0.0))
RIGHT = ("right foot", 25.0, 40.0, (-0.1, -0.9, 0.0))


@pytest.fixture
def stepping(armature: Any, reading: bridge.Reading) -> Any:
    physics_handles.store_stances(armature, fitted(reading.clip, LEFT, RIGHT))
    return armature


def test_handles_stand_where_feet_do_and_point_where_they_do(stepping: Any) -> None:
    physics = character_of(stepping).physics
    assert physics_handles.add_footprints(stepping) == 2
    np.testing.assert_allclose(stance_places(stepping), [LEFT[3], RIGHT[3]], atol=1e-6)
    for stance in physics.stances:
        forward = stance.object.matrix_world.to_3x3() @ Vector((0.0, -1.0, 0.0))
        # The walk of the test leads along -y in Blender.
        assert forward.y < -0.9
    assert physics_handles.add_footprints(stepping) == 0, "there are no two for one footprint"


def test_a_handle_belongs_to_its_character(stepping: Any) -> None:
    physics_handles.add_footprints(stepping)
    handle = character_of(stepping).physics.stances[0].object
    bpy.context.view_layer.objects.active = handle
    assert armature_in(bpy.context) == stepping
    stranger = bpy.data.objects.new("Stranger", None)
    bpy.context.scene.collection.objects.link(stranger)
    bpy.context.view_layer.objects.active = stranger
    assert armature_in(bpy.context) is None


def test_a_new_fit_keeps_what_was_done_to_footprints_that_it_has_too(stepping: Any, reading: bridge.Reading) -> None:
    physics = character_of(stepping).physics
    physics_handles.add_footprints(stepping)
    physics.stances[1].object.location.x -= 0.3
    physics.stances[1].later_release = 2.0
    gone = physics.stances[0].object.name
    bpy.context.view_layer.update()
    moved = (-0.1, -1.0, 0.0)
    physics_handles.store_stances(stepping, fitted(reading.clip, ("right foot", 26.0, 41.0, moved)))
    assert gone not in bpy.data.objects
    (kept,) = physics.stances
    assert kept.later_release == 2.0 and tuple(kept.home) == pytest.approx(moved)
    np.testing.assert_allclose(stance_places(stepping), [(-0.4, -1.0, 0.0)], atol=1e-6)


def test_wide_steps_go_to_both_sides_and_crossed_ones_back(stepping: Any) -> None:
    physics_handles.spread_steps(stepping, 0.2)
    wide = stance_places(stepping)
    assert wide[0, 0] - LEFT[3][0] == pytest.approx(0.2, abs=0.02), "left is +x where one faces -y"
    assert wide[1, 0] - RIGHT[3][0] == pytest.approx(-0.2, abs=0.02)
    physics_handles.spread_steps(stepping, -0.2)
    np.testing.assert_allclose(stance_places(stepping), [LEFT[3], RIGHT[3]], atol=1e-5)


def test_feet_that_stand_together_cannot_be_spread(armature: Any, reading: bridge.Reading) -> None:
    with pytest.raises(bridge.BridgeError, match="fit the motion first"):
        physics_handles.spread_steps(armature, 0.1)
    with pytest.raises(bridge.BridgeError, match="fit the motion first"):
        physics_handles.add_footprints(armature)
    character_of(armature).physics.stances.add().contact = "feet"
    with pytest.raises(bridge.BridgeError, match="a left and a right foot"):
        physics_handles.spread_steps(armature, 0.1)


def test_a_duplicated_character_gets_handles_of_its_own(stepping: Any) -> None:
    physics_handles.add_footprints(stepping)
    physics_handles.add_obstacle(stepping, (0.0, 0.0, 0.0))
    copied = stepping.copy()
    bpy.context.scene.collection.objects.link(copied)
    handles.make_own(copied)
    mine, its = character_of(stepping).physics, character_of(copied).physics
    for ours, theirs in zip((*mine.stances, *mine.obstacles), (*its.stances, *its.obstacles), strict=True):
        assert theirs.object is not None and theirs.object != ours.object


def test_reset_leaves_no_edit_and_no_obstacle(stepping: Any) -> None:
    physics_handles.spread_steps(stepping, 0.2)
    item = physics_handles.add_obstacle(stepping, (0.0, 0.0, 0.0))
    name = item.object.name
    character_of(stepping).physics.turn = 1.0
    physics_handles.reset(stepping)
    bpy.context.view_layer.update()
    found = physics_edit.taken(stepping)
    assert found.edit == solver.spacetime.Edit() and all(change.is_none for change in found.changes)
    assert name not in bpy.data.objects
