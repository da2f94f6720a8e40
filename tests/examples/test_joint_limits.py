# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of joints: a clamped motion is within them, and what was within is not moved."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.joint_limits import clamped, excess
from poise.examples.posture_problems.random_problems import Problem, random_problem

LIMITED = [problem for problem in map(random_problem, range(120)) if problem.skeleton.limits]


@pytest.mark.parametrize("is_outside", [False, True])
def test_a_clamped_motion_is_within_the_limits(is_outside: bool) -> None:
    def leaves_them(problem: Problem) -> bool:
        return bool((excess(problem.skeleton, problem.motion) > 1e-9).any())

    problem = next(each for each in LIMITED if leaves_them(each) == is_outside)
    within = clamped(problem.skeleton, problem.motion)
    assert excess(problem.skeleton, within).max() < 1e-9
    turned = np.abs(np.abs((within.rotations * problem.motion.rotations).sum(axis=-1)) - 1.0).max()
    assert (turned > 1e-9) == is_outside


def test_there_is_a_column_for_each_limit() -> None:
    for problem in (LIMITED[0], LIMITED[1]):
        assert excess(problem.skeleton, problem.motion).shape == (problem.motion.frames, len(problem.skeleton.limits))
    free = LIMITED[0].skeleton.replace(limits={})
    assert excess(free, LIMITED[0].motion).shape == (LIMITED[0].motion.frames, 0)
