# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: how far targets can be met at the knots, and targets that give way where they cannot.

Where a draft is far from its targets at some knots, these are solved on their own in strict priority. A target that is
then still missed is relaxed: moved, smoothly over time, to where it can be met. All later passes have targets that can
all be met, and cost the same whether something is out of reach or not.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ...body.kinematics import WorldState
from ...body.motion import Motion
from ...core.arrays import Array, BoolArray, IntArray
from ...core.progress import Stage
from ..frame_tasks import FrameTasks
from ..progress import Progress
from ..rows import Rows
from ..smoothing import lowpass
from ..workspace import Workspace
from .draft import Draft

RADIUS = 0.05
"""Seconds, to either side, over which a relaxation is smoothed."""

MARGIN = 3e-3
"""Sizes of the character, or radians, by which an unreachable target is moved further in than the best that a knot
reaches: between the knots, and for a motion that is smooth, the reach is shorter."""

STEPS = 25
"""The most iterations of a knot."""

AT_REST = 1e-4
"""See `SolveSettings.tolerance`."""

SMOOTHED = 2
"""Knots, to either side, over which the postures of knots that were solved on their own are smoothed."""

BATCH = 30
"""Knots that are solved together."""


def relax_unreachable_targets(
    wanted: FrameTasks, frame_tasks: FrameTasks, work: Workspace, draft: Draft, far: float
) -> Generator[Progress, None, tuple[FrameTasks, Draft, bool]]:
    """Solve the knots at which a draft misses its targets, those of `frame_tasks`, by more than `far`, for the targets
    that are `wanted`.

    Returns the tasks, relaxed where these cannot be met; the draft with the postures of these knots; and whether there
    were any.
    """
    knots, columns = draft.knots, draft.columns
    rows = Rows(frame_tasks, knots.frames, columns)
    source = work.source.clip.motion
    world = WorldState.of(columns.skeleton, columns.displaced(source.at(knots.frames), draft.values))
    errors = rows.errors(world)
    missed = np.flatnonzero((rows.distances(errors) > far).any(axis=1) & ~knots.fixed)
    if not missed.size:
        return frame_tasks, draft, False
    frames = knots.frames[missed]
    moving = columns.skeleton.mask(columns.dofs.moving)
    settings = replace(work.settings.solving(), iterations=STEPS, tolerance=AT_REST)
    work.write(frames, columns.displaced(source.at(frames), draft.values[missed]))
    all_values, worlds = draft.values.copy(), []
    for first in range(0, len(frames), BATCH):
        some = frames[first : first + BATCH]
        solved = wanted.solve_prioritized(some, work.motion, source, settings, moving)
        worlds.append(solved.motion)
        all_values[missed[first : first + BATCH]] = columns.displacement(source.at(some), solved.motion)
        yield work.progress(Stage.CONFLICTS, (first + BATCH) / len(frames))
    motion = Motion(*(np.concatenate([getattr(each, name) for each in worlds]) for name in ("rotations", "translations")))
    free = draft.movable[knots.frames] & ~knots.fixed[:, None]
    base = all_values
    draft = replace(draft, base=base, values=base)
    world = WorldState.of(columns.skeleton, motion)
    return _relaxed(wanted, frame_tasks, work, missed, knots.frames, world), draft, True


def _relaxed(
    wanted: FrameTasks, frame_tasks: FrameTasks, work: Workspace, solved: IntArray, knots: IntArray, world: WorldState
) -> FrameTasks:
    """The tasks with the targets moved to where the solved knots, indices into `knots`, reach; `world` is their
    state."""
    timeline = frame_tasks.timeline
    radius = work.source.frames_in(RADIUS)
    targets = list(frame_tasks.targets)
    limit = work.settings.tolerances.reachable
    is_solved = np.zeros(len(knots), dtype=bool)
    is_solved[solved] = True
    has_changed = False
    for number, channel in enumerate(timeline.channels):
        active = channel.active[knots]
        residuals = np.zeros(len(knots))
        residuals[solved] = wanted.residuals(number, world, knots[solved]) * active[solved]
        if residuals.max(initial=0.0) <= limit:
            continue
        has_changed = True
        effector, values = channel.effector, timeline.source.values(channel.effector)
        unit = 1.0 if effector.is_angular else frame_tasks.skeleton.size
        asked = effector.displacement(values, wanted.targets[number])
        # Knots that were not solved now keep the relaxation that they have.
        excess = (asked - effector.displacement(values, targets[number]))[knots]
        reached = effector.displacement(values[knots[solved]], effector.value(world))
        excess[solved] = (asked[knots[solved]] - reached) * (residuals[solved] > limit)[:, None]
        lengths = np.linalg.norm(excess, axis=1)
        more = np.where(is_solved & (lengths > 0.0), 1.0 + MARGIN * unit / np.maximum(lengths, MARGIN * unit), 1.0)
        smooth = _smooth(knots[active], (excess * more[:, None])[active], channel.active, radius)
        relaxed = (smooth != 0.0).any(axis=1) & channel.active
        targets[number] = targets[number].copy()
        targets[number][relaxed] = effector.displaced(values[relaxed], (asked - smooth)[relaxed])
    return FrameTasks(timeline, targets, frame_tasks.movable) if has_changed else frame_tasks


def _smooth(knots: IntArray, excess: Array, active: BoolArray, radius: int) -> Array:
    """(frames, 3) displacements at knots (knots, 3), interpolated over the active frames (frames,), and smooth."""
    frames = np.arange(len(active))
    dense = np.stack([np.interp(frames, knots, component) for component in excess.T], axis=1)
    return lowpass(dense, radius) * active[:, None]
