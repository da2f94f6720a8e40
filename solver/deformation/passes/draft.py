# SPDX-License-Identifier: GPL-3.0-or-later
"""The draft: the smoothest displacement that meets all targets, found for all frames together on a few knots a second.

Among the displacements that meet the targets at the knots, the draft has the least second differences over time and the
least size, both in `DisplacementMetric`; the size is measured from the shift that both feet have in common
(`common_shift`). Feet in the air are free: the least second differences carry a foot from one plant to the next. Each
step is the exact solution of a banded system, linear in the number of knots. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...body.kinematics import WorldState
from ...constraints import Source
from ...core.arrays import TINY, Array, BoolArray, IntArray, dilated, runs
from ...core.banded import BlockPentadiagonal
from ...core.row_space import combined, times
from ..columns import Columns
from ..common_shift import carried
from ..frame_tasks import FrameTasks
from ..metric import DisplacementMetric, with_least_levers
from ..rows import Rows
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

SOFT = 1e3
"""The same for the least important targets while it is not known what can be reached."""

LEVEL_RATIO = 1e3
"""How much more a level weighs than the next less important one while it is not known what can be reached: it
misses a thousandth of what these miss."""

LARGEST_RATIO = 1e9
"""How much more the most important level weighs than the least important one at most."""

DAMPING = 0.3
"""Damping as a share of the weighted error: about the curvature that the Jacobian of an unreachable target does not
show."""

PRIORITIZED_STEPS = 15
"""The most steps by priority."""

NEARLY_AT_REST = 0.02
"""Radians, or sizes of the character: steps by priority that are shorter are at rest."""

LONGEST_STEP = 0.25
"""Sizes of the character, or radians: the most of an error that one step takes on."""

FACTORIZATIONS = 4
"""How often the system is factored at most; between, it is solved with other right sides (the chord method)."""

CHORD_STEPS = 6
"""The most steps with one factorization."""

SHRINKING = 0.5
"""A step that is longer than this share of the one before asks for a new factorization."""

STALE = 0.2
"""Radians, or sizes of the character: a Jacobian that was evaluated farther away no longer says which of all
displacements that meet the targets is the smoothest."""

SMALL = 0.3
"""Radians, or sizes of the character: the metric of the source serves displacements up to this."""

AT_REST = 3e-4
"""Radians, or sizes of the character: a draft whose steps are shorter is at rest."""


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
    def of(movable: BoolArray, changed: BoolArray, fps: float, period: int | None = None) -> Knots:
        """The knots of the frames in which columns are `movable` (frames, columns), near those that have `changed`
        (frames,): these are free, two on either side of them are not.

        The frames right before and after a column's movable frames are knots too: it arrives there at the source. With
        a `period`, in frames, the knots repeat themselves.
        """
        stride = max(1, round(fps / KNOT_RATE))
        active = movable.any(axis=1)
        begins = np.flatnonzero((movable[1:] & ~movable[:-1]).any(axis=1))
        ends = np.flatnonzero((movable[:-1] & ~movable[1:]).any(axis=1)) + 1
        needed = np.union1d(begins, ends)
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
    """(knots, columns, columns) the metric of displacements at the knots, along steady axes."""

    def at(self, frames: IntArray) -> Array:
        """(frames, columns) the displacement in some active frames, in the coordinates of `Columns`."""
        knots, values = self.knots.frames.astype(np.float64), self.values
        after = np.clip(np.searchsorted(knots, frames), 1, max(len(knots) - 1, 1)) if len(knots) > 1 else None
        if after is None:
            return self.axes.in_parents(np.repeat(values, len(frames), axis=0), frames) * self.movable[frames]
        velocities = np.zeros_like(values)
        velocities[1:-1] = (values[2:] - values[:-2]) / (knots[2:] - knots[:-2])[:, None]
        # Where a column does not move at a knot, it arrives there with no velocity.
        velocities *= self.movable[self.knots.frames]
        duration = (knots[after] - knots[after - 1])[:, None]
        share = np.clip((frames - knots[after - 1])[:, None] / np.maximum(duration, 1.0), 0.0, 1.0)
        rest = 1.0 - share
        between = values[after - 1] + share * share * (3.0 - 2.0 * share) * (values[after] - values[after - 1])
        bulge = share * rest * duration * (rest * velocities[after - 1] - share * velocities[after])
        return self.axes.in_parents(between + bulge, frames) * self.movable[frames]

    def at_knots(self) -> Array:
        """(knots, columns) the displacement at the knots, in the coordinates of `Columns`."""
        return self.axes.in_parents(self.values, self.knots.frames)

    def metric_at(self, frames: IntArray) -> Array:
        """(frames, columns, columns) the metric in some active frames, interpolated between the knots, of the
        coordinates of `Columns`."""
        knots = self.knots.frames
        if len(knots) == 1:
            return self.axes.metric_in_parents(np.repeat(self.metrics, len(frames), axis=0), frames)
        after = np.clip(np.searchsorted(knots, frames), 1, len(knots) - 1)
        share = (frames - knots[after - 1]) / np.maximum(knots[after] - knots[after - 1], 1)
        share = np.clip(share, 0.0, 1.0)[:, None, None]
        between = (1.0 - share) * self.metrics[after - 1] + share * self.metrics[after]
        return self.axes.metric_in_parents(between, frames)


def solve_draft(
    frame_tasks: FrameTasks, work: Workspace, metric: DisplacementMetric, start: Draft, by_priority: bool = False
) -> Draft:
    """The smoothest displacement that meets the targets, from that of a draft on.

    With `by_priority` the targets need not all be met: those of a higher priority weigh more. Steps are damped in
    proportion to what is missed, since an unreachable target has more curvature than its Jacobian shows; so are those
    that have not converged with the first Jacobian, as where a leg is straight.
    """
    knots, columns, axes, values = start.knots, start.columns, start.axes, start.values
    rows = Rows(frame_tasks, knots.frames, columns)
    source = work.source.clip.motion.at(knots.frames)

    def state(values: Array) -> WorldState:
        return WorldState.of(columns.skeleton, columns.displaced(source, axes.in_parents(values, knots.frames)))

    # Measured in the source: a measure that changed with the displacement would have no least one.
    undisplaced = state(np.zeros_like(values))
    metrics = metric.at(undisplaced)
    size = with_least_levers(rows.restricted(metrics) + JOINT_SHARE**2 * np.eye(columns.count), LEAST_LEVER)
    distances = rows.distances(rows.errors(undisplaced))
    farthest = largest_around((distances[:, :, None] * rows.movers).max(axis=1))
    shares = body_shares(farthest / work.settings.tolerances.far, columns)
    size = axes.metric_from_parents(shares[:, :, None] * size * shares[:, None], knots.frames)
    bending = Bending(knots, size, transition_times(farthest), work.source)
    free = rows.movable & ~knots.fixed[:, None]
    shift = axes.from_parents(carried(frame_tasks.timeline, rows, undisplaced), knots.frames)
    tolerances = work.settings.tolerances
    far = (distances > (tolerances.far if (distances > tolerances.far).any() else tolerances.close)).any(axis=0)
    weights = _weights(rows, frame_tasks, far) if by_priority else np.full(rows.active.shape, FIRM)
    at_rest, longest = (NEARLY_AT_REST, LONGEST_STEP) if by_priority else (AT_REST, np.inf)
    world = state(values)
    for number in range(PRIORITIZED_STEPS if by_priority else FACTORIZATIONS):
        jacobian = rows.across(rows.jacobian(world) * rows.active[:, :, None])
        jacobian = columns.over_displacement(jacobian, axes.in_parents(values, knots.frames))
        if rows.recruited is not None:
            jacobian *= rows.recruited
        jacobian = axes.rows_from_parents(jacobian, knots.frames)
        weighted, linearized_at = weights[:, :, None] * jacobian, values
        errors = rows.shortened(rows.across(rows.errors(world)), LONGEST_STEP)
        blocks = size + jacobian.swapaxes(1, 2) @ weighted
        if by_priority or number:
            lengths = rows.distances(errors)
            missed = np.where(lengths > tolerances.close, rows.distances(weights * errors), 0.0)
            np.einsum("kcc->kc", blocks)[...] += DAMPING * (missed[:, :, None] * rows.coupled).max(axis=1)
        system = bending.factored(blocks, free)
        before = np.inf
        for _ in range(1 if by_priority else CHORD_STEPS):
            right = combined(errors, weighted) - times(size, values - shift) + bending.pull(values)
            step = system.solve(right * free)
            length = float(np.abs(step).max(initial=0.0))
            if length > longest:
                # Parts of the body that have nothing to do with each other do not hold each other up.
                for part in np.unique(rows.coupled, axis=0):
                    own = float(np.abs(step[:, part]).max(initial=0.0))
                    step[:, part] *= min(1.0, longest / max(own, TINY))
            values = values + step
            world = state(values)
            if length < at_rest or length > SHRINKING * before:
                break
            errors = rows.shortened(rows.across(rows.errors(world)), LONGEST_STEP)
            before = length
        if length < at_rest and np.abs(values - linearized_at).max(initial=0.0) < STALE:
            break
    if np.abs(values).max(initial=0.0) > SMALL:
        metrics = metric.at(world)
    return replace(start, values=values, metrics=axes.metric_from_parents(metrics, knots.frames))


def _weights(rows: Rows, frame_tasks: FrameTasks, far: BoolArray) -> Array:
    """(knots, rows) weights from `SOFT` up by the priorities of the constraints, times their own weights; `FIRM` for
    blocks that are not coupled with those that are `far` (blocks,) from their targets."""
    priorities = np.stack([frame_tasks.priorities(block.channel)[rows.frames] for block in rows.blocks], axis=1)
    distinct = np.unique(priorities[np.stack([block.active for block in rows.blocks], axis=1)])
    rank = np.clip(np.searchsorted(distinct, priorities), 0, max(len(distinct) - 1, 0))
    ratio = min(LEVEL_RATIO, LARGEST_RATIO ** (1.0 / max(len(distinct) - 1, 1)))
    weights = SOFT * ratio**rank * np.array([block.task.weight for block in rows.blocks])
    weights[:, ~(rows.coupled @ rows.coupled[far].T).any(axis=1)] = FIRM
    return np.repeat(weights, [block.rows.stop - block.rows.start for block in rows.blocks], axis=1)


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
        self._metrics = weighted[knots.links]
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
            diagonal *= free[:, :, None] & free[:, None]
            first[:-1] *= free[:-1, :, None] & free[1:, None]
            second[:-2] *= free[:-2, :, None] & free[2:, None]
            np.einsum("kcc->kc", diagonal)[~free] = 1.0
        return BlockPentadiagonal(diagonal, first, second)
