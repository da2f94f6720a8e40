# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a deformation: its stages, their shares, and its clip, which is made only when it is read."""

from __future__ import annotations

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.core.progress import Stage
from poise.solver.deformation.deform import deforming
from poise.solver.deformation.progress import Progress

from ..made_up import moving_human
from ..standing import displaced


def test_the_clip_is_made_once_and_only_when_it_is_read(rng: np.random.Generator) -> None:
    clip, made = moving_human(rng, 3), []

    def make() -> Clip:
        made.append(clip)
        return clip

    progress = Progress(Stage.SOLVING, 0.5, make)
    assert (progress.stage, progress.share, made) == (Stage.SOLVING, 0.5, [])
    assert progress.clip is progress.clip is clip and made == [clip]


def stages(clip: Clip, by: tuple[float, float, float]) -> list[tuple[Stage, float]]:
    constraint = displaced(clip, "l_wrist", by, 10, 25, 35, 50, recruit=2)
    return [(progress.stage, progress.share) for progress in deforming(clip, [constraint])]


def test_what_is_out_of_reach_has_a_stage_of_its_own(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 61)
    near, far = stages(clip, (0.0, 0.02, 0.02)), stages(clip, (0.0, 2.0, 2.0))
    assert {stage for stage, _ in near} <= {Stage.COARSE, Stage.SOLVING}
    assert {stage for stage, _ in far} - {stage for stage, _ in near} == {Stage.CONFLICTS}
    for steps in (near, far):
        assert all(0.0 <= share <= 1.0 for _, share in steps)
        solving = [share for stage, share in steps if stage is Stage.SOLVING]
        assert solving == sorted(solving), "the share of a stage falls"
