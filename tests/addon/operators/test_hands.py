# SPDX-License-Identifier: GPL-3.0-or-later
"""Handplants from the selection, and those that are found."""

from __future__ import annotations

import bpy
import pytest

from poise import solver

from ..walking import select_bones
from .test_constraints import items, refused, run


def test_the_selected_hand_is_planted(armature: bpy.types.Object) -> None:
    select_bones(armature, "r_elbow")
    run("constraint_add_handplant", begin=10, end=25)
    (item,) = items(armature)
    assert (item.kind, item.hand, item.begin, item.end) == ("HANDPLANT", "RIGHT", 10.0, 25.0)
    select_bones(armature, "l_knee")
    assert "which hand" in refused("constraint_add_handplant", begin=10, end=25)
    assert "no object 'Nothing'" in refused("constraint_add_handplant", hand="LEFT", begin=10, end=25, on="Nothing")
    assert len(items(armature)) == 1


def test_a_hand_is_planted_on_an_object(armature: bpy.types.Object) -> None:
    box = bpy.data.objects.new("Box", None)
    bpy.context.scene.collection.objects.link(box)
    run("constraint_add_handplant", hand="LEFT", begin=10, end=25, on="Box")
    (item,) = items(armature)
    assert item.reference == "OBJECT" and item.reference_object == box


def test_hands_are_found_and_proposed(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No hand was found" in refused("detect_handplants")
    found = [solver.DetectedHandplant(hand="left", begin=8, end=14)]
    monkeypatch.setattr(solver, "detect_handplants", lambda clip: found)
    run("detect_handplants")
    assert [each.kind for each in armature.poise.found] == ["HANDPLANT"]
