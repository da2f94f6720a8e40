# SPDX-License-Identifier: GPL-3.0-or-later
"""The draft: the smoothest displacement that meets all targets, found for all frames together on a few knots a second.

Among the displacements that meet the targets at the knots, the draft has the least second differences over time and the
least size, both in `DisplacementMetric`; the size is measured from the shift that both feet have in common
(`common_shift`), and relaxed targets (`passes.reach`) are only nearly met. Feet in the air are free: the least second
differences carry a foot from one plant to the next. Each step is the exact solution of a banded system, linear in the
number of knots. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...body.kinematics import WorldState
from ...constraints import Source
from ...core.arrays import Array, BoolArray, IntArray, dilated, runs
from ...core.banded import BlockPentadiagonal
from ...core.progress import Stage
from ...core.row_space import combined, times
from ..columns import Columns
from ..common_shift import carried
from ..frame_tasks import FrameTasks
from ..limit_rows import LimitRows, Limits
from ..metric import DisplacementMetric, with_least_levers
from ..progress import Progress
from ..rows import Rows
from ..smoothing import lowpass
from ..steady_axes import SteadyAxes
from ..workspace import Workspace

JOINT_SHARE = 0.15
"""The weight of a coordinate itself, a radian, beside the sizes by which it moves a watched joint. Without it a limb
could twist about its own axis at no cost. Between 0.2 and 0.3 results are the same; with 0.1 steps do not converge,
with 1 knees shake (60 clips of the public CMU library, subjects 1 to 60)."""

LEAST_LEVER = 0.2
"""Sizes of the character: see `with_least_levers`."""

BODY_SHARE = 2.2
"""How much more a translation of the whole body counts than what it moves: feet that slide are corrected by their legs,
and the hips stay. Without it hips move twice as far (13_35 and 13_01, played at 24 frames a second), with 3 kicks jolt;
joints jump as rarely with 1 and with 3 (100 clips of the public CMU library, subjects 1 to 60)."""

KNOT_RATE = 20.0
"""Knots a second. With 30 and 60 the results are the same (60 clips of the public CMU library, subjects 1 to 60): what
is faster than the knots is left to the projection of every frame."""

SHORTEST_TRANSITION = 0.1
"""Seconds: the time constant with which a small displacement appears and vanishes where nothing is constrained."""

LONGEST_TRANSITION = 0.35
"""Seconds: the time constant of large displacements."""

TRANSITION_ACCELERATION = 1.1
"""Sizes of the character per second squared: a displacement d has the time constant √(d / this)."""

NEIGHBOURHOOD = 0.5
"""Seconds to either side within which the largest displacement sets the time constant."""

FIRM = 1e6
"""Weight of a target's squared error beside the metric: what a draft leaves of it is a millionth."""

SOFT = 1e4
"""The same of a relaxed target, which is only nearly met: where one pulls at a target that is not relaxed, this one is
missed by a hundredth as much, until the correction at the end (`_Linear.corrected`)."""

DAMPING = 0.3
"""Damping as a share of the forces with which targets pull: about the curvature that the Jacobian does not show."""

THROUGH_RADIUS = 2
"""Knots to either side over which a draft through given knots is smoothed."""

LEAST_DAMPING = 0.1
"""Damping that is not larger is left out after the next step that is taken."""

LONGEST_STEP = 0.5
"""Sizes of the character, or radians: the most of an error that one step takes on."""

FACTORIZATIONS = 6
"""How often the system is factored at most; between, it is solved with other right sides (the chord method)."""

FIRST_FACTORIZATIONS = 3
"""The same of a draft with relaxed targets that shows where boundaries have to be blended and knots are missing."""

CHORD_STEPS = 6
"""The most steps with one factorization."""

SHRINKING = 0.5
"""A step that is longer than this share of the one before asks for a new factorization."""

STALE = 0.2
"""Radians, or sizes of the character: a Jacobian that was evaluated farther away no longer says which of all
displacements that meet the targets is the smoothest."""

SMALL = 0.3
"""Radians, or sizes of the character: the metric of the source serves displacements up to this."""

NEARLY_AT_REST = 0.1
"""Radians, or sizes of the character: the same of a draft with relaxed targets, which are only nearly met."""

FOLLOWED = 0.4
"""Radians, or sizes of the character: a draft that follows targets for a preview does so up to this distance from where
its factor was made."""

REFRESHED = 0.05
"""The same beyond which it gets a factor of its own, for the next preview."""

AT_REST = 3e-4
"""Radians, or sizes of the character: a draft whose steps are shorter is at rest."""


def frames_between(fps: float) -> int:
    """From one knot to the next."""
    return max(1, round(fps / KNOT_RATE))


@dataclass(frozen=True, eq=False)
class Knots:
    """The frames at which the draft is solved: in each run of active frames a chain of them."""

    frames: IntArray
    """(knots,)"""
    fixed: BoolArray
    """(knots,) which are not moved: those outside the active frames, where the result is the source."""
    links: IntArray
    """(links,) the knots that have a neighbour in their chain on both sides: second differences are taken there."""
    ends: IntArray
    """(ends, 2) each fixed end of a chain, and its only neighbour: displacements arrive there with no velocity."""

    @staticmethod
    def of(
        movable: BoolArray,
        changed: BoolArray,
        fps: float,
        period: int | None = None,
        events: IntArray | None = None,
    ) -> Knots:
        """The knots of the frames in which columns are `movable` (frames, columns), near those that have `changed`
        (frames,): these are free, two on either side of them are not.

        The frames right before and after a column's movable frames are knots too: it arrives there at the source. So
        are `events` (events,), frames, where given. With a `period`, in frames, the evenly spaced knots repeat
        themselves.
        """
        stride = frames_between(fps)
        active = movable.any(axis=1)
        begins = np.flatnonzero((movable[1:] & ~movable[:-1]).any(axis=1))
        ends = np.flatnonzero((movable[:-1] & ~movable[1:]).any(axis=1)) + 1
        needed = np.union1d(begins, ends)
        if events is not None:
            needed = np.union1d(needed, events)
        frames: IntArray = np.zeros(0, dtype=np.int64)
        links: list[int] = []
        chain_ends: list[tuple[int, int]] = []
        for first, last in runs(active):
            begin, end = max(first - 1, 0), min(last + 1, len(active) - 1)
            inside = needed[(needed > begin) & (needed < end)]
            if period is None:
                even = np.unique(np.rint(np.linspace(begin, end, max(2, round((end - begin) / stride)) + 1)))[1:-1]
            else:
                count = max(1, round(period / stride))
                even = np.rint(np.arange(count * (len(active) // period + 1)) * (period / count))
                even = even[(even > begin) & (even < end)]
            near = np.abs(even[:, None] - np.concatenate([inside, [begin, end]])).min(axis=1)
            even = even[near >= min(0.5 * stride, 0.5 * (end - begin))] if len(inside) else even
            chain = np.unique(np.concatenate([[begin, end], inside, even])).astype(np.int64)
            count, size = len(frames), len(chain)
            for at, neighbour in ((0, 1), (size - 1, size - 2)):
                if size > 1 and not active[chain[at]]:
                    chain_ends.append((count + at, count + neighbour))
            links += range(count + 1, count + size - 1)
            frames = np.concatenate([frames, chain])
        whole = Knots(
            frames,
            ~(active & changed)[frames],
            np.array(links, dtype=np.int64),
            np.array(chain_ends, dtype=np.int64).reshape(-1, 2),
        )
        return whole.at(np.flatnonzero(dilated(~whole.fixed, 2)))

    def at(self, chosen: IntArray) -> Knots:
        """Some of the knots (chosen,), with the links between them."""
        position = np.full(len(self.frames) + 1, -1)
        position[chosen] = np.arange(len(chosen))
        beside = np.stack([self.links - 1, self.links, self.links + 1], axis=1)
        links = position[beside[(position[beside] >= 0).all(axis=1), 1]]
        ends = position[self.ends]
        return Knots(self.frames[chosen], self.fixed[chosen], links, ends[(ends >= 0).all(axis=1)])

    def differences(self) -> tuple[Array, Array, Array]:
        """Three times (links,): the factors of the values before, at and after a link in its second derivative, per
        frame squared."""
        before = (self.frames[self.links] - self.frames[self.links - 1]).astype(np.float64)
        after = (self.frames[self.links + 1] - self.frames[self.links]).astype(np.float64)
        first, last = 2.0 / (before * (before + after)), 2.0 / (after * (before + after))
        return first, -first - last, last


@dataclass(frozen=True, eq=False)
class Draft:
    """A displacement of all frames that is smooth over time."""

    knots: Knots
    columns: Columns
    movable: BoolArray
    """(frames of the clip, columns) which may move."""
    axes: SteadyAxes
    values: Array
    """(knots, columns) along steady axes."""
    metrics: Array
    """(knots, columns, columns) the metric of displacements at the knots, of the coordinates of `Columns`."""
    forces: Array | None = None
    """(knots, rows) with which targets pull at the displacement; None where it has not been solved."""
    factor: _Factor | None = None
    """The last one of its solve, for targets that move a little; None where it has not been solved."""
    misses: Array | None = None
    """(knots,) the largest error of a target that is to be met exactly, in sizes of the character or radians; None
    where it has not been solved."""

    def at(self, frames: IntArray) -> Array:
        """(frames, columns) the displacement in some active frames, in the coordinates of `Columns`."""
        knots, values = self.knots.frames.astype(np.float64), self.values
        before, after, share = self.between(frames)
        velocities = self._velocities
        duration = (knots[after] - knots[before])[:, None]
        rest = 1.0 - share
        between = values[before] + share * share * (3.0 - 2.0 * share) * (values[after] - values[before])
        bulge = share * rest * duration * (rest * velocities[before] - share * velocities[after])
        return self.axes.in_parents(between + bulge, frames) * self.movable[frames]

    @cached_property
    def _velocities(self) -> Array:
        """(knots, columns) per frame; where a column does not move at a knot, it arrives there with no velocity."""
        velocities = _spline_velocities(self.knots.frames.astype(np.float64), self.values)
        return velocities * self.movable[self.knots.frames]

    def between(self, frames: IntArray) -> tuple[IntArray, IntArray, Array]:
        """Two times (frames,), the knots before and after some frames, and (frames, 1) the share of the way between
        them; the first or the last knot for frames outside."""
        knots = self.knots.frames
        after = np.clip(np.searchsorted(knots, frames), min(1, len(knots) - 1), len(knots) - 1)
        before = np.maximum(after - 1, 0)
        share = (frames - knots[before]) / np.maximum(knots[after] - knots[before], 1)
        return before, after, np.clip(share, 0.0, 1.0)[:, None]

    def refined(self, knots: Knots) -> Draft:
        """The same displacement with other knots, to be solved."""
        values = self.axes.from_parents(self.at(knots.frames), knots.frames)
        return Draft(knots, self.columns, self.movable, self.axes, values, np.zeros(0))

    def through(self, chosen: IntArray, displacement: Array) -> Draft:
        """This draft, changed to have nearly a displacement (chosen, columns), in the coordinates of `Columns`, at some
        free knots (chosen,), in rising order; between them, and toward fixed knots, the change is interpolated."""
        fixed = np.flatnonzero(self.knots.fixed)
        anchors, reached = (
            np.concatenate([chosen, fixed]),
            self.axes.from_parents(displacement, self.knots.frames[chosen]),
        )
        order = np.argsort(anchors)
        reached = self.columns.unwrapped(np.concatenate([reached, self.values[fixed]])[order])
        change = reached - self.values[anchors[order]]
        places = np.interp(np.arange(len(self.values)), anchors[order], np.arange(len(anchors)))
        before = np.minimum(places.astype(np.int64), max(len(anchors) - 2, 0))
        share = (places - before)[:, None]
        after = np.minimum(before + 1, len(anchors) - 1)
        # Knots that were solved on their own differ from their neighbours more than a smooth displacement does.
        between = lowpass((1.0 - share) * change[before] + share * change[after], THROUGH_RADIUS)
        free = self.movable[self.knots.frames] & ~self.knots.fixed[:, None]
        values = self.values + between * free
        return Draft(self.knots, self.columns, self.movable, self.axes, values, self.metrics)


def _spline_velocities(knots: Array, values: Array) -> Array:
    """(knots, columns) the velocities at knots (knots,) of the natural cubic spline through values (knots, columns).
    Two knots in the same frame end one spline and begin another."""
    gaps = np.diff(knots)[:, None]
    rates = (gaps > 0.0) / np.maximum(gaps, 1.0)
    pulls = 3.0 * np.diff(values, axis=0) * rates**2
    diagonal, velocities = np.zeros((len(knots), 1)), np.zeros_like(values)
    for inside in (slice(None, -1), slice(1, None)):
        diagonal[inside] += 2.0 * rates
        velocities[inside] += pulls
    diagonal[diagonal == 0.0] = 1.0
    for k in range(1, len(knots)):
        share = rates[k - 1] / diagonal[k - 1]
        diagonal[k] -= share * rates[k - 1]
        velocities[k] -= share * velocities[k - 1]
    velocities[-1] /= diagonal[-1]
    for k in range(len(knots) - 2, -1, -1):
        velocities[k] = (velocities[k] - rates[k] * velocities[k + 1]) / diagonal[k]
    return velocities


def solve_draft(
    frame_tasks: FrameTasks,
    work: Workspace,
    metric: DisplacementMetric,
    start: Draft,
    stage: Stage,
    factorizations: int = FACTORIZATIONS,
) -> Generator[Progress, None, Draft]:
    """The smoothest displacement that meets the targets, from that of a draft on; relaxed targets are nearly met.

    Steps are those of Gauss and Newton. Those that would raise the cost are refused and damped, in proportion to the
    forces with which targets pull: the curvature that their Jacobians do not show (docs/derivations.md). With relaxed
    targets, and from a draft far from the source, steps are damped from the first one on.
    """
    problem = _Problem(frame_tasks, work, metric, start)
    here, has_relaxed = problem.at(start.values), bool(problem.rows.relaxed.any())
    forces = problem.weights * here.errors if start.forces is None else start.forces
    # Far from the source, the first steps would be too long.
    damping = DAMPING if has_relaxed or np.abs(start.values).max(initial=0.0) > SMALL else 0.0
    at_rest = NEARLY_AT_REST if has_relaxed else AT_REST
    passed = here.excess > 0.0
    linear, is_stale = problem.linearized(here, passed), False
    for number in range(factorizations):
        yield work.progress(stage, number / factorizations)
        if is_stale:
            linear, is_stale = problem.linearized(here, passed), False
        damped = damping * problem.pulls(forces)
        system = linear.factored(damped)
        there, length, forces = linear.descent(system, here, at_rest)
        newly_passed = (there.excess > 0.0) & ~passed
        if not there.cost <= here.cost:  # not a number counts as worse
            if newly_passed.any():
                passed, is_stale = passed | newly_passed, True
            else:
                damping = max(10.0 * damping, DAMPING)
            continue
        moved = np.abs(there.values - here.values).max(initial=0.0)
        here, passed, is_stale = there, there.excess > 0.0, True
        damping = 0.5 * damping if damping > LEAST_DAMPING else 0.0
        if length < at_rest and moved < STALE and not newly_passed.any():
            break
    if has_relaxed or length >= at_rest:
        yield work.progress(stage, 1.0)
        here = linear.corrected(system, here)
    return problem.draft(start, here, forces, _Factor(linear, system, damped, here.values, here.errors))


def followed_draft(frame_tasks: FrameTasks, work: Workspace, metric: DisplacementMetric, start: Draft) -> Draft | None:
    """The draft that follows targets which have moved since a draft before: one step with the factor of that. None
    where the factor does not fit, or was made too far away. The metric stays that of the draft before.

    Only what targets have moved moves it, not what a longer descent would still change. So a drag is followed evenly,
    wherever the draft was when it came to rest.
    """
    if start.factor is None:
        return None
    problem = _Problem(frame_tasks, work, metric, start)
    if not start.factor.linear.has_rows_of(problem):
        return None
    here = problem.at(start.values)
    pull = start.factor.linear.pull(problem.rows.shortened(here.errors - start.factor.errors, LONGEST_STEP))
    here = problem.at(here.values + start.factor.system.solve(pull * problem.free))
    if not np.abs(here.values - start.factor.values).max(initial=0.0) < FOLLOWED:
        return None
    return replace(start, values=here.values, factor=replace(start.factor, errors=here.errors))


def refreshed_draft(frame_tasks: FrameTasks, work: Workspace, metric: DisplacementMetric, draft: Draft) -> Draft:
    """A draft that has followed targets, with a factor of its own if the one that it followed them with was made
    elsewhere."""
    if draft.factor is None or np.abs(draft.values - draft.factor.values).max(initial=0.0) < REFRESHED:
        return draft
    problem = _Problem(frame_tasks, work, metric, draft)
    here = problem.at(draft.values)
    linear = problem.linearized(here, here.excess > 0.0)
    damping = draft.factor.damping
    return replace(draft, factor=_Factor(linear, linear.factored(damping), damping, here.values, here.errors))


@dataclass(frozen=True, eq=False)
class _Point:
    """A displacement of the knots, with what follows from it."""

    values: Array
    """(knots, columns)"""
    world: WorldState
    """Valid where tasks observe it: see `Rows.bodies`."""
    errors: Array
    """(knots, rows)"""
    excess: Array
    """(knots, boundaries) radians by which joints are beyond the boundaries of their limits."""
    descent: Array
    """(knots, columns) minus half the gradient of size and bending."""
    cost: float
    """Size, bending, and weighted squares of the errors and of the excess."""


class _Problem:
    """What a draft minimizes."""

    def __init__(self, frame_tasks: FrameTasks, work: Workspace, metric: DisplacementMetric, start: Draft) -> None:
        knots, columns, axes = start.knots, start.columns, start.axes
        self._columns, self._axes, self._frames = columns, axes, knots.frames
        self._source, self._metric = work.source.clip.motion.at(knots.frames), metric
        self.rows = rows = Rows(frame_tasks, knots.frames, columns)
        # Measured in the source: a measure that changed with the displacement would have no least one.
        undisplaced = work.source.clip.world.at(knots.frames)
        self._bodies = rows.bodies(undisplaced)
        self.metrics = metric.in_source(knots.frames)
        """(knots, columns, columns) in the source, of the coordinates of `Columns`."""
        size = rows.restricted(self.metrics, rows.movable) + JOINT_SHARE**2 * np.eye(columns.count)
        size = with_least_levers(size, LEAST_LEVER)
        distances = rows.distances(rows.errors(undisplaced))
        farthest = largest_around((distances[:, :, None] * rows.movers).max(axis=1))
        shares = body_shares(farthest / work.settings.tolerances.far, columns)
        self.size = axes.metric_from_parents(shares[:, :, None] * size * shares[:, None], knots.frames)
        self.bending = Bending(knots, self.size, transition_times(farthest), work.source)
        self.shift = axes.from_parents(carried(frame_tasks.timeline, rows, undisplaced), knots.frames)
        """(knots, columns) from where the size is measured."""
        self.free = rows.movable & ~knots.fixed[:, None]
        self.weights = np.where(rows.relaxed, SOFT, FIRM)
        self._limits = Limits(columns)
        self._exact = np.stack([frame_tasks.is_exact(block.channel)[knots.frames] for block in rows.blocks], axis=1)
        """(knots, blocks) whose targets are to be met exactly."""

    def at(self, values: Array) -> _Point:
        """The point with some values (knots, columns)."""
        motion = self._columns.displaced(self._source, self._axes.in_parents(values, self._frames))
        world = self._bodies.world(motion)
        errors, excess = self.rows.across(self.rows.errors(world)), self._limits.excess(motion)
        cost = np.sum(self.weights * errors**2) + FIRM * np.sum(np.maximum(excess, 0.0) ** 2)
        away, pull = values - self.shift, self.bending.pull(values)
        push = times(self.size, away)
        cost += np.sum(away * push) - np.sum(values * pull)
        return _Point(values, world, errors, excess, pull - push, float(cost))

    def draft(self, start: Draft, point: _Point, forces: Array, factor: _Factor) -> Draft:
        """A draft that has come to a point, with the metric that serves there."""
        metrics = self.metrics
        if np.abs(point.values).max(initial=0.0) > SMALL:
            metrics = self._metric.at(WorldState.of(self._columns.skeleton, point.world.motion))
        distances = self.rows.distances(self.rows.errors(point.world)) * self._exact
        misses = distances.max(axis=1, initial=0.0)
        return replace(start, values=point.values, metrics=metrics, forces=forces, factor=factor, misses=misses)

    def pulls(self, forces: Array) -> Array:
        """(knots, columns) how much forces (knots, rows) pull at each column."""
        return (self.rows.distances(forces)[:, :, None] * self.rows.movers).sum(axis=1)

    def linearized(self, here: _Point, passed: BoolArray) -> _Linear:
        """The problem linearized at a point, with the boundaries of limits that are passed (knots, boundaries)."""
        jacobian = self.rows.across(self.rows.jacobian(here.world) * self.rows.active[:, :, None])
        if self.rows.recruited is not None:
            jacobian *= self.rows.recruited
        limits = self._limits.rows(here.world, passed, self.free)
        turned = self._along_axes(np.concatenate([jacobian, limits.jacobian], axis=1), here.values)
        return _Linear(self, turned[:, : jacobian.shape[1]], replace(limits, jacobian=turned[:, jacobian.shape[1] :]))

    def _along_axes(self, jacobian: Array, values: Array) -> Array:
        """(knots, rows, columns) a Jacobian over small moves from some values (knots, columns), over changes of
        these."""
        jacobian = self._columns.over_displacement(jacobian, self._axes.in_parents(values, self._frames))
        return self._axes.rows_from_parents(jacobian, self._frames)


class _Linear:
    """A problem with the Jacobian (knots, rows, columns) of its errors, and the rows of limits, at one point."""

    def __init__(self, problem: _Problem, jacobian: Array, limits: LimitRows) -> None:
        self._problem = problem
        self._jacobian = jacobian
        self._limits = limits
        self._weighted = problem.weights[:, :, None] * jacobian
        self._blocks = problem.size + jacobian.swapaxes(1, 2) @ self._weighted
        if limits.jacobian.shape[1]:
            self._blocks += FIRM * limits.jacobian.swapaxes(1, 2) @ limits.jacobian

    def has_rows_of(self, problem: _Problem) -> bool:
        """Whether a problem has the same rows and free columns, with the same weights."""
        mine = self._problem
        return (
            mine.weights.shape == problem.weights.shape
            and bool((mine.weights == problem.weights).all())
            and bool((mine.rows.active == problem.rows.active).all())
            and bool((mine.free == problem.free).all())
        )

    def _pull(self, errors: Array, here: _Point) -> Array:
        """(knots, columns) minus half the gradient of weighted squares, of errors (knots, rows) and of the excess."""
        inward = combined(self._limits.errors(here.excess), FIRM * self._limits.jacobian)
        return self.pull(errors) + inward

    def pull(self, errors: Array) -> Array:
        """(knots, columns) the same without that of the excess."""
        return combined(errors, self._weighted)

    def factored(self, damping: Array) -> BlockPentadiagonal:
        """The system, with damping (knots, columns) on its diagonal."""
        blocks = self._blocks.copy()
        np.einsum("kcc->kc", blocks)[...] += damping
        return self._problem.bending.factored(blocks, self._problem.free)

    def descent(self, system: BlockPentadiagonal, here: _Point, at_rest: float) -> tuple[_Point, float, Array]:
        """The point after some steps with this Jacobian, the length of the last one, and the forces (knots, rows) that
        targets have after the first."""
        problem, length = self._problem, np.inf
        forces = np.zeros_like(here.errors)
        for number in range(CHORD_STEPS):
            wanted, before = problem.rows.shortened(here.errors, LONGEST_STEP), length
            right = self._pull(wanted, here) + here.descent
            step = system.solve(right * problem.free)
            if number == 0:
                forces = problem.weights * (wanted - times(self._jacobian, step))
            here, length = problem.at(here.values + step), float(np.abs(step).max(initial=0.0))
            if length < at_rest or length > SHRINKING * before:
                break
        return here, length, forces

    def corrected(self, system: BlockPentadiagonal, here: _Point) -> _Point:
        """The point after some steps that only meet targets which are not relaxed, as long as they come nearer."""
        problem = self._problem
        errors = np.where(problem.rows.relaxed, 0.0, here.errors)
        for _ in range(CHORD_STEPS):
            step = system.solve(self._pull(problem.rows.shortened(errors, LONGEST_STEP), here) * problem.free)
            there, before = problem.at(here.values + step), float(np.abs(errors).max(initial=0.0))
            errors = np.where(problem.rows.relaxed, 0.0, there.errors)
            if np.abs(errors).max(initial=0.0) >= before:
                break
            here = there
            if np.abs(step).max(initial=0.0) < AT_REST:
                break
        return here


@dataclass(frozen=True, eq=False)
class _Factor:
    """A factored system, and the linearized problem that it is of."""

    linear: _Linear
    system: BlockPentadiagonal
    damping: Array
    """(knots, columns) on the diagonal."""
    values: Array
    """(knots, columns) where the descent with it has ended."""
    errors: Array
    """(knots, rows) at the newest values."""


def transition_times(displacements: Array) -> Array:
    """The time constants in seconds with which displacements, in sizes of the character or radians, appear and
    vanish."""
    return np.clip(np.sqrt(displacements / TRANSITION_ACCELERATION), SHORTEST_TRANSITION, LONGEST_TRANSITION)


def largest_around(values: Array) -> Array:
    """(knots, columns) the largest of values (knots, columns) within `NEIGHBOURHOOD`."""
    reach = max(1, round(NEIGHBOURHOOD * KNOT_RATE))
    padded = np.pad(values, ((reach, reach), (0, 0)))
    return np.asarray(np.max([padded[shift : shift + len(values)] for shift in range(2 * reach + 1)], axis=0))


def body_shares(farthest: Array, columns: Columns) -> Array:
    """(knots, columns) by how much more the size of each coordinate counts: `BODY_SHARE` for translations of the body,
    less where a target is farther away, as a share (knots, columns) of what is far, and nothing beyond that: there the
    body has to go along."""
    shares = np.ones_like(farthest)
    own = columns.dofs.translation_columns
    shares[:, own] = BODY_SHARE ** np.clip(1.0 - farthest[:, own] ** 2, 0.0, 1.0)
    return shares


class Bending:
    """The second derivatives over time of values at knots, squared, weighted, and summed."""

    def __init__(self, knots: Knots, metrics: Array, times: Array, source: Source) -> None:
        """`metrics` (knots, columns, columns) measure the derivatives; `times` (knots, columns) are the time constants
        in seconds with which columns respond to their targets."""
        self._knots = knots
        weights = (times * source.clip.fps) ** 2
        weighted = weights[:, :, None] * metrics * weights[:, None]
        # Knots that are nearer to each other than others count less.
        spans = 0.5 * (knots.frames[knots.links + 1] - knots.frames[knots.links - 1]) / frames_between(source.clip.fps)
        self._metrics = weighted[knots.links] * np.minimum(spans, 1.0)[:, None, None]
        """(links, columns, columns)"""
        self._factors = [factor[:, None] for factor in knots.differences()]
        gaps = np.abs(np.diff(knots.frames[knots.ends], axis=1)).reshape(-1, 1, 1)
        self._end_metrics = weighted[knots.ends[:, 1]] / np.maximum(gaps, 1.0) ** 4
        """(ends, columns, columns) of the derivative at a fixed end, beyond which all values are zero."""

    def pull(self, values: Array) -> Array:
        """(knots, columns) minus half the gradient at values (knots, columns)."""
        links, (before, here, after) = self._knots.links, self._factors
        bend = before * values[links - 1] + here * values[links] + after * values[links + 1]
        force = times(self._metrics, bend)
        pull = np.zeros_like(values)
        pull[links - 1] -= before * force
        pull[links] -= here * force
        pull[links + 1] -= after * force
        neighbours = self._knots.ends[:, 1]
        np.subtract.at(pull, neighbours, times(self._end_metrics, values[neighbours]))
        return pull

    def factored(self, others: Array, free: BoolArray) -> BlockPentadiagonal:
        """The system of the free values (knots, columns): this one's matrix and the blocks (knots, columns, columns) of
        others on its diagonal."""
        links, (before, here, after) = self._knots.links, (factor[:, None] for factor in self._factors)
        diagonal, first, second = others.copy(), np.zeros_like(others), np.zeros_like(others)
        diagonal[links - 1] += before**2 * self._metrics
        diagonal[links] += here**2 * self._metrics
        diagonal[links + 1] += after**2 * self._metrics
        first[links - 1] += before * here * self._metrics
        first[links] += here * after * self._metrics
        second[links - 1] += before * after * self._metrics
        np.add.at(diagonal, self._knots.ends[:, 1], self._end_metrics)
        if not free.all():
            factor = free.astype(np.float64)
            diagonal *= factor[:, :, None] * factor[:, None]
            first[:-1] *= factor[:-1, :, None] * factor[1:, None]
            second[:-2] *= factor[:-2, :, None] * factor[2:, None]
            np.einsum("kcc->kc", diagonal)[~free] = 1.0
        return BlockPentadiagonal(diagonal, first, second)
