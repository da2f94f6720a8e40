# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a constraint that one empty gives: a single one, or a run of one point a frame where the empty moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...solver import Constraint, ConstraintPoint

LEAST_RUN = 3
"""From this many points on, a run of one point a frame becomes one empty that moves."""


def points_of(constraint: Constraint) -> tuple[ConstraintPoint, ...]:
    """The points of a path, or of the displacement of a balance; empty where there are none."""
    path: Any = constraint
    found = getattr(path, "displacement", ()) if not hasattr(path, "mode") else path.points
    return tuple(point for point in found if isinstance(point, ConstraintPoint)) if isinstance(found, tuple) else ()


def runs(given: Iterable[ConstraintPoint]) -> list[list[ConstraintPoint]]:
    """The points in order of time, in runs: points at consecutive frames together, others alone."""
    found: list[list[ConstraintPoint]] = []
    for point in sorted(given, key=lambda point: point.stay):
        before = found[-1][-1] if found else None
        if before is not None and point.begin - before.begin == 1.0 and _is_plain(before) and _is_plain(point):
            found[-1].append(point)
        else:
            found.append([point])
    return [part for run in found for part in ([run] if len(run) >= LEAST_RUN else [[point] for point in run])]


def divided(given: Iterable[ConstraintPoint], sizes: Sequence[int]) -> list[list[ConstraintPoint]] | None:
    """The points in order of time, in runs of the given sizes; None where these are not the sizes of such runs."""
    points = sorted(given, key=lambda point: point.stay)
    if sum(sizes) != len(points) or any(size < 1 for size in sizes):
        return None
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    return [points[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _is_plain(point: ConstraintPoint) -> bool:
    """Whether a path passes through a point without a stay and with default tension, continuity and bias."""
    return point.stay[0] == point.stay[1] and not (point.tension or point.continuity or point.bias)
