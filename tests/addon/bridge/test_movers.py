# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones a rig moves by other means than their channels, and what moves them."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon import bridge
from poise.addon.bridge.movers import UNKNOWN, Mover, movers_of

from .rigs import straight_chain, swing

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(NAMES)
    swing(armature, range(1, 11))
    return armature


def constrain(armature: bpy.types.Object, bone: str, kind: str, **settings: Any) -> Any:
    constraint = armature.pose.bones[bone].constraints.new(kind)
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    for name, value in {"target": goal, **settings}.items():
        setattr(constraint, name, value)
    return constraint


def test_bones_that_only_keys_move_have_no_mover(armature: bpy.types.Object) -> None:
    assert movers_of(armature) == {} and bridge.read(armature, 1, 5).movers == {}
    assert not bridge.has_movers(armature)


@pytest.mark.parametrize(
    ("kind", "sets_position"), [("COPY_TRANSFORMS", True), ("CHILD_OF", True), ("COPY_ROTATION", False)]
)
def test_constraints(kind: str, sets_position: bool, armature: bpy.types.Object) -> None:
    constraint = constrain(armature, "b", kind)
    assert movers_of(armature) == {"b": Mover("b", constraint.name, sets_position)}
    constraint.influence = 0.5
    assert movers_of(armature) == {"b": Mover("b", constraint.name, sets_position=False)}
    constraint.mute = True
    assert movers_of(armature) == {}


def test_limits_leave_bones_to_their_channels(armature: bpy.types.Object) -> None:
    armature.pose.bones["b"].constraints.new("LIMIT_ROTATION")
    assert movers_of(armature) == {}


@pytest.mark.parametrize(("count", "chain"), [(2, {"c", "d"}), (0, set(NAMES))])
def test_inverse_kinematics_moves_its_chain(count: int, chain: set[str], armature: bpy.types.Object) -> None:
    constrain(armature, "d", "IK", chain_count=count)
    found = movers_of(armature)
    assert set(found) == chain and set(found.values()) == {Mover("d", "IK", sets_position=True)}
    assert found["d"].description_for("d") == "its constraint 'IK'"
    assert found["c"].description_for("c") == "constraint 'IK' of bone 'd'"


def test_a_driver(armature: bpy.types.Object) -> None:
    armature.pose.bones["c"].driver_add("location", 0)
    assert movers_of(armature) == {"c": Mover("c", "", sets_position=False)}
    assert bridge.read(armature, 1, 5).movers["c"].description_for("c") == "a driver"
    assert UNKNOWN.description_for("c") == "something other than its channels"


def test_the_mover_that_decides_where_a_bone_is(armature: bpy.types.Object) -> None:
    constrain(armature, "b", "COPY_TRANSFORMS", name="Copy")
    constrain(armature, "c", "COPY_ROTATION", name="Turn")
    reading = bridge.read(armature, 1, 5)
    assert bridge.mover_above(reading, "a") is None
    found = bridge.mover_above(reading, "d")
    assert found is not None and found[0] == "b" and found[1].constraint == "Copy"
