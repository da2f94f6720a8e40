# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that jump: captured clips cleaned by each method, a part of a clip solved alone, and large edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from poise import solver
from poise.examples import edits
from poise.solver.cleanup.clean import cleaned

from .character import WALK
from .figures import Figure
from .planted_walk import PlantedWalk, planted_walk

LARGEST_JUMP = 1.5
"""Largest second difference of any joint's place over that of the same joint in the source."""
LARGEST_EDITED_JUMP = 2.0
"""The same for edits that change a motion a lot."""
LARGEST_MISS = {"stretch": 1e-6, "rigid": 1e-6, "prioritized": 1e-4}
"""Largest distance of a planted point from its place after a method, in sizes of the character."""

PART = (100, 200)
"""First and last frame of the part that is solved alone."""
SHIFT = 0.1
"""Sizes of the character by which all plants of that part are moved to the side."""

EDITS: dict[str, Callable[[], edits.Edit]] = {
    **{f"kick to {height:g} sizes": partial(edits.kicking, height) for height in edits.KICK_HEIGHTS},
    "kick out of reach": edits.far_kick,
    "kick without balance": lambda: edits.far_kick("no balance"),
    "catwalk": edits.catwalk,
    "stairs": edits.climbing,
    "golf swing": edits.amplified_swing,
    "waiter": edits.waiter,
}


def jumps(
    paths: Sequence[Path] | None = None,
    walk: PlantedWalk | None = None,
    part: tuple[int, int] = PART,
    examples: Mapping[str, Callable[[], edits.Edit]] = EDITS,
) -> Iterator[Figure]:
    """Jumps of joints after cleaning, after solving a part of a clip, and after large edits.

    For each joint the largest second difference of its place is compared with that of the source
    (`solver.joint_jumps`); the worst joint counts. A clip that jumps and has faults of its own is repaired first: the
    note names them.
    """
    for path in sorted(WALK.parent.glob("*.bvh")) if paths is None else paths:
        clip = solver.read_bvh(path)
        glitches = [fault for fault in solver.find_faults(clip) if fault.kind == "glitch"]
        for method in get_args(solver.CleanMethod):
            name = f"jump: {path.stem}, {method}"
            source, result, note = clip, *_cleaned(clip, method)
            if solver.joint_jumps(source, result.clip).ratio > LARGEST_JUMP and glitches:
                source = solver.repair(clip, glitches)
                result, note = _cleaned(source, method)
                note = "; ".join([note, *(f"repaired {fault}" for fault in glitches)])
            yield jump_figure(name, source, result.clip, LARGEST_JUMP, note)
            yield Figure(f"{name}: planted points miss", result.residual, "sizes", LARGEST_MISS[method])
    walk = walk or planted_walk()
    name = f"jump: {walk.name}, frames {part[0]} to {part[1]} alone"
    yield jump_figure(name, walk.clip, solved_part(walk, *part), LARGEST_JUMP, f"plants moved by {SHIFT:g} sizes")
    for name, edit in examples.items():
        made = edit()
        yield jump_figure(f"jump: {name}", made.source, made.deform().clip, LARGEST_EDITED_JUMP)


def _cleaned(clip: solver.Clip, method: solver.CleanMethod) -> tuple[solver.Cleaned, str]:
    """A clip with its detected plants cleaned, and a note about it."""
    plants = solver.detect_footplants(clip)
    return cleaned(clip, plants, method), f"{clip.frames} frames, {len(plants)} plants"


def jump_figure(name: str, source: solver.Clip, result: solver.Clip, bound: float, note: str = "") -> Figure:
    """The worst jump of any joint; the note names the joint and the frame."""
    jump = solver.joint_jumps(source, result)
    where = f"{jump.joint} at frame {jump.frame}, {100.0 * jump.legs:.1f} % of the leg"
    return Figure(name, jump.ratio, "ratio", bound, note=f"{where}, {note}" if note else where)


def solved_part(walk: PlantedWalk, first: int, last: int) -> solver.Clip:
    """The walk with the frames of a part deformed as a clip of their own, with plants moved to the side."""
    whole, size = walk.clip, walk.clip.skeleton.size
    part = slice(first, last + 1)
    clip = whole.with_motion(solver.Motion(whole.motion.rotations[part], whole.motion.translations[part]))
    aside = SHIFT * size * np.eye(3)["xyz".index(whole.skeleton.horizontal_axes[0])]
    plants = [cut.moved(aside) for plant in walk.plants if (cut := _cut(plant, first, last)) is not None]
    constraints = [*plants, solver.Balance(priority=walk.plants[0].priority - 1)]
    solved = solver.deform(clip, constraints, keep_ends=True).clip.motion
    local, moved = whole.motion.rotations.copy(), whole.motion.translations.copy()
    local[part], moved[part] = solved.rotations, solved.translations
    return whole.with_motion(solver.Motion(local, moved))


def _cut(plant: solver.Footplant, first: int, last: int) -> solver.Footplant | None:
    """The stays of a plant within a part of the clip, in frames of the part; None where there are none."""
    events: dict[str, Any] = {}
    for name, (begin, end) in plant.stays.items():
        inside = begin <= last and end >= first
        events[f"{name}_strike"] = max(begin - first, 0.0) if inside else None
        events[f"{name}_off"] = min(end, last) - first if inside else None
    return replace(plant, **events) if any(event is not None for event in events.values()) else None
