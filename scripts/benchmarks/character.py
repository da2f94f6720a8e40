# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured clip: the captured walk if the clips are beside the checkout, else a made-up human."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise import solver
from poise.solver import synthetic
from poise.solver.core import rotations

WALK = Path(__file__).resolve().parents[3] / "shared" / "mocap" / "02_01.bvh"

STRIDE_FRAMES = 120
SWAY = 0.15
"""Radians by which every joint of the made-up human sways, each in its own rhythm."""
CROUCH = {"hip": -0.4, "knee": 0.8, "ankle": -0.4}
"""Radians about x by which its legs are bent, because straight legs are singular."""


@dataclass(frozen=True, eq=False)
class Character:
    """A clip and its name in the report."""

    clip: solver.Clip
    name: str


def walking() -> Character:
    """The captured walk, or the made-up human instead of it."""
    if WALK.is_file():
        return Character(solver.read_bvh(WALK), "CMU 02_01")
    return Character(swaying_human(STRIDE_FRAMES), "synthetic human, for want of ../shared/mocap")


def swaying_human(frames: int) -> solver.Clip:
    """A made-up human whose joints all sway about a slight crouch."""
    skeleton = synthetic.human()
    phases = 2.0 * np.pi * np.arange(frames) / STRIDE_FRAMES
    rhythm = np.arange(3 * len(skeleton)).reshape(-1, 3)
    vectors = SWAY * np.sin(phases[:, None, None] + rhythm)
    for side in ("left", "right"):
        for mark, bend in CROUCH.items():
            vectors[:, getattr(skeleton.landmarks, f"{side}_{mark}"), 0] += bend
    turned = rotations.multiply(skeleton.rest_rotations, rotations.exp(vectors))
    return solver.Clip(skeleton, solver.Motion.from_root(skeleton, turned, np.tile(skeleton.offsets[0], (frames, 1))))
