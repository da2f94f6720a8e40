# SPDX-License-Identifier: GPL-3.0-or-later
"""Why constraints are missed: what is said to be the cause is left out here, and what is said to help is done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.body.limits import HingeLimit
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    Footplant,
    OrientationConstraint,
    ShapeConstraint,
)
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, ArrayLike
from poise.solver.deformation.deform import Deformation, deform
from poise.solver.deformation.report import HELPS, MISSED, Advice, Cause, Conflict, report_on
from poise.solver.detection import detect_footplants
from poise.solver.synthetic import walk

from ..made_up import plant_of
from ..standing import displaced, frame_tasks_of, standing_human
from .standing_conflicts import (
    ARM,
    BACK,
    MIDDLE,
    advice,
    displaced_target,
    hold,
    kinds,
    off,
    only,
    solved,
)


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


def test_a_hold_that_is_shortened_for_the_way_to_another_names_that_one() -> None:
    """Two holds of a hand far apart, with no frame between them: each gives up some time."""
    clip = standing_human(41)
    here = displaced(clip, "l_wrist", (0.0, 0.3, 0.3), 0, 5, 20, 20, mode="condensed", name="here")
    there = displaced(clip, "l_wrist", (0.0, -0.3, 0.3), 21, 21, 35, 40, mode="condensed", name="there")
    found = {conflict.constraint: conflict for conflict in solved(clip, [here, there]).report.conflicts}
    for one, other, event in ((here, there, 20), (there, here, 21)):
        (cause,) = found[one].causes
        assert cause.constraint is other and cause.takes_effector and found[one].worst_frame == event
        assert found[one].advice == () and found[one].outcome == f"conflicts with {other.name}"


def test_out_of_reach_is_said_before_what_else_is_in_the_way(clip: Clip) -> None:
    one, other = hold(clip, "l_wrist", name="one"), hold(clip, "r_wrist", name="other")
    cause = Cause(other, ((3, 4),), takes_effector=True)
    for alone, said in (
        (0.8, "is out of reach even alone"),
        (0.2, "conflicts with other"),
        (np.nan, "conflicts with other"),
    ):
        conflict = Conflict(one, (cause,), alone, ((2, 5),), 1.0, 3, ())
        assert conflict.outcome == said and conflict.told_causes == (cause,)


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
    assert said.lowered == (chest,) and said.frame == conflict.worst_frame
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
    assert (said.joints, said.levels) == (("l_shoulder", "l_sternoclavicular"), 2)
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
    (move,) = said.moves
    np.testing.assert_allclose(move, vector(said), rtol=5e-3)
    moved = replace(reach, points=[replace(point, location=np.asarray(point.location) + move)])
    follows(off(solved(clip, [moved, chest, right]), moved), said.remaining, clip)
    assert said.remaining == 0.0


def test_what_is_no_place_cannot_be_moved(clip: Clip) -> None:
    over = displaced_target(clip, "HumanoidRoot", (0.3, -0.15, 0.0), priority=3, name="hips")
    feet = [hold(clip, f"{side}_talocrural", priority=4) for side in "lr"]
    balance = Balance(priority=1, recruit=["l_hip", "r_hip"], name="balance")
    conflict = only(solved(clip, [over, *feet, balance]).report)
    assert conflict.constraint is balance and "move" not in kinds(conflict)


# Which constraint, on which frames -----------------------------------------------------------------------------------


def test_a_cause_has_the_frames_in_which_it_is_active() -> None:
    """A hand that first the chest holds back, then the loins."""
    clip = standing_human(31, fps=15.0)
    reach = displaced(clip, "l_wrist", (0.0, 0.3, 1.6), 0, 5, 25, 30, priority=1, recruit=(*ARM, *BACK), name="reach")
    early = displaced(clip, "vt1", (0.0, 0.0, 0.0), 0, 0, 12, 12, priority=2, name="early")
    late = displaced(clip, "vl2", (0.0, 0.0, 0.0), 18, 18, 30, 30, priority=2, name="late")
    conflict = only(solved(clip, [reach, early, late]).report)
    causes = {cause.constraint: cause for cause in conflict.causes}
    assert set(causes) == {early, late} and not any(cause.takes_effector for cause in causes.values())
    assert max(last for _, last in causes[early].spans) <= 17 and min(first for first, _ in causes[late].spans) >= 13
    assert set(conflict.told_causes) == set(conflict.causes)
    assert causes[late].sentence("frames 18 to 30") == "late needs the same joints at frames 18 to 30."


def test_a_cause_that_takes_the_effector_has_the_frames_in_which_it_does() -> None:
    clip = standing_human(25)
    weak = displaced(clip, "l_wrist", (0.0, 0.2, 0.3), 1, 8, 16, 23, priority=1, name="weak")
    strong = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 6, 11, 13, 18, priority=2, name="strong")
    result = solved(clip, [weak, strong])
    (cause,) = only(result.report).causes
    assert cause.constraint is strong and cause.takes_effector
    taken = {frame for first, last in cause.spans for frame in range(first, last + 1)}
    assert {11, 12, 13} <= taken <= set(range(8, 17))
    assert "strong moves the same effector at frames " in str(result.report)


def test_a_constraint_that_holds_alone_is_not_called_out_of_reach() -> None:
    """A root that swings by a right angle, and a balance after an orientation of lower priority."""
    frames = 17
    times = np.arange(frames) / frames
    angles = 1.5 * np.sin(2.0 * np.pi * (2.0 * times + 0.25))
    skeleton = Skeleton(
        names=("root", "b"), parents=[-1, 0], offsets=[[0, 0, 0], [0, 1, 0]], set_masses={0: 1.0, 1: 1.0}
    )
    turned = np.tile(rotations.IDENTITY, (frames, 2, 1))
    turned[:, 0] = rotations.exp(angles[:, None] * np.array([1.0, 0.0, 0.0]))
    clip = Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (frames, 1, 1))), 30.0)
    goal = ConstraintPoint(rotations.exp(np.array([2.0, 0.0, 0.0])), 5, 7)
    lower = OrientationConstraint("b", begin=4, end=8, points=[goal], mode="relative", priority=0)
    higher = Balance(points=["b"], begin=9, end=13, priority=2)
    # Whether the deformation meets it or not: judged here is what is said of the source, which misses it everywhere.
    tasks = frame_tasks_of(clip, [higher, lower])
    moved = clip.with_motion(Motion(np.roll(turned, 5, axis=0), clip.motion.translations))
    found = report_on(tasks, moved).conflicts
    assert higher in [conflict.constraint for conflict in found]
    for conflict in found:
        assert "out of reach" not in conflict.outcome and conflict.alone < MISSED


@pytest.mark.parametrize("seed", range(6))
def test_what_is_called_out_of_reach_alone_is(seed: int) -> None:
    clip, constraints = random_case(np.random.default_rng(seed))
    for conflict in deform(clip, constraints).report.conflicts:
        alone = deform(clip, [conflict.constraint]).report.residuals[0].worst
        if "out of reach" in conflict.outcome:
            assert alone > MISSED * clip.skeleton.size or alone > 0.1 * conflict.worst, str(conflict)


def random_case(rng: np.random.Generator) -> tuple[Clip, list[Constraint]]:
    """A tree of joints that turns, with a few positions, orientations and balances at random."""
    count, frames = int(rng.integers(3, 7)), int(rng.integers(8, 14))
    parents = [-1, *(int(rng.integers(max(0, joint - 2), joint)) for joint in range(1, count))]
    skeleton = Skeleton(
        names=tuple(f"joint {joint}" for joint in range(count)),
        parents=parents,
        offsets=np.vstack([np.zeros(3), rng.standard_normal((count - 1, 3))]),
        set_masses=dict.fromkeys(range(count), 1.0),
    )
    amplitude = 0.5 * rng.standard_normal((count, 3))
    turned = rotations.exp(amplitude * np.sin(2.0 * np.pi * np.arange(frames) / frames)[:, None, None])
    clip = Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (frames, 1, 1))), 30.0)
    constraints: list[Constraint] = []
    for number in range(3):
        joint, priority = int(rng.integers(1, count)), int(rng.integers(3))
        begin = int(rng.integers(0, frames // 2))
        span: dict[str, Any] = {"begin": begin, "end": begin + frames // 2, "priority": priority, "name": str(number)}
        middle = begin + frames // 4
        recruit = [None, 0, 1][int(rng.integers(3))]
        place = clip.position(joint)[middle] + rng.choice([0.3, 2.0]) * rng.standard_normal(3)
        constraints.append(
            [
                ShapeConstraint(joint, points=[ConstraintPoint(place, middle)], recruit=recruit, **span),
                OrientationConstraint(joint, points=[ConstraintPoint(rng.standard_normal(4), middle)], **span),
                Balance(points=[joint], displacement=0.3 * rng.standard_normal(3), **span),
            ][number]
        )
    return clip, constraints


# Causes in a small body ----------------------------------------------------------------------------------------------

ARM_FRAMES = 6


def two_arms(bend: float = 0.0, limits: Mapping[int, HingeLimit] | None = None) -> Clip:
    """A free root with two straight arms to either side, of which the right one is bent at its elbow, and a tail."""
    skeleton = Skeleton(
        names=("root", "left elbow", "left hand", "right elbow", "right hand", "tail"),
        parents=[-1, 0, 1, 0, 3, 0],
        offsets=[[0, 0, 0], [-1, 0, 0], [-1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, -1]],
        kinds=(JointKind.FREE, *[JointKind.HINGE] * 5),
        hinge_axes=[[0, 0, 1]] * 6,
        limits=limits or {},
    )
    turned = np.tile(rotations.IDENTITY, (ARM_FRAMES, 6, 1))
    turned[:, 3] = rotations.exp(np.array([0.0, 0.0, bend]))
    return Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (ARM_FRAMES, 1, 1))), 30.0)


def held(clip: Clip, joint: str, by: ArrayLike, end: int = ARM_FRAMES - 1, **rest: int) -> ShapeConstraint:
    """A joint is held so far from where it is, up to the frame `end`."""
    place = clip.position(joint)[0] + np.asarray(by)
    return ShapeConstraint(joint, 0, end, [ConstraintPoint(place, 0, end)], name=joint, **rest)


def blamed(constraints: list[Constraint], source: Clip, result: Clip | None = None) -> dict[str, list[int]]:
    """The causes of the first constraint, each with its frames, if `result` is that of the constraints; None: the
    source itself."""
    conflicts = report_on(frame_tasks_of(source, constraints), source if result is None else result).conflicts
    (conflict,) = (each for each in conflicts if each.constraint is constraints[0])
    return {
        cause.constraint.label: [frame for first, last in cause.spans for frame in range(first, last + 1)]
        for cause in conflict.causes
    }


ALWAYS = list(range(ARM_FRAMES))
AWAY = (-0.5, 0.0, 0.0)


@pytest.mark.parametrize("pull", [0.5, 0.0])
def test_a_more_important_constraint_at_the_other_end_of_straight_bones_opposes(pull: float) -> None:
    """Whether it is met itself or not."""
    clip = two_arms()
    other, tail = (
        held(clip, "right hand", (pull, 0.0, 0.0), priority=2),
        held(clip, "tail", (0.0, 0.0, 0.0), priority=1),
    )
    assert blamed([held(clip, "left hand", AWAY, priority=1), other, tail], clip) == {"right hand": ALWAYS}


def test_constraints_of_the_same_priority_oppose_by_their_pull() -> None:
    clip = two_arms()
    hand, tail = held(clip, "left hand", AWAY), held(clip, "tail", (0.0, 0.0, 0.0))
    assert blamed([hand, held(clip, "right hand", (0.5, 0.0, 0.0)), tail], clip) == {"right hand": ALWAYS}


def test_a_constraint_of_the_same_priority_opposes_only_if_it_is_missed_too() -> None:
    """It pulls by its own error. Where it is met, the other one is not at rest, and could come nearer."""
    clip = two_arms()
    hand, tail = held(clip, "left hand", AWAY), held(clip, "tail", (0.0, 0.0, 0.0))
    assert blamed([hand, tail], clip) == {}
    result = deform(clip, [hand, tail]).clip
    assert np.linalg.norm(result.position("tail") - clip.position("tail"), axis=1).min() > MISSED * clip.skeleton.size
    assert blamed([hand, tail], clip, result) == {"tail": ALWAYS}


def test_a_less_important_constraint_does_not_oppose() -> None:
    clip = two_arms()
    other = held(clip, "right hand", (0.5, 0.0, 0.0), priority=1)
    assert blamed([held(clip, "left hand", AWAY, priority=2), other], clip) == {}


def test_a_constraint_opposes_only_while_it_is_active() -> None:
    clip = two_arms()
    other = held(clip, "right hand", (0.0, 0.0, 0.0), end=2, priority=2)
    assert blamed([held(clip, "left hand", AWAY, priority=1), other], clip) == {"right hand": [0, 1, 2]}


def test_a_bent_arm_lets_the_other_go_unless_it_is_at_its_limit() -> None:
    """The hands are 3.23 apart and should be 3.73; with the elbow bent by 1 they are 3.64 apart, by 0.5 3.91."""
    for limits, found in (
        ({}, {}),
        ({3: HingeLimit(1.5, 2.0)}, {"right hand": ALWAYS}),
        ({3: HingeLimit(1.0, 2.0)}, {"right hand": ALWAYS}),
        ({3: HingeLimit(0.5, 2.0)}, {}),
    ):
        clip = two_arms(1.5, limits)
        other = held(clip, "right hand", (0.0, 0.0, 0.0), priority=2)
        along = clip.position("left hand")[0] - clip.position("right hand")[0]
        hand = held(clip, "left hand", 0.5 * along / np.linalg.norm(along), priority=1)
        assert blamed([hand, other], clip) == found, limits


def test_joints_that_the_constraint_does_not_recruit_do_not_count() -> None:
    """Alone it could not move by its elbow along the arm either, so that no constraint opposes it."""
    clip = two_arms()
    hand = held(clip, "left hand", AWAY, priority=1, recruit=1)
    assert blamed([hand, held(clip, "right hand", (0.0, 0.0, 0.0), priority=2)], clip) == {}


def test_at_a_kept_end_the_motion_outside_is_the_reason() -> None:
    clip = walk(steps=4, fps=30.0).clip
    part = Clip(clip.skeleton, clip.motion.at(np.arange(20, 60)), clip.fps)
    plants = [replace(plant, shift=(0.05, 0.0, 0.0)) for plant in detect_footplants(part)]
    report = deform(part, plants, keep_ends=True).report
    assert len(report.conflicts) == 3
    for conflict in report.conflicts:
        ((first, last),) = conflict.spans
        assert first == 0 or last == part.frames - 1
        assert conflict.is_at_kept_end and not conflict.causes and not conflict.advice
        assert "the motion before or after the solved frames stays as it is, at frames" in str(conflict)
    assert not deform(part, plants).report.conflicts, "without kept ends they hold"
