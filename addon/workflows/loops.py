# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motion is solved and cleaned as a loop, and how fast the ground moves under it."""

from __future__ import annotations

import numpy as np

from ... import solver
from .. import bridge
from ..properties import character_of
from . import messages


def is_loop(reading: bridge.Reading, clip: solver.Clip) -> bool:
    """Whether a motion is solved as a loop: as set, else if it is one or its action is marked cyclic."""
    chosen = character_of(reading.armature).loop
    if chosen != "AUTO":
        return bool(chosen == "ON")
    return solver.is_cyclic(clip) or bridge.is_marked_cyclic(reading)


def moving_ground_sentence(clip: solver.Clip) -> str:
    """A sentence about the speed of the ground under a character that walks in place; empty for others."""
    speed = float(np.linalg.norm(solver.ground_velocity(clip)))
    if speed == 0.0:
        return ""
    motion = "a cycle in place" if solver.is_cyclic(clip) else "a walk in place"
    per_second = messages.format_amount(speed, is_angular=False)
    return f"This is {motion}: the ground moves by {per_second}/s, and the plants with it."
