# SPDX-License-Identifier: GPL-3.0-or-later
"""The source: the motion as it was, with what constraints compute from it, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array
from .effectors import Effector
from .ground import Ground

_Cached = TypeVar("_Cached")

EASE = 0.25
"""Seconds over which a constraint is blended in and out by default: half a step of a walk."""

COMPILATIONS_KEPT = 8
"""A cached value is dropped once this many compilations have passed without its being used. While an animator edits one
constraint and then another, the values of both stay cached."""


class Source:
    """A clip over a ground, with a cache for what constraints compute from them."""

    def __init__(
        self, clip: Clip, ground: Ground | None = None, seconds: Array | None = None, period: int | None = None
    ) -> None:
        """`seconds` (frames,) are the times of the frames; None: evenly spaced at the clip's rate, from 0. `period` is
        the number of frames after which the clip repeats itself; None: it does not."""
        self.clip = clip
        self.ground = ground
        self.period = period
        self.seconds: Array = np.arange(clip.frames) / clip.fps if seconds is None else seconds
        """(frames,) the time of each frame."""
        self.constraints: tuple[object, ...] = ()
        """All constraints of the present compilation: some depend on others."""
        self._cache: dict[Hashable, tuple[int, Any]] = {}
        """For each key the compilation in which its value was last used, and the value."""
        self._compilation = 0

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self.clip.frames

    @cached_property
    def ease(self) -> float:
        """Frames over which a constraint is blended in and out by default."""
        return EASE * self.clip.fps

    def frames_in(self, seconds: float) -> int:
        """The number of frames in a duration, at least one."""
        return max(1, round(seconds * self.clip.fps))

    # The cache -----------------------------------------------------------------------------------------------------

    def cached(self, key: Hashable, compute: Callable[[], _Cached]) -> _Cached:
        """The value of `compute()`, computed once for each key; not to be written to."""
        known = self._cache.get(key)
        value: _Cached = compute() if known is None else known[1]
        self._cache[key] = self._compilation, value
        return value

    def begin_compilation(self, constraints: tuple[object, ...]) -> None:
        """Count a compilation of constraints, and drop the values that the last ones have not used."""
        self.constraints = constraints
        self._compilation += 1
        oldest = self._compilation - COMPILATIONS_KEPT
        self._cache = {key: known for key, known in self._cache.items() if known[0] >= oldest}

    def values(self, effector: Effector) -> Array:
        """(frames, width) the effector's value in every frame of the source; not to be written to."""
        return self.cached(effector, lambda: effector.value(self.clip.world))
