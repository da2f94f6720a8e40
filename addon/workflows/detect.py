# SPDX-License-Identifier: GPL-3.0-or-later
"""From a motion to constraints that an animator may accept: footplants by themselves, the rest by an example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge, translation
from ..properties import EASE, PoiseConstraint, character_of, follow_renames
from ..properties.constraint_list import DEFAULT_PRIORITIES, remove
from . import ground_gaps, loops, solve
from .bakeable import Bakeable, bakeable_at

Kind = Literal["space", "line", "point"]

WORDS: dict[Kind, str] = {"space": "rests", "line": "turns about a line", "point": "turns about a point"}
"""What a bone does that is constrained like this."""


FOOT_WORDS = ("hip", "knee", "ankle", "heel", "ball")
"""The last words of the landmarks without which no foot can stand."""

FEWEST_FRAMES = 4
"""With fewer frames, what stands and what moves slowly look alike."""


@dataclass(frozen=True)
class FoundFootplants:
    """What a search for footplants came to."""

    count: int
    ground: str
    """A sentence about ground that moves under the character; empty where it is still."""


def find_footplants(armature: bpy.types.Object | None, least_confidence: float = 0.0) -> FoundFootplants:
    """Propose the footplants of the whole motion, in the place of those that were proposed before."""
    reading = solve.read(armature)
    refusals = _refused_feet(reading)
    clip = translation.clip_with_settings(reading.armature, reading)
    plants = [
        replace(plant, priority=DEFAULT_PRIORITIES["FOOTPLANT"])
        for plant in solver.detect_footplants(clip)
        if plant.confidence >= least_confidence and plant.foot not in refusals
    ]
    if not plants:
        raise translation.TranslationError(why_no_foot_stands(clip, reading))
    _propose(reading, plants, lambda item: item.kind == "FOOTPLANT")
    ground_gaps.store_soles(reading.armature, clip.skeleton)
    return FoundFootplants(len(plants), loops.moving_ground_sentence(clip))


def why_no_foot_stands(clip: solver.Clip, reading: bridge.Reading) -> str:
    """Why no footplant was found, in one sentence: what is missing of the feet, or else what to check."""
    missing = [words for words in clip.skeleton.landmarks.missing if words.split()[-1] in FOOT_WORDS]
    if missing:
        return (
            f"No foot can be found to stand, since the {' and the '.join(missing)} of this character "
            f"{'is' if len(missing) == 1 else 'are'} not known: set what is missing in Character > Landmarks."
        )
    span = f"frames {reading.times[0]:g} to {reading.times[-1]:g}"
    if len(reading.times) < FEWEST_FRAMES:
        return f"No foot can be found to stand in {span}: so few frames do not tell what moves from what stands."
    return f"No foot was found to stand in {span}: check the landmarks of the legs, or add footplants by hand."


def _refused_feet(reading: bridge.Reading) -> dict[str, str]:
    """The feet whose plants could not be baked, each with a sentence that says why; raises where that is both."""
    known = Bakeable(reading.armature, reading)
    feet: tuple[Literal["left", "right"], ...] = ("left", "right")
    refusals: dict[str, str] = {foot: complaint for foot in feet if (complaint := known.why_not_foot(foot))}
    if len(refusals) == len(feet):
        raise translation.TranslationError(refusals["left"])
    return refusals


def find_similar(
    armature: bpy.types.Object | None, bones: Sequence[str], kind: Kind, begin: float, end: float
) -> dict[str, int]:
    """Propose where bones do again what they do from one frame of the scene to another; how often, by bone."""
    reading = solve.read(armature)
    held = reading.armature
    clip = translation.clip_with_settings(held, reading)
    if not bones:
        raise translation.TranslationError("No bone is chosen: select the bones to look at in pose mode.")
    if not reading.times[0] <= begin <= end <= reading.times[-1]:
        raise translation.TranslationError(
            f"The example (frames {begin:g} to {end:g}) does not lie within the scene's frames "
            f"{reading.times[0]:g} to {reading.times[-1]:g}: move the preview range."
        )
    Bakeable(held, reading).check(bones, "place", has_offset=True)
    bridge.check_bones(held, bones)
    template = solver.Template(reading.frame_of(begin), reading.frame_of(end), kind)
    proposals: list[solver.Constraint] = []
    counts = {}
    for bone in bones:
        if bone not in clip.skeleton.names:
            raise translation.TranslationError(
                f"Bone {bone!r} is none of the bones that move the character: choose a deforming bone instead."
            )
        found = solver.detect(clip, bone, [template])
        counts[bone] = len(found)
        for each in found:
            proposals += as_constraints(clip, bone, each, reading)
    _propose(reading, proposals, lambda item: item.bone in bones)
    return counts


def accept(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Make a constraint of a proposal; raises where it could not be baked."""
    _check_proposals(armature, [index])
    return translation.accept_proposal(armature, index)


def accept_all(armature: bpy.types.Object, only_enabled: bool = False) -> int:
    """Make constraints of all proposals, or of those that are switched on; how many. All are checked first."""
    found = character_of(armature).found
    chosen = [place for place in range(len(found)) if found[place].enabled or not only_enabled]
    _check_proposals(armature, chosen)
    for taken, place in enumerate(chosen):
        translation.accept_proposal(armature, place - taken)
    return len(chosen)


def _check_proposals(armature: bpy.types.Object, chosen: Sequence[int]) -> None:
    """Raise where one of these proposals could not be baked."""
    known = bakeable_at(armature, bridge.current_scene().frame_current_final)
    if known is not None:
        for place in chosen:
            known.check_item(character_of(armature).found[place])


def as_constraints(
    clip: solver.Clip, bone: str, found: solver.Detected, reading: bridge.Reading
) -> list[solver.Constraint]:
    """What holds a bone as it was found: a point of it in its place, and where it does not turn freely, its turn."""
    ease = max(1, round(EASE * clip.fps))
    activity = max(0, found.begin - ease), min(clip.frames - 1, found.end + ease)
    name = f"{bone} {WORDS[found.kind]} {reading.times[found.begin]:g}"

    def points(location: object) -> list[solver.ConstraintPoint]:
        return [solver.ConstraintPoint(location, found.begin, found.end)]

    x, y, z = np.asarray(found.offset, dtype=np.float64).tolist()
    # Condensed, so that the way to and from a place where the bone is already stays the source's own.
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
    turned = clip.world.rotations[frame, clip.skeleton.index(bone)]
    x, y, z = solver.rotations.rotate(solver.rotations.conjugate(turned), direction).tolist()
    return x, y, z


def _propose(
    reading: bridge.Reading, constraints: Sequence[solver.Constraint], replaces: Callable[[PoiseConstraint], bool]
) -> None:
    """Put constraints among the proposals, in the place of some that are there."""
    armature = reading.armature
    follow_renames(armature)
    found = character_of(armature).found
    for number in reversed(range(len(found))):
        if replaces(found[number]):
            remove(armature, number, "found")
    for constraint in constraints:
        translation.store_constraint(armature, reading, constraint, into="found")
    character_of(armature).active_found = 0
