# SPDX-License-Identifier: GPL-3.0-or-later
"""Boundary blending: the active runs of constraints begin and end at the motion around them.

In Le Callennec 2006 a shape-constraint begins and ends on the source. But other constraints have moved the body, and
with it the effector, away from there: when the constraint becomes active the effector would jump back. So its path
begins and ends where the draft has the effector right outside (docs/derivations.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import Array, IntArray
from ..channel import ActiveRun, Channel, boundary_offsets
from ..frame_tasks import FrameTasks

NEGLIGIBLE = 1e-7
"""Sizes of the character, or radians: an active run that begins and ends nearer than this to the motion around it is
not blended. Less than what targets are corrected to, and more than what rounding leaves of a frame that did not
move."""


def blend_boundaries(frame_tasks: FrameTasks, state: Callable[[IntArray], WorldState]) -> FrameTasks:
    """The tasks with every active run beginning and ending where its effector is in the frames right outside, given the
    state of the body in any frames; the same tasks where nothing is to be blended."""
    timeline = frame_tasks.timeline
    displacements = [channel.displacement for channel in timeline.channels]
    is_blended = False
    for number, channel in enumerate(timeline.channels):
        values = timeline.source.values(channel.effector)
        negligible = NEGLIGIBLE * (1.0 if channel.effector.is_angular else frame_tasks.skeleton.size)

        def measured(frames: IntArray, channel: Channel = channel, values: Array = values) -> tuple[Array, Array]:
            """The displacement (3,) in the first of some frames, and its change to the second one."""
            if not frames.size:
                return np.zeros(3), np.zeros(3)
            reached = channel.effector.displacement(values[frames], channel.effector.value(state(frames)))
            return reached[0], reached[1] - reached[0] if len(reached) > 1 else np.zeros(3)

        for run, before, after in _boundaries(channel):
            value_before, slope_before = measured(before)
            value_after, slope_after = measured(after)
            offsets = boundary_offsets(run, value_before, -slope_before, value_after, slope_after, timeline.source.ease)
            if (np.abs(offsets) > negligible).any():
                displacements[number] = displacements[number].copy()
                displacements[number][run.first : run.last + 1] += offsets
                is_blended = True
    if not is_blended:
        return frame_tasks
    return FrameTasks(timeline.with_displacements(displacements), None, frame_tasks.movable)


def _boundaries(channel: Channel) -> list[tuple[ActiveRun, IntArray, IntArray]]:
    """The active runs of a channel that need blending, and the frames before and after each, the nearest first; none
    on a side that is in a hold interval or in free transit."""
    found = []
    free, frames = channel.in_free_transit, len(channel.active)
    for run in channel.active_runs():
        first, last = run.first, run.last
        before = [first - 1, first - 2] if run.first_hold() > first and not free[first] else []
        after = [last + 1, last + 2] if run.last_hold() < last and not free[last] else []
        sides = []
        for side in (np.array(before, dtype=np.int64), np.array(after, dtype=np.int64)):
            inside = side[(side >= 0) & (side < frames)]
            sides.append(inside[~channel.active[inside]])
        if sides[0].size or sides[1].size:
            found.append((run, sides[0], sides[1]))
    return found
