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
from poise.addon.panels.residual import residual_sentence
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
    assert all(advice.uid in ("", pin.uid) for advice in character.advice)
    (missed,) = (advice for advice in character.advice if advice.kind == "MISSED")
    assert missed.sentence == f"{pin.name}: {messages.format_amount(residual.worst, False)} off, out of reach"
    assert f"{pin.name} is out of reach even alone at frame" in missed.details
    assert (missed.has_frame, missed.frame, missed.unit) == (True, 20.0, "LENGTH")
    assert missed.amount == pytest.approx(residual.worst)
    assert character.advice[0].kind == "RIG"
    assert all(fix.kind != "BONES" for fix in missed.fixes), "more bones would not help where the rig decides"
    (move,) = missed.fixes
    assert move.kind == "MOVE" and np.linalg.norm(move.move) == pytest.approx(residual.worst, rel=0.02)


def test_the_worst_problem_comes_first(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    pins = create.add_pins(armature, ["l_wrist", "r_wrist"], 20.0)
    names = [pin.name for pin in pins]
    for pin, far in zip(pins, (2.0, 4.0), strict=True):
        pin.points[0].object.location.z += far
    translated = translation.translate(armature, reading)
    report = solver.deform(reading.clip, translated.constraints).report
    messages.store_advice(character_of(armature), report, translated, reading.times)
    missed = [advice for advice in character_of(armature).advice if advice.kind == "MISSED"]
    assert [advice.sentence.split(":")[0] for advice in missed] == names[::-1]
    assert missed[0].amount > missed[1].amount


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
    messages.store_metrics(stored, metrics, clip.skeleton.size, reading.times)
    assert stored.slide == pytest.approx(metrics.slide * clip.skeleton.size, rel=1e-5)
    assert stored.skating_ratio == pytest.approx(metrics.skating_ratio, rel=1e-5)


def test_lengths_below_a_tenth_of_a_millimetre_are_stored_as_0(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    clip = reading.clip
    metrics = replace(solver.foot_metrics(clip, solver.detect_footplants(clip)), slide=2e-6, penetration=2e-4)
    stored = character_of(armature).metrics_after
    messages.store_metrics(stored, metrics, clip.skeleton.size, reading.times)
    assert stored.slide == 0.0 and messages.format_amount(stored.slide, is_angular=False).split()[0] == "0"
    assert stored.penetration == pytest.approx(2e-4 * clip.skeleton.size, rel=1e-5)


def test_figures_that_rise_warn_in_frames_of_the_scene(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    clip = reading.clip
    before = solver.foot_metrics(clip, solver.detect_footplants(clip))
    jump = solver.JointJump(2.95, 0.1, "l_hip", 7)
    after = replace(before, knee_pops=before.knee_pops + 4, jump=jump)
    stored = character_of(armature).metrics_after
    messages.store_metrics(stored, after, clip.skeleton.size, reading.times, before)
    assert stored.worse == {"knee_pops", "jump"}
    assert (stored.jump_joint, stored.jump_frame) == ("l_hip", reading.times[7])
    messages.store_metrics(stored, before, clip.skeleton.size, reading.times, before)
    assert stored.worse == set()


def test_faults_are_named_in_frames_of_the_scene() -> None:
    times = [float(frame) for frame in range(11, 60)]
    faults = [solver.CaptureFault("calibration", 0, 0, ("Hips",))]
    assert messages.fault_sentence([], times, repaired=False) == ""
    assert messages.fault_sentence(faults, times, repaired=True) == (
        "The capture has a fault: a calibration pose at frame 11. It is interpolated."
    )
    faults += [solver.CaptureFault("glitch", frame, frame + 1, ("Foot",)) for frame in (4, 20)]
    faults += [solver.CaptureFault("glitch", 30, 30, (name,)) for name in ("Hips", "Hand")]
    assert messages.fault_sentence(faults, times, repaired=False) == (
        "The capture has 5 faults: a calibration pose at frame 11, a glitch of Foot at frames 15 to 16, 31 to 32, "
        "a glitch of Hips at frame 41 and 1 more. They are kept; Repair Faults interpolates them."
    )


def test_a_planted_foot_that_only_banks_is_missed_by_degrees(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    plant = solver.Footplant(foot="left", heel_strike=20, toe_strike=20, heel_off=30, toe_off=30)
    report = solver.deform(reading.clip, [plant]).report
    (residual,) = report.residuals
    angles = np.where(residual.frames == 24, math.radians(7.0), residual.angles)
    banked = replace(
        report,
        residuals=(
            replace(residual, angles=angles, relative=np.stack([0.0 * angles, angles], axis=1), is_angular=True),
        ),
    )
    character = character_of(armature)
    messages.store_residuals(character, banked.residuals, ["plant"], reading.times)
    (stored,) = character.residuals
    assert (stored.unit, stored.worst_frame, stored.misses) == ("ANGLE", reading.times[24], True)
    np.testing.assert_allclose(stored.worst, math.radians(7.0), rtol=1e-6)
    assert "7°" in residual_sentence(stored)


def test_a_cause_is_told_in_words_of_the_panel() -> None:
    pin = solver.ShapeConstraint("l_wrist", 0, 9, name="Pin")
    for takes, does in ((True, "moves the same point"), (False, "needs the same bones")):
        cause = solver.Cause(pin, ((3, 5),), takes)
        assert messages.cause_sentence(cause, TIMES) == f"Pin {does} at frames 104 to 106."
