# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a deformation: its stages come in their order, and its clip is made only when it is read."""

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


def test_stages_come_in_their_order_with_shares_up_to_one(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 61)
    out_of_reach = displaced(clip, "l_wrist", (0.0, 2.0, 2.0), 10, 25, 35, 50, recruit=2)
    steps = [(progress.stage, progress.share) for progress in deforming(clip, [out_of_reach])]
    order = list(Stage)
    numbers = [order.index(stage) for stage, _ in steps]
    assert numbers == sorted(numbers)
    assert {Stage.COARSE, Stage.SOLVING, Stage.CONFLICTS} <= {stage for stage, _ in steps}
    assert all(0.0 < share <= 1.0 for _, share in steps)
