# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports are in frames and units of the scene, and name which constraint is missed."""

from __future__ import annotations

import math
from dataclasses import replace

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows import create, messages

TIMES = np.arange(101.0, 201.0)


def test_amounts_are_in_units_of_the_scene_or_degrees() -> None:
    assert messages.format_amount(0.15, is_angular=False) == "15 cm"
    assert messages.format_amount(math.radians(12.0), is_angular=True) == "12°"


@pytest.mark.parametrize(
    ("spans", "text"),
    [([(3, 3)], "frame 104"), ([(3, 5)], "frames 104 to 106"), ([(3, 3), (7, 9)], "frames 104, 108 to 110")],
)
def test_spans_are_in_frames_of_the_scene(spans: list[tuple[int, int]], text: str) -> None:
    assert messages.format_spans(spans, TIMES) == text


def test_a_problem_comes_before_the_summary() -> None:
    assert messages.prefixed([], "All is well.") == "All is well."
    assert messages.prefixed(["Bone is off.", "More."], "All is well.") == "Bone is off; all is well."


def test_errors_and_advice_of_a_missed_pin_are_stored(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 9.0
    translated = translation.translate(armature, reading)
    report = solver.deform(reading.clip, translated.constraints).report
    character = character_of(armature)
    messages.store_residuals(character, report.residuals, translated.uids, reading.times)
    (residual,) = character.residuals
    assert (residual.uid, residual.unit, residual.misses, residual.worst_frame) == (pin.uid, "LENGTH", True, 20.0)
    assert residual.worst > 7.0
    messages.store_advice(character, report, translated, reading.times, more=["Also this."], first=["First this."])
    sentences = [advice.sentence for advice in character.advice]
    assert sentences[0] == "First this." and sentences[-1] == "Also this."
    assert any(pin.name in sentence and "frame 20" in sentence for sentence in sentences[1:])
    assert all(advice.uid in ("", pin.uid) for advice in character.advice)


def test_straight_limbs_are_told_only_where_a_constraint_is_missed(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 9.0
    translated = translation.translate(armature, reading)
    report = solver.deform(reading.clip, translated.constraints).report
    ((first, last),) = report.conflicts[0].spans
    arm = solver.StretchedLimb("left arm", ((0, 0), (first, last + 1)))
    report = replace(report, stretched=(arm, solver.StretchedLimb("right leg", ((0, 0), (last + 1, last + 2)))))
    messages.store_advice(character_of(armature), report, translated, reading.times)
    told = [advice.sentence for advice in character_of(armature).advice if "stretched" in advice.sentence]
    when = messages.format_spans([(first, last + 1)], reading.times)
    assert told == [f"The left arm is fully stretched at {when}."]


def test_what_only_the_keys_miss_is_told(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    translated = translation.translate(armature, reading)
    deformation = solver.deform(reading.clip, translated.constraints)
    shifted = deformation.clip.motion.translations.copy()
    shifted[:, 0] += (0.0, 0.0, 0.05)
    baked = deformation.clip.with_motion(solver.Motion(deformation.clip.motion.rotations, shifted))
    residuals = deformation.residuals_in(baked)
    (told,) = messages.missed_as_baked(deformation.report, residuals, reading.times)
    assert told.startswith("Pin l_wrist holds in the solve, but misses by up to 5 cm as baked, at frame ")
    assert messages.missed_as_baked(deformation.report, deformation.report.residuals, reading.times) == []
    messages.store_residuals(character_of(armature), residuals, translated.uids, reading.times)
    (stored,) = character_of(armature).residuals
    assert stored.misses and stored.worst == pytest.approx(0.05, abs=1e-3)


def test_metrics_are_stored_in_units_of_the_scene(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    clip = reading.clip
    metrics = solver.foot_metrics(clip, solver.detect_footplants(clip))
    stored = character_of(armature).metrics_before
    messages.store_metrics(stored, metrics, clip.skeleton.size)
    assert stored.slide == pytest.approx(metrics.slide * clip.skeleton.size, rel=1e-5)
    assert stored.skating_ratio == pytest.approx(metrics.skating_ratio, rel=1e-5)


def test_a_cause_is_told_in_words_of_the_panel() -> None:
    pin = solver.ShapeConstraint("l_wrist", 0, 9, name="Pin")
    for takes, does in ((True, "moves the same point"), (False, "needs the same bones")):
        cause = solver.Cause(pin, ((3, 5),), takes)
        assert messages.cause_sentence(cause, TIMES) == f"Pin {does} at frames 104 to 106."
