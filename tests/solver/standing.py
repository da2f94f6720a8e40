# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that stands still, with constraints, for tests of single passes over a clip."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Up
from poise.solver.constraints import Constraint, ConstraintPoint, Ground, ShapeConstraint, Source
from poise.solver.core.arrays import ArrayLike
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.timeline import Timeline
from poise.solver.synthetic import human


def standing_human(frames: int = 61, up: Up = "y", fps: float = 30.0) -> Clip:
    """The made-up human at rest in every frame."""
    skeleton = human(up)
    rest = Pose.rest(skeleton)
    still = Motion(np.tile(rest.rotations, (frames, 1, 1)), np.tile(rest.translations, (frames, 1, 1)))
    return Clip(skeleton, still, fps)


def displaced(
    clip: Clip, joint: str | BodyPoint, by: ArrayLike, begin: int, first: int, last: int, end: int, **rest: Any
) -> ShapeConstraint:
    """A joint is moved by some sizes of the character from first to last, eased from begin and to end."""
    place = clip.position(joint)[first] + clip.skeleton.size * np.asarray(by, dtype=np.float64)
    points = [ConstraintPoint(place, first, last)]
    return ShapeConstraint(joint, begin, end, points, **{"mode": "relative", **rest})


def frame_tasks_of(clip: Clip, constraints: list[Constraint], ground: Ground | None = None) -> FrameTasks:
    """The tasks of the constraints of a clip, frame by frame."""
    return FrameTasks(Timeline.of(Source(clip, ground), constraints))
