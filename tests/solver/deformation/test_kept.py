# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solve leaves for the next one: the newest of few parts, found by joints, frames and the result before."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.motion import Motion
from poise.solver.deformation.kept import MOST_PARTS, Kept
from poise.solver.deformation.passes.draft import Draft

from ..standing import displaced, standing_human
from .drafts import drafting

JOINTS, FRAMES = np.array([1, 2]), np.arange(10)


@pytest.fixture(scope="module")
def base() -> Motion:
    return standing_human(10, fps=30.0).motion


@pytest.fixture(scope="module")
def draft() -> Draft:
    clip = standing_human(61, fps=30.0)
    return drafting(clip, [displaced(clip, "l_wrist", (0.0, 0.05, 0.05), 10, 25, 35, 50, recruit=3)]).solved().draft


def test_the_same_joints_frames_and_result_before_have_the_same_part(base: Motion) -> None:
    kept = Kept()
    first = kept.part(JOINTS, FRAMES, base)
    assert kept.part(JOINTS.copy(), FRAMES.copy(), base) is first
    others = ((JOINTS[:1], FRAMES, base), (JOINTS, FRAMES[:9], base), (JOINTS, FRAMES, base.at(FRAMES)))
    assert all(kept.part(*other) is not first for other in others)


def test_only_the_newest_parts_are_kept(base: Motion) -> None:
    kept = Kept()
    first, second = (kept.part(np.array([number]), FRAMES, base) for number in (0, 1))
    for number in range(2, MOST_PARTS):
        kept.part(np.array([number]), FRAMES, base)
    assert kept.part(np.array([0]), FRAMES, base) is first
    kept.part(np.array([MOST_PARTS]), FRAMES, base)
    assert kept.part(np.array([0]), FRAMES, base) is first, "it was used last"
    assert kept.part(np.array([1]), FRAMES, base) is not second


def test_a_part_is_found_that_was_solved_in_most_of_the_frames(base: Motion, draft: Draft) -> None:
    kept = Kept()
    part = kept.part(JOINTS, FRAMES[2:8], base)
    assert kept.solved_before(JOINTS, FRAMES, base) is None, "it has no draft"
    part.draft = draft
    assert kept.solved_before(JOINTS, FRAMES[2:8], base) is part
    assert kept.solved_before(JOINTS, FRAMES, base) is part
    assert kept.solved_before(JOINTS, np.arange(30), base) is None, "it is less than half of them"
    assert kept.solved_before(JOINTS, FRAMES[:7], base) is None, "it has others"
    assert kept.solved_before(JOINTS[:1], FRAMES, base) is None
    assert kept.solved_before(JOINTS, FRAMES, base.at(FRAMES)) is None
