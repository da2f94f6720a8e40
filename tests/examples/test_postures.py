# SPDX-License-Identifier: GPL-3.0-or-later
"""The postures of Le Callennec 2006, chapter 3 and figure 5.10, as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import solver
from poise.examples import postures
from poise.examples.postures import Scene, place
from poise.solver.body.kinematics import WorldState
from poise.solver.core.arrays import Array

MET = 1e-6
"""Of the character's size, or radians."""

SCENES: dict[str, Callable[[], Scene]] = {
    "thinker": postures.thinker,
    "reaching, unbalanced": lambda: postures.reaching(balanced=False),
    "reaching, balanced": lambda: postures.reaching(balanced=True),
    "reaching, with an umbrella": lambda: postures.reaching(balanced=True, umbrella=postures.UMBRELLA_MASS),
    "reaching, with an umbrella of air": lambda: postures.reaching(balanced=True, umbrella=1e-9),
    "arm and spine": lambda: postures.left_reach(postures.ARM_AND_SPINE),
    "arm only": lambda: postures.left_reach(postures.ARM_ONLY),
    "two arms, equal": lambda: postures.two_arms(None),
    "two arms, left first": lambda: postures.two_arms("left"),
    "two arms, right first": lambda: postures.two_arms("right"),
    "three constraints": postures.three_constraints,
}


@cache
def solved(name: str) -> tuple[Scene, solver.Posture]:
    scene = SCENES[name]()
    return scene, scene.solve(record=True)


def misses(name: str) -> dict[str, float]:
    """How far each task is from holding, by its label, in sizes of the character or radians."""
    scene, posture = solved(name)
    return {
        f"{task.label}": float(np.linalg.norm(error)) / (1.0 if task.is_angular else scene.skeleton.size)
        for task, error in zip(scene.tasks, posture.errors, strict=True)
    }


def world(scene: Scene, pose: solver.Pose) -> WorldState:
    return WorldState.of(scene.skeleton, pose.motion)


# What holds for all of them ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_it_comes_to_rest(name: str) -> None:
    _, posture = solved(name)
    assert posture.converged, f"still moving after {posture.iterations} iterations"
    assert np.isfinite(posture.pose.rotations).all()
    assert np.isfinite(posture.pose.translations).all()


@pytest.mark.parametrize("name", SCENES)
def test_it_stays_at_rest(name: str) -> None:
    scene, posture = solved(name)
    again = replace(scene, start=posture.pose).solve()
    drift = np.abs(world(scene, again.pose).positions - world(scene, posture.pose).positions).max()
    assert drift < 1e-3 * scene.skeleton.size, f"solving the solution once more moves a joint by {drift}"


@pytest.mark.parametrize("name", SCENES)
def test_it_is_deterministic(name: str) -> None:
    _, posture = solved(name)
    again = SCENES[name]().solve()
    assert again.iterations == posture.iterations
    assert np.array_equal(again.pose.rotations, posture.pose.rotations)
    assert np.array_equal(again.pose.translations, posture.pose.translations)


@pytest.mark.parametrize("name", SCENES)
def test_joints_that_no_task_recruits_come_back_bit_for_bit(name: str) -> None:
    scene, posture = solved(name)
    recruited = np.any([task.recruited(scene.skeleton) for task in scene.tasks], axis=0)
    assert np.array_equal(posture.pose.rotations[~recruited], scene.start.rotations[~recruited])
    assert np.array_equal(posture.pose.translations[1:], scene.start.translations[1:]), "only the root may translate"
    moved = np.any(posture.pose.rotations != scene.start.rotations, axis=1)
    assert moved[recruited].any()


# Figure 3.3 and table B.1: The Thinker -------------------------------------------------------------------------------

TABLE_B1 = [
    ("l_talocrural", solver.PositionTask, 15, 4),
    ("r_talocrural", solver.PositionTask, 15, 4),
    ("l_hip", solver.PositionTask, 10, 2),
    ("r_hip", solver.PositionTask, 10, 2),
    ("l_wrist", solver.PositionTask, 9, 9),
    ("HumanoidRoot", solver.PositionTask, 9, 0),
    ("r_elbow", solver.PositionTask, 8, 8),
    ("l_elbow", solver.PositionTask, 7, 8),
    ("r_wrist", solver.PositionTask, 4, 1),
    ("r_wrist", solver.OrientationTask, 1, 0),
    ("l_wrist", solver.OrientationTask, 1, 0),
]


def test_the_thinker_has_the_tasks_of_the_table() -> None:
    *tasks, pose = postures.thinker().tasks
    assert [(task.effector, type(task), task.priority, task.recruit) for task in tasks] == TABLE_B1
    assert isinstance(pose, solver.PoseTask)
    assert pose.recruit is None
    assert pose.priority < min(task.priority for task in tasks)


def test_the_thinker_meets_every_task() -> None:
    missed = {label: miss for label, miss in misses("thinker").items() if miss > MET}
    assert set(missed) == {"Pose"}, "only the pose attraction has a residual"


def test_the_thinker_thinks() -> None:
    scene, posture = solved("thinker")
    chin = place(scene.skeleton, posture.pose, solver.BodyPoint("skullbase", (0.0, -0.065, 0.055)))
    knuckles, wrist, elbow, hip, knee = (
        place(scene.skeleton, posture.pose, joint) for joint in ("r_middle1", "r_wrist", "r_elbow", "l_hip", "l_knee")
    )
    assert distance_to_segment(chin, wrist, knuckles) < 0.08, "the chin rests on the back of the right hand"
    assert distance_to_segment(elbow, hip, knee) < 0.14, "the right elbow rests on the left thigh"
    assert elbow[1] > knee[1]
    crown = place(scene.skeleton, posture.pose, scene.skeleton.landmarks.head_top)
    start = place(scene.skeleton, scene.start, scene.skeleton.landmarks.head_top)
    assert crown[2] > start[2] + 0.25, "the body is bent forward"
    assert crown[1] < start[1] - 0.15


def distance_to_segment(point: Array, start: Array, end: Array) -> float:
    along = np.clip((point - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
    return float(np.linalg.norm(point - start - along * (end - start)))


# Figure 3.4 and table B.2: reaching ----------------------------------------------------------------------------------

REACHES = ("reaching, unbalanced", "reaching, balanced", "reaching, with an umbrella")
FEET = ("Left heel", "Left toe tip", "Right toe tip", "Right heel")


def test_reaching_has_the_tasks_of_the_table() -> None:
    *feet, center, hand, pose = postures.reaching(balanced=True).tasks
    assert {(task.label, task.priority, task.recruit) for task in feet} == {
        (label, 15, 5 if "heel" in label else 7) for label in FEET
    }
    assert isinstance(center, solver.CenterOfMassTask)
    assert (center.priority, center.recruit) == (10, None)
    assert (hand.effector, hand.priority, hand.recruit) == ("r_middle1", 5, 10)
    assert isinstance(pose, solver.PoseTask)
    assert pose.priority < 5


@pytest.mark.parametrize("name", REACHES)
def test_feet_stay_while_reaching(name: str) -> None:
    assert max(misses(name)[foot] for foot in FEET) < MET


@pytest.mark.parametrize("name", REACHES)
def test_the_hand_stretches_out_toward_what_it_cannot_reach(name: str) -> None:
    scene, posture = solved(name)
    target = np.array(postures.FAR_OUT_OF_REACH)
    hand = place(scene.skeleton, posture.pose, "r_middle1")
    before = place(scene.skeleton, scene.start, "r_middle1")
    assert misses(name)["Right hand"] > 0.1
    assert np.linalg.norm(target - hand) < 0.75 * np.linalg.norm(target - before)
    shoulder, elbow, wrist = (
        place(scene.skeleton, posture.pose, joint) for joint in ("r_shoulder", "r_elbow", "r_wrist")
    )
    straight = np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow)
    assert np.linalg.norm(wrist - shoulder) > 0.99 * straight, "an arm that reaches in vain is straight"


def outside_support(scene: Scene, pose: solver.Pose) -> float:
    """How far the centre of mass projects outside the feet, in metres; negative inside."""
    center = world(scene, pose).center_of_mass()[0, [0, 2]]
    corners = postures.support(scene.skeleton, scene.start)[:, [0, 2]]
    edges = np.roll(corners, -1, axis=0) - corners
    outward = np.stack([edges[:, 1], -edges[:, 0]], axis=-1)
    outward *= np.sign(np.sum(outward * (corners - corners.mean(axis=0)), axis=1, keepdims=True))
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    return float(np.sum(outward * (center - corners), axis=1).max())


def test_without_the_centre_of_mass_the_body_would_fall() -> None:
    scene, posture = solved("reaching, unbalanced")
    assert outside_support(scene, scene.start) < 0.0
    assert outside_support(scene, posture.pose) > 0.3


@pytest.mark.parametrize("name", ["reaching, balanced", "reaching, with an umbrella"])
def test_with_the_centre_of_mass_the_body_stands(name: str) -> None:
    scene, posture = solved(name)
    assert outside_support(scene, posture.pose) < -0.05
    assert misses(name)["Centre of mass"] < MET


def test_balance_costs_reach() -> None:
    free, held = misses("reaching, unbalanced")["Right hand"], misses("reaching, balanced")["Right hand"]
    assert held > free + 0.2


def test_an_umbrella_on_the_left_lets_the_body_lean_to_the_right() -> None:
    weightless, heavy = "reaching, with an umbrella of air", "reaching, with an umbrella"
    scene, posture = solved(heavy)
    middle = postures.support(scene.skeleton, scene.start).mean(axis=0)
    umbrella = place(scene.skeleton, posture.pose, postures.UMBRELLA)
    assert umbrella[0] > middle[0] + 0.5
    assert own_center(weightless)[[0, 2]] == pytest.approx(middle[[0, 2]], abs=1e-6)
    assert own_center(heavy)[0] < middle[0] - 0.05
    moments = scene.skeleton.total_mass * (own_center(heavy) - middle) + postures.UMBRELLA_MASS * (umbrella - middle)
    assert moments[[0, 2]] == pytest.approx((0.0, 0.0), abs=1e-4), "body and umbrella balance each other"
    assert misses(heavy)["Right hand"] < misses(weightless)["Right hand"] - 0.02, "so the hand comes nearer"


def own_center(name: str) -> Array:
    """The centre of mass of a solved body without what it carries."""
    scene, posture = solved(name)
    return world(replace(scene, skeleton=scene.skeleton.replace(loads=())), posture.pose).center_of_mass()[0]


# Figure 3.5: recruiting levels ---------------------------------------------------------------------------------------

SPINE = ("vl5", "vl2", "vt11", "vt6", "vt1")


@pytest.mark.parametrize("name", ["arm and spine", "arm only"])
def test_the_hand_arrives_with_either_recruiting_level(name: str) -> None:
    assert misses(name)["Position of l_wrist"] < MET


def test_an_arm_that_reaches_alone_leaves_spine_and_root_alone() -> None:
    scene, posture = solved("arm only")
    still = [scene.skeleton.index(joint) for joint in ("HumanoidRoot", *SPINE)]
    assert np.array_equal(posture.pose.rotations[still], scene.start.rotations[still])
    assert np.array_equal(posture.pose.translations, scene.start.translations)


def test_a_recruited_spine_helps() -> None:
    scene, posture = solved("arm and spine")
    spine = [scene.skeleton.index(joint) for joint in SPINE]
    turns = 2.0 * np.arccos(np.clip(np.abs(posture.pose.rotations[spine, 0]), 0.0, 1.0))
    assert (np.rad2deg(turns) > 2.0).all(), "every joint of the spine takes its share"
    assert misses("arm and spine")["Pose"] < misses("arm only")["Pose"], "more joints need to move less"


# Figure 3.2: two arms in conflict ------------------------------------------------------------------------------------

LEFT_WRIST, RIGHT_WRIST = "Position of l_wrist", "Position of r_wrist"


@pytest.mark.parametrize(
    ("name", "preferred", "other"),
    [("two arms, left first", LEFT_WRIST, RIGHT_WRIST), ("two arms, right first", RIGHT_WRIST, LEFT_WRIST)],
)
def test_the_more_important_arm_arrives_and_the_other_does_not(name: str, preferred: str, other: str) -> None:
    assert misses(name)[preferred] < MET
    assert misses(name)[other] > 0.1


def test_arms_of_equal_weight_miss_by_equal_amounts() -> None:
    both = misses("two arms, equal")
    assert both[LEFT_WRIST] > 0.1
    assert both[LEFT_WRIST] == pytest.approx(both[RIGHT_WRIST], abs=MET)


def test_weights_share_what_priorities_do_not() -> None:
    shared, first = misses("two arms, equal"), misses("two arms, left first")
    assert shared[LEFT_WRIST] ** 2 + shared[RIGHT_WRIST] ** 2 < first[LEFT_WRIST] ** 2 + first[RIGHT_WRIST] ** 2 - 0.01
    assert shared[RIGHT_WRIST] < first[RIGHT_WRIST] - 0.1


def test_a_heavier_weight_comes_nearer() -> None:
    scene = postures.two_arms(None)
    left, right, pose = scene.tasks
    weighted = replace(scene, tasks=(replace(left, weight=9.0), right, pose)).solve()
    near, far = (float(np.linalg.norm(error)) for error in weighted.errors[:2])
    assert weighted.converged
    # At the best compromise the weighted pulls balance: nine times the weight leaves a ninth of the error.
    assert far / near == pytest.approx(9.0, rel=0.02)


def test_the_two_orders_mirror_each_other() -> None:
    (scene, left), (_, right) = solved("two arms, left first"), solved("two arms, right first")
    names = scene.skeleton.names
    swap = {"l": "r", "r": "l"}
    mirrored = [names.index(swap[name[0]] + name[1:]) if name[1] == "_" else joint for joint, name in enumerate(names)]
    positions = world(scene, right.pose).positions[0, mirrored] * (-1.0, 1.0, 1.0)
    assert np.abs(world(scene, left.pose).positions[0] - positions).max() < 1e-5 * scene.skeleton.size


# Figure 5.10: three constraints on three degrees of freedom ----------------------------------------------------------

HOLDS = 1e-4
"""Of the chain's length: where a curve is at zero in a plot. Fixed damping only creeps on from there."""


def curves() -> tuple[Array, Array, Array]:
    """The residual of each constraint over the iterations, in lengths of the chain."""
    scene, posture = solved("three constraints")
    first, second, third = (posture.history / scene.skeleton.size).T
    return first, second, third


def arrival(curve: Array) -> int:
    return int(np.flatnonzero(curve < HOLDS)[0])


def test_the_most_important_constraint_falls_first_and_never_rises() -> None:
    first, second, third = curves()
    assert (np.diff(first[: arrival(first)]) < 0.0).all()
    assert (first[arrival(first) :] < HOLDS).all()
    assert arrival(first) < arrival(second)
    assert arrival(first) < arrival(third)


def test_meanwhile_it_disturbs_the_others() -> None:
    first, second, third = curves()
    assert second[arrival(first)] > second[0] + 0.02
    assert third[: arrival(first)].max() > third[0] + 0.003


def test_then_the_second_falls_strictly_and_holds() -> None:
    first, second, _ = curves()
    begun, done = arrival(first), arrival(second)
    assert (np.diff(second[begun : done + 1]) < 0.0).all()
    assert (second[done:] < HOLDS).all()


def test_and_finally_the_third() -> None:
    first, second, third = curves()
    between = np.diff(third[arrival(first) : arrival(second)])
    assert (between > 0.0).any(), "while the second converges, the third is disturbed for a while"
    assert (between < 0.0).any()
    assert third[arrival(second)] > HOLDS
    assert (np.diff(third[arrival(second) :]) < 0.0).all()
    assert third[-1] < HOLDS
