# SPDX-License-Identifier: GPL-3.0-or-later
"""From instantaneous constraints to constraints over intervals (Le Callennec 2006, sections 6.4.3 and 6.4.4;
Le Callennec and Boulic 2006, section 7).

Space constraints come first, then lines, then points. A constraint of a higher dimension is not replaced by one of a
lower dimension, unless it is too short to be kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array, IntArray
from ..core.robust import geometric_median, outlier_distance
from .detected import Detected
from .fitting import SegmentFitting
from .instantaneous import Instantaneous
from .merge_criteria import MergeCriteria, merged_runs
from .segments import (
    Span,
    line_segments,
    long_spans,
    merged_lines,
    merged_points,
    separate_in_time,
    without_short_spaces,
)
from .settings import Kind


def merged(
    body: MovingObject,
    found: Instantaneous,
    lines: tuple[Array, Array],
    turns: Array,
    noise: tuple[Array, Array],
    stride: int,
    kinds: tuple[Kind, ...],
    criteria: MergeCriteria,
) -> list[Detected]:
    """The constraints of the given kinds over intervals, in the order in which they begin.

    `lines` are points and directions (n, 3) of the displacements, `turns` (n,) their rotations, `noise` the drift and
    the tilt (n,) that noise explains.
    """
    spaces = merged_runs(found.space, body.positions, stride, criteria)
    constraints: list[Detected] = []
    if "line" in kinds or "point" in kinds:
        segments = merged_lines(line_segments(found.line, spaces, lines, turns, noise, stride), spaces, criteria)
        spaces, segments = without_short_spaces(spaces, segments, criteria)
        if "point" in kinds:
            segments = merged_points(segments, spaces, criteria)
        separate_in_time(segments, spaces)
        matrices = rotations.to_matrix(body.rotations)
        fitting = SegmentFitting(matrices, body.positions, kinds, long_spans(spaces, criteria), criteria)
        constraints += [each.detected() for each in fitting.fitted(segments)]
    kept = [each for each in constraints if each.kind in kinds and each.frames >= criteria.shortest]
    if "space" in kinds:
        kept += space_constraints(body, long_spans(spaces, criteria))
    return sorted(kept, key=lambda each: each.begin)


def space_constraints(body: MovingObject, spans: Sequence[Span]) -> list[Detected]:
    """A space constraint for each span of frames, at the body's mean position and rotation without outliers."""
    if not spans:
        return []
    chosen, found = [], []
    for begin, end in spans:
        places = body.positions[begin : end + 1]
        distances = rotations.lengths(places - geometric_median(places))
        near = np.flatnonzero(distances <= outlier_distance(distances))
        position = np.add.reduce(places[near]) / len(near)
        away = (places - position).ravel()
        residual = math.sqrt(float(away @ away) / len(places))
        chosen.append(near + begin)
        found.append(Detected("space", begin, end, position, np.zeros(3), residual))
    counts = np.array([len(near) for near in chosen])
    means = _mean_rotations(body.rotations[np.concatenate(chosen)], counts)
    return [replace(each, rotation=rotation) for each, rotation in zip(found, means, strict=True)]


def _mean_rotations(quaternions: Array, counts: IntArray) -> Array:
    """(spans, 4) the means of consecutive groups of `quaternions` (n, 4), of `counts` (spans,) quaternions each, which
    are close together within a group (Le Callennec 2006, section 6.4.3.2).

    A mean is taken in the tangent space at the normalised mean of the quaternions, once these are in one hemisphere.
    """
    starts = np.cumsum(counts) - counts
    aligned = rotations.align(quaternions, np.repeat(quaternions[starts], counts, axis=0))
    references = rotations.normalize(np.add.reduceat(aligned, starts, axis=0))
    away = rotations.log(rotations.multiply(np.repeat(rotations.conjugate(references), counts, axis=0), quaternions))
    return rotations.multiply(references, rotations.exp(np.add.reduceat(away, starts, axis=0) / counts[:, None]))
