# SPDX-License-Identifier: GPL-3.0-or-later
"""The recruiting rule: kept, broken, and kept again after what the message proposes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from poise.solver.body.motion import Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import RecruitingWarning, UnknownJointError
from poise.solver.posture import recruiting
from poise.solver.posture.recruiting import breaches
from poise.solver.posture.solve import solve_posture
from poise.solver.tasks import CenterOfMassTask, DisplacedMassTask, PoseTask, PositionTask, Task

from ..characters import person, random_skeleton

HERE = (0.0, 1.0, 0.0)


@pytest.fixture
def body() -> Skeleton:
    return person()


def rule_is_kept(skeleton: Skeleton, tasks: list[Task]) -> bool:
    """Equation 3.18 among joints that move: for each pair, serves(higher) ∩ recruits(lower) ⊆ recruits(higher)."""
    movable = {joint for joint, kind in enumerate(skeleton.kinds) if kind != "fixed"}
    return all(
        movable
        & set(np.flatnonzero(higher.influencing_joints(skeleton)))
        & set(np.flatnonzero(lower.recruited(skeleton)))
        <= set(np.flatnonzero(higher.recruited(skeleton)))
        for higher in tasks
        for lower in tasks
        if higher.priority > lower.priority
    )


def test_tasks_that_recruit_everyone_keep_the_rule(body: Skeleton) -> None:
    tasks = [PositionTask("LeftHand", HERE, priority=3), PositionTask("RightHand", HERE, priority=1)]
    assert breaches(body, tasks) == []


def test_a_lower_task_that_moves_a_higher_ones_ancestors_breaks_it(body: Skeleton) -> None:
    hand = PositionTask("LeftHand", HERE, priority=3, recruit=2)
    other = PositionTask("RightHand", HERE, priority=1)
    (breach,) = breaches(body, [hand, other])
    assert breach.higher is hand and breach.lower is other
    assert breach.joints == ("Hips", "Spine", "Chest")


def test_joints_that_do_not_move_the_higher_task_do_not_count(body: Skeleton) -> None:
    hand = PositionTask("LeftHand", HERE, priority=3, recruit=2)
    assert breaches(body, [hand, PositionTask("RightHand", HERE, priority=1, recruit=2)]) == []


def test_joints_that_cannot_move_need_not_be_recruited(body: Skeleton) -> None:
    stiff = body.with_kinds({"Spine": "fixed", "Neck": "fixed"})
    everyone_who_moves = ["Hips", "Chest", "LeftArm", "LeftForeArm", "LeftHand"]
    hand = PositionTask("LeftHand", HERE, priority=3, recruit=everyone_who_moves)
    assert breaches(stiff, [hand, PositionTask("Head", HERE, priority=1)]) == []
    assert breaches(body, [hand, PositionTask("Head", HERE, priority=1)])[0].joints == ("Spine",)


def test_equal_priorities_have_no_order_to_break(body: Skeleton) -> None:
    assert breaches(body, [PositionTask("LeftHand", HERE, recruit=0), PositionTask("RightHand", HERE)]) == []


def test_the_order_of_the_list_does_not_matter(body: Skeleton) -> None:
    tasks = [
        PositionTask("LeftHand", HERE, priority=3, recruit=1),
        PositionTask("LeftForeArm", HERE, priority=2, recruit=2),
        CenterOfMassTask(HERE, priority=1),
    ]
    pairs = {(found.higher.label, found.lower.label) for found in breaches(body, tasks)}
    assert pairs == {(found.higher.label, found.lower.label) for found in breaches(body, tasks[::-1])}
    assert pairs == {
        ("Position of LeftHand", "Position of LeftForeArm"),
        ("Position of LeftHand", "Centre of mass"),
        ("Position of LeftForeArm", "Centre of mass"),
    }


def test_the_message_names_both_tasks_the_joints_and_both_ways_out(body: Skeleton) -> None:
    hand = PositionTask("LeftHand", HERE, priority=7, recruit=1, name="hold the rail")
    other = PositionTask("RightHand", HERE, priority=2, recruit=["Chest", "RightArm"], name="wave")
    (breach,) = breaches(body, [hand, other])
    assert str(breach) == (
        "hold the rail (priority 7) is more important than wave (priority 2), but only the latter recruits Chest, "
        "which moves both. Let hold the rail recruit Chest, LeftForeArm, LeftHand, or let wave recruit only RightArm."
    )


def test_a_lower_task_of_which_nothing_would_be_left_is_told_so(body: Skeleton) -> None:
    hand = PositionTask("LeftHand", HERE, priority=7, recruit=0)
    other = PositionTask("Chest", HERE, priority=2, recruit=0)
    (breach,) = breaches(body, [hand, other])
    assert breach.lower_set == ()
    assert str(breach).endswith("recruit Chest, LeftHand, or leave Position of Chest out.")


def random_tasks(rng: np.random.Generator, skeleton: Skeleton) -> list[Task]:
    def recruits() -> object:
        choice = rng.integers(3)
        if choice == 0:
            return None
        if choice == 1:
            return int(rng.integers(0, 4))
        return np.flatnonzero(rng.random(len(skeleton)) < 0.4).tolist()

    return [
        PositionTask(int(rng.integers(len(skeleton))), HERE, priority=int(rng.integers(3)), recruit=recruits())  # type: ignore[arg-type]
        for _ in range(4)
    ]


def test_breaches_are_found_just_where_the_rule_is_broken(rng: np.random.Generator) -> None:
    kept = 0
    for _ in range(300):
        skeleton = random_skeleton(rng, 9)
        tasks = random_tasks(rng, skeleton)
        assert (breaches(skeleton, tasks) == []) == rule_is_kept(skeleton, tasks)
        kept += rule_is_kept(skeleton, tasks)
    assert 30 < kept < 270, "the test needs both kept and broken rules"


def test_either_proposed_set_mends_the_pair(rng: np.random.Generator) -> None:
    mended = 0
    for _ in range(100):
        skeleton = random_skeleton(rng, 9)
        for breach in breaches(skeleton, random_tasks(rng, skeleton)):
            assert breach.joints, "a breach without a joint is none"
            more = replace(breach.higher, recruit=breach.higher_set)
            fewer = replace(breach.lower, recruit=breach.lower_set)
            assert breaches(skeleton, [breach.higher, breach.lower])
            assert breaches(skeleton, [more, breach.lower]) == []
            assert breaches(skeleton, [breach.higher, fewer]) == []
            mended += 1
    assert mended > 50, "the test needs breaches"


def test_pose_attraction_is_never_the_offender_but_can_be_the_offended(body: Skeleton) -> None:
    hand = PositionTask("LeftHand", HERE, priority=5, recruit=1)
    assert breaches(body, [hand, PoseTask(Pose.rest(body), priority=1)]) == []
    assert breaches(body, [hand, DisplacedMassTask(Pose.rest(body), priority=1)]) == []
    # A pose has rows for those it recruits only, so nothing that serves it is left out.
    assert breaches(body, [PoseTask(Pose.rest(body), priority=9, recruit=["Chest"]), hand]) == []


def test_each_breach_is_a_warning(body: Skeleton) -> None:
    tasks = [PositionTask("LeftHand", HERE, priority=3, recruit=1), PositionTask("RightHand", HERE, priority=1)]
    with pytest.warns(RecruitingWarning, match=r"Position of LeftHand .* Position of RightHand") as told:
        recruiting.warn(body, tasks)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recruiting.warn(body, tasks[:1])


def test_the_warning_points_at_the_caller(body: Skeleton) -> None:
    tasks = [PositionTask("LeftHand", HERE, priority=3, recruit=1), PositionTask("RightHand", HERE, priority=1)]
    with pytest.warns(RecruitingWarning) as told:
        solve_posture(body, Pose.rest(body), tasks, iterations=0)
    assert {warning.filename for warning in told} == {__file__}


def test_a_joint_that_is_not_there_is_refused(body: Skeleton) -> None:
    with pytest.raises(UnknownJointError, match="'Tail'"):
        breaches(body, [PositionTask("Tail", HERE)])
