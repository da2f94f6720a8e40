# SPDX-License-Identifier: GPL-3.0-or-later
"""Held poses: joints keep rotations in the world, or relative to their parents, for a while.

A joint keeps its rotation relative to its parent if two of its points keep their places in the parent's frame, one
along its y axis and one beside it. During the eases both points rotate about the joint as a rigid body, since otherwise
they could not both be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..core import rotations
from ..core.arrays import Array, IntArray
from ..core.errors import ConstraintError, PoiseError
from ..core.numbers import is_number
from ..core.sentences import Frame
from ..core.smooth_steps import smooth_step
from .base import Constraint, Recruit
from .orientation import OrientationConstraint
from .shape import ConstraintPoint, ShapeConstraint
from .source import Source

ARM = 0.25
"""The distance of the two points from the joint, in sizes of the character: the length of a forearm, so that a rotation
counts as much as moving a hand."""

PoseSpace = Literal["local", "world"]
SPACES: tuple[PoseSpace, ...] = ("local", "world")


@dataclass(frozen=True, eq=False)
class HeldPose:
    """Rotations that joints keep from one frame to another. It stands for constraints on each of its joints."""

    rotations: Mapping[str | int, Any]
    """(4,) by joint: a quaternion (w, x, y, z) relative to the joint's parent, or in the world."""
    begin: float
    """The first frame in which the pose is held."""
    end: float
    """The last frame in which it is held."""
    space: PoseSpace = "local"
    """What the rotations are relative to. Those of roots are always in the world."""
    ease_in: float | None = None
    """Frames over which the pose is reached; None: a quarter of a second."""
    ease_out: float | None = None
    """Frames over which the motion returns to the source; None: a quarter of a second."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = None
    """As of a constraint, where the pose is held in the world; else each joint moves alone."""
    exact: bool = True
    name: str = ""

    @property
    def label(self) -> str:
        """The name in messages and reports."""
        return self.name or "Held pose"

    def constraints(self, clip: Clip) -> list[Constraint]:
        """The constraints of a clip that hold the pose; raises a `ConstraintError` where it cannot be."""
        if not self.rotations:
            raise ConstraintError(f"{self.label}: it holds no joint; add one.")
        if self.space not in SPACES:
            raise ConstraintError(f"{self.label}: its space is one of {', '.join(SPACES)}, not {self.space!r}.")
        for what in ("begin", "end", "ease_in", "ease_out"):
            value = getattr(self, what)
            if not is_number(value) and not (value is None and what.startswith("ease")):
                raise ConstraintError(f"{self.label}: its {what} must be a finite number of frames, not {value!r}.")
        if self.begin > self.end:
            raise ConstraintError(
                f"{self.label}: it begins at frame ", Frame(self.begin), ", after its end at ", Frame(self.end), "."
            )
        made: list[Constraint] = []
        for joint, rotation in self.rotations.items():
            try:
                index = clip.skeleton.index(joint)
            except PoiseError as error:
                raise ConstraintError(f"{self.label}: {error}") from None
            on_parent = self.space == "local" and clip.skeleton.parents[index] >= 0
            made += (self._on_parent if on_parent else self._in_world)(clip, index, rotation)
        return made

    def _eases(self, clip: Clip) -> tuple[float, float]:
        default = Source(clip).ease
        before, after = (default if ease is None else max(ease, 0.0) for ease in (self.ease_in, self.ease_out))
        return before, after

    def _shared(self) -> dict[str, Any]:
        return {"priority": self.priority, "weight": self.weight, "exact": self.exact, "name": self.name}

    def _in_world(self, clip: Clip, joint: int, rotation: Any) -> list[Constraint]:
        before, after = self._eases(clip)
        begin, end = max(self.begin - before, 0.0), min(self.end + after, clip.frames - 1.0)
        return [
            OrientationConstraint(
                clip.skeleton.names[joint],
                begin,
                end,
                points=[ConstraintPoint(rotation, self.begin, self.end)],
                mode="condensed",
                recruit=self.recruit,
                **self._shared(),
            )
        ]

    def _on_parent(self, clip: Clip, joint: int, rotation: Any) -> list[Constraint]:
        name, parent = clip.skeleton.names[joint], clip.skeleton.names[int(clip.skeleton.parents[joint])]
        # The check of a quaternion is that of a constraint on orientations.
        held = OrientationConstraint(name, 0, 0, name=self.name).location(ConstraintPoint(rotation, 0))
        before, after = self._eases(clip)
        first = max(int(np.ceil(self.begin - before)), 0)
        last = min(int(np.floor(self.end + after)), clip.frames - 1)
        frames = np.arange(first, last + 1)
        eased = rotations.slerp(clip.motion.rotations[frames, joint], held, self._shares(frames, before, after))
        heads = clip.motion.translations[frames, joint]
        reach = ARM * clip.skeleton.size
        made: list[Constraint] = []
        for offset in ((0.0, reach, 0.0), (reach, 0.0, 0.0)):
            locations = heads + rotations.rotate(eased, np.array(offset))
            points = [ConstraintPoint(place, float(frame)) for place, frame in zip(locations, frames, strict=True)]
            made.append(
                ShapeConstraint(
                    BodyPoint(name, offset),
                    float(first),
                    float(last),
                    points=points,
                    reference=parent,
                    recruit=0,  # only the joint itself can change its rotation relative to its parent
                    **self._shared(),
                )
            )
        return made

    def _shares(self, frames: IntArray, before: float, after: float) -> Array:
        """(frames,) how much of the held rotation counts: 1 while it is held, 0 at the far ends of the eases."""
        # Clipped before it is divided: an ease may be so short that the ratio would be beyond all numbers.
        into, out_of = (
            np.clip(frames - self.begin + before, 0.0, before),
            np.clip(self.end - frames + after, 0.0, after),
        )
        rising = smooth_step(into / before) if before > 0.0 else 1.0 * (frames >= self.begin)
        falling = smooth_step(out_of / after) if after > 0.0 else 1.0 * (frames <= self.end)
        return np.asarray(rising * falling)
