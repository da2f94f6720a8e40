# SPDX-License-Identifier: GPL-3.0-or-later
"""Random cases: the same for a seed, valid, and of every kind."""

from __future__ import annotations

from collections import Counter

import numpy as np

from poise.examples.deformation.random_cases import random_case
from poise.solver import BallLimit, HingeLimit, JointKind, MovingObject, ShapeConstraint, deforming
from poise.solver.constraints.shape import PathConstraint

CASES = [random_case(seed) for seed in range(200)]


def test_a_seed_gives_the_same_case_again() -> None:
    for seed in (3, 4):
        case, same = random_case(seed), random_case(seed)
        np.testing.assert_array_equal(case.clip.motion.rotations, same.clip.motion.rotations)
        np.testing.assert_array_equal(case.clip.skeleton.offsets, same.clip.skeleton.offsets)
        assert str(case) == str(same)
        assert [each.recruit for each in case.constraints] == [each.recruit for each in same.constraints]


def test_every_case_is_valid() -> None:
    for case in CASES:
        deforming(case.clip, case.constraints).close()


def test_clips_are_of_every_kind() -> None:
    clips = [case.clip for case in CASES]
    assert {len(clip.skeleton) for clip in clips} >= set(range(2, 9))
    assert {clip.fps for clip in clips} == {24.0, 30.0, 60.0, 120.0}
    assert {kind for clip in clips for kind in clip.skeleton.kinds} == set(JointKind)
    assert any((np.diff(clip.motion.rotations, axis=0) == 0.0).all() for clip in clips), "none is still"
    assert any((clip.skeleton.offsets[1:] == 0.0).all(axis=1).any() for clip in clips), "no bone has no length"
    limits = [limit for clip in clips for limit in clip.skeleton.limits.values()]
    shapes = {type(limit.swing).__name__ for limit in limits if isinstance(limit, BallLimit)}
    assert shapes == {"SwingCone", "SwingPolygon", "NoneType"} and any(isinstance(each, HingeLimit) for each in limits)


def test_constraints_are_of_every_kind() -> None:
    constraints = [constraint for case in CASES for constraint in case.constraints]
    kinds = Counter(type(constraint).__name__ for constraint in constraints)
    assert min(kinds.values()) > 20 and len(kinds) == 5
    paths = [each for each in constraints if isinstance(each, PathConstraint)]
    assert {each.mode for each in paths} == {"absolute", "relative", "condensed"}
    references = {type(each.reference) for each in paths if isinstance(each, ShapeConstraint)}
    assert references == {type(None), int, MovingObject}
    assert {type(each.recruit) for each in constraints} == {type(None), int, tuple}
    assert any(len({each.priority for each in case.constraints}) == 1 < len(case.constraints) for case in CASES)
    assert any(len({each.priority for each in case.constraints}) > 2 for case in CASES)
