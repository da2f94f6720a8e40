# SPDX-License-Identifier: GPL-3.0-or-later
"""Each check of a deformation finds nothing where all is well, and finds what is wrong with a result that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from poise.examples.deformation import checks
from poise.examples.deformation.checks import CHECKS, Judged
from poise.examples.deformation.random_cases import Case
from poise.solver import (
    BallLimit,
    Clip,
    ConstraintPoint,
    Deformation,
    Motion,
    OrientationConstraint,
    ShapeConstraint,
    Skeleton,
    rotations,
)
from poise.solver.core.arrays import Array

FRAMES = 20


def case() -> Case:
    """An arm of three joints: its end is pulled a little, and, less important, its elbow is turned."""
    limits = {1: BallLimit((1.0, 0.0, 0.0), twist=(-1.0, 1.0))}
    arm = Skeleton(
        names=("base", "elbow", "wrist", "finger"),
        parents=[-1, 0, 1, 2],
        offsets=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.2, 0.0, 0.0]],
        kinds=("ball", "ball", "ball", "ball"),
        limits=limits,
    )
    bend = 0.3 * np.sin(0.2 * np.arange(FRAMES))[:, None, None] * np.array([[0.0, 1.0, 0.2]] * 4)
    clip = Clip(arm, Motion(rotations.exp(bend), np.tile(arm.offsets, (FRAMES, 1, 1))), 30.0)
    pulled = clip.position("wrist")[8] + np.array((-0.1, 0.1, 0.1))
    pull = ShapeConstraint("wrist", 4, 14, [ConstraintPoint(pulled, 8, 10)], mode="relative", priority=2, name="pull")
    turn = rotations.multiply(rotations.exp((0.0, 0.2, 0.0)), clip.orientation("elbow")[8])
    turned = OrientationConstraint("elbow", 5, 13, [ConstraintPoint(turn, 8, 9)], mode="relative", name="turn")
    return Case(1, clip, (pull, turned))


@pytest.fixture
def judged() -> Judged:
    return Judged(case())


def changed(judged: Judged, change: Callable[[Array, Array], None]) -> Judged:
    """The same case with another result: `change` writes to rotations and translations."""
    deformation = judged.deformation
    local, moved = deformation.clip.motion.rotations.copy(), deformation.clip.motion.translations.copy()
    change(local, moved)
    clip = deformation.clip.with_motion(Motion(local, moved))
    return with_deformation(judged, replace(deformation, clip=clip))


def with_deformation(judged: Judged, deformation: Deformation) -> Judged:
    other = Judged(judged.case)
    other.seconds = judged.seconds
    other.__dict__["deformation"] = deformation
    return other


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_is_found_where_all_is_well(judged: Judged, name: str) -> None:
    assert CHECKS[name](judged) == []


def test_a_joint_beyond_its_limit_is_found(judged: Judged) -> None:
    def twist(local: Array, moved: Array) -> None:
        local[9, 1] = rotations.exp((1.2, 0.0, 0.0))

    (found,) = checks.within_limits(changed(judged, twist))
    assert found.figure == pytest.approx(0.2) and "elbow" in found.sentence and "frame 9" in found.sentence


def test_a_changed_frame_without_constraints_and_a_joint_that_none_recruits_are_found(judged: Judged) -> None:
    def change(local: Array, moved: Array) -> None:
        moved[2, 3] += 1e-15
        local[8, 3] = -local[8, 3]

    frames, joints = checks.unchanged(changed(judged, change))
    assert "[2]" in frames.sentence and "finger" in joints.sentence


def test_a_more_important_constraint_that_misses_is_found(judged: Judged) -> None:
    def bend(local: Array, moved: Array) -> None:
        local[9, 1] = rotations.multiply(local[9, 1], rotations.exp((0.0, 1e-4, 0.0)))

    (found,) = checks.strict(changed(judged, bend))
    assert found.sentence.startswith("pull (priority 2)") and 1e-5 < found.figure < 1e-3


def test_frames_that_have_not_converged_are_found(judged: Judged) -> None:
    converged = np.ones(FRAMES, dtype=bool)
    converged[2] = False
    (found,) = checks.at_rest(with_deformation(judged, replace(judged.deformation, converged=converged)))
    assert "[2]" in found.sentence


def test_another_result_than_that_of_solving_again_is_found(judged: Judged) -> None:
    def bend(local: Array, moved: Array) -> None:
        local[9, 0] = rotations.multiply(local[9, 0], rotations.exp((0.0, 0.01, 0.0)))

    (found,) = checks.repeatable(changed(judged, bend))
    assert found.figure > checks.AGREES


def test_a_slow_case_and_a_warning_are_found(judged: Judged) -> None:
    other = with_deformation(judged, judged.deformation)
    other.seconds, other.warnings = 3.0, ["invalid value"]
    assert len(checks.quick(other)) == len(checks.without_warnings(other)) == 1


def test_a_report_that_calls_a_constraint_out_of_reach_that_holds_alone_is_found(judged: Judged) -> None:
    away = Judged(case())
    far = replace(away.constraints[0], points=[ConstraintPoint((9.0, 0.0, 0.0), 8, 10)])
    conflict = Judged(Case(1, away.clip, (far,))).deformation.report.conflicts[0]
    assert "out of reach" in conflict.outcome
    deformation = judged.deformation
    lying = replace(deformation.report, conflicts=(replace(conflict, constraint=judged.constraints[0]),))
    other = with_deformation(judged, replace(deformation))
    other.deformation.__dict__["report"] = lying
    (found,) = checks.truthful(other)
    assert "pull" in found.sentence
    # Of one that really is out of reach it may say so.
    assert not checks.truthful(Judged(Case(1, away.clip, (far,))))


def test_numbers_that_are_not_finite_are_found(judged: Judged) -> None:
    deformation = judged.deformation
    first = deformation.report.residuals[0]
    bad = replace(first, distances=np.full_like(first.distances, np.nan))
    other = with_deformation(judged, replace(deformation))
    other.deformation.__dict__["report"] = replace(deformation.report, residuals=(bad,))
    assert len(checks.finite(other)) == 1
