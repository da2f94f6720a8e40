# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints for what the solver detects of a bone: pins, orientations, directions, and trajectories for slides."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge
from ..properties import EASE
from .detect import Proposal
from .subjects import Subject

VERBS = {
    "space": "rests",
    "line": "turns about a line",
    "point": "turns about a point",
    "slide_line": "slides along a line",
    "slide_plane": "slides on a plane",
}
"""What a bone or an object does, for names."""

SLIDE_DEVIATION = 0.005
"""Sizes of the character by which the trajectory of a slide may be ahead of the source, or behind it."""

LEAST_SPACING = 3
"""Frames between two points of the trajectory of a slide, at least."""

Carrier = solver.MovingObject | None
"""The motion of what carries a subject; None for the world."""


def proposals_of(
    clip: solver.Clip,
    subject: Subject,
    reference: str | solver.MovingObject | None,
    found: solver.Detected | solver.DetectedSlide,
    reading: bridge.Reading,
    confidence: float = 1.0,
) -> list[Proposal]:
    """The proposals for something detected of a bone, relative to a reference as the solver takes it."""
    carrier = carrier_of(clip, reference)
    if isinstance(found, solver.DetectedSlide):
        constraints: list[solver.Constraint] = [_trajectory(clip, subject, reference, carrier, found, reading)]
    else:
        constraints = as_constraints(clip, subject, found, reading, reference)
    detected = geometry_of(found, carrier, reading)
    detected["group"] = secrets.token_hex(4)
    return [Proposal(constraint, detected, subject.reference, confidence) for constraint in constraints]


def carrier_of(clip: solver.Clip, reference: str | solver.MovingObject | None) -> Carrier:
    """The motion of a reference; None for the world."""
    if isinstance(reference, str):
        return solver.MovingObject(clip.position(reference), clip.orientation(reference))
    return reference


def geometry_of(
    found: solver.Detected | solver.DetectedSlide, carrier: Carrier, reading: bridge.Reading
) -> dict[str, Any]:
    """The values of `PoiseDetected` for something detected, in the world and in frames of the scene."""
    is_slide = isinstance(found, solver.DetectedSlide)
    at = found.begin
    values: dict[str, Any] = {
        "kind": f"SLIDE_{found.kind.upper()}" if is_slide else found.kind.upper(),
        "begin": float(reading.times[found.begin]),
        "end": float(reading.times[found.end]),
        "location": _place_in_world(carrier, at, found.position).tolist(),
        "residual": found.residual,
    }
    if found.direction is not None:
        values["direction"] = _direction_in_world(carrier, at, found.direction).tolist()
    if isinstance(found, solver.DetectedSlide):
        values["extent"] = found.extent
    elif found.rotation is not None:
        values["rotation"] = _rotation_in_world(carrier, at, found.rotation).tolist()
    return values


def as_constraints(
    clip: solver.Clip,
    subject: Subject,
    found: solver.Detected,
    reading: bridge.Reading,
    reference: str | solver.MovingObject | None = None,
) -> list[solver.Constraint]:
    """The constraints for something detected: of a point of the bone, and of its orientation or axis if kept."""
    carrier, bone = carrier_of(clip, reference), subject.bone
    name = f"{subject.title} {VERBS[found.kind]} {reading.times[found.begin]:g}"

    def points(location: object) -> list[solver.ConstraintPoint]:
        return [solver.ConstraintPoint(location, found.begin, found.end)]

    def carried(of_frame: Any) -> list[solver.ConstraintPoint]:
        """One point, or one a frame where the reference moves."""
        if carrier is None:
            return points(of_frame(found.begin))
        return [solver.ConstraintPoint(of_frame(frame), frame) for frame in range(found.begin, found.end + 1)]

    x, y, z = np.asarray(found.offset, dtype=np.float64).tolist()
    # Condensed, so that before and after it the path of the source is kept.
    shared: dict[str, Any] = {**_activity(clip, found), "mode": "condensed"}
    made: list[solver.Constraint] = [
        solver.ShapeConstraint(
            solver.BodyPoint(bone, (x, y, z)), points=points(found.position), reference=reference, name=name, **shared
        )
    ]
    rotation, direction = found.rotation, found.direction
    if rotation is not None:
        turns = carried(lambda frame: _rotation_in_world(carrier, frame, rotation))
        made.append(solver.OrientationConstraint(bone, points=turns, name=f"{name}, orientation", **shared))
    if direction is not None:
        middle = (found.begin + found.end) // 2
        axis = _in_bone_frame(clip, bone, middle, _direction_in_world(carrier, middle, direction))
        ways = carried(lambda frame: _direction_in_world(carrier, frame, direction))
        made.append(solver.DirectionConstraint(bone, points=ways, axis=axis, name=f"{name}, axis", **shared))
    return made


def _activity(clip: solver.Clip, found: solver.Detected | solver.DetectedSlide) -> dict[str, Any]:
    """The frames of the activity of a constraint, with eases before and after."""
    ease = max(1, round(EASE * clip.fps))
    return {"begin": max(0, found.begin - ease), "end": min(clip.frames - 1, found.end + ease)}


def _trajectory(
    clip: solver.Clip,
    subject: Subject,
    reference: str | solver.MovingObject | None,
    carrier: Carrier,
    slide: solver.DetectedSlide,
    reading: bridge.Reading,
) -> solver.Constraint:
    """The trajectory that keeps a bone on its line or plane: through points on it, as few as follow the source."""
    path = clip.position(subject.bone)
    seen = path if carrier is None else carrier.seen_from(path)
    away = seen[slide.begin : slide.end + 1] - slide.position
    along = (away @ slide.direction)[:, None] * slide.direction
    on_it = slide.position + (along if slide.kind == "line" else away - along)
    chosen = _followed(on_it, SLIDE_DEVIATION * clip.skeleton.size)
    points = [solver.ConstraintPoint(on_it[frame], slide.begin + frame) for frame in chosen]
    name = f"{subject.title} {VERBS[f'slide_{slide.kind}']} {reading.times[slide.begin]:g}"
    return solver.ShapeConstraint(
        subject.bone, points=points, mode="absolute", reference=reference, name=name, **_activity(clip, slide)
    )


def _followed(path: NDArray[np.float64], tolerance: float) -> list[int]:
    """The fewest frames, found one by one, so that the spline through their places follows a path (frames, 3)."""
    chosen = [0, len(path) - 1]
    while True:
        curve = solver.Spline(np.array(chosen, dtype=np.float64), path[chosen])
        off = np.linalg.norm(curve.at(np.arange(len(path))) - path, axis=1)
        off[np.abs(np.arange(len(path))[:, None] - chosen).min(axis=1) < LEAST_SPACING] = 0.0
        worst = int(np.argmax(off))
        if off[worst] <= tolerance:
            return chosen
        chosen = sorted([*chosen, worst])


def _place_in_world(carrier: Carrier, frame: int, place: NDArray[np.float64]) -> NDArray[np.float64]:
    if carrier is None:
        return place
    return np.asarray(carrier.positions[frame] + solver.rotations.rotate(carrier.rotations[frame], place))


def _direction_in_world(carrier: Carrier, frame: int, direction: NDArray[np.float64]) -> NDArray[np.float64]:
    return direction if carrier is None else np.asarray(solver.rotations.rotate(carrier.rotations[frame], direction))


def _rotation_in_world(carrier: Carrier, frame: int, rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    return rotation if carrier is None else np.asarray(solver.rotations.multiply(carrier.rotations[frame], rotation))


def _in_bone_frame(
    clip: solver.Clip, bone: str, frame: int, direction: NDArray[np.float64]
) -> tuple[float, float, float]:
    """A direction of the world in the frame of a bone."""
    rotation = clip.world.rotations[frame, clip.skeleton.index(bone)]
    x, y, z = solver.rotations.rotate(solver.rotations.conjugate(rotation), direction).tolist()
    return x, y, z
