# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that stand in each other's way on a standing human, and what a report says of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import Constraint, ConstraintPoint, OrientationConstraint, ShapeConstraint
from poise.solver.core.arrays import Array
from poise.solver.deformation.deform import Deformation, deform
from poise.solver.deformation.report import Advice, Conflict, Report
from poise.solver.deformation.settings import DeformSettings

from ..standing import displaced

FRAMES = 11
BEGIN, MIDDLE, END = 1, 5, 9
"""Most constraints here are active from begin to end and held in the middle."""


def solved(clip: Clip, constraints: Iterable[Constraint]) -> Deformation:
    """As little work as a report needs: what is out of reach takes many steps, and none of them is looked at here."""
    return deform(clip, constraints, settings=DeformSettings(iterations=20))


def displaced_target(
    clip: Clip, joint: str | BodyPoint, by: tuple[float, float, float], **rest: Any
) -> ShapeConstraint:
    return displaced(clip, joint, by, BEGIN, MIDDLE, MIDDLE, END, **rest)


def turned(clip: Clip, joint: str, rotation: Array, **rest: Any) -> OrientationConstraint:
    return OrientationConstraint(joint, BEGIN, END, [ConstraintPoint(rotation, MIDDLE)], "relative", **rest)


def hold(clip: Clip, joint: str | BodyPoint, **rest: Any) -> ShapeConstraint:
    """A joint stays where it is all the time."""
    return displaced(clip, joint, (0.0, 0.0, 0.0), 0, 0, FRAMES - 1, FRAMES - 1, **rest)


ARM = ("l_sternoclavicular", "l_shoulder", "l_elbow")
BACK = ("HumanoidRoot", "vl5", "vl2", "vt11", "vt6", "vt1")


def missing(deformation: Deformation, constraint: Constraint, frame: int) -> float:
    """What a constraint misses in one frame."""
    residual = deformation.report.residual(constraint)
    return float(residual.distances[residual.frames == frame][0])


def off(deformation: Deformation, constraint: Constraint) -> float:
    """The same in the middle, measured without the report."""
    assert isinstance(constraint, ShapeConstraint)
    (point,) = constraint.points
    place = deformation.clip.position(constraint.joint)[MIDDLE]
    return float(np.linalg.norm(place - np.asarray(point.location)))


def only(report: Report) -> Conflict:
    (conflict,) = report.conflicts
    return conflict


def advice(conflict: Conflict, kind: str) -> Advice:
    (found,) = (each for each in conflict.advice if each.kind == kind)
    return found


def kinds(conflict: Conflict) -> set[str]:
    return {each.kind for each in conflict.advice}


def held_back_hand(clip: Clip) -> tuple[Deformation, dict[str, Constraint]]:
    """A hand that would reach its goal if the trunk did not have to stay."""
    each: dict[str, Constraint] = {
        "reach": displaced_target(clip, "l_wrist", (0.0, 0.3, 0.9), priority=1, recruit=(*ARM, *BACK), name="reach"),
        "chest": hold(clip, "vt1", priority=3, name="chest"),
        "right hand": displaced_target(clip, "r_wrist", (0.0, 0.1, 0.1), priority=4, recruit=2, name="right hand"),
    }
    return solved(clip, each.values()), each
