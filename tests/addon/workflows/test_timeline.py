# SPDX-License-Identifier: GPL-3.0-or-later
"""A bar makes its constraint the active one, and leads to its frame."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.properties import character_of
from poise.addon.translation import TranslationError
from poise.addon.workflows import create, detect, timeline


def test_a_constraint_becomes_active_by_its_uid(armature: bpy.types.Object) -> None:
    first = create.add_pins(armature, ["l_wrist"], 20.0)[0].uid
    create.add_pins(armature, ["r_wrist"], 30.0)
    character = character_of(armature)
    assert timeline.activate(armature, first) and character.active_constraint == 0
    assert not timeline.activate(armature, first)
    assert not timeline.activate(armature, "gone") and character.active_constraint == 0
    item = timeline.item_of(armature, first)
    assert item is not None and item.bone == "l_wrist" and timeline.item_of(armature, "gone") is None
    assert timeline.constraint_with(armature, first) == item
    with pytest.raises(TranslationError, match="not in the list any more"):
        timeline.constraint_with(armature, "gone")


def test_a_proposal_becomes_the_active_proposal(armature: bpy.types.Object) -> None:
    detect.find_footplants(armature)
    character = character_of(armature)
    character.active_found = 0
    assert timeline.activate(armature, character.found[2].uid)
    assert character.active_found == 2 and character.active_constraint == 0


def test_the_frame_of_a_constraint_is_where_it_holds_first(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0, 5.0)
    bpy.context.scene.frame_set(3)
    assert timeline.jump(pin) == 20 and bpy.context.scene.frame_current == 20
