# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming a motion by prioritized constraints (document 003, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np

from .arrays import TINY, Array, BoolArray, IntArray
from .clearance import PlantedFoot, lifted, planted_feet, toes_bent
from .clip import Clip
from .constraints import Constraint, Ground, Source
from .constraints.effectors import Effector
from .enforcement import HOLDS, Enforced, Enforcement
from .errors import ConstraintError
from .filters import Liveliness, displacement, envelope, lowpass, smoothed
from .kinematics import WorldState
from .motion import Motion
from .posture import BATCH
from .report import Report, reported
from .settings import SolveSettings
from .splines import Spline
from .swings import Swing, swings, swung
from .timeline import Channel, Stretch, Timeline, eased_from, runs

Coherence = Literal["batch", "sequential"]

COARSE_RATE = 30.0
"""Frames a second of the first, coarse solution: displacements are smooth, so the frames between begin at what their
neighbours give and need only a step or two."""

JOINING_ROUNDS = 2
"""How often the ends of constraints are joined to the motion around them: once, and again because joining one may have
moved another."""

YIELD_REACH = 0.1
"""Seconds, to either side, over which the way of an effector that cannot reach its target is smoothed."""

FILTER_REACH = 0.06
"""Seconds over which a displacement that adds frequencies the source lacks is smoothed, to either side."""

_Returned = TypeVar("_Returned")


@dataclass(frozen=True)
class DeformSettings:
    """How a clip is deformed."""

    coherence: Coherence = "batch"
    """All frames together, or each from the result of the one before (the document's own order, for comparison)."""
    iterations: int = 200
    """The most steps a frame may take in a pass."""
    tolerance: float = 1e-6
    """When a frame has come to rest: see `SolveSettings`."""
    smoothing_passes: int = 3
    """How often, at most, the displacement is filtered where it needs it and the constraints are enforced again."""

    def __post_init__(self) -> None:
        if self.coherence not in ("batch", "sequential"):
            raise ConstraintError(f"There is no coherence {self.coherence!r}: it is 'batch' or 'sequential'.")
        if not isinstance(self.smoothing_passes, (int, np.integer)) or self.smoothing_passes < 0:
            raise ConstraintError("The number of smoothing passes must be a whole number, 0 or more.")
        self.solving()

    def solving(self) -> SolveSettings:
        """For each frame."""
        return SolveSettings(iterations=self.iterations, tolerance=self.tolerance)


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a solve has come."""

    stage: str
    """What is being done, in words."""
    share: float
    """Of that stage, from 0 to 1."""
    _clip: Callable[[], Clip]

    @cached_property
    def clip(self) -> Clip:
        """The result as it is by now; to be asked for before the next step."""
        return self._clip()


@dataclass(frozen=True, eq=False)
class Deformation:
    """A deformed clip."""

    source: Clip
    clip: Clip
    constraints: tuple[Constraint, ...]
    converged: BoolArray
    """(frames,) which have come to rest."""
    solved: BoolArray
    """(frames,) which were solved for this, rather than taken over from the source or from a solve before."""
    _solution: _Solution

    @cached_property
    def report(self) -> Report:
        """How well every constraint holds, who lost against whom, and what would help."""
        return reported(self._solution.enforcement, self.clip)

    def again(self, constraints: Iterable[Constraint]) -> Deformation:
        """The source deformed by other constraints; only frames for which something has changed are solved."""
        return _finished(self.solving_again(constraints))

    def solving_again(self, constraints: Iterable[Constraint]) -> Generator[Progress, None, Deformation]:
        """As `again`, step by step: see `deforming`."""
        return _deforming(self._solution.source, tuple(constraints), self._solution.settings, self._solution)


def deform(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
) -> Deformation:
    """Deform a motion so that its constraints hold, the most important first.

    With `ground`, footplants stand on it unless they say otherwise. Frames that no constraint reaches, and joints that
    none recruits, come back bit for bit.
    """
    return _finished(deforming(clip, constraints, ground=ground, settings=settings))


def deforming(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
) -> Generator[Progress, None, Deformation]:
    """As `deform`, step by step: yields its progress and returns the deformation; to cancel, stop asking.

    All errors in the constraints are raised before the first step.
    """
    source = Source(clip, ground)
    return _deforming(source, tuple(constraints), settings or DeformSettings(), None)


def _finished(steps: Generator[Progress, None, _Returned]) -> _Returned:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            returned: _Returned = stop.value
            return returned


@dataclass(frozen=True, eq=False)
class _Solution:
    """What is kept of a solve for the next one."""

    source: Source
    settings: DeformSettings
    enforcement: Enforcement
    unjoined: Enforcement
    """The same before the ends of constraints were joined to the motion around them."""
    joints: dict[_SeamKey, Array]
    reference: Motion
    """What every frame was attracted to: the source, smoothed where that was needed."""
    motion: Motion
    converged: BoolArray
    met: BoolArray
    liveliness: Liveliness


class _Work:
    """A solve under way: arrays over the whole clip that are filled frame by frame."""

    def __init__(self, source: Source, settings: DeformSettings, before: _Solution | None) -> None:
        self.source = source
        self.settings = settings
        kept = before.motion if before else source.clip.motion
        attracting = before.reference if before else source.clip.motion
        self.motion = Motion(kept.rotations.copy(), kept.translations.copy())
        self.reference = Motion(attracting.rotations.copy(), attracting.translations.copy())
        self.converged = before.converged.copy() if before else np.ones(source.frames, dtype=bool)
        self.liveliness = before.liveliness if before else Liveliness(source.clip.motion)
        self.met = before.met.copy() if before else np.ones(source.frames, dtype=bool)
        """(frames,) where every constraint holds."""

    def take(self, enforced: Enforced) -> None:
        """Write solved frames."""
        self.put(enforced.frames, enforced.motion)
        self.met[enforced.frames] = enforced.met
        self.converged[enforced.frames] = enforced.converged

    def put(self, frames: IntArray, motion: Motion) -> None:
        """Write some frames."""
        self.motion.rotations[frames], self.motion.translations[frames] = motion.rotations, motion.translations

    def swing(self, swinging: Iterable[Swing]) -> IntArray:
        """Let feet in the air swing; returns the frames in which they do, all those of the swings."""
        swinging = list(swinging)
        if not swinging:
            return np.zeros(0, dtype=np.int64)
        self.motion = swung(self.source, swinging, self.motion)
        frames = np.unique(np.concatenate([np.arange(swing.first, swing.last + 1) for swing in swinging]))
        self.reference.rotations[frames] = self.motion.rotations[frames]
        self.reference.translations[frames] = self.motion.translations[frames]
        return frames

    def clip(self) -> Clip:
        """The result as it is by now."""
        return self.source.clip.with_motion(Motion(self.motion.rotations.copy(), self.motion.translations.copy()))

    def restore(self, frames: IntArray) -> None:
        """Back to the source."""
        source = self.source.clip.motion
        for mine in (self.motion, self.reference):
            mine.rotations[frames], mine.translations[frames] = source.rotations[frames], source.translations[frames]
        self.converged[frames] = self.met[frames] = True

    def enforce(
        self,
        enforcement: Enforcement,
        frames: IntArray,
        start: Motion,
        stage: str,
        polish: bool = False,
        instead: Enforcement | None = None,
    ) -> Generator[Progress, None, None]:
        """Solve some frames, a batch at a time.

        With `polish`, the start is taken for as near to its reference as it can be, and only the constraints are put
        right. Where not all can be met, what `instead` asks is solved, if that is given.
        """
        frames = frames[(enforcement.codes[frames] >= 0).any(axis=1)]
        if polish:
            batches = self._polished(enforcement, frames, start)
        else:
            batches = self._solved(enforcement, frames, start, instead or enforcement)
        done = 0
        for enforced in batches:
            self.take(enforced)
            done += len(enforced.frames)
            yield Progress(stage, min(done / max(len(frames), 1), 1.0), self.clip)

    def _polished(self, enforcement: Enforcement, frames: IntArray, start: Motion) -> Iterable[Enforced]:
        for first in range(0, len(frames), BATCH):
            yield enforcement.polished(frames[first : first + BATCH], start)

    def _solved(
        self, enforcement: Enforcement, frames: IntArray, start: Motion, instead: Enforcement
    ) -> Iterable[Enforced]:
        """Frame after frame, each from the one before; or all together, without order wherever that is enough."""
        solving = self.settings.solving()
        if self.settings.coherence == "sequential":
            for frame in frames:
                (group,) = enforcement.groups(np.array([frame]))
                begin = _shifted(self.motion, group.frames) if frame > 0 else self.motion
                yield enforcement.solved(group, begin, self.reference, solving)
            return
        missed = [frames[:0]]
        for first in range(0, len(frames), BATCH):
            batch = frames[first : first + BATCH]
            enforced = enforcement.solved_unordered(batch, start, self.reference, solving)
            missed.append(batch[~enforced.met])
            yield enforced.at(np.flatnonzero(enforced.met))
        for group in instead.groups(np.concatenate(missed)):
            yield instead.solved(group, start, self.reference, solving)


def _shifted(motion: Motion, frames: IntArray) -> Motion:
    """The motion with each of some frames as the one before it."""
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    turned[frames], moved[frames] = motion.rotations[frames - 1], motion.translations[frames - 1]
    return Motion(turned, moved)


def _deforming(
    source: Source, constraints: tuple[Constraint, ...], settings: DeformSettings, before: _Solution | None
) -> Generator[Progress, None, Deformation]:
    for constraint in constraints:
        if not isinstance(constraint, Constraint):
            raise ConstraintError(f"A motion is deformed by constraints, not by {constraint!r}.")
    if not source.frames:
        raise ConstraintError("The clip has no frames, so there is nothing to deform.")
    timeline = Timeline.of(source, constraints)
    enforcement = Enforcement(timeline)
    enforcement.check()
    return _solving(enforcement, settings, before)


def _solving(
    enforcement: Enforcement, settings: DeformSettings, before: _Solution | None
) -> Generator[Progress, None, Deformation]:
    source, timeline = enforcement.timeline.source, enforcement.timeline
    work = _Work(source, settings, before)
    joined = yield from _joined(enforcement, work, before)
    enforcement = joined.joined
    changed = enforcement.changed(before.enforcement) if before else np.ones(source.frames, dtype=bool)
    active = timeline.active
    work.restore(np.flatnonzero(changed & ~active))
    to_solve = np.flatnonzero(changed & active)
    # What was smoothed for other targets is no longer the reference.
    work.reference.rotations[to_solve] = source.clip.motion.rotations[to_solve]
    work.reference.translations[to_solve] = source.clip.motion.translations[to_solve]

    # A foot that is on its way gives way where it prevents something else.
    giving_way = Enforcement(timeline, enforcement.targets, way_comes_last=True)
    standing = Enforcement(timeline.only_held_plants(), enforcement.targets)
    stride = max(1, round(source.clip.fps / COARSE_RATE))
    swinging = [swing for swing in swings(timeline) if changed[swing.before : swing.after + 1].any()]
    easy = to_solve[:0]
    if settings.coherence == "batch" and stride > 1 and len(to_solve) > 2 * stride:
        coarse = _coarse(to_solve, stride, [end for swing in swinging for end in (swing.before, swing.after)])
        yield from work.enforce(enforcement, coarse, work.motion, "coarse", instead=giving_way)
        between = np.setdiff1d(to_solve, coarse, assume_unique=True)
        known = _with_neighbours(coarse, to_solve, source.frames)
        work.put(between, _between(source.clip.motion, work.motion, known, between))
        yield Progress("coarse", 1.0, work.clip)
        is_easy = _between_met(work.met, known, between)
        easy = between[is_easy]
        yield from work.enforce(enforcement, between[~is_easy], work.motion, "fine", instead=giving_way)
    else:
        yield from work.enforce(enforcement, to_solve, work.motion, "fine", instead=giving_way)
    missed = to_solve[~work.met[to_solve]]
    yield from _settled(standing, work, missed[~work.converged[missed]])
    yield from work.enforce(standing, missed, work.motion, "fine", polish=True)
    yield from work.enforce(standing, missed[~work.met[missed]], work.motion, "fine")
    standing, winning = yield from _yielding(standing, work, to_solve)
    in_the_air = work.swing(swinging)
    to_polish = np.union1d(easy, in_the_air)
    yield from work.enforce(standing, to_polish, work.motion, "fine", polish=True)
    yield from work.enforce(standing, to_polish[~work.met[to_polish]], work.motion, "fine")
    smoothed_frames = yield from _smoothing(winning, work, changed, enforcement)
    if source.ground is not None:
        feet = list(planted_feet(timeline))
        yield from _above_ground(standing, feet, work, changed | smoothed_frames)
    clip = source.clip if not active.any() else work.clip()
    kept = _Solution(
        source,
        settings,
        enforcement,
        joined.unjoined,
        joined.added,
        work.reference,
        clip.motion,
        work.converged,
        work.met,
        work.liveliness,
    )
    solved = np.zeros(source.frames, dtype=bool)
    solved[to_solve] = True
    return Deformation(source.clip, clip, timeline.constraints, work.converged, solved | smoothed_frames, kept)


def _coarse(frames: IntArray, stride: int, needed: Sequence[int]) -> IntArray:
    """Every so many of some frames, both ends of each of their runs, and those among them that are needed."""
    ends = np.flatnonzero(np.diff(frames) > 1)
    chosen = np.concatenate([frames[frames % stride == 0], frames[:1], frames[ends], frames[ends + 1], frames[-1:]])
    return np.union1d(chosen, np.intersect1d(frames, np.array(needed, dtype=np.int64)))


def _with_neighbours(coarse: IntArray, frames: IntArray, count: int) -> IntArray:
    """Coarse frames with those right outside the runs of all that are solved: what is there stays, and counts."""
    outside = np.setdiff1d(np.concatenate([frames - 1, frames + 1]), frames)
    return np.union1d(coarse, outside[(outside >= 0) & (outside < count)])


def _between(source: Motion, solved: Motion, known: IntArray, frames: IntArray) -> Motion:
    """Some frames, their displacement from the source interpolated between those of known ones."""
    some = Motion(source.rotations[known], source.translations[known])
    moved = displacement(some, Motion(solved.rotations[known], solved.translations[known]))
    mixed = replace(moved, turns=_cubic(known, moved.turns, frames), moves=_cubic(known, moved.moves, frames))
    return mixed.applied(Motion(source.rotations[frames], source.translations[frames]))


def _cubic(known: IntArray, values: Array, frames: IntArray) -> Array:
    """(frames, joints, 3) values (known, joints, 3) between known frames, with continuous velocity."""
    flat = values.reshape(len(values), -1)
    return Spline(known.astype(np.float64), flat).at(frames).reshape(len(frames), *values.shape[1:])


def _between_met(met: BoolArray, known: IntArray, frames: IntArray) -> BoolArray:
    """(frames,) where both known neighbours are met."""
    after = np.clip(np.searchsorted(known, frames), 1, len(known) - 1)
    return np.asarray(met[known[after - 1]] & met[known[after]])


# Joining the ends of constraints to the motion around them ----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Seam:
    """A stretch of a channel and the frames outside it that tell where the motion is there."""

    channel: int
    stretch: Stretch
    before: IntArray
    """The nearest frame before the stretch first, then the next; empty where nothing needs to be joined."""
    after: IntArray

    @property
    def outside(self) -> IntArray:
        """Both."""
        return np.concatenate([self.before, self.after])

    @property
    def key(self) -> _SeamKey:
        """What tells it from others, also from those of another solve."""
        stretch = self.stretch
        return stretch.channel.effector, stretch.first, stretch.last, stretch.arrival(), stretch.departure()


_SeamKey = tuple[Effector, int, int, int, int]


@dataclass(frozen=True, eq=False)
class _Joined:
    """What to enforce, before and after the ends of constraints were joined to the motion around them."""

    unjoined: Enforcement
    joined: Enforcement
    added: dict[_SeamKey, Array]
    """For each seam, (frames of its stretch, 3): what joining has added to the displacements."""


def _joined(enforcement: Enforcement, work: _Work, before: _Solution | None) -> Generator[Progress, None, _Joined]:
    """Let every constraint begin and end where the rest of the motion has brought its effector.

    In the document a shape-constraint begins on the source. But what other constraints do to the body has moved the
    effector away from there, and switching the constraint on would make it jump back (docs/derivations.md).
    """
    timeline = base = enforcement.timeline
    stale = enforcement.changed(before.unjoined) if before else np.ones(timeline.frames, dtype=bool)
    added: dict[_SeamKey, Array] = {}
    open_seams = []
    for seam in (seam for number, channel in enumerate(timeline.channels) for seam in _seams(number, channel)):
        if before and seam.key in before.joints and not stale[seam.outside].any():
            added[seam.key] = before.joints[seam.key]
        else:
            open_seams.append(seam)
    joined = _Joined(enforcement, enforcement, added)
    if added:
        joined = _Joined(enforcement, Enforcement(_with_joints(base, added)), added)
    outside = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(seam.outside for seam in open_seams)]))
    for _ in range(JOINING_ROUNDS if open_seams else 0):
        stale = joined.joined.changed(before.enforcement) if before else stale
        to_solve = outside[stale[outside]]
        work.restore(to_solve)
        yield from work.enforce(joined.joined, to_solve, work.motion, "joining")
        world = WorldState.of(
            enforcement.skeleton, Motion(work.motion.rotations[outside], work.motion.translations[outside])
        )
        for seam in open_seams:
            effector = timeline.channels[seam.channel].effector
            reached = effector.displacement(timeline.source.values(effector)[outside], effector.value(world))
            value_before, slope_before = _trend(reached, outside, seam.before)
            value_after, slope_after = _trend(reached, outside, seam.after)
            added[seam.key] = eased_from(
                seam.stretch, value_before, -slope_before, value_after, slope_after, timeline.source.ease
            )
        joined = _Joined(enforcement, Enforcement(_with_joints(base, added)), added)
    return joined


def _with_joints(timeline: Timeline, added: Mapping[_SeamKey, Array]) -> Timeline:
    """A time line with something added to its displacements in some of their stretches."""
    by_effector: dict[Effector, list[tuple[_SeamKey, Array]]] = {}
    for key, part in added.items():
        by_effector.setdefault(key[0], []).append((key, part))
    displacements = []
    for channel in timeline.channels:
        whole = channel.displacement.copy()
        for (_, first, last, *_), part in by_effector.get(channel.effector, []):
            whole[first : last + 1] += part
        displacements.append(whole)
    return timeline.with_displacements(displacements)


def _seams(number: int, channel: Channel) -> list[_Seam]:
    seams = []
    frames = len(channel.active)
    for stretch in channel.stretches():
        before = np.array([stretch.first - 1, stretch.first - 2]) if stretch.arrival() > stretch.first else np.zeros(0)
        after = np.array([stretch.last + 1, stretch.last + 2]) if stretch.departure() < stretch.last else np.zeros(0)
        sides = []
        for side in (before.astype(np.int64), after.astype(np.int64)):
            inside = side[(side >= 0) & (side < frames)]
            sides.append(inside[~channel.active[inside]])
        if sides[0].size or sides[1].size:
            seams.append(_Seam(number, stretch, *sides))
    return seams


def _trend(reached: Array, frames: IntArray, outside: IntArray) -> tuple[Array, Array]:
    """The displacement (3,) at the first of some frames, and how much more it is at the next one."""
    if not outside.size:
        return np.zeros(3), np.zeros(3)
    at = np.searchsorted(frames, outside)
    value = reached[at[0]]
    return value, reached[at[1]] - value if len(at) > 1 else np.zeros(3)


def _settled(enforcement: Enforcement, work: _Work, frames: IntArray) -> Generator[Progress, None, None]:
    """Give frames that have not come to rest what their neighbours have, put right, where that can be."""
    known = np.setdiff1d(np.arange(len(work.met)), frames)
    if not frames.size or not known.size:
        return
    before = Motion(work.motion.rotations[frames], work.motion.translations[frames])
    work.put(frames, _between(work.source.clip.motion, work.motion, known, frames))
    yield from work.enforce(enforcement, frames, work.motion, "settling", polish=True)
    worse = np.flatnonzero(~work.met[frames])
    work.put(frames[worse], Motion(before.rotations[worse], before.translations[worse]))


# Giving way ---------------------------------------------------------------------------------------------------------


def _yielding(
    enforcement: Enforcement, work: _Work, frames: IntArray
) -> Generator[Progress, None, tuple[Enforcement, Enforcement]]:
    """Let what cannot be met ask for what it can have, smoothly.

    Returns what is enforced from then on, and the same without the losers, where they lose: smoothness goes before what
    cannot be had anyway.

    A target that leaves the reach of its limb at speed straightens the limb like the root of the distance: it pops. So
    what is missing is given up, in a smooth curve that begins before the reach ends and lies nowhere below it: the limb
    comes to its end slowly, and gets as far.
    """
    missed = np.zeros(len(work.met), dtype=bool)
    missed[frames] = ~work.met[frames]
    if not missed.any():
        return enforcement, enforcement
    timeline, fps = enforcement.timeline, work.source.clip.fps
    radius = max(1, round(YIELD_REACH * fps))
    world = WorldState.of(enforcement.skeleton, work.motion)
    targets, concerned = list(enforcement.targets), np.zeros_like(missed)
    winners = list(timeline.channels)
    for number, channel in enumerate(timeline.channels):
        effector, values = channel.effector, timeline.source.values(channel.effector)
        unit = 1.0 if effector.is_angular else enforcement.skeleton.size
        reached = effector.value(world)
        lost = missed & channel.active & (effector.miss(reached, targets[number]) > HOLDS * unit)
        if not lost.any():
            continue
        wanted = effector.displacement(values, targets[number])
        short = (wanted - effector.displacement(values, reached)) * lost[:, None]
        given_up = envelope(np.linalg.norm(short, axis=1), radius) * channel.active
        along = lowpass(short, 2 * radius)
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
        # Where it was short it goes on asking in the direction in which it was.
        along[lost] = short[lost] / np.maximum(np.linalg.norm(short[lost], axis=1, keepdims=True), TINY)
        yields = given_up > 0.0
        targets[number] = targets[number].copy()
        targets[number][yields] = effector.displaced(
            values[yields], wanted[yields] - given_up[yields, None] * along[yields]
        )
        concerned |= yields
        winners[number] = channel.without(yields)
    giving_way = Enforcement(timeline, targets)
    again = np.flatnonzero(concerned)
    yield from work.enforce(giving_way, again, work.motion, "giving way")
    return giving_way, Enforcement(replace(timeline, channels=tuple(winners)), targets)


# Smoothing ----------------------------------------------------------------------------------------------------------


def _smoothing(
    enforcement: Enforcement, work: _Work, changed: BoolArray, whole: Enforcement
) -> Generator[Progress, None, BoolArray]:
    """Filter the displacement where it adds frequencies that the source lacks, and enforce the constraints again.

    Returns the frames that were solved again. `whole` says which joints may be displaced when: those of feet in the
    air too, though these are no longer enforced.
    """
    source = work.source.clip.motion
    active, still = whole.timeline.active, ~whole.movable
    touched = np.zeros(len(active), dtype=bool)
    radius = max(1, round(FILTER_REACH * work.source.clip.fps))
    near = _dilated(changed, 2) & active
    for _ in range(work.settings.smoothing_passes):
        rough = np.zeros(work.motion.rotations.shape[:2], dtype=bool)
        for first, last in runs(near):
            rough[first : last + 1] = work.liveliness.spoilt(work.motion, slice(first, last + 1))
        if not rough.any():
            break
        smooth = smoothed(source, work.motion, rough, radius, frozen=~active)
        smooth.rotations[still], smooth.translations[still] = source.rotations[still], source.translations[still]
        frames = np.flatnonzero(
            (smooth.rotations != work.motion.rotations).any(axis=(1, 2))
            | (smooth.translations != work.motion.translations).any(axis=(1, 2))
        )
        work.reference.rotations[frames] = smooth.rotations[frames]
        work.reference.translations[frames] = smooth.translations[frames]
        touched[frames] = True
        easy = work.met[frames]
        work.put(frames[easy], Motion(smooth.rotations[frames[easy]], smooth.translations[frames[easy]]))
        yield from work.enforce(enforcement, frames[easy], work.motion, "smoothing", polish=True)
        yield from work.enforce(enforcement, frames[~work.met[frames]], smooth, "smoothing")
    return touched


# The ground ---------------------------------------------------------------------------------------------------------


def _above_ground(
    standing: Enforcement, feet: Sequence[PlantedFoot], work: _Work, changed: BoolArray
) -> Generator[Progress, None, None]:
    """Lift feet in the air over the ground, and bend toes off it."""
    world = WorldState.of(standing.skeleton, work.motion)
    timeline, targets, frames = lifted(standing.timeline, standing.targets, feet, world)
    frames = frames[changed[frames]]
    if frames.size:
        yield from work.enforce(Enforcement(timeline, targets), frames, work.motion, "lifting", polish=True)
    work.motion = toes_bent(work.source, feet, work.motion, changed)


def _dilated(mask: BoolArray, reach: int) -> BoolArray:
    """True also within a number of frames of true values."""
    counts = np.concatenate([[0], np.cumsum(mask)])
    positions = np.arange(len(mask))
    return np.asarray(counts[np.minimum(positions + reach + 1, len(mask))] > counts[np.maximum(positions - reach, 0)])
