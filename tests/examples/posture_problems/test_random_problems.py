# SPDX-License-Identifier: GPL-3.0-or-later
"""Random problems for the posture solver: the same for the same seed, valid, and of every kind."""

from __future__ import annotations

import numpy as np

from poise.examples.joint_limits import excess
from poise.examples.posture_problems.random_problems import FRAMES, MOST_JOINTS, random_problem

PROBLEMS = [random_problem(seed) for seed in range(120)]


def test_a_seed_makes_the_same_problem_every_time() -> None:
    again = random_problem(7)
    assert str(again) == str(PROBLEMS[7])
    np.testing.assert_array_equal(again.motion.rotations, PROBLEMS[7].motion.rotations)


def test_every_problem_is_valid() -> None:
    for problem in PROBLEMS:
        assert problem.motion.checked(problem.skeleton).frames == FRAMES
        for task in problem.tasks:
            task.check(problem.skeleton, FRAMES)


def test_there_are_problems_of_every_kind() -> None:
    kinds = {type(task).__name__ for problem in PROBLEMS for task in problem.tasks}
    assert len(kinds) == 11
    sizes = [len(problem.skeleton) for problem in PROBLEMS]
    assert min(sizes) == 2 and 20 < max(sizes) <= MOST_JOINTS
    assert any(problem.skeleton.limits for problem in PROBLEMS) and not all(each.skeleton.limits for each in PROBLEMS)
    assert {len({task.priority for task in problem.tasks}) for problem in PROBLEMS} >= {1, 2, 3, 4}


def test_most_problems_begin_within_their_limits() -> None:
    outside = [bool((excess(each.skeleton, each.motion) > 1e-9).any()) for each in PROBLEMS]
    assert 0 < sum(outside) < 0.3 * len(PROBLEMS)
