# SPDX-License-Identifier: GPL-3.0-or-later
"""The edit is what the panel and the handles say."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Quaternion

from poise import solver
from poise.addon.properties import character_of
from poise.addon.workflows import physics_edit, physics_handles

FPS = 30.0
PLACES = ((0.1, -0.2, 0.0), (-0.1, -0.9, 0.0))


@pytest.fixture
def stepping(armature: Any) -> Any:
    """A character with two footprints, as if it were fitted."""
    for number, (contact, home) in enumerate(zip(("left foot", "right foot"), PLACES, strict=True)):
        stance = character_of(armature).physics.stances.add()
        stance.contact, stance.home, stance.heading = contact, home, 0.1 * number
        stance.begin, stance.end = 10.0 + 15.0 * number, 25.0 + 15.0 * number
    physics_handles.add_footprints(armature)
    bpy.context.view_layer.update()
    return armature


def fit_of(*stances: tuple[str, float, float]) -> Any:
    """What an edit needs of a fit: its stances, in frames."""
    return SimpleNamespace(
        stances=[SimpleNamespace(contact=name, begin=begin, end=end) for name, begin, end in stances]
    )


SAME = fit_of(("left foot", 10.0, 25.0), ("right foot", 25.0, 40.0))


def edit_of(armature: Any, fit: Any = SAME, **given: Any) -> solver.spacetime.Edit:
    bpy.context.view_layer.update()
    return physics_edit.taken(armature, given).edit_for(fit, lambda seconds: seconds)


def test_nothing_is_edited_at_first(stepping: Any) -> None:
    assert edit_of(stepping) == solver.spacetime.Edit()


def test_values_of_the_panel_are_those_of_the_edit(stepping: Any) -> None:
    physics = character_of(stepping).physics
    physics.gravity, physics.duration, physics.flight, physics.turn = "MOON", 1.5, 2.0, 0.5
    physics.free_end = physics.keep_heading = True
    physics.balance = 0.5
    limb = physics.limbs.add()
    limb.joint, limb.length, limb.mass = "left_knee", 1.2, 3.0
    physics.limbs.add().joint = "right_knee"
    physics.locks.add().joint = "right_hip"
    found = edit_of(stepping)
    assert found.gravity == pytest.approx(0.165) and found.duration == pytest.approx(1.5)
    assert (found.flight, found.turn, found.free_end, found.keep_heading) == (2.0, 0.5, True, True)
    assert found.objectives == {"balance": pytest.approx(0.05)}
    assert [(each.joint, round(each.length, 5), each.mass) for each in found.limbs] == [("left_knee", 1.2, 3.0)]
    assert [each.joint for each in found.locked] == ["right_hip"]
    physics.automatic_duration = True
    assert edit_of(stepping).duration is None


def test_given_values_come_before_those_of_the_panel(stepping: Any) -> None:
    physics = character_of(stepping).physics
    physics.gravity, physics.flight = "MOON", 2.0
    found = edit_of(stepping, gravity="CUSTOM", gravity_factor=0.5)
    assert (found.gravity, found.flight) == (0.5, 2.0)
    assert physics.gravity == "MOON", "nothing is stored before there is a result"


def test_a_handle_that_is_moved_turned_or_raised_is_the_edit_of_its_stance(stepping: Any) -> None:
    physics = character_of(stepping).physics
    handle = physics.stances[1].object
    handle.location.x += 0.25
    handle.location.z += 0.5
    handle.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), 0.3) @ handle.rotation_quaternion
    physics.stances[0].earlier_strike, physics.stances[0].later_release = 3.0, -1.5
    first, second = edit_of(stepping).footprints
    assert (first.stance, first.shift, first.turn) == (0, (0.0, 0.0, 0.0), 0.0)
    assert (first.earlier_strike, first.later_release) == pytest.approx((3.0 / FPS, -1.5 / FPS))
    assert second.stance == 1 and second.turn == pytest.approx(0.3, abs=1e-5)
    assert second.shift == pytest.approx((0.25, 0.0, 0.5), abs=1e-5)


def test_turns_are_the_short_way_round(stepping: Any) -> None:
    stance = character_of(stepping).physics.stances[0]
    stance.heading = math.pi - 0.1
    stance.object.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), -math.pi + 0.1)
    (found,) = edit_of(stepping).footprints
    assert found.turn == pytest.approx(0.2, abs=1e-5)


def test_a_deleted_handle_leaves_its_stance_as_it_was(stepping: Any) -> None:
    stance = character_of(stepping).physics.stances[0]
    stance.object.location.x += 1.0
    bpy.data.objects.remove(stance.object)
    assert edit_of(stepping) == solver.spacetime.Edit()


def test_an_obstacle_stands_at_its_handle_and_has_its_scale(stepping: Any) -> None:
    item = physics_handles.add_obstacle(stepping, (1.0, 2.0, 0.5))
    item.height, item.radius = 0.2, 0.1
    item.object.scale = (2.0, 2.0, 3.0)
    (found,) = edit_of(stepping).obstacles
    assert found.place == pytest.approx((1.0, 2.0, 0.5))
    assert (found.height, found.radius) == pytest.approx((0.6, 0.2))
    bpy.context.scene.collection.children[0].objects.unlink(item.object)
    assert edit_of(stepping).obstacles == ()


def test_edits_find_their_stances_in_another_fit(stepping: Any) -> None:
    character_of(stepping).physics.stances[1].object.location.x += 0.25
    another = fit_of(("right foot", 2.0, 12.0), ("left foot", 11.0, 26.0), ("right foot", 27.0, 41.0))
    (found,) = edit_of(stepping, another).footprints
    assert found.stance == 2
    gone = fit_of(("left foot", 11.0, 26.0), ("right foot", 50.0, 60.0))
    assert edit_of(stepping, gone).footprints == ()


def test_no_two_stances_match_the_same_one() -> None:
    known = [SimpleNamespace(contact="feet", begin=0.0, end=10.0), SimpleNamespace(contact="feet", begin=8.0, end=20.0)]
    assert physics_edit.matches(known, [("feet", 0.0, 20.0)]) == [0, None]
    assert physics_edit.matches(known, []) == [None, None]
