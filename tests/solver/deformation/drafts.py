# SPDX-License-Identifier: GPL-3.0-or-later
"""A deformation before its passes, for the tests of single passes: its tasks, its workspace and an empty draft."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.constraints import Constraint, Ground, Source
from poise.solver.core.arrays import Array, BoolArray, IntArray
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.metric import DisplacementMetric
from poise.solver.deformation.passes.draft import Draft, Knots, solve_draft
from poise.solver.deformation.passes.projection import project
from poise.solver.deformation.settings import DeformSettings
from poise.solver.deformation.steady_axes import SteadyAxes
from poise.solver.deformation.timeline import Timeline
from poise.solver.deformation.workspace import Workspace
from poise.solver.posture.recruiting import moving_joints


@dataclass(frozen=True, eq=False)
class Drafting:
    """What the passes get."""

    timeline: Timeline
    tasks: FrameTasks
    """Without free transits."""
    work: Workspace
    metric: DisplacementMetric
    draft: Draft

    @property
    def clip(self) -> Clip:
        """The source."""
        return self.work.source.clip

    @property
    def frames(self) -> IntArray:
        """The frames with constraints."""
        return np.flatnonzero(self.timeline.active)

    def with_draft(self, draft: Draft) -> Drafting:
        """The same with another draft, which is written into the workspace."""
        displaced = draft.columns.displaced(self.clip.motion.at(self.frames), draft.at(self.frames))
        self.work.write_draft(self.frames, displaced)
        return replace(self, draft=draft)

    def solved(self) -> Drafting:
        """The same with its draft solved, for targets that can all be met or by priority."""
        return self.with_draft(finished(solve_draft(self.tasks, self.work, self.metric, self.draft, Stage.COARSE)))

    def projected(self) -> IntArray:
        """Project all frames; returns those that do not meet all targets."""
        return finished(project(self.tasks, self.work, self.frames, self.draft))

    def world(self) -> WorldState:
        """The state of the result so far."""
        return WorldState.of(self.clip.skeleton, self.work.motion)

    def residuals(self, frames: IntArray | None = None, world: WorldState | None = None) -> Array:
        """(frames, channels) of the result so far in some or all frames, in sizes of the character or radians; zero
        where a channel is not active. With `world`, of that state of these frames."""
        frames = np.arange(self.timeline.frames) if frames is None else frames
        state = self.world().at(frames) if world is None else world
        return np.stack(
            [
                self.tasks.residuals(number, state, frames) * channel.active[frames]
                for number, channel in enumerate(self.tasks.timeline.channels)
            ],
            axis=1,
        )


def drafting(
    clip: Clip,
    constraints: list[Constraint],
    ground: Ground | None = None,
    changed: BoolArray | None = None,
    before: Workspace | None = None,
    knots_at_events: bool = False,
) -> Drafting:
    """The deformation of a clip before its passes; with `changed` (frames,) only these are to be solved, beside the
    workspace of a solve before."""
    timeline = Timeline.of(Source(clip, ground), constraints)
    compiled = FrameTasks(timeline)
    tasks = FrameTasks(timeline.without_free_transits(), compiled.targets, compiled.movable)
    work = Workspace(timeline.source, DeformSettings(), before)
    columns = Columns(
        clip.skeleton, moving_joints(clip.skeleton, [each.task for each in tasks.single_level(np.array([0]))])
    )
    movable = columns.movable(compiled.movable)
    changed = np.ones(clip.frames, dtype=bool) if changed is None else changed
    knots = Knots.of(movable, changed, clip.fps, None, timeline.events() if knots_at_events else None)
    begun = columns.displacement(clip.motion.at(knots.frames), work.reference.at(knots.frames))
    values = begun * (knots.fixed[:, None] & movable[knots.frames])
    draft = draft_of(clip, knots, columns, movable, values)
    return Drafting(timeline, tasks, work, DisplacementMetric(clip, columns), draft)


def draft_of(
    clip: Clip, knots: Knots, columns: Columns, movable: BoolArray, values: Array, metrics: Array | None = None
) -> Draft:
    """A draft with given values (knots, columns) at its knots, in the coordinates of `Columns`; its metrics are those
    of a draft to be solved."""
    axes = SteadyAxes(clip, columns)
    return Draft(
        knots=knots,
        columns=columns,
        movable=movable,
        axes=axes,
        values=axes.from_parents(values, knots.frames),
        metrics=np.zeros(0) if metrics is None else metrics,
    )
