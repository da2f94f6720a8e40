# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and hands that stand still, with one call: found or as set, cleaned, measured and baked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import bpy

from ... import solver
from .. import bridge, translation
from ..properties import character_of, follow_renames
from . import detect, ground_gaps, loops, messages, ranges, solve

Plant = solver.Footplant | solver.PlantedPoint


@dataclass(frozen=True)
class CleanOptions:
    """What to clean and how. Frames are the scene's, both included; None: the scene's own first or last."""

    method: solver.CleanMethod = "stretch"
    feet: bool = True
    hands: bool = False
    begin: int | None = None
    end: int | None = None
    target: bridge.Target = "action"
    tolerance: float = 0.0


@dataclass(frozen=True)
class CleanResult:
    """What a cleaning came to."""

    sentence: str
    """How it went, in one sentence."""
    unmet: tuple[str, ...]
    """A sentence for each plant that does not stand where it should."""
    before: solver.FootMetrics
    after: solver.FootMetrics
    baked: bridge.Baked
    notes: tuple[str, ...] = ()
    """What is said first: plants that stand off the ground, and a range that leaves out a part of the action."""


def clean(armature: bpy.types.Object | None, options: CleanOptions | None = None) -> CleanResult:
    """Clean an armature's source, bake the result and keep what is to be told.

    Feet stand in the enabled footplants of the character; where there are none, in those that are found.
    """
    asked = options or CleanOptions()
    if not (asked.feet or asked.hands):
        raise translation.TranslationError("Neither feet nor hands are to be cleaned: choose one of them, or both.")
    reading = solve.read(armature, asked.begin, asked.end)
    held = reading.armature
    clip = solve.with_unbakeable_joints_fixed(reading, translation.clip_with_settings(held, reading))
    _check_limbs(reading, clip.skeleton)
    feet, uids = _footplants(held, reading, clip) if asked.feet else ([], [])
    hands = _handplants(reading, clip) if asked.hands else []
    if not feet and not hands:
        raise translation.TranslationError(_nothing_found(asked, clip, reading))
    grounded = ground_gaps.place_on_ground(held, clip, feet, uids)
    feet = [plant for plant in grounded.constraints if isinstance(plant, solver.Footplant)]
    ground = grounded.ground
    cyclic = loops.is_loop(reading, clip)
    cleaned = solver.cleaned(clip, [*feet, *hands], asked.method, ground=ground, cyclic=cyclic)
    solve.check_plausible(reading, clip, cleaned.clip, grounded)
    before = solver.foot_metrics(clip, feet, ground=ground)
    after = solver.foot_metrics(cleaned.clip, feet, source=clip, ground=ground)

    baked = bridge.bake(reading, cleaned.clip, target=asked.target, tolerance=asked.tolerance)
    follow_renames(held)
    unmet = tuple(_unmet(cleaned, reading))
    wrong = [baked.rig_conflict] if baked.rig_conflict else []
    sentence = messages.prefixed(wrong, _sentence(len(feet), len(hands), unmet, baked, cyclic))
    character = character_of(held)
    character.last_clean = sentence
    character.has_metrics = bool(feet)
    ground_gaps.store_gaps(held, grounded.gaps)
    ground_gaps.store_soles(held, clip.skeleton)
    messages.store_metrics(character.metrics_before, before, clip.skeleton.size)
    messages.store_metrics(character.metrics_after, after, clip.skeleton.size)
    notes = tuple(filter(None, (grounded.sentence, ranges.range_warning(held))))
    unmet = (*unmet, *(note for note in baked.notes if note not in wrong))
    return CleanResult(sentence, unmet, before, after, baked, notes)


def _footplants(
    armature: bpy.types.Object, reading: bridge.Reading, clip: solver.Clip
) -> tuple[list[solver.Footplant], list[str]]:
    """The plants to clean, and the uids of those that are saved."""
    items = [item for item in character_of(armature).constraints if item.enabled and item.kind == "FOOTPLANT"]
    if not items:
        return [named(plant, reading) for plant in solver.detect_footplants(clip)], []
    translated = translation.translate(armature, reading, items)
    pairs = zip(translated.constraints, translated.uids, strict=True)
    kept = [(plant, uid) for plant, uid in pairs if isinstance(plant, solver.Footplant)]
    return [plant for plant, _ in kept], [uid for _, uid in kept]


def named(plant: solver.Footplant, reading: bridge.Reading) -> solver.Footplant:
    """A plant with a name that says its frame as the scene counts it."""
    begin = reading.times[int(min(time for stay in plant.stays.values() for time in stay))]
    return replace(plant, name=f"{plant.foot.title()} footplant at frame {begin:g}")


def _check_limbs(reading: bridge.Reading, skeleton: solver.Skeleton) -> None:
    """Raise where a joint of a leg or an arm cannot be baked: cleaning must be free to move each of them."""
    marks = skeleton.landmarks
    limbs = [limb[:3] for limb in (marks.leg("left"), marks.leg("right"))]
    limbs += [limb[1:] for limb in (marks.arm("left"), marks.arm("right"))]
    for name in (skeleton.names[joint] for limb in limbs for joint in limb if joint is not None):
        if name in reading.unbakeable:
            raise bridge.BridgeError(reading.unbakeable[name])


def _handplants(reading: bridge.Reading, clip: solver.Clip) -> list[solver.PlantedPoint]:
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
    if not options.hands:
        return detect.why_no_foot_stands(clip, reading)
    limbs = " or ".join(word for word, wanted in (("foot", options.feet), ("hand", options.hands)) if wanted)
    return (
        f"No {limbs} was found to stand in frames {reading.times[0]:g} to {reading.times[-1]:g}: check the landmarks, "
        "or add footplants by hand."
    )


def _unmet(cleaned: solver.Cleaned, reading: bridge.Reading) -> Iterable[str]:
    """A sentence for each plant whose point is off by more than can be seen, in the scene's frames and units."""
    for plant, distances in zip(cleaned.plants, cleaned.residuals, strict=True):
        worst = int(distances.argmax())
        if distances[worst] > solver.VISIBLE_ERROR * cleaned.clip.skeleton.size:
            missed = messages.format_amount(float(distances[worst]), is_angular=False)
            yield (
                f"{plant.label}: at frame {reading.times[plant.begin + worst]:g} it is {missed} from where it should "
                "stand; shorten it, or choose another method."
            )


def _sentence(feet: int, hands: int, unmet: Sequence[str], baked: bridge.Baked, cyclic: bool) -> str:
    words = [
        f"{count} {what}{'' if count == 1 else 's'}" for count, what in ((feet, "footplant"), (hands, "handplant"))
    ]
    planted = " and ".join(word for word, count in zip(words, (feet, hands), strict=True) if count)
    left = f", {len(unmet)} of them not wholly" if unmet else ""
    how = " as a loop" if cyclic else ""
    return f"{planted} cleaned{how}{left}; {len(baked.bones)} bones changed in {baked.action!r}."
