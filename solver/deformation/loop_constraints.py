# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of a loop, repeated with it, and the report on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..constraints import Constraint, Footplant, Source, Track
from ..core.sentences import Frame, Part
from .conflicts import Advice, Spans
from .loops import APART, Loop
from .report import Cause, Conflict, Report, Residual, RuleBreach


@dataclass(frozen=True, eq=False, kw_only=True)
class Copy(Constraint):
    """A constraint other than a footplant in one copy of a loop or, where it lasts as long as the loop, in all."""

    original: Constraint
    source: Source
    """Of the loop's own clip."""
    loop: Loop
    number: int | None
    """The index of the copy; None: all copies."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "constrains_path", self.original.constrains_path)

    @property
    def label(self) -> str:
        return self.original.label

    def tracks(self, source: Source) -> list[Track]:
        return [self._placed(track, source.frames) for track in self.original.compiled(self.source)]

    def _placed(self, track: Track, frames: int) -> Track:
        if self.number is not None:
            first = self.number * self.loop.frames
            holds = tuple((begin + first, end + first) for begin, end in track.hold_intervals)
            return replace(track, constraint=self, begin=track.begin + first, hold_intervals=holds)
        count = -(-frames // self.loop.frames)
        once = self.loop.frames
        displacement = np.tile(track.displacement[:once], (count, 1))[:frames]
        outranks = track.outranks_partner
        outranks = None if outranks is None else np.tile(outranks[:once], count)[:frames]
        holds = _merged(
            [(begin + copy * once, end + copy * once) for copy in range(count) for begin, end in track.hold_intervals],
            frames - 1,
        )
        return replace(
            track, constraint=self, begin=0, displacement=displacement, hold_intervals=holds, outranks_partner=outranks
        )


def _merged(spans: Sequence[tuple[float, float]], last: float) -> tuple[tuple[float, float], ...]:
    """Intervals of time, in rising order, up to the last frame; those with no frame between them are merged."""
    merged: list[tuple[float, float]] = []
    for begin, end in spans:
        if begin > last:
            continue
        if merged and begin <= merged[-1][1] + 1.0:
            merged[-1] = merged[-1][0], min(max(end, merged[-1][1]), last)
        else:
            merged.append((begin, min(end, last)))
    return tuple(merged)


@dataclass(frozen=True, eq=False)
class Repeated:
    """The constraints of a loop, repeated with it."""

    loop: Loop
    originals: tuple[Constraint, ...]
    constraints: tuple[Constraint, ...]
    """Those of the repeated clip."""
    belongs: tuple[dict[int, int], ...]
    """For each of `constraints`, the index into `originals` by the index of each copy in which it is active."""

    @staticmethod
    def of(loop: Loop, source: Source, originals: Iterable[Constraint]) -> Repeated:
        """The constraints of a loop, whose own source is `source`, for the repeated clip. A footplant that goes on
        where the loop begins again is one plant with the one that continues it."""
        given = tuple(originals)
        made: list[tuple[Constraint, dict[int, int]]] = []
        plants = {number: each for number, each in enumerate(given) if isinstance(each, Footplant)}
        continued = _continued(plants, loop)
        for number, original in enumerate(given):
            if isinstance(original, Footplant):
                made += _planted(number, plants, continued, loop, source)
            else:
                made += _copied(number, original, loop, source)
        made = [(each, where) for each, where in made if loop.copies_each_side in where or _is_near(each, loop, source)]
        return Repeated(loop, given, tuple(each for each, _ in made), tuple(where for _, where in made))

    @cached_property
    def _numbers(self) -> dict[int, dict[int, int]]:
        """`belongs` by the `id` of each of `constraints`."""
        return {id(each): where for each, where in zip(self.constraints, self.belongs, strict=True)}

    def residuals(self, repeated: Iterable[Residual]) -> tuple[Residual, ...]:
        """The residuals of the loop's own constraints, in its own frames, from those in the repeated clip."""
        middle = self.loop.copies_each_side
        residuals: dict[int, Residual] = {}
        for residual in repeated:
            number = self._numbers[id(residual.constraint)].get(middle)
            if number is not None:
                frames = residual.frames - self.loop.first
                residuals[number] = replace(residual, constraint=self.originals[number], frames=frames)
        return tuple(residuals[number] for number in range(len(self.originals)))

    def report(self, repeated: Report) -> Report:
        """The report on the loop, with its own constraints and frames, from that on the repeated clip."""
        return Report(
            self.residuals(repeated.residuals),
            tuple(self._own_conflict(conflict) for conflict in repeated.conflicts),
            tuple(replace(limb, spans=self._own_spans(limb.spans)) for limb in repeated.stretched),
            self._own_breaches(repeated.breaches),
        )

    def _own_breaches(self, breaches: Iterable[RuleBreach]) -> tuple[RuleBreach, ...]:
        """The breaches with the loop's own constraints and frames, each pair once."""
        found: dict[tuple[int, ...], RuleBreach] = {}
        for breach in breaches:
            pair = tuple(next(iter(self._numbers[id(each)].values())) for each in (breach.higher, breach.lower))
            higher, lower = (self.originals[number] for number in pair)
            known = found[pair].spans if pair in found else ()
            found[pair] = replace(breach, higher=higher, lower=lower, spans=self._own_spans(breach.spans, known))
        return tuple(found.values())

    def _own_conflict(self, conflict: Conflict) -> Conflict:
        """A conflict with the loop's own constraints and frames, each cause once; a constraint does not conflict with
        its own copies."""
        causes: dict[int, Cause] = {}
        own = self._numbers[id(conflict.constraint)][self.loop.copies_each_side]
        for cause in conflict.causes:
            for number in set(self._numbers[id(cause.constraint)].values()) - {own}:
                known = causes.get(number, Cause(self.originals[number], (), False))
                takes = cause.takes_effector or known.takes_effector
                causes[number] = Cause(known.constraint, self._own_spans(cause.spans, known.spans), takes)
        frame = conflict.worst_frame - self.loop.first
        return replace(
            conflict,
            constraint=self.originals[own],
            causes=tuple(causes.values()),
            spans=self._own_spans(conflict.spans),
            worst_frame=frame,
            advice=tuple(self._own_advice(each, own) for each in conflict.advice),
        )

    def _own_advice(self, advice: Advice, own: int) -> Advice:
        """Advice about a constraint of the loop, given by its index, with the loop's own constraints and frames."""
        lowered = dict.fromkeys(number for each in advice.lowered for number in self._numbers[id(each)].values())
        lowered.pop(own, None)
        return replace(
            advice,
            parts=tuple(map(self._own_frame, advice.parts)),
            frame=advice.frame - self.loop.first,
            lowered=tuple(self.originals[number] for number in lowered),
        )

    def _own_frame(self, part: Part) -> Part:
        """A part of a sentence, with a frame of the repeated clip as the loop's own."""
        return Frame(part.time - self.loop.first) if isinstance(part, Frame) else part

    def _own_spans(self, spans: Spans, known: Spans = ()) -> Spans:
        """Intervals of the repeated clip in the loop's own frames, and others that are known."""
        own = {(begin - self.loop.first, end - self.loop.first) for begin, end in spans}
        return tuple(sorted({*known, *own}))


def _is_near(constraint: Constraint, loop: Loop, source: Source) -> bool:
    """Whether a constraint of the repeated clip is active within `APART` seconds of the copy in the middle."""
    if isinstance(constraint, Footplant):
        times = [time for stay in constraint.stays.values() for time in stay]
        begin, end = min(times), max(times)
    else:
        assert isinstance(constraint, Copy) and constraint.number is not None
        tracks, first = constraint.original.compiled(source), constraint.number * loop.frames
        begin = first + min((track.begin for track in tracks), default=0)
        end = first + max((track.end for track in tracks), default=0)
    near = APART * loop.clip.fps
    return bool(end >= loop.first - near and begin <= loop.first + loop.frames - 1 + near)


def _copied(number: int, original: Constraint, loop: Loop, source: Source) -> list[tuple[Constraint, dict[int, int]]]:
    """A constraint in each copy, or one in all copies where it lasts as long as the loop; each with its entry of
    `Repeated.belongs`. `number` is its index among the originals."""
    copies = range(2 * loop.copies_each_side + 1)
    lasts = all(track.begin == 0 and track.end >= loop.frames - 1 for track in original.compiled(source))
    made: list[tuple[Constraint, dict[int, int]]] = []
    for copy in (None,) if lasts else copies:
        copied = Copy(
            priority=original.priority,
            weight=original.weight,
            recruit=original.recruit,
            exact=original.exact,
            name=original.name,
            original=original,
            source=source,
            loop=loop,
            number=copy,
        )
        made.append((copied, dict.fromkeys(copies, number) if copy is None else {copy: number}))
    return made


def _planted(
    number: int, plants: Mapping[int, Footplant], continued: Mapping[int, int], loop: Loop, source: Source
) -> list[tuple[Constraint, dict[int, int]]]:
    """The footplants of the repeated clip that begin as the loop's own with index `number` does in each copy; each with
    its entry of `Repeated.belongs`. `continued` is the result of `_continued`."""
    original, copies = plants[number], range(2 * loop.copies_each_side + 1)
    for part, (begin, end) in original.stays.items():
        original.check_time(source, f"its {part} strike", begin)
        original.check_time(source, f"its {part} off", end)
    after = continued.get(number)
    if after == number:
        lasting: dict[str, Any] = {}
        for part in original.stays:
            lasting |= {f"{part}_strike": 0.0, f"{part}_off": loop.repeated.frames - 1.0}
        if original.contact is not None:
            lasting["contact"] = (0.0, loop.repeated.frames - 1.0)
        return [(replace(original, name=original.label, **lasting), dict.fromkeys(copies, number))]
    begins_again = any(
        other.foot == original.foot and begin < 1.0 for other in plants.values() for begin, _ in other.stays.values()
    )
    if after is None and begins_again:
        original = _cut(original, loop)
    made: list[tuple[Constraint, dict[int, int]]] = []
    for copy in copies:
        if copy and number in continued.values():
            continue  # part of a plant that begins in the copy before
        plant, where = _shifted(original, copy, loop), {copy: number}
        if after is not None and copy + 1 in copies:
            plant = _followed(plant, _shifted(plants[after], copy + 1, loop))
            where[copy + 1] = after
        made.append((plant, where))
    return made


def _cut(plant: Footplant, loop: Loop) -> Footplant:
    """A plant that ends, at the latest, with the last frame of its loop."""
    offs: dict[str, Any] = {
        f"{part}_off": min(end, loop.frames - 1.0)
        for part, (begin, end) in plant.stays.items()
        if begin <= loop.frames - 1
    }
    return replace(plant, name=plant.label, **offs)


def _shifted(plant: Footplant, copy: int, loop: Loop) -> Footplant:
    """A plant moved to one of the copies, with the label of the loop's own."""
    changed: dict[str, Any] = {"name": plant.label}
    if plant.position is not None:
        changed["position"] = (
            np.asarray(plant.position, dtype=np.float64) + (copy - loop.copies_each_side) * loop.travel
        )
    return replace(plant.later(float(copy * loop.frames)), **changed)


def _followed(plant: Footplant, after: Footplant) -> Footplant:
    """Two plants, of which the second goes on where the first one ends, made one."""
    changed: dict[str, Any] = {}
    for part in plant.stays | after.stays:
        begins, ends = plant.stays.get(part, after.stays.get(part)), after.stays.get(part, plant.stays.get(part))
        assert begins is not None and ends is not None
        changed |= {f"{part}_strike": begins[0], f"{part}_off": ends[1]}
    if plant.contact is not None and after.contact is not None:
        changed["contact"] = (plant.contact[0], after.contact[1])
    stands = plant if _is_moved(plant) else after
    return replace(plant, **changed, ease_out=after.ease_out, shift=stands.shift, turn=stands.turn)


def _is_moved(plant: Footplant) -> bool:
    return plant.turn != 0.0 or bool(np.any(np.asarray(plant.shift, dtype=np.float64) != 0.0))


def _continued(plants: Mapping[int, Footplant], loop: Loop) -> dict[int, int]:
    """For the footplants that go on where the loop begins again, by their indices: the index of the plant that
    continues each."""
    continued: dict[int, int] = {}
    for number, plant in plants.items():
        for other, after in plants.items():
            if other not in continued.values() and _goes_on(plant, after, loop):
                continued[number] = other
                break
    return continued


def _goes_on(plant: Footplant, after: Footplant, loop: Loop) -> bool:
    """Whether a plant at the end of a loop is continued by another one at its begin: heel and ball, as far as both
    plant them, stand through, and the places of the two do not contradict each other."""
    if plant.foot != after.foot or plant.priority != after.priority or plant.weight != after.weight:
        return False
    if plant is after and not loop.travel.any():
        return all(begin < 1.0 and end >= loop.frames - 1 for begin, end in plant.stays.values())
    if any(each.position is not None or each.heading is not None for each in (plant, after)):
        return False
    if plant.height != after.height or tuple(plant.ground_velocity) != tuple(after.ground_velocity):
        return False
    if _is_moved(plant) and _is_moved(after):
        same_shift = np.array_equal(np.asarray(plant.shift), np.asarray(after.shift))
        if not same_shift or plant.turn != after.turn:
            return False
    shared = plant.stays.keys() & after.stays.keys()
    last = loop.frames - 1
    return bool(shared) and all(plant.stays[part][1] >= last and after.stays[part][0] < 1.0 for part in shared)
