# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions of the demonstration: made-up ones whose contacts are known, or a part of a file of the user.

All of them are for characters with a leg of 0.94 m and z up, so that one stage fits them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from poise import solver
from poise.addon.workflows import example_character
from poise.examples.kick import Kick, kick
from poise.examples.physics_sources import planted
from poise.solver import synthetic

LEG = 0.94
"""Metres from hip to heel of a character on the stage."""
LONGEST = 6.0
"""Seconds that are taken of a file: the demonstration takes minutes, not hours."""
WALK_STEPS, RUN_STEPS = 6, 3
RUN_STANCE = 0.6
"""The share of a step in which a foot of the runner stands."""


@dataclass(frozen=True, eq=False)
class Source:
    """A motion to edit."""

    name: str
    clip: solver.Clip
    true_plants: int | None
    """How often feet stand in it; None where that is not known."""
    scale: float = 1.0
    """Metres of the stage for each unit of the file."""
    note: str = ""
    """A sentence about what was taken of the file."""

    @property
    def size(self) -> float:
        """From hip to heel, in metres."""
        return self.clip.skeleton.size


def made_up_walk() -> Source:
    """The walk of the add-on's example, with sliding feet."""
    motion = example_character.walk(WALK_STEPS)
    return Source("Walker", motion.clip, len(motion.contacts))


def made_up_kick() -> tuple[Source, Kick]:
    """A kick, and the motion with y up that `examples.edits` edits."""
    motion = kick()
    return Source("Kicker", kick(up="z").clip, len(motion.contacts)), motion


def made_up_run() -> tuple[Source, list[solver.Footplant]]:
    """A run of a few steps, with long flights, and its footplants."""
    motion = synthetic.run(steps=RUN_STEPS, up="z", stance=RUN_STANCE)
    _, plants = planted(motion)
    return Source("Runner", motion.clip, len(plants)), plants


def of_file(path: Path) -> Source:
    """The first seconds of a BVH file, without faults of the capture, scaled to the stage."""
    whole = solver.read_bvh(path)
    repaired = solver.repair(whole)
    # Calibration poses are repaired too, but the pose before a motion begins is none of it.
    begins = [fault.end + 1 for fault in solver.find_faults(whole) if fault.kind == "calibration"]
    first = min(max(begins, default=0), whole.frames - 2)
    last = min(repaired.frames, first + round(LONGEST * repaired.fps) + 1)
    factor = LEG / whole.skeleton.size
    part = solver.Motion(
        repaired.motion.rotations[first:last], _scaled(repaired.motion.translations[first:last], factor)
    )
    note = ""
    if last - first < whole.frames:
        note = f"Of its {whole.frames} frames, {first} to {last - 1} are taken."
    clip = solver.Clip(whole.skeleton.scaled(factor), part, whole.fps)
    return Source(path.stem, _on_floor(clip), None, factor, note)


def _on_floor(clip: solver.Clip) -> solver.Clip:
    """The clip moved along the vertical so that the ground on which its feet stand has height zero."""
    plants, up = solver.detect_footplants(clip), clip.skeleton.up_axis
    try:
        places = np.zeros((1, 3)) if not plants else clip.position(clip.skeleton.landmarks.hips or 0)[:1]
        floor = float(solver.estimate_ground(clip, plants).heights(places, up)[0])
    except solver.PoiseError:
        return clip  # a motion on stairs, or without plants, stays at its height
    moved = np.array(clip.motion.translations)
    moved[:, 0, up] -= floor
    return solver.Clip(clip.skeleton, solver.Motion(clip.motion.rotations, moved), clip.fps)


def back_in_units(source: Source, clip: solver.Clip) -> solver.Clip:
    """A result in the units of the source's file."""
    factor = 1.0 / source.scale
    motion = solver.Motion(clip.motion.rotations, _scaled(clip.motion.translations, factor))
    return solver.Clip(clip.skeleton.scaled(factor), motion, clip.fps)


def _scaled(translations: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    return np.asarray(factor * translations, dtype=np.float64)
