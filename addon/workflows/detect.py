# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposes constraints that a motion already satisfies, and accepts them: footplants, and what other searches find."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import bpy

from ... import solver
from .. import bridge, translation
from ..properties import PoiseConstraint, character_of, current_name, follow_renames, name_bone
from ..properties.constraint_list import DEFAULT_PRIORITIES, activate, remove
from . import ground_gaps, landmarks, loops, progress, solve
from .bakeable import Bakeable, bakeable_at
from .subjects import WORLD, Reference

FOOT_LANDMARKS = ("hip", "knee", "ankle", "heel", "ball")
"""Landmarks of a leg without which footplants cannot be detected, without "left" or "right"."""

FEWEST_FRAMES = 4
"""In fewer frames a foot that stands cannot be distinguished from one that moves slowly."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """A constraint to propose."""

    constraint: solver.Constraint
    detected: Mapping[str, Any] = field(default_factory=dict)
    """Values of `PoiseDetected`, by name."""
    reference: Reference = WORLD
    """What carries the place, the line or the plane."""
    confidence: float = 1.0


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
    propose(reading, [Proposal(plant) for plant in plants], lambda item: item.kind == "FOOTPLANT")
    ground_gaps.store_soles(reading.armature, clip.skeleton)
    landmarks.recognise_once(reading.armature, reading.clip.skeleton)
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


def accept(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Accept a proposal as a constraint; raises where it could not be baked."""
    _check_proposals(armature, [index])
    return _accepted(armature, index)


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
        _accepted(armature, index - accepted)
    return len(chosen)


def _accepted(armature: bpy.types.Object, index: int) -> PoiseConstraint:
    """Make a constraint of a proposal; empties of orientations and directions are carried by its reference.

    The points of pins and trajectories are given relative to it already.
    """
    item: Any = translation.accept_proposal(armature, index)
    if item.kind in ("ORIENTATION", "LOOK_AT") and item.reference != "WORLD":
        carrier = armature if item.reference == "BONE" else item.reference_object
        bone = current_name(armature, item, "reference_bone") if item.reference == "BONE" else ""
        for point in item.points:
            if carrier is not None:
                bridge.carry(armature, point.object, point.begin, carrier, bone)
    accepted: PoiseConstraint = item
    return accepted


def _check_proposals(armature: bpy.types.Object, chosen: Sequence[int]) -> None:
    """Raise where one of these proposals could not be baked."""
    known = bakeable_at(armature, bridge.current_scene().frame_current_final)
    if known is not None:
        for index in chosen:
            known.check_item(character_of(armature).found[index])


def propose(
    reading: bridge.Reading, proposals: Sequence[Proposal], replaces: Callable[[PoiseConstraint], bool]
) -> None:
    """Add proposals to the list, and remove those for which `replaces` is true."""
    armature = reading.armature
    follow_renames(armature)
    found = character_of(armature).found
    for number in reversed(range(len(found))):
        if replaces(found[number]):
            remove(armature, number, "found")
    for proposal in proposals:
        blender = {"reference_object": proposal.reference.object} if proposal.reference.object else {}
        item: Any = translation.store_constraint(armature, reading, proposal.constraint, into="found", blender=blender)
        for name, value in proposal.detected.items():
            setattr(item.detected, name, value)
        item.confidence = proposal.confidence if proposal.detected else item.confidence
        if proposal.reference.bone:
            item.reference = "BONE"
            name_bone(armature, item, proposal.reference.bone, "reference_bone")
        elif proposal.reference.object:
            item.reference, item.reference_object = "OBJECT", bpy.data.objects[proposal.reference.object]
    activate(armature, "found", 0)


def is_of_search(item: PoiseConstraint, bones: Collection[str], kinds: Collection[str]) -> bool:
    """Whether a proposal comes from a search for these kinds of detected constraints of these bones.

    In files of older versions proposals do not say what they were detected as.
    """
    owned: Any = item
    detected = owned.detected
    is_of_kinds = detected.kind in kinds or (detected.kind == "NONE" and item.kind != "FOOTPLANT")
    return is_of_kinds and current_name(owned.id_data, item) in bones
