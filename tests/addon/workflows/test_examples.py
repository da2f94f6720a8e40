# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches by examples, on motions with known truth (Le Callennec 2006, chapter 6)."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import translation
from poise.addon.bridge import versions
from poise.addon.properties import character_of
from poise.addon.properties.constraint_list import remove
from poise.addon.workflows import detect, examples, noise_patterns, progress, solve
from poise.addon.workflows.examples import NewExamples
from poise.addon.workflows.subjects import Subject
from poise.examples.detection.bodies import carried_bottle, door
from poise.examples.detection.tracks import noisy
from poise.solver import MovingObject, finished

from ...solver.detection.feet import walk_run_walk
from ..bodies import BONE, FIRST, moving_box, one_bone
from ..bridge.importing import import_bvh

WALKING, RUNNING = (34 + FIRST, 47 + FIRST), (146 + FIRST, 151 + FIRST)


@pytest.fixture
def rng() -> np.random.Generator:
    """Noise that is the same in every run."""
    return np.random.default_rng(7)


def detection(armature: Any) -> Any:
    return character_of(armature).detection


def places(armature: Any, kind: str = "SPACE") -> list[tuple[int, int]]:
    """The frames of the body's motion in which something of a kind was found, from 0."""
    groups = {item.detected.group: item.detected for item in character_of(armature).found}
    spans = [(each.begin, each.end) for each in groups.values() if each.kind == kind]
    return sorted((int(begin) - FIRST, int(end) - FIRST) for begin, end in spans)


def found_plants(armature: Any, plants: list[tuple[int, int]]) -> list[int]:
    """The numbers of the plants that overlap by most of their frames with something found."""
    spans = places(armature)
    return [
        number
        for number, (begin, end) in enumerate(plants)
        if any(min(end, last) - max(begin, first) >= 0.7 * (end - begin) for first, last in spans)
    ]


def test_a_second_example_refines_the_first(rng: np.random.Generator) -> None:
    # Figures 6.17 and 6.18: walking, running, walking.
    body, plants = walk_run_walk(rng, run_noise=2e-2)
    armature = one_bone(body)
    examples.add_examples(armature, NewExamples([BONE], "space", *WALKING))
    examples.find_like_examples(armature)
    assert found_plants(armature, plants) == [0, 1, 2, 3, 10, 11, 12, 13], "those of the walk alone"
    examples.add_examples(armature, NewExamples([BONE], "space", *RUNNING))
    assert len(detection(armature).templates) == 2 and detection(armature).active_template == 1
    both = examples.find_like_examples(armature)
    assert found_plants(armature, plants) == list(range(14)), "those of the run too"
    assert both.counts == {BONE: len(places(armature))}
    detection(armature).templates[1].enabled = False
    examples.find_like_examples(armature)
    assert found_plants(armature, plants) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_the_noise_pattern_and_thresholds_are_kept(rng: np.random.Generator) -> None:
    body, _ = walk_run_walk(rng, run_noise=2e-2)
    armature = one_bone(body)
    for frames in (WALKING, RUNNING):
        examples.add_examples(armature, NewExamples([BONE], "space", *frames))
    examples.find_like_examples(armature)
    pattern = noise_patterns.of(armature, Subject(bone=BONE))
    assert pattern is not None and [signal.measure for signal in pattern.signals] == ["rotation", "translation"]
    assert [(span.begin, span.end) for span in pattern.examples] == [WALKING, RUNNING]
    assert [(int(span.begin) - FIRST, int(span.end) - FIRST) for span in pattern.found] == places(armature)
    walked, ran = detection(armature).templates
    assert ran.distance > 5.0 * walked.distance > 0.0 and ran.rotation > 5.0 * walked.rotation > 0.0
    turned, moved = pattern.signals
    np.testing.assert_allclose(np.interp(WALKING[0] + 5, moved.times, moved.thresholds), walked.distance, rtol=1e-5)
    np.testing.assert_allclose(np.interp(RUNNING[0] + 2, turned.times, turned.thresholds), ran.rotation, rtol=1e-5)


def test_kinds_of_one_bone_are_found_together(rng: np.random.Generator) -> None:
    # Section 6.5.7: a space and a line template of the same bone.
    example = door()
    armature = one_bone(noisy(example.body, rng, 1e-3, 1e-3))
    examples.add_examples(armature, NewExamples([BONE], "space", 24 + FIRST, 38 + FIRST))
    examples.add_examples(armature, NewExamples([BONE], "line", 40 + FIRST, 78 + FIRST))
    examples.find_like_examples(armature)
    for kind in ("SPACE", "LINE"):
        truths = [truth for truth in example.truths if truth.kind == kind.lower()]
        spans = places(armature, kind)
        assert len(spans) == len(truths) == 2
        assert np.abs(np.array(spans) - [(truth.begin, truth.end) for truth in truths]).max() <= 3
    truth = example.truths[1]
    lines = [item.detected for item in character_of(armature).found if item.detected.kind == "LINE"]
    assert {item.kind for item in character_of(armature).found} == {"SHAPE", "ORIENTATION", "LOOK_AT"}
    for line in lines:
        assert abs(np.array(line.direction) @ truth.direction) > 0.999
        away = np.array(line.location) - truth.place
        assert np.linalg.norm(away - (away @ truth.direction) * truth.direction) < 0.02
    confidences = [item.confidence for item in character_of(armature).found]
    assert all(0.8 < confidence <= 1.0 for confidence in confidences)


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_a_hand_rests_on_a_bottle_that_is_carried(noise: float, rng: np.random.Generator) -> None:
    bottle, example = carried_bottle()
    armature = one_bone(noisy(example.body, rng, noise, noise))
    carrier = moving_box("Bottle", bottle, 0.2)
    examples.add_examples(armature, NewExamples([BONE], "space", 50 + FIRST, 70 + FIRST))
    examples.find_like_examples(armature)
    assert (40, 100) not in places(armature), "in the world the hand moves all the time"
    detection(armature).templates[0].reference = "OBJECT"
    detection(armature).templates[0].reference_object = carrier
    found = examples.find_like_examples(armature)
    assert found.counts == {f"{BONE} on Bottle": 1}
    assert np.abs(np.array(places(armature)) - (40, 100)).max() <= 2
    shape, turned = character_of(armature).found
    assert shape.reference == turned.reference == "OBJECT" and shape.reference_object == carrier
    assert detect.accept_all(armature) == 2
    held = {item.kind: item for item in character_of(armature).constraints}
    assert held["SHAPE"].points[0].object.parent is None and held["ORIENTATION"].points[0].object.parent == carrier
    result = solve.solve(armature)
    assert not result.misses
    first, last = places_of(held["SHAPE"])
    seen = MovingObject(bottle.positions, bottle.rotations).checked("bottle", len(bottle.positions))
    relative = seen.seen_from(result.baked.clip.position(BONE))[first : last + 1]
    assert np.ptp(relative, axis=0).max() < 1e-4, "it stays on the bottle"


def places_of(item: Any) -> tuple[int, int]:
    return int(item.points[0].begin) - FIRST, int(item.points[0].end) - FIRST


def test_a_larger_tolerance_finds_more(rng: np.random.Generator) -> None:
    body, plants = walk_run_walk(rng, run_noise=2e-2)
    armature = one_bone(body)
    examples.add_examples(armature, NewExamples([BONE], "space", *WALKING))
    detection(armature).templates[0].tolerance = 20.0
    examples.find_like_examples(armature)
    assert len(found_plants(armature, plants)) > 10


def test_changes_are_followed_at_once_after_a_search(rng: np.random.Generator) -> None:
    # Section 6.5.9: requirements are changed with results at interactive rates.
    body, plants = walk_run_walk(rng, run_noise=2e-2)
    armature = one_bone(body)
    for frames in (WALKING, RUNNING):
        examples.add_examples(armature, NewExamples([BONE], "space", *frames))
    detection(armature).shortest = 0.2
    assert not len(character_of(armature).found), "nothing was searched yet"
    detection(armature).shortest = 0.1
    examples.find_like_examples(armature)
    walked = [0, 1, 2, 3, 10, 11, 12, 13]
    detection(armature).shortest = 0.4
    assert found_plants(armature, plants) == walked
    detection(armature).shortest = 0.1
    assert found_plants(armature, plants) == list(range(14))
    detection(armature).templates[1].enabled = False
    assert found_plants(armature, plants) == walked
    pattern = noise_patterns.of(armature, Subject(bone=BONE))
    assert pattern is not None
    before = pattern.signals[0].thresholds[0]
    detection(armature).templates[0].tolerance = 3.0
    pattern = noise_patterns.of(armature, Subject(bone=BONE))
    assert pattern is not None and pattern.signals[0].thresholds[0] == pytest.approx(3.0 * before)
    detection(armature).templates[0].tolerance = 1.0
    examples.remove_example(armature, 1)
    assert found_plants(armature, plants) == walked
    examples.add_examples(armature, NewExamples([BONE], "space", *RUNNING))
    assert found_plants(armature, plants) == list(range(14))
    found = [item.name for item in character_of(armature).found]
    detection(armature).templates[0].begin = 10_000
    assert [item.name for item in character_of(armature).found] == found, "it cannot be searched, and nothing changes"


def test_a_search_sees_keys_that_have_changed_since_the_last_one(rng: np.random.Generator) -> None:
    body, plants = walk_run_walk(rng)
    armature = one_bone(body)
    examples.find_like_examples(armature, NewExamples([BONE], "space", *WALKING))
    examples.find_like_examples(armature)
    assert 0 in found_plants(armature, plants)
    data = armature.animation_data
    for curve in versions.curves_of(data.action, versions.slot_of(data)):
        if curve.data_path.endswith("location"):
            for key in curve.keyframe_points[: plants[0][1]]:
                key.co[1] += 0.1 * rng.standard_normal()
            curve.update()
    examples.find_like_examples(armature)
    assert 0 not in found_plants(armature, plants) and 1 in found_plants(armature, plants)


def test_a_search_that_took_long_is_not_repeated_by_itself(
    armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples.add_examples(armature, NewExamples(["l_talocrural"], "space", 5, 10))
    examples.find_like_examples(armature)
    steps = examples.find_like_examples_in_steps(armature)
    next(steps)
    until = time.process_time() + 2.0 * examples.LARGEST_WAIT
    while time.process_time() < until:  # what a window draws between two steps
        pass
    finished(steps)
    assert examples._seconds[armature.name] < examples.LARGEST_WAIT
    monkeypatch.setitem(examples._seconds, armature.name, 2.0)
    learnt = detection(armature).templates[0].rotation
    detection(armature).templates[0].tolerance = 4.0
    assert detection(armature).templates[0].rotation == learnt


def test_what_is_short_is_left_out(rng: np.random.Generator) -> None:
    body, plants = walk_run_walk(rng, run_noise=2e-2)
    armature = one_bone(body)
    for frames in (WALKING, RUNNING):
        examples.add_examples(armature, NewExamples([BONE], "space", *frames))
    detection(armature).shortest = 0.4  # seconds: plants of the run last for a fifth, those of the walk for 0.6
    examples.find_like_examples(armature)
    assert found_plants(armature, plants) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_the_same_example_is_listed_once_and_can_be_removed(armature: bpy.types.Object) -> None:
    first = examples.add_examples(armature, NewExamples(["l_wrist", "r_wrist"], "space", 5, 10))
    detection(armature).templates[0].enabled = False
    again = examples.add_examples(armature, NewExamples(["l_wrist"], "space", 5, 10))
    assert first == [0, 1] and again == [0] and detection(armature).templates[0].enabled
    examples.add_examples(armature, NewExamples(["l_wrist"], "point", 5, 10))
    assert len(detection(armature).templates) == 3
    examples.remove_example(armature, 0)
    assert [template.bone for template in detection(armature).templates] == ["r_wrist", "l_wrist"]
    assert examples.active_template(armature) == detection(armature).templates[1]


def test_examples_follow_bones_that_are_renamed(armature: bpy.types.Object) -> None:
    examples.add_examples(armature, NewExamples(["l_wrist"], "space", 5, 10))
    armature.data.bones["l_wrist"].name = "Hand"
    examples.find_like_examples(armature)
    assert detection(armature).templates[0].bone == "Hand"


def test_closing_a_search_early_changes_nothing(armature: bpy.types.Object) -> None:
    examples.add_examples(armature, NewExamples(["l_talocrural"], "space", 5, 10))
    steps = examples.find_like_examples_in_steps(armature)
    next(steps)
    steps.close()
    assert not len(character_of(armature).found)
    shown = progress.RunningWork(armature.name, progress.FIND)
    shares = []
    for stage, share in examples.find_like_examples_in_steps(armature):
        shown.update(stage, share)
        shares.append(shown.share)
    assert shares == sorted(shares) and 0.4 < shares[-1] <= 1.0
    assert len(character_of(armature).found)


def test_what_cannot_be_an_example_is_said(armature: bpy.types.Object) -> None:
    for error, bones, frames in (
        ("does not lie within the scene", ["l_wrist"], (500, 520)),
        ("No bone is chosen", [], (5, 10)),
        ("too short to learn from", ["l_wrist"], (5, 6)),
        ("no bone 'Missing'", ["Missing"], (5, 10)),
    ):
        with pytest.raises(translation.TranslationError if "bone 'M" not in error else Exception, match=error):
            examples.add_examples(armature, NewExamples(bones, "space", *frames))
    with pytest.raises(translation.TranslationError, match="There is no example"):
        examples.find_like_examples(armature)
    examples.add_examples(armature, NewExamples(["l_wrist"], "space", 5, 10))
    template = detection(armature).templates[0]
    template.reference = "OBJECT"
    with pytest.raises(translation.TranslationError, match="No object is chosen"):
        examples.find_like_examples(armature)
    template.reference = "BONE"
    with pytest.raises(translation.TranslationError, match="No bone is chosen"):
        examples.find_like_examples(armature)
    template.enabled = False
    with pytest.raises(translation.TranslationError, match="Every example is switched off"):
        examples.find_like_examples(armature)
    detection(armature).reference, detection(armature).reference_bone = "BONE", "l_wrist"
    with pytest.raises(translation.TranslationError, match="never moves relative to itself"):
        examples.add_examples(armature, NewExamples(["l_wrist"], "space", 5, 10))
    assert not len(character_of(armature).found)


def test_an_example_whose_frames_were_left_out_of_the_scene_is_named(armature: bpy.types.Object) -> None:
    examples.add_examples(armature, NewExamples(["l_wrist"], "space", 5, 10))
    bpy.context.scene.frame_start = 8
    with pytest.raises(translation.TranslationError, match=r"frames 5 to 10\) does not lie within"):
        finished(examples.find_like_examples_in_steps(armature))


def test_a_captured_foot_is_found_as_its_footplants_are(mocap: Path) -> None:
    armature = import_bvh(mocap / "02_01.bvh")
    scene = bpy.context.scene
    scene.render.fps = 120
    scene.frame_start, scene.frame_end = 2, int(armature.animation_data.action.frame_range[1])  # 1 is a calibration
    detect.find_footplants(armature)
    plants = [item for item in character_of(armature).found if item.foot == "LEFT"]
    stances = [(math.ceil(item.toe_strike), math.floor(item.heel_off)) for item in plants]
    whole = [(begin, end) for begin, end in stances if end - begin >= 20]
    bone = plants[0].bone
    drop_all(armature)
    examples.find_like_examples(armature, NewExamples([bone], "space", whole[0][0] + 4, whole[0][1] - 4))
    spans = [(item.detected.begin, item.detected.end) for item in character_of(armature).found]
    for begin, end in whole:
        assert any(min(end, last) - max(begin, first) > 0.6 * (end - begin) for first, last in spans), (begin, end)
    flying = [
        (first, last) for first, last in spans if not any(min(end, last) >= max(begin, first) for begin, end in stances)
    ]
    assert not flying, "nothing is found in a swing"


def drop_all(armature: bpy.types.Object) -> None:
    """Drop all proposals."""
    for index in reversed(range(len(character_of(armature).found))):
        remove(armature, index, "found")
