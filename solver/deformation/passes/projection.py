# SPDX-License-Identifier: GPL-3.0-or-later
"""The projection: every frame is moved, by the least in `DisplacementMetric`, to where it meets all of its targets that
are not relaxed, and whose constraints are to be met exactly.

It removes what the draft leaves: the tremor of a captured foot while it stands, and all that is faster than the knots.
Targets that are not active in a frame take part too: their residual is continued from the frames in which they are
(`continuation`), as rows that become softer with the distance from these. So nothing is switched off between two
frames. The Jacobian of a frame is evaluated once and used for all steps (the chord method).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...body.kinematics import WorldState
from ...body.motion import Motion
from ...core.arrays import Array, BoolArray, IntArray
from ...core.progress import Stage
from ...core.row_space import combined
from ...posture.active_set import LimitBoundaries
from ..continuation import continued, distances
from ..frame_tasks import FrameTasks
from ..limit_rows import LimitRows, Limits
from ..metric import with_least_levers
from ..progress import Progress, Steps
from ..rows import Rows
from ..workspace import Workspace
from .draft import Draft

JOINT_SHARE = 0.1
"""The weight of a coordinate itself, a radian, beside the sizes by which it moves a watched joint: less than in the
draft, since what is left is small. Between 0.03 and 0.1 results are the same, with 0.3 knees shake (60 clips of the
public CMU library, subjects 1 to 60)."""

LEAST_LEVER = 0.16
"""Sizes of the character: see `with_least_levers`. With 0.15 the middle of a foot turns in the made-up walk of the
tests, with 0.3 knees shake (60 clips of the public CMU library, subjects 1 to 60)."""

SOFTENING = 0.2
"""Seconds from the nearest active frame at which a continued row is as soft as the body itself."""

ANGULAR_SOFTENING = 0.05
"""The same of rows that are angles, as the roll of a foot. With 0.2 a foot that begins to leave the ground passes what
is sudden in the source on to its ankle, without continuation the whole body jumps (60 clips of the public CMU library,
subjects 1 to 60)."""

BATCH = 200
"""Frames that are projected together, at most: their arrays fit into the processor's caches, and a user who turns the
view meanwhile does not wait."""

ROUNDS = 3
"""How often the Jacobian is evaluated for the frames that are not met."""

PREVIEWED = 1e-4
"""Sizes of the character, or radians: a smaller residual is not seen in a preview."""

NEARBY = 0.1
"""Radians, or sizes of the character, between two drafts within which the linear systems of the projection of one serve
a preview of the other."""

CHORD_STEPS = 6
"""Steps with one Jacobian."""

LONGEST_STEP = 0.6
"""Radians, or sizes of the character: a longer step of a frame is shortened."""

HEEL_TOLERANCE = 1e-4
"""Sizes of the character: the residual that the heel of a rigid foot may have along the foot. The targets of heel and
ball are as far apart as these are, but for the rounding of files."""

LIMIT_ROUNDS = 3
"""How often boundaries of limits that a step would pass are added to a frame's system."""

RIDGE = 1e-12
"""Share of its trace by which a frame's system is lifted: rows that depend on others do not stop the others."""


def project(
    frame_tasks: FrameTasks,
    work: Workspace,
    frames: IntArray,
    draft: Draft,
    focus: int | None = None,
    systems: Systems | None = None,
    stage: Stage = Stage.SOLVING,
) -> Generator[Progress, None, IntArray]:
    """Project some frames, in rising order, from their present postures, those nearest to a focus first; returns those
    that do not meet all of these targets. Its linear systems are left in `systems`, if given."""
    frames = frame_tasks.with_movable(frames)
    pending = frames
    for number in range(ROUNDS):
        round_ = _Round.of(frame_tasks, work, pending, draft, is_first=number == 0)
        if round_ is None:
            break
        met = np.zeros(len(pending), dtype=bool)
        for done, some in _batches(pending, focus):
            motion, met[some], made = round_.projected(some, None)
            if systems is not None and number == 0:
                systems.keep(made)
            work.write(pending[some], motion)
            yield work.preview(stage, (number + done) / ROUNDS, pending[some], frame_tasks.movable.any(axis=0))
        work.met[pending] = work.converged[pending] = met
        pending = pending[~met]
        if not pending.size:
            break
    return pending


def preview_projection(
    frame_tasks: FrameTasks, work: Workspace, frames: IntArray, draft: Draft, focus: int | None, systems: Systems
) -> Steps:
    """Project some frames, in rising order, for a preview: with the linear systems of a projection from a draft nearby,
    where there are such."""
    frames, joints = frame_tasks.with_movable(frames), frame_tasks.movable.any(axis=0)
    first = _Round.of(frame_tasks, work, frames, draft, is_first=True, tolerance=PREVIEWED)
    if first is None:
        return
    for done, some in _batches(frames, focus):
        motion, met, made = first.projected(some, systems.of(frames[some], draft))
        systems.keep(made)
        work.write(frames[some], motion)
        left = frames[some][~met]
        again = _Round.of(frame_tasks, work, left, draft, is_first=False, tolerance=PREVIEWED) if left.size else None
        if again is not None:
            work.write(left, again.projected(np.arange(len(left)), None)[0])
        yield work.preview(Stage.SOLVING, done / ROUNDS, frames[some], joints)


@dataclass(frozen=True, eq=False)
class _Round:
    """What a round of a projection begins with."""

    rows: Rows
    world: WorldState
    wanted: Array
    """(frames, rows) what the first step is to remove."""
    softness: Array
    """(frames, rows) see `_softness`."""
    draft: Draft
    tolerance: float

    @staticmethod
    def of(
        frame_tasks: FrameTasks,
        work: Workspace,
        frames: IntArray,
        draft: Draft,
        is_first: bool,
        tolerance: float | None = None,
    ) -> _Round | None:
        """That of some frames, in their present postures; None where nothing is to be met. In the first round, what
        targets require is continued into the frames around. Residuals within a tolerance are met; None: as in the
        settings."""
        rows = Rows(frame_tasks, frames, draft.columns, exact_only=True)
        if not rows.count:
            return None
        world, fps = WorldState.of(frame_tasks.skeleton, work.at(frames)), work.source.clip.fps
        errors = rows.errors(world)
        wanted = _continued(rows, errors, fps) if is_first else errors
        tolerance = work.settings.tolerances.corrected if tolerance is None else tolerance
        return _Round(rows, world, wanted, _softness(rows, fps), draft, tolerance)

    def projected(self, some: IntArray, known: _Known | None) -> tuple[Motion, BoolArray, _Known]:
        """See `_projected`, of some of the frames."""
        rows, world, softness = self.rows.at(some), self.world.at(some), self.softness[some]
        if known is not None and not known.fits(rows, world, softness):
            known = None
        return _projected(rows, world, self.wanted[some], softness, self.draft, self.tolerance, known)


def _batches(frames: IntArray, focus: int | None) -> list[tuple[float, IntArray]]:
    """The batches of some frames, (some,) positions among them, those nearest to a focus first; each with the share
    that is done after it."""
    count = -(-len(frames) // BATCH)
    batches = np.array_split(np.arange(len(frames)), count)
    if focus is not None:
        batches.sort(key=lambda some: float(np.abs(frames[some] - focus).min()))
    done = np.cumsum([len(some) for some in batches]) / len(frames)
    return list(zip(done.tolist(), batches, strict=True))


def _continued(rows: Rows, errors: Array, fps: float) -> Array:
    """(frames, rows) the errors, continued into the frames in which a channel is not active."""
    wanted = errors.copy()
    frames = np.arange(rows.frames[0], rows.frames[-1] + 1)
    inside = rows.frames - rows.frames[0]
    for block in rows.blocks:
        active = np.zeros(len(frames), dtype=bool)
        active[inside] = block.active
        values = np.zeros((len(frames), block.rows.stop - block.rows.start))
        values[inside] = errors[:, block.rows]
        own = continued(values, active, fps)[inside]
        wanted[:, block.rows] = np.where((block.active | block.vacant)[:, None], own, 0.0)
    return wanted


def _softness(rows: Rows, fps: float) -> Array:
    """(frames, rows) the softness of each row relative to the body's own: zero where it is active, infinite where it
    does not count."""
    softness = np.empty((len(rows.frames), rows.count))
    for block in rows.blocks:
        away = np.full(rows.frames[-1] - rows.frames[0] + 1, False)
        away[rows.frames - rows.frames[0]] = block.active
        softening = ANGULAR_SOFTENING if block.task.is_angular else SOFTENING
        own = (distances(away)[rows.frames - rows.frames[0]] / (softening * fps)) ** 4
        softness[:, block.rows] = np.where(block.active | block.vacant, own, np.inf)[:, None]
    return softness


class Systems:
    """The linear systems of the batches of projections, for others from drafts nearby."""

    def __init__(self) -> None:
        self._known: dict[bytes, _Known] = {}
        """By the frames of a batch."""

    def of(self, frames: IntArray, draft: Draft) -> _Known | None:
        """What is known of a batch of frames; None where that is nothing, or it was made for a draft far away."""
        known = self._known.get(frames.tobytes())
        return known if known is not None and known.distance(draft) < NEARBY else None

    def keep(self, made: _Known) -> None:
        """Keep what was made for a batch of frames."""
        self._known[made.frames.tobytes()] = made


@dataclass(frozen=True, eq=False)
class _Known:
    """The system of a batch of frames, for what it was made, and what it has shown."""

    system: _System
    frames: IntArray
    """(frames,)"""
    softness: Array
    """(frames, rows) see `_softness`."""
    movable: BoolArray
    """(frames, columns)"""
    draft: Draft
    """From which it was made."""
    correction: Array
    """(frames, columns) all steps after the first one, by which the last projection has left it."""

    def fits(self, rows: Rows, world: WorldState, softness: Array) -> bool:
        """Whether a batch of frames has the same rows and columns, and passes no other limits in a state."""
        if self.softness.shape != softness.shape or not (self.softness == softness).all():
            return False
        passed = Limits(rows.columns).excess(world.motion) > 0.0
        return bool((self.movable == rows.movable).all()) and not (passed & ~self.system.passed).any()

    def distance(self, draft: Draft) -> float:
        """How far, in radians or sizes of the character, a draft is from that for which it was made; infinite where it
        has other knots."""
        if not np.array_equal(self.draft.knots.frames, draft.knots.frames):
            return np.inf
        first, last = draft.between(self.frames[[0, -1]])[:2]
        between = slice(first[0], last[1] + 1)
        return float(np.abs(draft.values[between] - self.draft.values[between]).max(initial=0.0))


def _projected(
    rows: Rows,
    world: WorldState,
    wanted: Array,
    softness: Array,
    draft: Draft,
    tolerance: float,
    known: _Known | None,
) -> tuple[Motion, BoolArray, _Known]:
    """A batch of frames after its steps, which of them, (frames,), meet their targets, and its system.

    `wanted` (frames, rows) is what the first step is to remove, `softness` (frames, rows) see `_softness`; `known` is
    what was made nearby, None: there is nothing.
    """
    columns = rows.columns
    boundaries, limits = LimitBoundaries(columns.skeleton, columns.dofs), Limits(columns)
    begin = np.zeros((len(wanted), columns.count))
    if known is None:
        passed = limits.excess(world.motion) > 0.0
        system = _System.of(rows, world, softness, draft, limits.rows(world, passed, rows.movable), passed)
        known = _Known(system, rows.frames, softness, rows.movable, draft, begin)
    begin, system = known.correction, known.system
    for _ in range(LIMIT_ROUNDS if boundaries else 0):
        step = system.step(rows.across(wanted.copy()), limits.excess(world.motion))
        newly_passed = (limits.excess(columns.displaced(world.motion, step)) > tolerance) & ~system.passed
        if not newly_passed.any():
            break
        passed = system.passed | newly_passed
        system = _System.of(rows, world, softness, draft, limits.rows(world, passed, rows.movable), passed)
        known = replace(known, system=system, draft=draft)
    bodies = rows.bodies(world)
    best = Motion(world.motion.rotations.copy(), world.motion.translations.copy())
    largest, largest_along = np.full((2, len(wanted)), np.inf)
    left, motion, errors = np.arange(len(wanted)), world.motion, rows.across(wanted.copy())
    correction = begin.copy()
    for number in range(CHORD_STEPS):
        step = system.step(errors, limits.excess(motion))
        if number == 0:
            step = step + begin
        motion = rows.clamped(boundaries, columns.displaced(motion, step))
        errors = rows.errors(bodies.world(motion))
        along = np.abs(errors).max(axis=1, initial=0.0)
        now = np.abs(rows.across(errors)).max(axis=1, initial=0.0)
        is_worse, improving = now > largest[left], now < 0.5 * largest[left]
        kept = left[~is_worse]
        best.rotations[kept], best.translations[kept] = motion.rotations[~is_worse], motion.translations[~is_worse]
        if number > 0:
            correction[kept] += step[~is_worse]
        largest[kept], largest_along[kept] = now[~is_worse], along[~is_worse]
        goes_on = ~is_worse & (now > tolerance)
        if not (improving & goes_on).any():
            break
        if not goes_on.all():
            chosen = np.flatnonzero(goes_on)
            left, motion, errors = left[chosen], motion.at(chosen), errors[chosen]
            rows, bodies, system = rows.at(chosen), bodies.at(chosen), system.at(chosen)
    # Across a rigid foot the heel's error is also zero where the foot points backwards.
    met = (largest <= tolerance) & (largest_along <= HEEL_TOLERANCE)
    return best, met, replace(known, correction=np.where(met[:, None], correction, 0.0))


@dataclass(frozen=True, eq=False)
class _System:
    """The linear system of a batch of frames: the least step that gives the rows a change."""

    limits: LimitRows
    """The rows of joints that the step keeps at the boundaries of their limits."""
    unit_steps: Array
    """(frames, rows, columns) the step for a unit of each row, and of each row of `limits` after these."""
    passed: BoolArray
    """(frames, boundaries) those of `limits`."""

    @staticmethod
    def of(
        rows: Rows, world: WorldState, softness: Array, draft: Draft, limits: LimitRows, passed: BoolArray
    ) -> _System:
        """The system at a state; `softness` (frames, rows) see `_softness`, `passed` (frames, boundaries) those that
        `limits` are about."""
        jacobian = rows.across(rows.jacobian(world) * np.isfinite(softness)[:, :, None])
        to_steady = draft.axes.matrices(rows.frames)
        jacobian = np.concatenate([jacobian, limits.jacobian], axis=1) @ to_steady
        pulls = jacobian
        if rows.recruited is not None:
            pulls = jacobian.copy()
            pulls[:, : rows.count] *= rows.recruited
        moves = _moves(rows, pulls, draft)
        gram = jacobian @ moves.swapaxes(1, 2)
        diagonal = np.einsum("frr->fr", gram)
        softness = np.where(np.isfinite(softness), softness, 0.0)
        for block in rows.blocks:  # the same along all axes, so that the heading of the scene does not matter
            diagonal[:, block.rows] += diagonal[:, block.rows].mean(axis=1, keepdims=True) * softness[:, block.rows]
        diagonal += RIDGE * diagonal.sum(axis=1, keepdims=True)
        diagonal[diagonal == 0.0] = 1.0
        return _System(limits, np.linalg.inv(gram).swapaxes(1, 2) @ moves @ to_steady.swapaxes(1, 2), passed)

    def at(self, frames: IntArray) -> _System:
        """The system of some of the frames."""
        return _System(self.limits.at(frames), self.unit_steps[frames], self.passed[frames])

    def step(self, errors: Array, excess: Array) -> Array:
        """(frames, columns) the step for a change (frames, rows), and back inside of limits that are exceeded by an
        excess (frames, boundaries)."""
        step = combined(np.concatenate([errors, self.limits.errors(excess)], axis=1), self.unit_steps)
        longest = np.abs(step).max(axis=1, initial=0.0)
        return step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))[:, None]


def _moves(rows: Rows, pulls: Array, draft: Draft) -> Array:
    """(frames, rows, columns) how the body moves under forces that pull at its columns (frames, rows, columns), both
    along steady axes. The inverse of the metric is interpolated between knots."""
    before, after, share = draft.between(rows.frames)
    moves = np.empty_like(pulls)
    is_uniform = (rows.movable == rows.movable[:1]).all()
    for movable in rows.movable[:1] if is_uniform else np.unique(rows.movable, axis=0):
        some = np.flatnonzero((rows.movable == movable).all(axis=1))
        knots, places = np.unique([before[some], after[some]], return_inverse=True)
        metric = rows.restricted(draft.metrics[knots], movable[None]) + JOINT_SHARE**2 * np.eye(len(movable))
        inverse = np.linalg.inv(with_least_levers(metric, LEAST_LEVER))
        inverse = draft.axes.metric_from_parents(inverse, draft.knots.frames[knots])
        earlier, later = (pulls[some] @ inverse[each] for each in places.reshape(2, len(some)))
        moves[some] = earlier + share[some, None] * (later - earlier)
    return moves
