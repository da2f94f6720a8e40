# SPDX-License-Identifier: GPL-3.0-or-later
"""Slots, f-curves, selection and hiding work in the same words in every Blender."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.bridge import versions

from .rigs import key, set_action, straight_chain

PATH = 'pose.bones["a"].location'


def test_an_assigned_action_animates() -> None:
    armature = straight_chain(["a"])
    _, slot = set_action(armature)
    assert versions.animates(armature.animation_data)
    assert versions.slot_of(armature.animation_data) == slot
    key(armature, PATH, 0, [1, 11], [0.0, 1.0])
    bpy.context.scene.frame_set(6)
    assert armature.pose.bones["a"].location[0] == pytest.approx(0.5)


def test_a_copied_action_is_assigned_with_the_same_slot() -> None:
    armature, other = straight_chain(["a"]), straight_chain(["a"])
    action, slot = set_action(armature)
    key(armature, PATH, 0, [1, 11], [0.0, 1.0])
    versions.assign(other.animation_data_create(), action.copy(), slot)
    bpy.context.scene.frame_set(6)
    assert other.pose.bones["a"].location[0] == pytest.approx(0.5)


def test_an_unknown_slot_is_replaced_by_the_suitable_one() -> None:
    armature, other = straight_chain(["a"]), straight_chain(["a"])
    action, _ = set_action(armature)
    versions.assign(other.animation_data_create(), action, "OBanother object")
    assert versions.animates(other.animation_data)


def test_a_slot_that_a_file_does_not_name_is_the_one_for_objects() -> None:
    action, slot = set_action(straight_chain(["a"]))
    assert versions.present_slot(action, slot) == slot
    assert versions.present_slot(action, "") == slot, "as files of Blender 4.2 have it"
    assert versions.present_slot(action, "OBanother object") == slot
    assert versions.present_slot(bpy.data.actions.new("Empty"), "") == ""


def test_taking_the_action_away_leaves_nothing() -> None:
    armature = straight_chain(["a"])
    set_action(armature)
    versions.assign(armature.animation_data, None)
    assert armature.animation_data.action is None
    assert versions.slot_of(armature.animation_data) == ""
    assert not versions.animates(armature.animation_data)


def test_curves_are_found_by_slot_grouped_and_removed() -> None:
    armature = straight_chain(["a"])
    action, slot = set_action(armature)
    for index in range(3):
        assert key(armature, PATH, index, [1], [0.0], group="a").group.name == "a"
    assert [curve.array_index for curve in versions.curves_of(action, slot)] == [0, 1, 2]
    assert len(list(versions.all_curves_of(action))) == 3
    versions.remove_curve(action, slot, versions.curves_of(action, slot)[1])
    assert [curve.array_index for curve in versions.curves_of(action, slot)] == [0, 2]
    if versions.ACTIONS_HAVE_SLOTS:
        assert versions.curves_of(action, "OBnobody") == []


def test_each_slot_has_its_own_curves() -> None:
    if not versions.ACTIONS_HAVE_SLOTS:
        pytest.skip("this Blender has no slots")
    armature = straight_chain(["a"])
    action, slot = set_action(armature)
    other = action.slots.new(id_type="OBJECT", name="Other").identifier
    versions.new_curve(action, slot, PATH, 0, "a")
    versions.new_curve(action, other, PATH, 1, "a")
    assert [curve.array_index for curve in versions.curves_of(action, slot)] == [0]
    assert [curve.array_index for curve in versions.curves_of(action, other)] == [1]
    assert len(list(versions.all_curves_of(action))) == 2


def test_bones_are_selected_and_hidden_one_by_one() -> None:
    armature = straight_chain(["a", "b"])
    first, second = armature.pose.bones
    versions.select(first, True)
    versions.select(second, False)
    assert (versions.is_selected(first), versions.is_selected(second)) == (True, False)
    versions.set_hidden(second)
    assert (versions.is_hidden(first), versions.is_hidden(second)) == (False, True)
    versions.set_hidden(second, False)
    assert not versions.is_hidden(second)


def test_a_bone_is_hidden_where_no_collection_shows_it() -> None:
    armature = straight_chain(["a", "b"])
    shown, away = (armature.data.collections.new(name) for name in ("shown", "away"))
    away.is_visible = False
    away.assign(armature.data.bones["a"])
    assert versions.is_hidden(armature.pose.bones["a"])
    assert not versions.is_hidden(armature.pose.bones["b"])
    shown.assign(armature.data.bones["a"])
    assert not versions.is_hidden(armature.pose.bones["a"])
