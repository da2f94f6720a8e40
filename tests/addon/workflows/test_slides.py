# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides and stays are found without examples, and their trajectories keep bones on lines and planes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import translation
from poise.addon.properties import character_of
from poise.addon.workflows import detect, slides, solve
from poise.examples.detection.slides import SlideExample, disturbed, drawer, rail_on_a_cart, swinging_arm, wiped_table
from poise.examples.detection.tracks import at_rest, carried, joined
from poise.solver import finished

from ..bodies import BONE, FIRST, moving_box, one_bone

LARGEST = {"drawer": 12, "table": 45}
"""Points of all trajectories of an example at the most: enough to follow the source, and still to be edited."""


def distances(truth: Any, places: Any) -> Any:
    """How far places are from a true line or plane."""
    away = places - truth.place
    along = (away @ truth.direction)[:, None] * truth.direction
    return np.linalg.norm(along if truth.kind == "plane" else away - along, axis=1)


@pytest.mark.parametrize(("name", "example"), [("drawer", drawer()), ("table", wiped_table())])
def test_a_bone_slides_and_stays_on_its_line_or_plane(name: str, example: SlideExample) -> None:
    armature = one_bone(disturbed(example.places, 3, 1e-3, 0.0))
    counts = finished(slides.find_slides_in_steps(armature, [BONE]))
    found = list(character_of(armature).found)
    assert counts == {BONE: len(example.truths)} and len(found) == len(example.truths)
    assert sum(len(item.points) for item in found) <= LARGEST[name]
    for item, truth in zip(found, example.truths, strict=True):
        seen = item.detected
        assert item.kind == "SHAPE" and seen.kind == f"SLIDE_{truth.kind.upper()}" and seen.extent > 0.1
        assert abs(np.array(seen.direction) @ truth.direction) > 0.999
        assert np.abs(np.array([seen.begin, seen.end]) - FIRST - [truth.begin, truth.end]).max() <= 4
    before = distances(example.truths[0], disturbed(example.places, 3, 1e-3, 0.0).positions)
    detect.accept_all(armature)
    result = solve.solve(armature)
    assert not result.misses
    truth = example.truths[0]
    within = slice(truth.begin + 5, truth.end - 4)
    after = distances(truth, result.baked.clip.position(BONE))
    path = result.baked.clip.position(BONE)[within]
    residual = path - path.mean(axis=0)
    flat = np.linalg.svd(residual)[1][1 if truth.kind == "line" else 2] / np.sqrt(len(path))
    assert flat < 1e-4, "it is on one line, or plane, exactly"
    assert after[within].max() < 0.01 and before[within].max() > 0.002
    away = np.linalg.norm(path - example.places[within], axis=1)
    assert away.max() < 0.02, "and follows the source along it"


def test_only_from_the_cart_the_rail_is_a_line() -> None:
    cart, rail = rail_on_a_cart()
    armature = one_bone(rail.body)
    assert finished(slides.find_slides_in_steps(armature, [BONE])) == {BONE: 0}
    detection = character_of(armature).detection
    detection.reference, detection.reference_object = "OBJECT", moving_box("Cart", cart)
    assert finished(slides.find_slides_in_steps(armature, [BONE])) == {BONE: 1}
    item = character_of(armature).found[0]
    assert item.reference == "OBJECT" and item.reference_object.name == "Cart"
    assert item.name.startswith(f"{BONE} on Cart slides along a line")
    detect.accept(armature, 0)
    assert not solve.solve(armature).misses


def test_what_swings_freely_does_not_slide(armature: bpy.types.Object) -> None:
    free = one_bone(swinging_arm().body)
    assert finished(slides.find_slides_in_steps(free, [BONE])) == {BONE: 0}
    assert not len(character_of(free).found)
    with pytest.raises(translation.TranslationError, match="No bone is chosen, and the hands"):
        finished(slides.find_slides_in_steps(free, []))
    bpy.context.view_layer.objects.active = armature
    assert set(finished(slides.find_stays_in_steps(armature, []))) == {"l_wrist", "r_wrist"}


def test_a_bone_that_stays_is_pinned_and_searches_leave_each_other_alone() -> None:
    turned = np.array([1.0, 0.0, 0.0, 0.0])
    coming = carried((0.0, 0.0, 0.0), (0.8, 0.3, 0.4), turned, (0.5, 0.2, 0.1), 30)
    resting = at_rest(coming.positions[-1], coming.rotations[-1], 30)
    going = carried(resting.positions[-1], (0.5, -0.4, 0.8), resting.rotations[-1], (0.3, -0.6, 0.2), 30)
    armature = one_bone(joined(coming, resting, going))
    assert finished(slides.find_stays_in_steps(armature, [BONE])) == {BONE: 1}
    (item,) = character_of(armature).found
    assert item.detected.kind == "POINT"
    np.testing.assert_allclose(item.detected.location, resting.positions[0], atol=1e-3)
    assert abs(item.detected.begin - FIRST - 30) <= 2 and abs(item.detected.end - FIRST - 59) <= 2
    finished(slides.find_slides_in_steps(armature, [BONE]))
    assert item.name in [other.name for other in character_of(armature).found]
    finished(slides.find_stays_in_steps(armature, [BONE]))
    assert sum(other.detected.kind == "POINT" for other in character_of(armature).found) == 1
