# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user says and gets: examples of constraints, and the constraints that were found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ..core.arrays import Array
from ..core.errors import ConstraintError

Kind = Literal["space", "line", "point"]
"""A body that does not move at all, one that turns about a line, one that turns about a point."""

KINDS: tuple[Kind, ...] = get_args(Kind)

LEAST_FRAMES = 3
"""A template needs two displacements at least: one alone cannot show how they differ."""


@dataclass(frozen=True)
class Template:
    """An example: from frame `begin` to frame `end`, both included, the body is constrained like this."""

    begin: int
    end: int
    kind: Kind = "space"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ConstraintError(f"There is no kind of constraint {self.kind!r}: it is 'space', 'line' or 'point'.")
        for what, frame in (("begin", self.begin), ("end", self.end)):
            if isinstance(frame, bool) or not isinstance(frame, (int, np.integer)):
                raise ConstraintError(f"The {what} of a template must be a whole frame, not {frame!r}.")

    def check(self, frames: int, stride: int) -> None:
        """Raise unless it lies within the clip and holds enough frames for displacements over `stride` of them."""
        if not (0 <= self.begin <= self.end < frames):
            raise ConstraintError(
                f"The template from frame {self.begin} to {self.end} does not lie within the clip, whose frames are "
                f"0 to {frames - 1}."
            )
        least = max(LEAST_FRAMES, stride + 2)
        if self.end - self.begin + 1 < least:
            raise ConstraintError(
                f"The template from frame {self.begin} to {self.end} is too short to learn from: at this frame rate it "
                f"needs {least} frames or more."
            )


@dataclass(frozen=True, eq=False)
class Detected:
    """A constraint that a motion satisfies, from frame `begin` to frame `end`, both included.

    Places and directions are in the world or, where the motion was seen from a reference, in the reference's frame.
    """

    kind: Kind
    begin: int
    end: int
    position: Array
    """(3,) where the body's origin stays (space), the point of the line that is nearest to it (line), the point."""
    offset: Array
    """(3,) the point of the body that stays at `position`, in the body's own frame."""
    residual: float
    """How far that point strays from `position`: the root of the mean square, in the clip's units."""
    rotation: Array | None = None
    """(4,) how the body stays turned, on the average; of a space constraint only."""
    direction: Array | None = None
    """(3,) along the line; of a line constraint only."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1
