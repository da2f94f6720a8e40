# SPDX-License-Identifier: GPL-3.0-or-later
"""Each constraint and proposal has a bar, whose lane, side, holds and misses are those of the constraint."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of
from poise.addon.workflows import bars, create, detect, latest
from poise.addon.workflows.solve import solve


def test_each_kind_has_a_bar_in_its_lane(armature: bpy.types.Object) -> None:
    create.add_balance(armature)
    create.add_pose(armature, ["l_wrist", "l_elbow"], 10.0, 10.0, 20.0)
    create.add_look_at(armature, ["skullbase"], 5.0, 40.0)
    create.add_orientations(armature, ["r_wrist"], 20.0, 5.0)
    create.add_pins(armature, ["l_wrist"], 20.0, 10.0)
    create.add_footplant(armature, "right", 10.0, 30.0)
    create.add_footplant(armature, "left", 30.0, 50.0)
    found = bars.bars_of(armature)
    assert [(bar.lane, bar.side) for bar in found] == [
        ("Left foot", "LEFT"),
        ("Right foot", "RIGHT"),
        ("l_wrist", "LEFT"),
        ("r_wrist turn", "RIGHT"),
        ("skullbase look at", ""),
        ("Hold 2 bones", ""),
        ("Balance", ""),
    ]
    scene = bpy.context.scene
    plant, pin, balance = found[0], found[2], found[-1]
    assert plant.parts == (("HEEL", 30.0, 50.0), ("BALL", 30.0, 50.0)) and plant.solid == (30.0, 50.0)
    assert (plant.begin, plant.end) == (22.0, 58.0)
    assert pin.holds == ((20.0, 30.0),) and pin.solid == (20.0, 30.0) and pin.begin < 20.0 and pin.end > 30.0
    assert (balance.begin, balance.end) == (scene.frame_start, scene.frame_end) and balance.events == ()
    assert [bar.name for bar in found if bar.is_active] == [plant.name]


def test_a_namespace_is_left_out() -> None:
    assert bars.short_name("mixamorig:LeftHand") == "LeftHand"


def test_proposals_have_bars_without_events(armature: bpy.types.Object) -> None:
    detect.find_footplants(armature)
    found = bars.bars_of(armature)
    assert len(found) == len(character_of(armature).found) > 0
    assert all(bar.is_proposal and not bar.events for bar in found)


def test_the_newest_solve_tells_where_constraints_are_missed(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0, 10.0)
    pin.points[0].object.location.z += 100.0
    create.add_pins(armature, ["r_wrist"], 40.0)
    assert bars.missed_spans(armature) == {}
    solve(armature)
    missed, held = bars.bars_of(armature)
    assert held.missed == ()
    assert any(begin <= 20.0 and end >= 30.0 for begin, end in missed.missed)
    latest.forget(armature.name)
    (span,) = bars.bars_of(armature)[0].missed
    assert span[0] == span[1] == character_of(armature).residuals[0].worst_frame


def test_the_signature_changes_with_all_that_is_shown(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0, 10.0)
    create.add_footplant(armature, "left", 30.0, 50.0)
    character = character_of(armature)
    seen = {bars.signature(armature)}
    pin, plant = character.constraints
    changes = [
        lambda: setattr(pin, "enabled", False),
        lambda: setattr(pin, "name", "Other"),
        lambda: setattr(pin.points[0], "end", 33.0),
        lambda: setattr(plant, "heel_off", 44.0),
        lambda: setattr(plant, "ease_in", 3.0),
        lambda: setattr(plant, "has_toe", False),
        lambda: setattr(character, "active_constraint", 0),
        lambda: setattr(bpy.context.scene, "frame_end", 12),
    ]
    for number, change in enumerate(changes, start=2):
        change()
        seen.add(bars.signature(armature))
        assert len(seen) == number, f"change {number - 1} is not noticed"
    assert bars.signature(armature) in seen
