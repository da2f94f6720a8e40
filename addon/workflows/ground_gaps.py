# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts footplants on the ground, and lists those that are too far from it.

A ground in the wrong place must not destroy a motion. So only plants near the ground are put on it. A plant farther
away keeps its own height and is listed until the animator decides.
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
"""Sizes of the character: plants within this distance of the ground are put on it."""

NAMED = 3
"""How many plants a sentence names; the others are counted."""


@dataclass(frozen=True)
class GroundedConstraints:
    """Constraints with their ground."""

    constraints: tuple[solver.Constraint, ...]
    """With plants that keep their own heights where they are far from the ground and undecided."""
    ground: solver.Ground | None
    gaps: Mapping[str, float]
    """By uid, the heights of these plants above the ground, in the clip's units."""
    sentence: str
    """A sentence about them; empty where there are none."""
    moves_plants: bool = False
    """Whether the animator has decided to put plants on the ground that are far from it."""


def place_on_ground(
    armature: bpy.types.Object,
    clip: solver.Clip,
    constraints: Sequence[solver.Constraint],
    uids: Sequence[str] = (),
    known: GroundedConstraints | None = None,
) -> GroundedConstraints:
    """The constraints on the ground of the character. `uids` are those of their saved constraints.

    Plants without a saved constraint are undecided. The ground is that of `known` constraints, where these were placed
    with the same settings, but for one that is estimated from the plants.
    """
    plants = [each for each in constraints if isinstance(each, solver.Footplant)]
    if known is not None and character_of(armature).ground_kind != "ESTIMATE":
        ground = known.ground
    else:
        ground = translation.ground_of(armature, clip, plants)
    if ground is None:
        return GroundedConstraints(tuple(constraints), None, {}, "")
    choices = {item.uid: item.ground_choice for item in character_of(armature).constraints}
    made: list[solver.Constraint] = []
    gaps: dict[str, float] = {}
    names: list[str] = []
    saved = [*uids, *[""] * (len(constraints) - len(uids))]
    moves_plants = False
    for constraint, uid in zip(constraints, saved, strict=True):
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
    """A height above the ground as text, such as "3 cm above"."""
    return f"{messages.format_amount(abs(gap), is_angular=False)} {'above' if gap > 0.0 else 'below'}"


def _sentence(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED]) + more
    count = "1 plant stands" if len(names) == 1 else f"{len(names)} plants stand"
    keeps = "it keeps its height" if len(names) == 1 else "they keep their heights"
    return f"{count} off the ground, so {keeps}: {listed}; to put them on it, press Put On Ground."


def store_gaps(armature: bpy.types.Object, gaps: Mapping[str, float]) -> None:
    """Store the plants that are off the ground, for the panels."""
    character = character_of(armature)
    character.ground_gaps.clear()
    for uid, gap in gaps.items():
        entry = character.ground_gaps.add()
        entry.uid, entry.gap = uid, gap


def check_plants(
    armature: bpy.types.Object, clip: solver.Clip, constraints: Sequence[solver.Constraint], uids: Sequence[str]
) -> str:
    """List the plants that are off the ground, and return a sentence about them. Nothing is moved."""
    found = place_on_ground(armature, clip, constraints, uids)
    store_gaps(armature, found.gaps)
    if found.ground is None:
        return "There is no ground: each plant keeps its own height."
    return found.sentence or "All plants stand on the ground, or have their heights set."


def undecided_plants(armature: bpy.types.Object) -> list[tuple[PoiseConstraint, float]]:
    """The plants that are listed as off the ground and undecided, with their heights above it."""
    character = character_of(armature)
    gaps = {entry.uid: entry.gap for entry in character.ground_gaps}
    return [
        (item, gaps[item.uid])
        for item in character.constraints
        if item.uid in gaps and item.ground_choice == "AUTO" and not item.use_height
    ]


def decide_plants(armature: bpy.types.Object, choice: Literal["GROUND", "OWN"]) -> int:
    """Set the choice of all listed plants, and return their number."""
    chosen = [item for item, _ in undecided_plants(armature)]
    for item in chosen:
        item.ground_choice = choice
    character_of(armature).ground_gaps.clear()
    return len(chosen)


def store_soles(armature: bpy.types.Object, skeleton: solver.Skeleton) -> None:
    """Store the mean thickness of the soles, for the panels."""
    character = character_of(armature)
    for name, point in (("found_sole_heel", "heel"), ("found_sole_ball", "ball")):
        heights: Iterable[float] = [
            skeleton.soles[mark] for mark in (f"left_{point}", f"right_{point}") if mark in skeleton.soles
        ]
        setattr(character, name, float(np.mean(list(heights))) if heights else -1.0)
