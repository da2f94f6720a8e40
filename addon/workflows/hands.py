# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds where hands support the body, and proposes handplants."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Literal

import bpy

from ... import solver
from .. import bridge, translation
from ..properties.constraint_list import DEFAULT_PRIORITIES
from . import progress, solve
from .bakeable import Bakeable
from .detect import Proposal, propose

HANDS: tuple[Literal["left", "right"], ...] = ("left", "right")


def find_handplants(armature: bpy.types.Object | None) -> int:
    """Propose the handplants of the whole motion and return their number; former proposals of them are replaced."""
    return solver.finished(find_handplants_in_steps(armature))


def find_handplants_in_steps(armature: bpy.types.Object | None) -> Generator[progress.StageShare, None, int]:
    """As `find_handplants`, as a generator that yields its progress. Closing it changes nothing."""
    reading = yield from solve.read_in_steps(armature)
    known = Bakeable(reading.armature, reading)
    refusals = {hand: reason for hand in HANDS if (reason := known.why_unbakeable_hand(hand))}
    if len(refusals) == len(HANDS):
        raise translation.TranslationError(refusals["left"])
    clip = translation.clip_with_settings(reading.armature, reading)
    yield progress.DETECTING, 0.0
    plants = [
        # It stands where the source does, also where that is changed later.
        Proposal(replace(plant, position=None, priority=DEFAULT_PRIORITIES["HANDPLANT"]), confidence=plant.confidence)
        for plant in solver.detect_handplants(clip)
        if plant.hand not in refusals
    ]
    if not plants:
        raise translation.TranslationError(_why_no_hand_stands(clip, reading))
    yield progress.DETECTING, 0.8
    propose(reading, plants, lambda item: item.kind == "HANDPLANT")
    return len(plants)


def _why_no_hand_stands(clip: solver.Clip, reading: bridge.Reading) -> str:
    missing = [title for title in clip.skeleton.landmarks.missing if title.endswith("wrist")]
    if missing:
        return (
            f"No handplant can be found, since the {' and the '.join(missing)} of this character "
            f"{'is' if len(missing) == 1 else 'are'} not known: set what is missing in Character > Landmarks."
        )
    return (
        f"No hand was found to support the body in frames {reading.times[0]:g} to {reading.times[-1]:g}: "
        "add handplants by hand where one holds on to something."
    )
