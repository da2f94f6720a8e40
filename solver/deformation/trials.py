# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials: single frames solved again with some of their tasks, for the report, all of them in one batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..body.motion import Motion
from ..core.arrays import Array, BoolArray
from ..posture.settings import SolveSettings
from ..posture.solve import solve_checked
from .frame_tasks import ChannelTask, FrameTasks

QUICK = SolveSettings(iterations=20, tolerance=1e-4, goal_length=1.0, goal_angle=1.5, thorough_restarts=False)
"""Goals are far, since a trial begins where all but a few of its targets are met."""

CAREFUL = SolveSettings(iterations=60, tolerance=1e-5, thorough_restarts=False)
"""For the residuals that are stated, and to decide whether a constraint is out of reach even alone."""


@dataclass(frozen=True)
class Trial:
    """The tasks for which a frame is solved again."""

    frame: int
    kept: tuple[bool, ...]
    """(channels,) those whose tasks are kept."""
    recruit: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Channels, each with the joints that it recruits instead of its own."""
    from_source: bool = False
    """Whether it begins in the posture of the source; else in that of the result."""
    careful: bool = False
    """Whether it is solved with the settings `CAREFUL`; else with `QUICK`."""

    def solved_so(self, *, careful: bool, from_source: bool = False) -> Trial:
        """The same trial, solved in another way."""
        return replace(self, careful=careful, from_source=from_source)


class TrialResults:
    """What remains of the residuals of channels after trials."""

    def __init__(self, frame_tasks: FrameTasks, result: Motion) -> None:
        """`result` is the solved motion of the whole clip."""
        self._frame_tasks = frame_tasks
        self._result = result
        self._residuals: dict[Trial, Array] = {}

    def add(self, trials: Iterable[Trial]) -> None:
        """Solve those trials that have not been solved, in a batch for each of the settings."""
        new = [trial for trial in dict.fromkeys(trials) if trial not in self._residuals]
        for settings in (QUICK, CAREFUL):
            batch = [trial for trial in new if trial.careful == (settings is CAREFUL)]
            if batch:
                found = _residuals_of(self._frame_tasks, batch, self._result, settings)
                self._residuals.update(zip(batch, found, strict=True))

    def residual(self, trial: Trial, channels: BoolArray) -> float:
        """The largest residual of some channels (channels,) after a trial that has been added, in the clip's units or
        radians; the least, if it has been solved in several ways."""
        ways = (
            trial.solved_so(careful=careful, from_source=start) for careful in (False, True) for start in (False, True)
        )
        return min(float((self._residuals[each] * channels).max()) for each in ways if each in self._residuals)


def _residuals_of(frame_tasks: FrameTasks, trials: Sequence[Trial], result: Motion, settings: SolveSettings) -> Array:
    """(trials, channels) the residuals after a solve in strict priority, in the clip's units or radians.

    Joints that no task of a trial recruits are those of the source.
    """
    skeleton, source = frame_tasks.skeleton, frame_tasks.timeline.source.clip.motion
    frames = np.array([trial.frame for trial in trials], dtype=np.int64)
    kept = np.array([trial.kept for trial in trials])
    tasks: list[ChannelTask] = []
    for each in frame_tasks.prioritized(frames):
        active = each.active & kept[:, each.channel]
        for number, trial in enumerate(trials):
            recruit = dict(trial.recruit).get(each.channel)
            if active[number] and recruit is not None:
                changed = replace(each.task, recruit=recruit)
                tasks.append(ChannelTask(each.channel, changed, np.arange(len(trials)) == number))
                active[number] = False
        tasks += [replace(each, active=active)] if active.any() else []
    from_result = np.zeros((len(trials), len(skeleton), 1), dtype=bool)
    for each in tasks:
        from_result[each.active, :, 0] |= each.task.recruited(skeleton)
    from_result[[trial.from_source for trial in trials]] = False
    begin = Motion(
        np.where(from_result, result.rotations[frames], source.rotations[frames]),
        np.where(from_result, result.translations[frames], source.translations[frames]),
    )
    # No pose attracts: it would move what the residuals do not depend on, and take most of the iterations.
    solved = solve_checked(skeleton, begin, [each.masked() for each in tasks], settings)
    found = np.zeros(kept.shape)
    for each, errors in zip(tasks, solved.errors, strict=True):
        found[each.active, each.channel] = np.linalg.norm(errors[each.active], axis=1)
    return found
