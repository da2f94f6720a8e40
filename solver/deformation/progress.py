# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress that a deformation yields at every step, and previews of its result."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property

from ..body.clip import Clip
from ..core.arrays import BoolArray
from ..core.progress import Stage


@dataclass(frozen=True, eq=False)
class Preview:
    """A result that is worth showing before the deformation has ended."""

    frames: BoolArray
    """(frames,) those that are solved for the new constraints so far; in all others the clip is what was shown before:
    in the last preview of a `LiveDeformation`, or else in the result of the solve before."""
    _clip: Callable[[], Clip]

    @cached_property
    def clip(self) -> Clip:
        """The clip to show; to be read before the next step is taken."""
        return self._clip()


@dataclass(frozen=True, eq=False)
class Progress:
    """A stage of a deformation, and the share of it that is done."""

    stage: Stage
    share: float
    """Of that stage, from 0 to 1."""
    _clip: Callable[[], Clip]
    preview: Preview | None = None
    """What can be shown now that could not be shown one step earlier; None where that is nothing."""

    @cached_property
    def clip(self) -> Clip:
        """The result so far; to be read before the next step is taken."""
        return self._clip()


Steps = Generator[Progress, None, None]
"""A pass that yields its progress; to cancel it, close it."""
