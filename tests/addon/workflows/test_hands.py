# SPDX-License-Identifier: GPL-3.0-or-later
"""Handplants are found where hands support the body, accepted, kept in Clean Up, and carried by objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import clean, create, detect, hands, mirror, solve

SHIFT = np.array([0.04, -0.03, 0.05])


def wrist(armature: bpy.types.Object, frame: float) -> Any:
    scene = bpy.context.scene
    scene.frame_set(int(frame))
    return np.array(armature.matrix_world @ armature.pose.bones["l_wrist"].head)


def moving_box() -> bpy.types.Object:
    """A box that moves along x and turns."""
    box = bpy.data.objects.new("Box", None)
    bpy.context.scene.collection.objects.link(box)
    for frame, x, turn in ((1, 0.0, 0.0), (40, 0.2, 0.3)):
        box.location, box.rotation_euler = (x, 0.0, 1.0), (0.0, 0.0, turn)
        box.keyframe_insert("location", frame=frame)
        box.keyframe_insert("rotation_euler", frame=frame)
    return box


def test_a_hand_that_swings_is_none_that_stands(armature: bpy.types.Object) -> None:
    with pytest.raises(translation.TranslationError, match="No hand was found to support the body"):
        hands.find_handplants(armature)


def test_proposals_are_made_and_accepted(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        solver.DetectedHandplant(hand="left", begin=8, end=14, position=(0.0, 0.0, 0.0), confidence=0.7),
        solver.DetectedHandplant(hand="right", begin=20, end=30, position=(0.0, 0.0, 0.0)),
    ]
    monkeypatch.setattr(solver, "detect_handplants", lambda clip: found)
    for _ in range(2):
        assert hands.find_handplants(armature) == 2
    proposals = character_of(armature).found
    assert [(each.kind, each.hand) for each in proposals] == [("HANDPLANT", "LEFT"), ("HANDPLANT", "RIGHT")]
    assert proposals[0].confidence == pytest.approx(0.7) and not proposals[0].use_position
    assert detect.accept_all(armature) == 2
    first = character_of(armature).constraints[0]
    assert first.points[0].object is not None and first.priority == 3 and first.bone == "l_wrist"
    reading = bridge.read(armature)
    (plant,) = translation.translate(armature, reading, [first]).constraints
    assert isinstance(plant, solver.Handplant) and (plant.begin, plant.end) == (8.0, 14.0)


def test_a_moved_handplant_stands_where_it_was_moved_to(armature: bpy.types.Object) -> None:
    item = create.add_handplant(armature, "left", 10.0, 20.0)
    home = np.array(item.points[0].home)
    item.points[0].object.location = (home + SHIFT).tolist()
    result = solve.solve(armature)
    assert not result.misses
    for frame in (10, 15, 20):
        assert np.allclose(wrist(armature, frame), home + SHIFT, atol=1e-4)


def test_a_hand_on_a_box_moves_with_the_box(armature: bpy.types.Object) -> None:
    box = moving_box()
    item = create.add_handplant(armature, "left", 10.0, 20.0, on=box)
    assert item.reference == "OBJECT" and item.reference_object == box and item.points[0].object.parent == box
    solve.solve(armature)
    places = []
    for frame in range(10, 21):
        place = wrist(armature, frame)
        places.append(box.matrix_world.inverted() @ bpy.context.scene.cursor.location.__class__(place))
    assert np.abs(np.array(places) - np.array(places[0])).max() < 1e-4


def test_a_plant_that_begins_later_keeps_its_place_on_the_box(armature: bpy.types.Object) -> None:
    item = create.add_handplant(armature, "left", 10.0, 20.0, on=moving_box())
    reading = bridge.read(armature)
    item.begin = 15.0
    (plant,) = translation.translate(armature, reading, [item]).constraints
    assert isinstance(plant, solver.Handplant)
    assert np.allclose(plant.shift, 0.0, atol=1e-5) and plant.turn == 0.0


def test_a_hand_does_not_stand_on_a_bone(armature: bpy.types.Object) -> None:
    item = create.add_handplant(armature, "left", 10.0, 20.0)
    item.reference = "BONE"
    with pytest.raises(translation.TranslationError, match="not on a bone"):
        translation.translate(armature, bridge.read(armature), [item])


def test_clean_up_uses_the_kept_ones(armature: bpy.types.Object) -> None:
    item = create.add_handplant(armature, "left", 10.0, 20.0)
    home = np.array(item.points[0].home)
    item.points[0].object.location = (home + 0.5 * SHIFT).tolist()
    result = clean.clean(armature, clean.CleanOptions(method="rigid", feet=False, hands=True))
    assert result.sentence.startswith("1 handplant cleaned")
    for frame in (12, 18):
        assert np.allclose(wrist(armature, frame), home + 0.5 * SHIFT, atol=5e-3)


def test_a_mirrored_handplant_is_of_the_other_hand(armature: bpy.types.Object) -> None:
    item = create.add_handplant(armature, "left", 10.0, 20.0)
    item.points[0].object.location.z += 0.1
    made = mirror.mirror(armature, 0)
    assert made.hand == "RIGHT" and made.bone == "r_wrist" and (made.begin, made.end) == (10.0, 20.0)
    moved = np.array(made.points[0].object.location) - np.array(made.points[0].home)
    assert np.allclose(moved, (0.0, 0.0, 0.1), atol=1e-5)
    create.add_handplant(armature, "left", 10.0, 20.0, on=moving_box())
    with pytest.raises(translation.TranslationError, match="cannot be mirrored"):
        mirror.mirror(armature, 2)


def test_hands_are_told_by_their_bones(armature: bpy.types.Object) -> None:
    assert create.hand_of(armature, ["r_elbow"]) == "right"
    with pytest.raises(translation.TranslationError, match="which hand"):
        create.hand_of(armature, ["l_knee"])


def test_an_empty_that_was_deleted_comes_back(armature: bpy.types.Object, tmp_path: Path) -> None:
    item = create.add_handplant(armature, "left", 10.0, 20.0)
    home = list(item.points[0].home)
    bpy.data.objects.remove(item.points[0].object)
    create.add_point(armature, item, 10.0)
    assert np.allclose(item.points[0].object.location, home, atol=1e-6)
