# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposes constraints that a motion already satisfies: footplants, and what is similar to an example."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge, translation
from ..properties import EASE, PoiseConstraint, character_of, follow_renames
from ..properties.constraint_list import DEFAULT_PRIORITIES, activate, remove
from . import ground_gaps, loops, progress, solve
from .bakeable import Bakeable, bakeable_at

Kind = Literal["space", "line", "point"]

VERBS: dict[Kind, str] = {"space": "rests", "line": "turns about a line", "point": "turns about a point"}
"""What a bone does, for the names of proposals."""


FOOT_LANDMARKS = ("hip", "knee", "ankle", "heel", "ball")
"""Landmarks of a leg without which footplants cannot be detected, without "left" or "right"."""

FEWEST_FRAMES = 4
"""In fewer frames a foot that stands cannot be distinguished from one that moves slowly."""


@dataclass(frozen=True)
class FoundFootplants:
    """The result of a search for footplants."""

    count: int
    ground: str
    """A sentence about ground that moves under the character; empty where it does not."""


def find_footplants(armature: bpy.types.Object | None, least_confidence: float = 0.0) -> FoundFootplants:
    """Propose the footplants of the whole motion; former proposals of footplants are replaced."""
    return solver.finished(find_footplants_in_steps(armature, least_confidence))


def find_footplants_in_steps(
    armature: bpy.types.Object | None, least_confidence: float = 0.0
) -> Generator[progress.StageShare, None, FoundFootplants]:
    """As `find_footplants`, as a generator that yields its progress. Closing it changes nothing."""
    reading = yield from solve.read_in_steps(armature)
    refusals = _refused_feet(reading)
    clip = translation.clip_with_settings(reading.armature, reading)
    yield progress.DETECTING, 0.0
    plants = [
        replace(plant, priority=DEFAULT_PRIORITIES["FOOTPLANT"])
        for plant in solver.detect_footplants(clip)
        if plant.confidence >= least_confidence and plant.foot not in refusals
    ]
    if not plants:
        raise translation.TranslationError(why_no_foot_stands(clip, reading))
    yield progress.DETECTING, 0.8
    _propose(reading, plants, lambda item: item.kind == "FOOTPLANT")
    ground_gaps.store_soles(reading.armature, clip.skeleton)
    return FoundFootplants(len(plants), loops.moving_ground_sentence(clip))


def why_no_foot_stands(clip: solver.Clip, reading: bridge.Reading) -> str:
    """Why no footplant was found, in one sentence: missing landmarks, too few frames, or what to check."""
    missing = [title for title in clip.skeleton.landmarks.missing if title.split()[-1] in FOOT_LANDMARKS]
    if missing:
        return (
            f"No footplant can be found, since the {' and the '.join(missing)} of this character "
            f"{'is' if len(missing) == 1 else 'are'} not known: set what is missing in Character > Landmarks."
        )
    span = f"frames {reading.times[0]:g} to {reading.times[-1]:g}"
    if len(reading.times) < FEWEST_FRAMES:
        return f"No foot can be found to stand in {span}: so few frames do not show which feet stand."
    return f"No foot was found to stand in {span}: check the landmarks of the legs, or add footplants by hand."


def _refused_feet(reading: bridge.Reading) -> dict[str, str]:
    """The feet whose plants could not be baked, each with the reason; raises where both cannot."""
    known = Bakeable(reading.armature, reading)
    feet: tuple[Literal["left", "right"], ...] = ("left", "right")
    refusals: dict[str, str] = {foot: reason for foot in feet if (reason := known.why_unbakeable_foot(foot))}
    if len(refusals) == len(feet):
        raise translation.TranslationError(refusals["left"])
    return refusals


def find_similar(
    armature: bpy.types.Object | None, bones: Sequence[str], kind: Kind, begin: float, end: float
) -> dict[str, int]:
    """Propose where bones do again what they do from `begin` to `end`; returns the number of proposals by bone."""
    return solver.finished(find_similar_in_steps(armature, bones, kind, begin, end))


def find_similar_in_steps(
    armature: bpy.types.Object | None, bones: Sequence[str], kind: Kind, begin: float, end: float
) -> Generator[progress.StageShare, None, dict[str, int]]:
    """As `find_similar`, as a generator that yields its progress. Closing it changes nothing."""
    reading = yield from solve.read_in_steps(armature)
    armature = reading.armature
    clip = translation.clip_with_settings(armature, reading)
    if not bones:
        raise translation.TranslationError("No bone is chosen: select the bones to look at in pose mode.")
    if not reading.times[0] <= begin <= end <= reading.times[-1]:
        raise translation.TranslationError(
            f"The example (frames {begin:g} to {end:g}) does not lie within the scene's frames "
            f"{reading.times[0]:g} to {reading.times[-1]:g}: move the preview range."
        )
    Bakeable(armature, reading).check(bones, "position", has_offset=True)
    bridge.check_bones(armature, bones)
    template = solver.Template(reading.frame_of(begin), reading.frame_of(end), kind)
    proposals: list[solver.Constraint] = []
    counts = {}
    for number, bone in enumerate(bones):
        yield progress.DETECTING, number / len(bones)
        if bone not in clip.skeleton.names:
            raise translation.TranslationError(
                f"Bone {bone!r} is none of the bones that move the character: choose a deforming bone instead."
            )
        with bridge.in_scene_frames(reading.times):
            found = solver.detect(clip, bone, [template])
        counts[bone] = len(found)
        for each in found:
            proposals += as_constraints(clip, bone, each, reading)
    _propose(reading, proposals, lambda item: item.bone in bones)
    return counts


def accept(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Accept a proposal as a constraint; raises where it could not be baked."""
    _check_proposals(armature, [index])
    return translation.accept_proposal(armature, index)


def accept_all(armature: bpy.types.Object, only_enabled: bool = True) -> int:
    """Accept the proposals that are enabled, or all, and return their number. All of these are checked first.

    Those that are not accepted stay proposals.
    """
    found = character_of(armature).found
    chosen = [index for index in range(len(found)) if found[index].enabled or not only_enabled]
    if not chosen:
        raise translation.TranslationError("Every proposal is switched off: switch on those to accept.")
    _check_proposals(armature, chosen)
    for accepted, index in enumerate(chosen):
        translation.accept_proposal(armature, index - accepted)
    return len(chosen)


def _check_proposals(armature: bpy.types.Object, chosen: Sequence[int]) -> None:
    """Raise where one of these proposals could not be baked."""
    known = bakeable_at(armature, bridge.current_scene().frame_current_final)
    if known is not None:
        for index in chosen:
            known.check_item(character_of(armature).found[index])


def as_constraints(
    clip: solver.Clip, bone: str, found: solver.Detected, reading: bridge.Reading
) -> list[solver.Constraint]:
    """The constraints for something detected: of a point of the bone, and of its orientation or axis if kept."""
    ease = max(1, round(EASE * clip.fps))
    activity = max(0, found.begin - ease), min(clip.frames - 1, found.end + ease)
    name = f"{bone} {VERBS[found.kind]} {reading.times[found.begin]:g}"

    def points(location: object) -> list[solver.ConstraintPoint]:
        return [solver.ConstraintPoint(location, found.begin, found.end)]

    x, y, z = np.asarray(found.offset, dtype=np.float64).tolist()
    # Condensed, so that before and after it the path of the source is kept.
    shared: dict[str, Any] = {"begin": activity[0], "end": activity[1], "mode": "condensed"}
    made: list[solver.Constraint] = [
        solver.ShapeConstraint(solver.BodyPoint(bone, (x, y, z)), points=points(found.position), name=name, **shared)
    ]
    if found.rotation is not None:
        made.append(
            solver.OrientationConstraint(bone, points=points(found.rotation), name=f"{name}, orientation", **shared)
        )
    if found.direction is not None:
        axis = _in_bone_frame(clip, bone, (found.begin + found.end) // 2, found.direction)
        made.append(
            solver.DirectionConstraint(bone, points=points(found.direction), axis=axis, name=f"{name}, axis", **shared)
        )
    return made


def _in_bone_frame(
    clip: solver.Clip, bone: str, frame: int, direction: NDArray[np.float64]
) -> tuple[float, float, float]:
    """A direction of the world in the frame of a bone."""
    rotation = clip.world.rotations[frame, clip.skeleton.index(bone)]
    x, y, z = solver.rotations.rotate(solver.rotations.conjugate(rotation), direction).tolist()
    return x, y, z


def _propose(
    reading: bridge.Reading, constraints: Sequence[solver.Constraint], replaces: Callable[[PoiseConstraint], bool]
) -> None:
    """Add constraints to the proposals, and remove the proposals for which `replaces` is true."""
    armature = reading.armature
    follow_renames(armature)
    found = character_of(armature).found
    for number in reversed(range(len(found))):
        if replaces(found[number]):
            remove(armature, number, "found")
    for constraint in constraints:
        translation.store_constraint(armature, reading, constraint, into="found")
    activate(armature, "found", 0)
