# SPDX-License-Identifier: GPL-3.0-or-later
"""From instantaneous constraints to constraints that last (document 003, 6.4.3 and 6.4.4; 004, section 7).

Space constraints come first, then lines, then points; what is of a higher dimension is not given up for less, unless it
is too short to be kept anyhow. In print, algorithms 4 and 5 lose the last constraint of their lists; here none is lost.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray, runs
from ..core.robust import NORMAL_SPREAD, OUTLYING
from .instantaneous import Instantaneous
from .kinds import Detected, Kind
from .pivots import Pivot, median, pivot

Vector = tuple[float, float, float]

POINT_EVIDENCE = 4
"""A point must last so many times longer than the shortest constraints: a few frames of any motion are, but for noise,
a turn about some point."""

FITTED_AGAIN = 1.25
"""How many times as long a piece must have become since what it turns about was fitted, to be fitted again."""


@dataclass(frozen=True)
class Connection:
    """When two constraints are one: in frames, radians and the clip's units."""

    most_frames: int
    """Frames that may lie between two constraints in the very same place."""
    reach: float
    """Constraints further apart than this are two, however close in time."""
    angle: float
    """Lines up to this angle apart are parallel."""
    distance: float
    """Lines and points up to this far apart meet."""
    shortest: int
    """Constraints of fewer frames are not kept."""


def frame_tolerance(distance: float, most_frames: int, reach: float) -> int:
    """How many frames may lie between two constraints this far apart for them to be one.

    It falls from `most_frames` in the same place to 1 at `reach`, exponentially, and is 0 beyond.
    """
    if distance > reach or most_frames < 1:
        return 0
    if distance <= 0.0:
        return most_frames
    # Rounding must not take the 1 at `reach` for less.
    return math.floor(most_frames * math.exp(-distance * math.log(most_frames) / reach) + 1e-9)


def connected(gap: int, distance: float, connection: Connection) -> bool:
    """Whether two constraints with `gap` frames between them are temporally connected; with a common frame they are."""
    return gap < 0 or gap < frame_tolerance(distance, connection.most_frames, connection.reach)


def merged_stays(flags: BoolArray, positions: Array, stride: int, connection: Connection) -> list[tuple[int, int]]:
    """First and last frame of each stay in one place: algorithm 3 on displacements that are still (n,).

    `positions` (frames, 3) are where what stays is. Runs are merged with the one before while the frames between them
    are few for the distance between their mean places.
    """
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(positions - positions[:1], axis=0)])
    found: list[tuple[int, int]] = []
    active_sum, active_count = np.zeros(3), 0
    for first, last in runs(flags):
        begin, end = int(first), int(last) + stride
        total, count = sums[end + 1] - sums[begin], end + 1 - begin
        if found:
            distance = float(np.linalg.norm(total / count - active_sum / active_count))
            if connected(begin - found[-1][1] - 1, distance, connection):
                found[-1] = (found[-1][0], end)
                active_sum, active_count = active_sum + total, active_count + count
                continue
        found.append((begin, end))
        active_sum, active_count = total, count
    return found


@dataclass(slots=True)
class Pieces:
    """A line or a point on its way to become a constraint: what its displacements say, weighed by how much they turn.

    A line is where it is to within noise over turn, so a displacement counts by the square of its turn.
    """

    begin: int
    end: int
    weight: float
    place: Vector
    """On the line, near the body."""
    direction: Vector | None
    """None: a point."""
    turn: float
    """Radians of the largest displacement in it."""
    drift: float
    twist: float
    """What noise does to a pivot and to an axis here."""

    @property
    def frames(self) -> int:
        return self.end - self.begin + 1


def merged(
    body: MovingObject,
    found: Instantaneous,
    lines: tuple[Array, Array],
    turns: Array,
    noise: tuple[Array, Array],
    stride: int,
    kinds: tuple[Kind, ...],
    connection: Connection,
) -> list[Detected]:
    """The constraints that last, of the kinds that are asked for, in the order in which they begin.

    `lines` are points and directions (n, 3) of the displacements, `turns` (n,) how much they turn, `noise` what drift
    and twist (n,) is taken for none.
    """
    spaces = merged_stays(found.space, body.positions, stride, connection)
    constraints: list[Detected] = []
    if "line" in kinds or "point" in kinds:
        listed = _line_instants(found.line, spaces, lines, turns, noise, stride)
        joined = _merged_lines(listed, spaces, connection)
        spaces, joined = _without_short_spaces(spaces, joined, connection)
        if "point" in kinds:
            joined = _merged_points(joined, spaces, connection)
        _part_in_time(joined, spaces)
        turned = rotations.to_matrix(body.rotations)
        knitting = Knitting(turned, body.positions, kinds, _long(spaces, connection), connection)
        constraints += [each.detected() for each in knitting.knitted(joined)]
    kept = [each for each in constraints if each.kind in kinds and each.frames >= connection.shortest]
    if "space" in kinds:
        kept += stationary(body, _long(spaces, connection))
    return sorted(kept, key=lambda each: each.begin)


# Lines ---------------------------------------------------------------------------------------------------------------


def _line_instants(
    flags: BoolArray,
    spaces: list[tuple[int, int]],
    lines: tuple[Array, Array],
    turns: Array,
    noise: tuple[Array, Array],
    stride: int,
) -> list[Pieces]:
    """One for each displacement that leaves a line and lies outside the space constraints."""
    free = flags.copy()
    for begin, end in spaces:
        free[begin : max(end - stride, begin) + 1] = False
    chosen = np.flatnonzero(free)
    places, directions = (part[chosen].tolist() for part in lines)
    values = zip(chosen.tolist(), places, directions, *(part[chosen].tolist() for part in (turns, *noise)), strict=True)
    return [
        Pieces(frame, frame + stride, turn * turn, tuple(place), tuple(direction), turn, drift, twist)
        for frame, place, direction, turn, drift, twist in values
    ]


def _merged_lines(listed: list[Pieces], spaces: list[tuple[int, int]], connection: Connection) -> list[Pieces]:
    """Algorithm 4 among lines. A long space constraint keeps those before and after it apart."""
    barriers = _long(spaces, connection)
    first = _joined(listed, _same_line, _merge_lines, connection, barriers, patience=0)
    # Aberrant displacements stand between pieces of the same line: they are passed over, for as long as they are few.
    return _joined(first, _same_line, _merge_lines, connection, barriers, patience=connection.most_frames)


def _without_short_spaces(
    spaces: list[tuple[int, int]], lines: list[Pieces], connection: Connection
) -> tuple[list[tuple[int, int]], list[Pieces]]:
    """A space constraint that is too short to be kept makes a neighbouring line longer."""
    kept = []
    number = 0
    for begin, end in spaces:
        while number < len(lines) and lines[number].end < begin - 1:
            number += 1
        short = end - begin + 1 < connection.shortest
        if short and number < len(lines) and lines[number].begin <= end + 1:
            line = lines[number]
            line.begin, line.end = min(line.begin, begin), max(line.end, end)
        else:
            kept.append((begin, end))
    return kept, lines


def _joined(
    listed: list[Pieces],
    same: Callable[[Pieces, Pieces, Connection], bool],
    merge: Callable[[Pieces, Pieces, Connection], Pieces],
    connection: Connection,
    barriers: list[tuple[int, int]],
    patience: int,
) -> list[Pieces]:
    """Merge each with what follows it while both are the same and connected.

    With `patience` pieces that are too short to be kept are passed over, up to so many, if the same goes on after them.
    """
    result: list[Pieces] = []
    position, count = 0, len(listed)
    while position < count:
        active = listed[position]
        position += 1
        ahead = position
        while ahead < count and ahead - position <= patience:
            current = listed[ahead]
            gap = current.begin - active.end - 1
            if gap >= connection.most_frames or _kept_apart(active, current, barriers):
                break
            if same(active, current, connection) and (gap < 0 or connected(gap, _apart(active, current), connection)):
                active = merge(active, current, connection)
                position = ahead = ahead + 1
            elif current.frames < connection.shortest and ahead - position < patience:
                ahead += 1
            else:
                break
        result.append(active)
    return result


def _long(spaces: list[tuple[int, int]], connection: Connection) -> list[tuple[int, int]]:
    return [space for space in spaces if space[1] - space[0] + 1 >= connection.shortest]


def _kept_apart(before: Pieces, after: Pieces, barriers: list[tuple[int, int]]) -> bool:
    if after.begin <= before.end + 1:
        return False
    # They follow each other without a common frame, so the first that ends later is the only one that may lie between.
    first = bisect_right(barriers, before.end, key=_last)
    return first < len(barriers) and barriers[first][0] < after.begin


def _last(span: tuple[int, int]) -> int:
    return span[1]


def _same_line(active: Pieces, current: Pieces, connection: Connection) -> bool:
    """Whether both are one line: parallel and in one place, as far as noise lets it be known."""
    if active.direction is None or current.direction is None:
        return False
    lean = math.asin(min(_length(_cross(active.direction, current.direction)), 1.0))
    turn = min(active.turn, current.turn)
    if lean > connection.angle and turn * lean > max(active.twist, current.twist):
        return False
    distance = _apart(active, current)
    return distance <= connection.distance or turn * distance <= max(active.drift, current.drift)


def _apart(active: Pieces, current: Pieces) -> float:
    """How far what is active lies from the line, or from the point, that comes next."""
    off = _minus(active.place, current.place)
    if current.direction is None:
        return _length(off)
    return _length(_cross(off, current.direction))


def _merge_lines(active: Pieces, current: Pieces, connection: Connection) -> Pieces:
    assert active.direction is not None and current.direction is not None
    sign = math.copysign(1.0, _dot(active.direction, current.direction))
    total = active.weight + current.weight
    share = current.weight / total
    # The nearest point of the current line: its own place may lie anywhere along it.
    off = _minus(active.place, current.place)
    along = _dot(off, current.direction)
    near = _plus(current.place, current.direction, along)
    direction = _mixed(active.direction, _scaled(current.direction, sign), share)
    length = _length(direction)
    return Pieces(
        min(active.begin, current.begin),
        max(active.end, current.end),
        total,
        _mixed(active.place, near, share),
        _scaled(direction, 1.0 / length),
        max(active.turn, current.turn),
        max(active.drift, current.drift),
        max(active.twist, current.twist),
    )


def _part_in_time(lines: list[Pieces], spaces: list[tuple[int, int]]) -> None:
    """Displacements over several frames reach into their neighbours: lines yield to spaces, two lines to each other."""
    for line in lines:
        for begin, end in spaces[bisect_left(spaces, line.begin, key=_last) :]:
            if begin > line.end:
                break
            if begin <= line.begin < end:
                line.begin = min(end, line.end)
            if begin < line.end <= end:
                line.end = max(begin, line.begin)
    for before, after in itertools.pairwise(lines):
        if before.begin <= after.begin < before.end <= after.end:
            before.end = after.begin = (after.begin + before.end) // 2


# Points --------------------------------------------------------------------------------------------------------------


def _merged_points(lines: list[Pieces], spaces: list[tuple[int, int]], connection: Connection) -> list[Pieces]:
    """Algorithm 5: lines that meet are a point, and a line through a point that is already one belongs to it."""
    barriers = _long(spaces, connection)
    first = _joined(lines, _meet, _merge_points, connection, barriers, patience=0)
    return _joined(first, _meet, _merge_points, connection, barriers, patience=connection.most_frames)


def _meet(active: Pieces, current: Pieces, connection: Connection) -> bool:
    turn = min(active.turn, current.turn)
    distance = _distance(active, current)
    return distance <= connection.distance or turn * distance <= max(active.drift, current.drift)


def _distance(one: Pieces, other: Pieces) -> float:
    """Between two lines, two points, or a line and a point."""
    off = _minus(one.place, other.place)
    if one.direction is None or other.direction is None:
        along = one.direction or other.direction
        return _length(off if along is None else _cross(off, along))
    normal = _cross(one.direction, other.direction)
    length = _length(normal)
    return _length(_cross(off, one.direction)) if length < _PARALLEL else abs(_dot(off, normal)) / length


_PARALLEL = 1e-6
"""Sine of the angle below which two lines meet nowhere in particular."""


def _merge_points(active: Pieces, current: Pieces, connection: Connection) -> Pieces:
    if active.direction is None:
        place = active.place
    elif current.direction is None:
        place = current.place
    else:
        place = _crossing(active.place, active.direction, current.place, current.direction)
    return Pieces(
        min(active.begin, current.begin),
        max(active.end, current.end),
        active.weight + current.weight,
        place,
        None,
        max(active.turn, current.turn),
        max(active.drift, current.drift),
        max(active.twist, current.twist),
    )


def _crossing(one: Vector, along: Vector, other: Vector, other_along: Vector) -> Vector:
    """The middle of the shortest way between two lines."""
    cosine = _dot(along, other_along)
    off = _minus(one, other)
    square = max(1.0 - cosine * cosine, _PARALLEL**2)
    first = (cosine * _dot(off, other_along) - _dot(off, along)) / square
    second = (_dot(off, other_along) - cosine * _dot(off, along)) / square
    return _mixed(_plus(one, along, first), _plus(other, other_along, second), 0.5)


# What lasts ----------------------------------------------------------------------------------------------------------


def stationary(body: MovingObject, spans: Sequence[tuple[int, int]]) -> list[Detected]:
    """Where and how the body stays, on the average, from the first to the last frame of each span; aberrant frames do
    not count."""
    if not spans:
        return []
    chosen, found = [], []
    for begin, end in spans:
        places = body.positions[begin : end + 1]
        ordered = np.sort(places, axis=0)
        distances = rotations.lengths(places - 0.5 * (ordered[(len(places) - 1) // 2] + ordered[len(places) // 2]))
        near = np.flatnonzero(distances <= OUTLYING * NORMAL_SPREAD * median(distances))
        position = np.add.reduce(places[near]) / len(near)
        strays = (places - position).ravel()
        residual = math.sqrt(float(strays @ strays) / len(places))
        chosen.append(near + begin)
        found.append(Detected("space", begin, end, position, np.zeros(3), residual))
    counts = np.array([len(near) for near in chosen])
    turned = _mean_rotations(body.rotations[np.concatenate(chosen)], counts)
    return [replace(each, rotation=rotation) for each, rotation in zip(found, turned, strict=True)]


def _mean_rotations(turned: Array, counts: IntArray) -> Array:
    """(spans, 4) the averages of rotations (n, 4) that are close together, of so many each (document 003, 6.4.3.2).

    The mean of the quaternions, once they are in one hemisphere, is where the tangent space is laid in which the
    average is taken.
    """
    starts = np.cumsum(counts) - counts
    aligned = rotations.align(turned, np.repeat(turned[starts], counts, axis=0))
    references = rotations.normalize(np.add.reduceat(aligned, starts, axis=0))
    away = rotations.log(rotations.multiply(np.repeat(rotations.conjugate(references), counts, axis=0), turned))
    return rotations.multiply(references, rotations.exp(np.add.reduceat(away, starts, axis=0) / counts[:, None]))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A piece whose frames really turn about something, and what that is."""

    piece: Pieces
    kind: Kind
    pivot: Pivot
    """Of the whole piece, or of the frames that it had before it grew."""

    @property
    def is_of_all_frames(self) -> bool:
        return len(self.pivot.strays) == self.piece.frames

    def detected(self) -> Detected:
        direction = self.pivot.direction if self.kind == "line" else None
        begin, end, found = self.piece.begin, self.piece.end, self.pivot
        return Detected(self.kind, begin, end, found.position, found.offset, found.residual, direction=direction)


@dataclass(frozen=True, eq=False)
class Knitting:
    """Where noise has cut a constraint into pieces, those that can be fitted together are one again.

    What lies between them and is no part of them is lost in them.
    """

    turned: Array
    """(frames, 3, 3) the rotations of the body as matrices."""
    placed: Array
    """(frames, 3) where it is."""
    kinds: tuple[Kind, ...]
    barriers: list[tuple[int, int]]
    connection: Connection

    def knitted(self, pieces: list[Pieces]) -> list[Fitted]:
        """Of pieces in the order of time, those that turn about something."""
        result: list[Fitted] = []
        for piece in pieces:
            if piece.frames < self.connection.shortest:
                continue
            together = self._continued(result[-1], piece) if result else None
            if together is not None:
                result[-1] = together
                continue
            alone = self._fitted(piece)
            if alone is not None:
                result.append(alone)
        least = POINT_EVIDENCE * self.connection.shortest
        lasting = [each for each in result if each.kind == "line" or each.piece.frames >= least]
        return [each if each.is_of_all_frames else self._fitted(each.piece) or each for each in lasting]

    def _continued(self, active: Fitted, piece: Pieces) -> Fitted | None:
        """A piece and the last one before it as one, where they are."""
        before = active.piece
        if piece.begin - before.end - 1 >= self.connection.most_frames or _kept_apart(before, piece, self.barriers):
            return None
        both = replace(
            before,
            end=max(before.end, piece.end),
            drift=max(before.drift, piece.drift),
            twist=max(before.twist, piece.twist),
        )
        # Fitting all frames again for each piece would take a time that grows with the square of their number.
        if both.frames < FITTED_AGAIN * len(active.pivot.strays) and self._goes_on(active, piece, both):
            return replace(active, piece=both)
        together = self._fitted(both)
        return together if together is not None and self._each_stays(together, (before, piece)) else None

    def _fitted(self, piece: Pieces) -> Fitted | None:
        """What the frames of a piece turn about, a line rather than a point; None where it is nothing after all.

        Lines that follow each other may wander off together while each is near the last: only the fit of all tells. In
        the middle of its frames a pivot strays less than one displacement moves it at the most.
        """
        chosen = slice(piece.begin, piece.end + 1)
        for kind in self.kinds:
            if kind == "space":
                continue
            found = pivot(self.turned[chosen], self.placed[chosen], about_line=kind == "line")
            if median(found.strays) <= piece.drift and (kind == "point" or median(found.tilts) <= piece.twist):
                return Fitted(piece, kind, found)
        return None

    def _goes_on(self, active: Fitted, piece: Pieces, both: Pieces) -> bool:
        """Whether the pivot of what was before is that of a piece, too."""
        chosen = slice(piece.begin, piece.end + 1)
        seen = active.pivot.over(self.turned[chosen], self.placed[chosen])
        return median(seen.strays) <= both.drift and (active.kind == "point" or median(seen.tilts) <= both.twist)

    def _each_stays(self, together: Fitted, pieces: tuple[Pieces, Pieces]) -> bool:
        """Whether the common pivot is one for each of the pieces: a short one has little say in the median of all."""
        strays, begin = together.pivot.strays, together.piece.begin
        return all(median(strays[each.begin - begin : each.end - begin + 1]) <= together.piece.drift for each in pieces)


# Three numbers: so few that arrays would cost more than they save ----------------------------------------------------


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _length(a: Vector) -> float:
    x, y, z = a
    return math.sqrt(x * x + y * y + z * z)


def _cross(a: Vector, b: Vector) -> Vector:
    ax, ay, az = a
    bx, by, bz = b
    return (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def _minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _plus(a: Vector, b: Vector, times: float) -> Vector:
    return (a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2])


def _scaled(a: Vector, times: float) -> Vector:
    return (times * a[0], times * a[1], times * a[2])


def _mixed(a: Vector, b: Vector, share: float) -> Vector:
    return (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2]))
