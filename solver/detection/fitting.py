# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments fitted to their frames: those that truly rotate about a line or a point, rejoined where noise cut them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.arrays import Array, median
from .detected import Detected
from .merge_criteria import MergeCriteria
from .pivots import Pivot, pivot
from .segments import Segment, Span, are_separated
from .settings import Kind


@dataclass(frozen=True, eq=False)
class FittedSegment:
    """A segment whose frames rotate about a line or a point, and its pivot."""

    segment: Segment
    kind: Kind
    pivot: Pivot
    """Fitted to the whole segment, or to the frames that it had before it grew."""

    @property
    def is_of_all_frames(self) -> bool:
        """Whether the pivot was fitted to all of the segment's frames."""
        return len(self.pivot.distances) == self.segment.frames

    def detected(self) -> Detected:
        """The constraint."""
        direction = self.pivot.direction if self.kind == "line" else None
        begin, end, found = self.segment.begin, self.segment.end, self.pivot
        return Detected(self.kind, begin, end, found.position, found.offset, found.residual, direction=direction)


@dataclass(frozen=True, eq=False)
class SegmentFitting:
    """Fits the segments of one body, and joins neighbours that share a pivot, with the frames between them."""

    matrices: Array
    """(frames, 3, 3) the rotations of the body as matrices."""
    positions: Array
    """(frames, 3) its positions."""
    kinds: tuple[Kind, ...]
    """The kinds to be found; "space" is none of a segment."""
    barriers: list[Span]
    """Space constraints, across which segments are not joined."""
    criteria: MergeCriteria

    def fitted(self, segments: list[Segment]) -> list[FittedSegment]:
        """Those segments, in the order of time, that rotate about a line or a point."""
        result: list[FittedSegment] = []
        for segment in segments:
            if segment.frames < self.criteria.shortest:
                continue
            together = self._joined(result[-1], segment) if result else None
            if together is not None:
                result[-1] = together
                continue
            alone = self._fitted(segment)
            if alone is not None:
                result.append(alone)
        least = self.criteria.point_evidence * self.criteria.shortest
        lasting = [each for each in result if each.kind == "line" or each.segment.frames >= least]
        return [each if each.is_of_all_frames else self._fitted(each.segment) or each for each in lasting]

    def _joined(self, active: FittedSegment, segment: Segment) -> FittedSegment | None:
        """A fitted segment and the one after it as one; None where they have no common pivot."""
        before = active.segment
        gap = segment.begin - before.end - 1
        if gap >= self.criteria.most_frames or are_separated(before, segment, self.barriers):
            return None
        both = replace(
            before,
            end=max(before.end, segment.end),
            drift=max(before.drift, segment.drift),
            tilt=max(before.tilt, segment.tilt),
        )
        # Fitting all frames again for each segment would take a time that grows with the square of their number.
        has_grown = both.frames >= self.criteria.refit_growth * len(active.pivot.distances)
        if not has_grown and self._has_pivot(active, segment, both):
            return replace(active, segment=both)
        together = self._fitted(both)
        return together if together is not None and self._is_pivot_of_each(together, (before, segment)) else None

    def _fitted(self, segment: Segment) -> FittedSegment | None:
        """A segment with its pivot, a line rather than a point; None where its frames do not rotate about either.

        Neighbouring lines may drift away while each is near the last, so only a fit of all frames decides. The median
        distance of a true pivot is below the largest that noise gives a single displacement.
        """
        chosen = slice(segment.begin, segment.end + 1)
        for kind in self.kinds:
            if kind == "space":
                continue
            found = pivot(self.matrices[chosen], self.positions[chosen], about_line=kind == "line")
            if median(found.distances) <= segment.drift and (kind == "point" or median(found.tilts) <= segment.tilt):
                return FittedSegment(segment, kind, found)
        return None

    def _has_pivot(self, active: FittedSegment, segment: Segment, both: Segment) -> bool:
        """Whether the pivot of a fitted segment is also that of the next one, within the noise of both."""
        chosen = slice(segment.begin, segment.end + 1)
        measured = active.pivot.over(self.matrices[chosen], self.positions[chosen])
        in_place = median(measured.distances) <= both.drift
        return bool(in_place and (active.kind == "point" or median(measured.tilts) <= both.tilt))

    def _is_pivot_of_each(self, together: FittedSegment, segments: tuple[Segment, Segment]) -> bool:
        """Whether the common pivot holds for each of the segments: a short one hardly changes the median of all."""
        distances, begin, drift = together.pivot.distances, together.segment.begin, together.segment.drift
        return all(median(distances[each.begin - begin : each.end - begin + 1]) <= drift for each in segments)
