# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under a character's plants: which of them stand too far off it to be put there without being asked.

A ground in the wrong place must not pull a motion to pieces. So a plant is put on the ground where it stands near it;
one that stands farther off keeps its own height until the animator decides, and is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import bpy
import numpy as np

from ... import solver
from .. import translation
from ..properties import PoiseConstraint, character_of
from . import messages

NEAR = 0.02
"""Sizes of the character: plants that stand no farther from the ground are put on it."""

NAMED = 3
"""So many plants a sentence names; the others it counts."""


@dataclass(frozen=True)
class GroundedConstraints:
    """Constraints with what the ground means for each."""

    constraints: tuple[solver.Constraint, ...]
    """Plants that stand off the ground, and of which nothing else is decided, keep their own heights."""
    ground: solver.Ground | None
    gaps: Mapping[str, float]
    """By uid, of plants that keep their heights for that reason: how high above the ground, in the clip's units."""
    sentence: str
    """What is said of them before anything moves; empty where there are none."""
    moves_plants: bool = False
    """Whether the animator has put plants on the ground that stand far off it."""


def place_on_ground(
    armature: bpy.types.Object, clip: solver.Clip, constraints: Sequence[solver.Constraint], uids: Sequence[str] = ()
) -> GroundedConstraints:
    """The constraints on the character's ground. `uids` are those of the saved constraints that they come from.

    Plants that come from none are treated as new ones.
    """
    plants = [each for each in constraints if isinstance(each, solver.Footplant)]
    ground = translation.ground_of(armature, clip, plants)
    if ground is None:
        return GroundedConstraints(tuple(constraints), None, {}, "")
    choices = {item.uid: item.ground_choice for item in character_of(armature).constraints}
    made: list[solver.Constraint] = []
    gaps: dict[str, float] = {}
    names: list[str] = []
    known = [*uids, *[""] * (len(constraints) - len(uids))]
    moves_plants = False
    for constraint, uid in zip(constraints, known, strict=True):
        choice = choices.get(uid, "AUTO")
        if isinstance(constraint, solver.Footplant) and choice != "OWN" and constraint.height is None:
            (gap,) = solver.ground_gaps(clip, [constraint], ground)
            is_far = abs(gap) > NEAR * clip.skeleton.size
            moves_plants |= is_far and choice == "GROUND"
            if is_far and choice == "AUTO":
                gaps[uid or f"found {len(gaps)}"] = float(gap)
                names.append(f"{constraint.label} ({_gap_text(gap)})")
                constraint = replace(constraint, own_height=True)
        made.append(constraint)
    return GroundedConstraints(tuple(made), ground, gaps, _sentence(names), moves_plants)


def _gap_text(gap: float) -> str:
    return f"{messages.format_amount(abs(gap), is_angular=False)} {'above' if gap > 0.0 else 'below'}"


def _sentence(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    told = ", ".join(names[:NAMED]) + more
    count = "1 plant stands" if len(names) == 1 else f"{len(names)} plants stand"
    keeps = "it keeps its height" if len(names) == 1 else "they keep their heights"
    return f"{count} off the ground, so {keeps}: {told}; to put them on it, press Put On Ground."


def store_gaps(armature: bpy.types.Object, gaps: Mapping[str, float]) -> None:
    """Keep which plants stand off the ground, for the panels."""
    character = character_of(armature)
    character.ground_gaps.clear()
    for uid, gap in gaps.items():
        kept = character.ground_gaps.add()
        kept.uid, kept.gap = uid, gap


def check_plants(
    armature: bpy.types.Object, clip: solver.Clip, constraints: Sequence[solver.Constraint], uids: Sequence[str]
) -> str:
    """List the plants that stand off the ground, before anything moves; what is to be told of them."""
    found = place_on_ground(armature, clip, constraints, uids)
    store_gaps(armature, found.gaps)
    if found.ground is None:
        return "There is no ground: each plant keeps its own height."
    return found.sentence or "All plants stand on the ground, or have their heights set."


def undecided_plants(armature: bpy.types.Object) -> list[tuple[PoiseConstraint, float]]:
    """The plants that are listed as off the ground and still undecided, with how high they stand above it."""
    character = character_of(armature)
    gaps = {kept.uid: kept.gap for kept in character.ground_gaps}
    return [
        (item, gaps[item.uid])
        for item in character.constraints
        if item.uid in gaps and item.ground_choice == "AUTO" and not item.use_height
    ]


def decide_plants(armature: bpy.types.Object, choice: Literal["GROUND", "OWN"]) -> int:
    """Let all listed plants stand on the ground, or keep their heights; how many."""
    chosen = [item for item, _ in undecided_plants(armature)]
    for item in chosen:
        item.ground_choice = choice
    character_of(armature).ground_gaps.clear()
    return len(chosen)


def store_soles(armature: bpy.types.Object, skeleton: solver.Skeleton) -> None:
    """Keep how thick the soles are, for the panels."""
    character = character_of(armature)
    for name, point in (("found_sole_heel", "heel"), ("found_sole_ball", "ball")):
        heights: Iterable[float] = [
            skeleton.soles[mark] for mark in (f"left_{point}", f"right_{point}") if mark in skeleton.soles
        ]
        setattr(character, name, float(np.mean(list(heights))) if heights else -1.0)
