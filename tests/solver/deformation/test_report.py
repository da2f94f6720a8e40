# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: what it measures is measured again here, and what it says would help is done."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.constraints import Balance, Constraint, Footplant
from poise.solver.core import rotations
from poise.solver.deformation.deform import Deformation
from poise.solver.deformation.report import MISSED, Report, StretchedLimb, report_on
from poise.solver.synthetic import walk

from ..made_up import moving_human, plant_of
from ..rounding import ROUNDING
from ..standing import displaced, frame_tasks_of, standing_human
from .standing_conflicts import (
    BEGIN,
    END,
    FRAMES,
    MIDDLE,
    displaced_target,
    hold,
    kinds,
    missing,
    off,
    only,
    solved,
    turned,
)

# Residuals -----------------------------------------------------------------------------------------------------------


def test_a_residual_is_how_far_the_effector_is_from_its_way(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES, fps=15.0)
    size = clip.skeleton.size
    far = displaced_target(clip, "l_wrist", (0.0, 0.6, 1.0), recruit=2, name="far")
    turn = rotations.multiply(rotations.exp(np.array([0.0, 0.4, 0.0])), clip.orientation("skullbase")[MIDDLE])
    head = turned(clip, "skullbase", turn, recruit=0, name="head")
    beyond = rotations.multiply(rotations.exp(np.array([0.0, 2.0, 0.0])), clip.orientation("r_wrist")[MIDDLE])
    hand = turned(clip, "r_wrist", beyond, name="hand", priority=1)
    still = turned(clip, "r_wrist", clip.orientation("r_wrist")[MIDDLE], name="still", priority=2)
    result = solved(clip, [far])
    residual = result.report.residual(far)
    np.testing.assert_array_equal(residual.frames, np.arange(BEGIN, END + 1))
    (track,) = far.tracks(source_of(result))
    asked = clip.position("l_wrist")[BEGIN : END + 1] + track.displacement
    expected = np.linalg.norm(result.clip.position("l_wrist")[BEGIN : END + 1] - asked, axis=1)
    np.testing.assert_allclose(residual.distances, expected, atol=1e-12)
    assert missing(result, far, MIDDLE) == pytest.approx(off(result, far), abs=1e-12)
    np.testing.assert_array_equal(residual.misses, residual.distances > MISSED * size)
    assert residual.worst == residual.distances.max() and residual.misses.any()
    assert residual.worst == pytest.approx(missing(result, far, residual.worst_frame), rel=ROUNDING)

    result = solved(clip, [hand, head, still])
    assert [residual.constraint for residual in result.report.residuals] == [hand, head, still]
    assert result.report.residual(head).worst < 1e-5
    # Radians, whatever the size: the owner of the wrist keeps it in place.
    lost = rotations.log(rotations.multiply(beyond, rotations.conjugate(result.clip.orientation("r_wrist")[MIDDLE])))
    assert missing(result, hand, MIDDLE) == pytest.approx(float(np.linalg.norm(lost)), abs=1e-9)
    assert np.linalg.norm(lost) > 1.5 and result.report.residual(hand).misses.any()


def source_of(deformation: Deformation) -> Any:
    """The compiled source of a deformation."""
    return deformation._solution.work.source


def test_who_has_the_effector_does_not_change_what_the_other_asked_for() -> None:
    clip = standing_human(25)
    weak = displaced(clip, "l_wrist", (0.0, 0.2, 0.3), 1, 8, 16, 23, priority=1, name="weak")
    strong = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 6, 11, 13, 18, priority=2, name="strong")
    result = solved(clip, [weak, strong])
    assert result.report.residual(strong).worst < 1e-5 * clip.skeleton.size
    asked = np.asarray(weak.points[0].location)  # type: ignore[index]
    for frame in range(8, 17):
        away = float(np.linalg.norm(result.clip.position("l_wrist")[frame] - asked))
        assert missing(result, weak, frame) == pytest.approx(away, abs=1e-12), frame
    assert missing(result, weak, 12) == pytest.approx(float(np.hypot(0.1, 0.2)) * clip.skeleton.size, rel=1e-4)
    conflict = only(result.report)
    assert conflict.constraint is weak and conflict.conflicting == (strong,) and "move" not in kinds(conflict)


def test_a_plant_is_measured_only_while_it_stands() -> None:
    steps = walk(steps=1, fps=30.0, skate=0.02)
    plants = [plant_of(contact, priority=10) for contact in steps.contacts]
    result = solved(steps.clip, plants)
    for plant in plants:
        frames = [int(time) for stay in plant.stays.values() for time in stay]
        expected = np.arange(min(frames), max(frames) + 1)
        np.testing.assert_array_equal(result.report.residual(plant).frames, expected)
        assert result.report.residual(plant).worst < 1e-5 * steps.clip.skeleton.size


def test_a_constraint_without_frames_misses_nothing(clip: Clip) -> None:
    between = Footplant(foot="left", toe_strike=5.3, toe_off=5.6)
    residual = solved(clip, [between]).report.residual(between)
    assert residual.frames.size == 0 and residual.worst == 0.0 and residual.worst_frame == -1
    assert not residual.misses.any()


def test_angles_count_whatever_the_size(clip: Clip) -> None:
    """A human a hundred times as large whose head is turned by two thousandths, and by half of one."""
    scaled = Motion(clip.motion.rotations, 100.0 * clip.motion.translations)
    giant = Clip(clip.skeleton.scaled(100.0), scaled, clip.fps)
    for angle, is_missed in ((2.0 * MISSED, True), (0.5 * MISSED, False)):
        head = turned(giant, "skullbase", rotations.exp(np.array([0.0, angle, 0.0])))
        (residual,) = report_on(frame_tasks_of(giant, [head]), giant).residuals
        assert residual.worst == pytest.approx(angle) and residual.misses.any() == is_missed


def test_only_its_own_constraints_have_residuals(clip: Clip) -> None:
    mine, other = (
        displaced_target(clip, "l_wrist", (0.0, 0.1, 0.0)),
        displaced_target(clip, "r_wrist", (0.0, 0.1, 0.0), name="other one"),
    )
    with pytest.raises(KeyError, match="other one is not part"):
        solved(clip, [mine]).report.residual(other)


# Limbs ---------------------------------------------------------------------------------------------------------------


def test_straight_limbs_are_reported() -> None:
    """A knee and an elbow that are straightened and bent again."""
    clip = standing_human(25)
    skeleton = clip.skeleton
    bent = np.full(25, 0.4)
    bent[5:9] = bent[20] = 0.0
    turned = clip.motion.rotations.copy()
    for upper, lower, end in (("l_hip", "l_knee", "l_talocrural"), ("r_shoulder", "r_elbow", "r_wrist")):
        thigh, shank = skeleton.offsets[skeleton.index(lower)], skeleton.offsets[skeleton.index(end)]
        axis = np.cross(shank, thigh)
        angle = np.arctan2(np.linalg.norm(axis), shank @ thigh)
        axis /= np.linalg.norm(axis)
        turned[:, skeleton.index(lower)] = rotations.exp((angle + bent)[:, None] * axis)
        assert upper in skeleton.names
    result = solved(clip.with_motion(Motion(turned, clip.motion.translations)), [])
    limbs = {limb.limb: limb.spans for limb in result.report.stretched}
    assert limbs["left leg"] == ((5, 8), (20, 20)) and limbs["right arm"] == ((5, 8), (20, 20))
    assert "right leg" not in limbs
    assert "The left leg is fully stretched at frames 5 to 8, 20." in str(result.report)


# The recruiting rule -------------------------------------------------------------------------------------------------


def test_each_pair_that_breaks_the_recruiting_rule_is_named_once_with_its_frames() -> None:
    clip = standing_human(31, fps=15.0)
    arm = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 2, 5, 6, 9, priority=2, recruit=2, name="arm")
    again = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 16, 20, 21, 25, priority=2, recruit=2, name="arm again")
    chest = displaced(clip, "vt1", (0.0, 0.0, 0.05), 4, 10, 12, 22, priority=1, name="chest")
    free = displaced(clip, "r_wrist", (0.0, 0.1, 0.1), 4, 10, 12, 22, priority=3, name="free")
    report = solved(clip, [arm, again, chest, free]).report
    assert [(breach.higher, breach.lower, breach.spans) for breach in report.breaches] == [
        (arm, chest, ((4, 9),)),
        (again, chest, ((16, 22),)),
    ]
    sentence = str(report.breaches[0])
    assert sentence.startswith("At frames 4 to 9: arm (priority 2) is more important than chest (priority 1), but only")
    assert "vt1" in sentence and sentence in str(report)


def test_constraints_that_recruit_everything_keep_the_rule(clip: Clip) -> None:
    hand = displaced_target(clip, "l_wrist", (0.0, 0.1, 0.1), priority=2)
    assert solved(clip, [hand, Balance(priority=1)]).report.breaches == ()
    one_rank = displaced_target(clip, "l_wrist", (0.0, 0.1, 0.1), priority=1, recruit=2)
    assert solved(clip, [one_rank, Balance(priority=1)]).report.breaches == ()


# In words ------------------------------------------------------------------------------------------------------------


def test_the_report_reads_as_sentences(clip: Clip, held_back: tuple[Deformation, dict[str, Constraint]]) -> None:
    texts = [
        str(solved(clip, []).report),
        str(solved(clip, [hold(clip, "l_wrist"), hold(clip, "r_wrist")]).report),
        str(solved(clip, [displaced_target(clip, "l_wrist", (0.0, 0.2, 0.5), recruit=1)]).report),
        str(held_back[0].report),
    ]
    summaries = [text.splitlines()[0] for text in texts]
    assert summaries == [
        "There are no constraints.",
        "Every constraint holds everywhere.",
        "The constraint does not hold everywhere.",
        "Of 3 constraints, 1 does not hold everywhere.",
    ]
    for line in (line for text in texts for line in text.splitlines()):
        assert re.fullmatch(r"\s*[A-Za-z].*\.", line), line
    # Its way there is blended into the motion around it, which it moves too: only its hold is judged.
    assert only(held_back[0].report).spans == ((MIDDLE, MIDDLE),)
    assert f"reach conflicts with chest at frame {MIDDLE}; it misses by up to" in texts[-1]
    assert all(each.sentence in texts[-1] for each in only(held_back[0].report).advice)


def test_one_frame_is_one_frame() -> None:
    report = Report((), (), (StretchedLimb("left arm", ((7, 7),)), StretchedLimb("right arm", ((3, 3), (5, 9)))))
    assert str(report).splitlines()[1:] == [
        "The left arm is fully stretched at frame 7.",
        "The right arm is fully stretched at frames 3, 5 to 9.",
    ]
