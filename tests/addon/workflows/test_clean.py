# SPDX-License-Identifier: GPL-3.0-or-later
"""A cleanup takes saved footplants or detects them, and reports and measures what it did."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import clean


def test_detected_plants_are_cleaned_and_measured(armature: bpy.types.Object) -> None:
    result = clean.clean(armature, clean.CleanOptions(method="rigid"))
    character = character_of(armature)
    assert result.sentence == character.last_clean and "footplants cleaned" in result.sentence
    assert character.has_metrics and character.metrics_after.slide == pytest.approx(
        result.after.shown.slide * bridge.read(armature).clip.skeleton.size, abs=1e-6
    )
    assert result.after.slide <= result.before.slide
    assert armature.animation_data.action.name == result.baked.action


def test_saved_plants_come_first(armature: bpy.types.Object) -> None:
    bpy.ops.poise.constraint_add_footplant(foot="LEFT", begin=12, end=18)
    assert clean.clean(armature).sentence.startswith("1 footplant cleaned")
    character_of(armature).constraints[0].enabled = False
    assert not clean.clean(armature).sentence.startswith("1 footplant cleaned")


def test_a_saved_plant_without_its_empty_is_switched_off(armature: bpy.types.Object) -> None:
    for foot, begin, end in (("LEFT", 12, 18), ("RIGHT", 28, 34)):
        bpy.ops.poise.constraint_add_footplant(foot=foot, begin=begin, end=end)
    plants = character_of(armature).constraints
    bpy.data.objects.remove(plants[0].points[0].object)
    result = clean.clean(armature)
    assert result.sentence.startswith("1 footplant cleaned")
    assert [plant.enabled for plant in plants] == [False, True]
    assert any(note.startswith(f"{plants[0].name} was switched off") for note in result.notes)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (clean.CleanOptions(feet=False), "Neither feet nor hands"),
        (clean.CleanOptions(feet=False, hands=True), "No hand"),
    ],
)
def test_nothing_to_clean_is_refused(armature: bpy.types.Object, options: clean.CleanOptions, reason: str) -> None:
    with pytest.raises(translation.TranslationError, match=reason):
        clean.clean(armature, options)
    assert not character_of(armature).last_clean


def test_a_detected_plant_is_named_by_its_frame_in_the_scene(armature: bpy.types.Object) -> None:
    reading = bridge.read(armature, 11, 40)
    plant = solver.Footplant(foot="left", heel_strike=4.0, heel_off=9.0)
    assert clean.with_frame_in_name(plant, reading).name == "Left footplant at frame 15"


def test_plants_that_overlap_are_told_in_frames_of_the_scene(armature: bpy.types.Object) -> None:
    for begin, end in ((20, 28), (25, 34)):
        bpy.ops.poise.constraint_add_footplant(foot="LEFT", begin=begin, end=end)
    with pytest.raises(solver.PoiseError) as caught:
        clean.clean(armature, clean.CleanOptions(begin=11, end=60))
    assert "(frames 20 to 28)" in str(caught.value) and "(frames 25 to 34)" in str(caught.value)


def test_the_settings_of_the_character_are_used(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[solver.CleanSettings] = []
    cleaned = solver.cleaned

    def remember(*args: Any, **kwargs: Any) -> solver.Cleaned:
        given.append(kwargs["settings"])
        return cleaned(*args, **kwargs)

    monkeypatch.setattr(solver, "cleaned", remember)
    armature.poise.cleaning.most_stretch, armature.poise.cleaning.blending = 0.02, 0.4
    clean.clean(armature)
    clean.clean(armature, clean.CleanOptions(settings=solver.CleanSettings(blending=0.1)))
    assert [each.blending for each in given] == pytest.approx([0.4, 0.1])
    assert given[0].most_stretch == pytest.approx(0.02)
