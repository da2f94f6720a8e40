# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials: single frames solved again with some of their tasks, for the report, all of them in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..body.motion import Motion
from ..core.arrays import Array, BoolArray
from ..posture.settings import SolveSettings
from ..posture.solve import solve_checked
from .frame_tasks import ChannelTask, FrameTasks


@dataclass(frozen=True, eq=False)
class Trial:
    """The tasks for which a frame is solved again."""

    frame: int
    kept: BoolArray
    """(channels,) those whose tasks are kept."""
    judged: BoolArray
    """(channels,) those of them whose residual is wanted."""
    recruit: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The joints that channels recruit instead of their own."""


def residuals_of(frame_tasks: FrameTasks, trials: Sequence[Trial], start: Motion, settings: SolveSettings) -> Array:
    """(trials,) the largest residual of the judged channels after a solve in strict priority, in the clip's units or
    radians.

    Joints that a trial recruits begin as in `start`, which covers the whole clip; the others are those of the source.
    """
    skeleton, source = frame_tasks.skeleton, frame_tasks.timeline.source.clip.motion
    frames = np.array([trial.frame for trial in trials], dtype=np.int64)
    tasks: list[ChannelTask] = []
    for each in frame_tasks.prioritized(frames):
        active = each.active & [trial.kept[each.channel] for trial in trials]
        for number, trial in enumerate(trials):
            if active[number] and each.channel in trial.recruit:
                changed = replace(each.task, recruit=trial.recruit[each.channel])
                tasks.append(ChannelTask(each.channel, changed, np.arange(len(trials)) == number))
                active[number] = False
        tasks += [replace(each, active=active)] if active.any() else []
    recruited = np.zeros((len(trials), len(skeleton), 1), dtype=bool)
    for each in tasks:
        recruited[each.active, :, 0] |= each.task.recruited(skeleton)
    begin = Motion(
        np.where(recruited, start.rotations[frames], source.rotations[frames]),
        np.where(recruited, start.translations[frames], source.translations[frames]),
    )
    # No pose attracts: it would move what the residuals do not depend on, and take most of the iterations.
    solved = solve_checked(skeleton, begin, [each.masked() for each in tasks], settings)
    found = np.zeros(len(trials))
    for each, errors in zip(tasks, solved.errors, strict=True):
        judged = each.active & [trial.judged[each.channel] for trial in trials]
        np.maximum(found, judged * np.linalg.norm(errors, axis=1), out=found)
    return found
