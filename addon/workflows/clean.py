# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleans planted feet and hands: detects the plants or takes the saved ones, cleans, measures and bakes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import bpy
import numpy as np

from ... import solver
from .. import bridge, translation
from ..properties import character_of, clean_settings, follow_renames
from ..properties.constraint_list import switch_off
from . import detect, ground_gaps, landmarks, messages, progress, ranges, solve, strains

Plant = solver.Footplant | solver.Handplant | solver.PlantedPoint


@dataclass(frozen=True)
class CleanOptions:
    """What to clean and how. Frames of the scene, both included; None for the scene's first or last."""

    method: solver.CleanMethod = "stretch"
    feet: bool = True
    hands: bool = False
    begin: int | None = None
    end: int | None = None
    target: bridge.Target = "action"
    tolerance: float = 0.0
    repair: bool = False
    """Whether to interpolate faults of the capture first."""
    settings: solver.CleanSettings | None = None
    """None for those of the character."""


@dataclass(frozen=True)
class CleanResult:
    """The result of a cleanup."""

    sentence: str
    """A summary in one sentence."""
    unmet: tuple[str, ...]
    """A sentence for each plant that is missed."""
    before: solver.FootMetrics
    after: solver.FootMetrics
    baked: bridge.Baked
    notes: tuple[str, ...] = ()
    """Sentences to report first: footplants that were switched off, faults of the capture, plants off the ground, a
    range that leaves out a part of the action, and figures that are worse than before."""


def clean(armature: bpy.types.Object | None, options: CleanOptions | None = None) -> CleanResult:
    """Clean the source of an armature, bake the result and store the report for the panels.

    The plants are the enabled footplants and handplants of the character, or without any those that are detected.
    """
    return solver.finished(clean_in_steps(armature, options))


def clean_in_steps(
    armature: bpy.types.Object | None, options: CleanOptions | None = None
) -> Generator[progress.StageShare, None, CleanResult]:
    """As `clean`, as a generator that yields its progress. Closing it stops the cleanup, and nothing has changed."""
    options = options or CleanOptions()
    if not (options.feet or options.hands):
        raise translation.TranslationError(
            "Neither feet nor hands are chosen to be cleaned: choose one of them, or both."
        )
    range_of_frames = solve.SolveOptions(options.begin, options.end)
    read = yield from solve.source_in_steps(armature, range_of_frames)
    reading, clip = read.reading, read.clip
    armature = reading.armature
    _check_limbs(reading, clip.skeleton)
    saved = saved_plants(armature, reading, "FOOTPLANT") if options.feet else None
    saved_hands = saved_plants(armature, reading, "HANDPLANT") if options.hands else None
    yield progress.FAULTS, 0.0
    whole, faults = clip, solver.find_faults(clip)
    if options.repair:
        clip = solver.repair(clip, faults)
    yield progress.DETECTING, 0.0
    feet, uids = footplants(saved, reading, clip) if options.feet else ([], [])
    yield progress.DETECTING, 0.5
    hands = _handplants(saved_hands, reading, clip) if options.hands else []
    if not feet and not hands:
        raise translation.TranslationError(_nothing_found(options, clip, reading))
    grounded = ground_gaps.place_on_ground(reading.armature, clip, feet, uids)
    feet = [plant for plant in grounded.constraints if isinstance(plant, solver.Footplant)]
    ground = grounded.ground
    cyclic = read.cyclic
    yield progress.CLEANING, 0.0
    with bridge.in_scene_frames(reading.times):
        settings = options.settings or clean_settings(character_of(armature).cleaning)
        cleaned = solver.cleaned(clip, [*feet, *hands], options.method, ground=ground, settings=settings, cyclic=cyclic)
    solve.check_plausible(reading, clip, cleaned.clip, grounded)
    yield progress.MEASURING, 0.0
    before = solver.foot_metrics(whole, feet, ground=ground, faults=faults)
    yield progress.BAKING, 0.0
    solve.check_unchanged(read, range_of_frames)
    strain = strains.of_plants(cleaned, options.tolerance)
    baked = bridge.bake(reading, cleaned.clip, target=options.target, tolerance=options.tolerance, strain=strain)
    left = () if options.repair else faults
    armature = reading.armature
    after = solver.foot_metrics(baked.clip, feet, source=clip, ground=ground, faults=left)
    follow_renames(armature)
    unmet = tuple(_unmet(cleaned, baked, reading))
    problems = [baked.rig_conflict] if baked.rig_conflict else []
    sentence = messages.prefixed(problems, _summary(len(feet), len(hands), unmet, baked, cyclic))
    character = character_of(armature)
    character.last_clean = sentence
    character.live_state.solved = ""
    messages.clear_physics(character)
    character.has_metrics = bool(feet)
    ground_gaps.store_gaps(armature, grounded.gaps)
    ground_gaps.store_soles(armature, clip.skeleton)
    landmarks.recognise_once(armature, reading.clip.skeleton)
    messages.store_metrics(character.metrics_before, before, clip.skeleton.size, reading.times)
    messages.store_metrics(character.metrics_after, after, clip.skeleton.size, reading.times, before)
    character.last_faults = messages.fault_sentence(faults, reading.times, options.repair)
    warnings = after.warnings(before, list(reading.times))
    lost = {uid: why for each in (saved, saved_hands) if each is not None for uid, why in each.lost.items()}
    switched_off = switch_off(armature, lost)
    said = (character.last_faults, grounded.sentence, ranges.range_warning(armature), *warnings)
    notes = (*switched_off, *filter(None, said))
    unmet = (*unmet, *(note for note in baked.notes if note not in problems))
    return CleanResult(sentence, unmet, before, after, baked, notes)


def saved_plants(
    armature: bpy.types.Object, reading: bridge.Reading, kind: Literal["FOOTPLANT", "HANDPLANT"]
) -> translation.Translation | None:
    """The enabled footplants or handplants of a character; None without any."""
    items = [item for item in character_of(armature).constraints if item.enabled and item.kind == kind]
    return translation.translate(armature, reading, items) if items else None


def footplants(
    saved: translation.Translation | None, reading: bridge.Reading, clip: solver.Clip
) -> tuple[list[solver.Footplant], list[str]]:
    """The footplants to clean, and the uids of those that are saved."""
    if saved is None or (saved.lost and not saved.constraints):
        return [with_frame_in_name(plant, reading) for plant in solver.detect_footplants(clip)], []
    pairs = zip(saved.constraints, saved.uids, strict=True)
    kept = [(plant, uid) for plant, uid in pairs if isinstance(plant, solver.Footplant)]
    return [plant for plant, _ in kept], [uid for _, uid in kept]


def with_frame_in_name(plant: solver.Footplant, reading: bridge.Reading) -> solver.Footplant:
    """A footplant with its first frame in the scene in its name."""
    begin = reading.times[int(min(time for stay in plant.stays.values() for time in stay))]
    return replace(plant, name=f"{plant.foot.title()} footplant at frame {begin:g}")


def _check_limbs(reading: bridge.Reading, skeleton: solver.Skeleton) -> None:
    """Raise where a joint of a leg or an arm cannot be baked: cleaning may move each of them."""
    marks = skeleton.landmarks
    limbs = [limb[:3] for limb in (marks.leg("left"), marks.leg("right"))]
    limbs += [limb[1:] for limb in (marks.arm("left"), marks.arm("right"))]
    for name in (skeleton.names[joint] for limb in limbs for joint in limb if joint is not None):
        if name in reading.unbakeable:
            raise bridge.BridgeError(reading.unbakeable[name])


def _handplants(
    saved: translation.Translation | None, reading: bridge.Reading, clip: solver.Clip
) -> list[solver.Handplant | solver.PlantedPoint]:
    """The handplants to clean: the saved ones, or without any those that are detected."""
    kept = [plant for plant in saved.constraints if isinstance(plant, solver.Handplant)] if saved is not None else []
    if kept or (saved is not None and not saved.lost):
        return [*kept]
    return [
        solver.PlantedPoint(
            f"{plant.hand} arm",
            "wrist",
            plant.begin,
            plant.end,
            name=f"{plant.hand.title()} handplant at frame {reading.times[plant.begin]:g}",
        )
        for plant in solver.detect_handplants(clip)
    ]


def _nothing_found(options: CleanOptions, clip: solver.Clip, reading: bridge.Reading) -> str:
    """Why there is nothing to clean, in one sentence."""
    if not options.hands:
        return detect.why_no_foot_stands(clip, reading)
    limbs = " or ".join(word for word, wanted in (("foot", options.feet), ("hand", options.hands)) if wanted)
    return (
        f"No {limbs} was found to stand in frames {reading.times[0]:g} to {reading.times[-1]:g}: check the landmarks, "
        "or add footplants by hand."
    )


def _unmet(cleaned: solver.Cleaned, baked: bridge.Baked, reading: bridge.Reading) -> Iterable[str]:
    """A sentence for each plant that is missed by a visible distance, by the cleanup or by the keys that were baked, in
    frames and units of the scene."""
    shifts = strains.plant_shifts(cleaned, baked.clip)
    for plant, residuals, shift in zip(cleaned.plants, cleaned.residuals, shifts, strict=True):
        distances = np.maximum(residuals, shift)
        worst = int(distances.argmax())
        if distances[worst] > solver.VISIBLE_ERROR * cleaned.clip.skeleton.size:
            missed = messages.format_amount(float(distances[worst]), is_angular=False)
            yield (
                f"{plant.label}: at frame {reading.times[plant.begin + worst]:g} it is {missed} from where it should "
                "stand; shorten it, or choose another method."
            )


def _summary(feet: int, hands: int, unmet: Sequence[str], baked: bridge.Baked, cyclic: bool) -> str:
    words = [
        f"{count} {what}{'' if count == 1 else 's'}" for count, what in ((feet, "footplant"), (hands, "handplant"))
    ]
    planted = " and ".join(word for word, count in zip(words, (feet, hands), strict=True) if count)
    left = f", {len(unmet)} of them not wholly" if unmet else ""
    how = " as a loop" if cyclic else ""
    return f"{planted} cleaned{how}{left}; {len(baked.bones)} bones changed in {baked.action!r}."
