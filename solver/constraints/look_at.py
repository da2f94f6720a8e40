# SPDX-License-Identifier: GPL-3.0-or-later
"""Look-at constraints: an axis of a joint points at places, from where the joint is in the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..body.joints import BodyPoint
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError
from ..tasks.aim import NEAREST, line_of_sight
from .direction import turns_across, unit_vector
from .effectors import Effector, GazeEffector
from .paths import Knot, Mode, nearest_knots, path_through
from .sampling import active_frames, interpolated
from .shape import PathConstraint
from .source import Source


@dataclass(frozen=True, eq=False)
class LookAtConstraint(PathConstraint):
    """The local `axis` of a joint, through a point on it, points at world places: the `location` of its points.

    Other constraints may move the joint: it then looks at the same place from there. In the relative mode the gaze
    keeps its angle to that of the source while the source moves on; in both other modes it stays on the place, and
    between places it is displaced from that of the source.
    """

    axis: Any = (0.0, 1.0, 0.0)
    """(3,) in the joint's local frame, of any length but zero."""

    @property
    def label(self) -> str:
        return self.name or f"Look at of {self.joint.joint if isinstance(self.joint, BodyPoint) else self.joint}"

    def effector(self, source: Source) -> Effector:
        x, y, z = unit_vector(self.label, "the axis", self.axis)
        eye = self.resolved(source, self.joint)
        return GazeEffector(eye, (float(x), float(y), float(z)), source.clip.skeleton.size)

    def displacements(self, source: Source, effector: Effector, knots: list[Knot]) -> Array:
        # Places as coordinates in which those that the source looks at, at the distance of its size, are zero: the turn
        # of the axis, and along the axis the logarithm of the distance. A place cannot come to lie in the eye.
        assert isinstance(effector, GazeEffector)
        size, axis = effector.size, np.array(effector.axis)
        eyes = source.values(effector)[:, :3]
        for knot in knots:
            if np.linalg.norm(knot.location - interpolated(eyes, knot.begin)) <= NEAREST * size:
                raise ConstraintError(f"{self.label}: its target is where the joint itself is: move it away.")
        turned = source.clip.world.rotations[:, effector.moved_joint]
        places = np.stack([knot.location for knot in knots])[nearest_knots(knots, source.frames)]
        sight, distance = line_of_sight(eyes, places, NEAREST * size)
        chart = (
            -turns_across(axis, rotations.rotate(rotations.conjugate(turned), sight)) - np.log(distance / size) * axis
        )
        stops = [replace(knot, location=np.zeros(3)) for knot in knots]
        frames = active_frames(self.begin, self.end)
        mode: Mode = "relative" if self.mode == "relative" else "condensed"
        moved = path_through(mode, chart, self.begin, self.end, stops, frames, source.ease) - chart[frames]
        depth = moved @ axis
        directions = rotations.rotate(rotations.exp(moved - depth[:, None] * axis), axis)
        directions = rotations.rotate(turned[frames], size * np.exp(depth)[:, None] * directions)
        return directions - source.values(effector)[frames, 3:]
