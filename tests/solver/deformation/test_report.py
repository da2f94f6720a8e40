# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: what it measures is measured again here, and what it says would help is done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    Footplant,
    OrientationConstraint,
    ShapeConstraint,
)
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.deform import Deformation, deform
from poise.solver.deformation.report import HELPS, MISSED, Advice, Conflict, Report, StretchedLimb, report_on
from poise.solver.deformation.settings import DeformSettings
from poise.solver.synthetic import walk

from ..made_up import moving_human, plant_of
from ..rounding import ROUNDING
from ..standing import displaced, frame_tasks_of, standing_human

FRAMES = 11
BEGIN, MIDDLE, END = 1, 5, 9
"""Most constraints here are active from begin to end and held in the middle."""


@pytest.fixture(scope="module")
def clip() -> Clip:
    return standing_human(FRAMES, fps=15.0)


def solved(clip: Clip, constraints: Iterable[Constraint]) -> Deformation:
    """As little work as a report needs: what is out of reach takes many steps, and none of them is looked at here."""
    return deform(clip, constraints, settings=DeformSettings(iterations=20))


def displaced_target(
    clip: Clip, joint: str | BodyPoint, by: tuple[float, float, float], **rest: Any
) -> ShapeConstraint:
    return displaced(clip, joint, by, BEGIN, MIDDLE, MIDDLE, END, **rest)


def turned(clip: Clip, joint: str, rotation: Array, **rest: Any) -> OrientationConstraint:
    return OrientationConstraint(joint, BEGIN, END, [ConstraintPoint(rotation, MIDDLE)], "relative", **rest)


def hold(clip: Clip, joint: str | BodyPoint, **rest: Any) -> ShapeConstraint:
    """A joint stays where it is all the time."""
    return displaced(clip, joint, (0.0, 0.0, 0.0), 0, 0, FRAMES - 1, FRAMES - 1, **rest)


ARM = ("l_sternoclavicular", "l_shoulder", "l_elbow")
BACK = ("HumanoidRoot", "vl5", "vl2", "vt11", "vt6", "vt1")


def missing(deformation: Deformation, constraint: Constraint, frame: int) -> float:
    """What a constraint misses in one frame."""
    residual = deformation.report.residual(constraint)
    return float(residual.distances[residual.frames == frame][0])


def off(deformation: Deformation, constraint: Constraint) -> float:
    """The same in the middle, measured without the report."""
    assert isinstance(constraint, ShapeConstraint)
    (point,) = constraint.points
    place = deformation.clip.position(constraint.joint)[MIDDLE]
    return float(np.linalg.norm(place - np.asarray(point.location)))


def only(report: Report) -> Conflict:
    (conflict,) = report.conflicts
    return conflict


def advice(conflict: Conflict, kind: str) -> Advice:
    (found,) = (each for each in conflict.advice if each.kind == kind)
    return found


def kinds(conflict: Conflict) -> set[str]:
    return {each.kind for each in conflict.advice}


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


# Conflicts -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def held_back(clip: Clip) -> tuple[Deformation, dict[str, Constraint]]:
    """A hand that would reach its goal if the trunk did not have to stay."""
    each: dict[str, Constraint] = {
        "reach": displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), priority=1, recruit=(*ARM, *BACK), name="reach"),
        "chest": hold(clip, "vt1", priority=3, name="chest"),
        "right hand": displaced_target(clip, "r_wrist", (0.0, 0.1, 0.1), priority=4, recruit=2, name="right hand"),
    }
    return solved(clip, each.values()), each


def test_conflicting_constraints_are_those_without_which_the_residual_is_smaller(
    clip: Clip, held_back: tuple[Deformation, dict[str, Constraint]]
) -> None:
    result, each = held_back
    conflict = only(result.report)
    assert conflict.constraint is each["reach"] and conflict.conflicting == (each["chest"],)
    assert conflict.worst_frame == MIDDLE
    assert conflict.worst == result.report.residual(conflict.constraint).worst
    for name in ("chest", "right hand"):
        others = [constraint for other, constraint in each.items() if other != name]
        without = off(solved(clip, others), conflict.constraint)
        assert (without <= HELPS * conflict.worst) == (name == "chest"), name


def test_spans_are_the_frames_that_are_missed(held_back: tuple[Deformation, dict[str, Constraint]]) -> None:
    result, each = held_back
    residual = result.report.residual(each["reach"])
    frames = [frame for first, last in only(result.report).spans for frame in range(first, last + 1)]
    np.testing.assert_array_equal(frames, residual.frames[residual.misses])


def test_a_target_that_is_out_of_reach_alone_conflicts_with_no_constraint(clip: Clip) -> None:
    reach = displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), priority=1, recruit=ARM, name="reach")
    result = solved(clip, [reach, displaced_target(clip, "r_wrist", (0.0, 0.1, 0.1), priority=4, recruit=2)])
    conflict = only(result.report)
    assert conflict.conflicting == ()
    assert "priority" not in kinds(conflict)
    assert off(solved(clip, [reach]), reach) > HELPS * conflict.worst
    assert str(conflict).startswith("reach is out of reach even alone at frames ")


def test_if_only_all_of_them_together_make_the_difference_all_are_named(clip: Clip) -> None:
    chest = [hold(clip, BodyPoint("vt1", (x, 0.0, 0.0)), priority=3, name=f"chest at {x}") for x in (-0.05, 0.05)]
    reach = displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), priority=1, recruit=(*ARM, *BACK), name="reach")
    conflict = only(solved(clip, [*chest, reach]).report)
    # They are on either side of the chest's middle, so that one is as much to blame as the other.
    assert off(solved(clip, [chest[0], reach]), reach) > HELPS * conflict.worst
    assert set(conflict.conflicting) == set(chest)


def test_what_could_be_met_is_not_said_to_be_out_of_reach(clip: Clip) -> None:
    reach = displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), name="reach")
    elsewhere = displaced_target(clip, "r_wrist", (0.0, 0.0, 0.1), priority=2)
    conflict = report_on(frame_tasks_of(clip, [reach, elsewhere]), clip).conflicts[0]
    assert conflict.constraint is reach
    assert conflict.conflicting == () and conflict.alone < MISSED * clip.skeleton.size
    assert "is not met, although it could be (" in str(conflict)


def test_two_of_the_same_label_are_told_apart(clip: Clip) -> None:
    reach = displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), priority=1)
    palm = hold(clip, BodyPoint("l_wrist", (0.0, -0.05, 0.0)), priority=2)
    assert reach.label == palm.label
    conflict = only(solved(clip, [reach, palm]).report)
    assert conflict.constraint is reach and conflict.conflicting == (palm,)
    assert advice(conflict, "priority").remaining < MISSED * clip.skeleton.size


def test_feet_in_the_air_are_not_blamed() -> None:
    """Nothing holds them, so that leaving them out would not help."""
    steps = walk(steps=3, fps=30.0, skate=0.01)
    clip, standing = steps.clip, steps.contacts[1]
    plants = [plant_of(contact, priority=10, name=f"step {n}") for n, contact in enumerate(steps.contacts)]
    frame = 17
    assert steps.contacts[0].toe_off < frame - 3 and frame + 3 < steps.contacts[2].heel_strike
    assert standing.toe_strike < frame < standing.heel_off
    reach = displaced(clip, "l_wrist", (0.0, 0.3, 2.2), frame - 5, frame, frame, frame + 5, priority=1, name="reach")
    assert only(solved(clip, [*plants, reach]).report).conflicting == (plants[1],)


def test_a_stay_that_was_left_no_time_loses_against_who_left_it_none() -> None:
    """Where no track owns the frame; it is missed most there, because the source runs away."""
    clip = standing_human(61)
    moved = clip.motion.translations.copy()
    moved[:, 0, 2] += 0.02 * np.arange(61)
    clip = clip.with_motion(Motion(clip.motion.rotations, moved))
    weak = displaced(clip, "l_wrist", (0.0, 0.0, -0.1), 30, 45, 53, 60, mode="condensed", priority=1, name="weak")
    strong = displaced(clip, "l_wrist", (0.0, 0.05, 0.0), 20, 35, 35, 50, priority=2, name="strong")
    conflict = only(solved(clip, [weak, strong]).report)
    assert conflict.worst_frame == 53 and conflict.conflicting == (strong,)


def test_an_effector_that_another_has_counts_too(clip: Clip) -> None:
    """The toes of a plant have another target, so far that its heel still stands."""
    plant = Footplant(foot="left", heel_strike=3, toe_strike=3, heel_off=7, toe_off=7, priority=1, name="plant")
    toe = displaced_target(clip, "l_metatarsal", (0.0, 0.0, 0.0), priority=2, name="toe")
    heel = clip.position(clip.skeleton.landmarks.left_heel)[0]  # type: ignore[arg-type]
    apart = clip.position("l_metatarsal")[0] - heel
    aside = heel + rotations.rotate(rotations.exp(np.array([0.0, 0.3, 0.0])), apart)
    toe = replace(toe, points=[ConstraintPoint(aside, MIDDLE)])
    result = solved(clip, [plant, toe])
    conflict = only(result.report)
    assert result.clip.position(clip.skeleton.landmarks.left_heel)[MIDDLE] == pytest.approx(heel, abs=1e-4)  # type: ignore[arg-type]
    assert conflict.constraint is plant and conflict.conflicting == (toe,)


def test_a_plant_cannot_be_moved_to_where_another_has_its_toes(clip: Clip) -> None:
    plant = Footplant(foot="left", heel_strike=3, toe_strike=3, heel_off=7, toe_off=7, priority=1, name="plant")
    toe = displaced_target(clip, "l_metatarsal", (0.0, 0.0, 0.05), priority=2, name="toe")
    conflict = only(solved(clip, [plant, toe]).report)
    assert conflict.constraint is plant and conflict.conflicting == (toe,)
    assert "move" not in kinds(conflict)


# Advice --------------------------------------------------------------------------------------------------------------


def follows(found: float, said: float, clip: Clip) -> None:
    """What is missing when advice is followed is what it said."""
    assert found == pytest.approx(said, abs=2.0 * MISSED * clip.skeleton.size)


def test_following_the_advice_on_priorities(clip: Clip, held_back: tuple[Deformation, dict[str, Constraint]]) -> None:
    result, each = held_back
    conflict = only(result.report)
    said = advice(conflict, "priority")
    assert said.remaining <= HELPS * conflict.worst
    assert "Lower the priority of chest below 1 (or raise that of reach)" in said.sentence
    reach, chest, right = each.values()
    raised = replace(reach, priority=9)
    follows(off(solved(clip, [raised, chest, right]), raised), said.remaining, clip)
    lowered = replace(chest, priority=0)
    follows(off(solved(clip, [reach, lowered, right]), reach), said.remaining, clip)


def test_following_the_advice_to_recruit_more(clip: Clip) -> None:
    reach = displaced_target(clip, "l_wrist", (0.0, 0.2, 0.5), recruit=1, name="reach")
    conflict = only(solved(clip, [reach]).report)
    said = advice(conflict, "recruit")
    assert "Let reach recruit l_shoulder and l_sternoclavicular too" in said.sentence
    assert said.remaining <= HELPS * conflict.worst
    for more in (3, ("l_wrist", "l_elbow", "l_shoulder", "l_sternoclavicular")):
        recruiting = replace(reach, recruit=more)
        follows(off(solved(clip, [recruiting]), recruiting), said.remaining, clip)


def test_who_recruits_all_that_helps_is_not_told_to_recruit_more(
    clip: Clip, held_back: tuple[Deformation, dict[str, Constraint]]
) -> None:
    assert "recruit" not in kinds(only(held_back[0].report))
    free = displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), priority=1, name="reach")
    assert "recruit" not in kinds(only(solved(clip, [free, hold(clip, "l_shoulder", priority=2)]).report))


def vector(said: Advice) -> Array:
    """The three numbers in a sentence."""
    (found,) = re.findall(r"by \(([^)]*)\)", said.sentence)
    return np.array([float(number) for number in found.split(", ")])


def test_following_the_advice_to_move(clip: Clip, held_back: tuple[Deformation, dict[str, Constraint]]) -> None:
    result, each = held_back
    conflict = only(result.report)
    said = advice(conflict, "move")
    reach, chest, right = each.values()
    assert isinstance(reach, ShapeConstraint) and said.sentence.startswith("Move the target of l_wrist by (")
    (point,) = reach.points
    moved = replace(reach, points=[replace(point, location=np.asarray(point.location) + vector(said))])
    follows(off(solved(clip, [moved, chest, right]), moved), said.remaining, clip)
    assert said.remaining == 0.0


def test_what_is_no_place_cannot_be_moved(clip: Clip) -> None:
    over = displaced_target(clip, "HumanoidRoot", (0.3, -0.15, 0.0), priority=3, name="hips")
    feet = [hold(clip, f"{side}_talocrural", priority=4) for side in "lr"]
    balance = Balance(priority=1, recruit=["l_hip", "r_hip"], name="balance")
    conflict = only(solved(clip, [over, *feet, balance]).report)
    assert conflict.constraint is balance and "move" not in kinds(conflict)


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
    first, last = only(held_back[0].report).spans[0]
    assert f"reach conflicts with chest at frames {first} to {last}; it misses by up to" in texts[-1]
    assert all(each.sentence in texts[-1] for each in only(held_back[0].report).advice)


def test_one_frame_is_one_frame() -> None:
    report = Report((), (), (StretchedLimb("left arm", ((7, 7),)), StretchedLimb("right arm", ((3, 3), (5, 9)))))
    assert str(report).splitlines()[1:] == [
        "The left arm is fully stretched at frame 7.",
        "The right arm is fully stretched at frames 3, 5 to 9.",
    ]
