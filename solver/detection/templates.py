# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates: examples of constraints, from which the noise of a motion is learnt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import ConstraintError
from ..core.numbers import is_number
from ..core.sentences import Frame
from .displacements import stride_at
from .settings import DEFAULT_DETECTION, KINDS, Kind

SHORTEST_TEMPLATE = 3
"""Frames of the shortest template: two displacements, since one alone does not show how they differ."""


@dataclass(frozen=True)
class Template:
    """An example of a constraint: from frame `begin` to frame `end`, both included, the body has one of this kind."""

    begin: int
    end: int
    kind: Kind = "space"
    tolerance: float = 1.0
    """Ratio: the thresholds that are learnt from it are multiplied by this. More is found where it is larger than 1."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ConstraintError(f"There is no kind of constraint {self.kind!r}: it is 'space', 'line' or 'point'.")
        for what, frame in (("begin", self.begin), ("end", self.end)):
            if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)):
                raise ConstraintError(f"The {what} of a template must be a whole frame, not {frame!r}.")
        if not is_number(self.tolerance) or self.tolerance <= 0.0:
            raise ConstraintError(f"The tolerance of a template must be larger than zero, not {self.tolerance!r}.")

    @staticmethod
    def least_frames(fps: float, displacement_rate: float = DEFAULT_DETECTION.displacement_rate) -> int:
        """The fewest frames of a template of a clip with `fps` frames a second."""
        return _least_frames(stride_at(fps, displacement_rate))

    def check(self, frames: int, stride: int) -> None:
        """Raise unless it lies within the clip's `frames` and is long enough for displacements over `stride` frames."""
        here = ("The template from frame ", Frame(self.begin), " to ", Frame(self.end))
        if not (0 <= self.begin <= self.end < frames):
            raise ConstraintError(
                *(*here, " does not lie within the clip, whose frames are "),
                *(Frame(0), " to ", Frame(frames - 1), "."),
            )
        least = _least_frames(stride)
        if self.end - self.begin + 1 < least:
            raise ConstraintError(
                *here, f" is too short to learn from: at this frame rate it needs {least} frames or more."
            )


def _least_frames(stride: int) -> int:
    return max(SHORTEST_TEMPLATE, stride + 2)
