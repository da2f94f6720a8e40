# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: how far targets can be met, in strict priority, and targets that give way where they cannot.

Where a draft is far from its targets at some knots, these knots are solved one by one in strict priority. That tells
which targets can be reached, and how far the others can. A target that cannot is relaxed: moved, smoothly over time,
to where it can be met. All later passes have targets that can all be met, and cost the same whether something is out of
reach or not.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import TINY, Array, BoolArray, IntArray
from ...core.progress import Stage
from ..frame_tasks import FrameTasks
from ..progress import Progress
from ..smoothing import envelope, lowpass
from ..workspace import Workspace
from .draft import Draft

RADIUS = 0.1
"""Seconds, to either side, over which a relaxation is smoothed."""

MARGIN = 3e-3
"""Sizes of the character, or radians, by which an unreachable target is moved further in than the best that a knot
reaches: between the knots, and for a motion that is smooth, the reach is shorter."""


def relax_unreachable_targets(
    wanted: FrameTasks, frame_tasks: FrameTasks, work: Workspace, draft: Draft, threshold: float
) -> Generator[Progress, None, tuple[FrameTasks, Draft, bool]]:
    """Solve the knots at which a draft misses its targets, `frame_tasks`, by more than a threshold, for the targets
    that are `wanted`.

    Returns the tasks, relaxed where they are not met; the draft with the postures of these knots; and whether there
    were any.
    """
    knots, columns = draft.knots.frames, draft.columns
    source = work.source.clip.motion
    work.write(knots, columns.displaced(source.at(knots), draft.values))
    world = WorldState.of(frame_tasks.skeleton, work.at(knots))
    missed = np.zeros(len(knots), dtype=bool)
    for number, channel in enumerate(frame_tasks.timeline.channels):
        missed |= channel.active[knots] & (frame_tasks.residuals(number, world, knots) > threshold)
    if not missed.any():
        return frame_tasks, draft, False
    moving = columns.skeleton.mask(columns.dofs.moving)
    settings = work.settings.solving()
    met = np.ones(len(knots), dtype=bool)
    for group in wanted.groups(np.unique(knots[missed])):
        solved = wanted.solve_prioritized(
            group, work.motion, source, settings, work.settings.tolerances.reachable, moving
        )
        work.write(solved.frames, solved.motion)
        met[np.isin(knots, solved.frames)] = solved.met[
            np.searchsorted(solved.frames, knots[np.isin(knots, solved.frames)])
        ]
        yield work.progress(Stage.CONFLICTS, 1.0)
    values = columns.displacement(source.at(knots), work.at(knots))
    draft = replace(draft, values=np.where(missed[:, None], values, draft.values))
    if met.all():
        return frame_tasks, draft, True
    return _relaxed(wanted, frame_tasks, work, knots, missed), draft, True


def _relaxed(
    wanted: FrameTasks, frame_tasks: FrameTasks, work: Workspace, knots: IntArray, solved: BoolArray
) -> FrameTasks:
    """The tasks with the targets moved to where the solved knots, marked (knots,), reach."""
    timeline = frame_tasks.timeline
    radius = work.source.frames_in(RADIUS)
    world = WorldState.of(frame_tasks.skeleton, work.at(knots))
    targets = list(frame_tasks.targets)
    limit = work.settings.tolerances.reachable
    for number, channel in enumerate(timeline.channels):
        active = channel.active[knots]
        residuals = wanted.residuals(number, world, knots) * active * solved
        if residuals.max(initial=0.0) <= limit:
            continue
        effector, values = channel.effector, timeline.source.values(channel.effector)
        before = effector.displacement(values, targets[number])
        asked = effector.displacement(values, wanted.targets[number])
        reached = effector.displacement(values[knots], effector.value(world))
        excess = (asked[knots] - reached) * (residuals > limit)[:, None]
        excess = np.where((active & ~solved)[:, None], (asked - before)[knots], excess)
        lengths = np.linalg.norm(excess, axis=1)
        unit = 1.0 if effector.is_angular else frame_tasks.skeleton.size
        more = 1.0 + MARGIN * unit / np.maximum(lengths, MARGIN * unit)
        smooth = _smooth(
            knots[active], (excess * np.where(residuals > limit, more, 1.0)[:, None])[active], channel.active, radius
        )
        relaxed = (smooth != 0.0).any(axis=1) & channel.active
        targets[number] = targets[number].copy()
        targets[number][relaxed] = effector.displaced(values[relaxed], (asked - smooth)[relaxed])
    return FrameTasks(timeline, targets, frame_tasks.movable)


def _smooth(knots: IntArray, excess: Array, active: BoolArray, radius: int) -> Array:
    """(frames, 3) displacements at knots (knots, 3) over the active frames (frames,): smooth, and nowhere shorter."""
    frames = np.arange(len(active))
    dense = np.stack([np.interp(frames, knots, component) for component in excess.T], axis=1) * active[:, None]
    lengths = np.linalg.norm(dense, axis=1)
    along = lowpass(dense, 2 * radius)
    along = np.where((lengths > 0.0)[:, None], dense, along)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
    return envelope(lengths, radius, active)[:, None] * lowpass(along, radius)
