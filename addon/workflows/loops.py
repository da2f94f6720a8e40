# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a motion is solved and cleaned as a loop, and how fast the ground moves under it."""

from __future__ import annotations

import numpy as np

from ... import solver
from .. import bridge
from ..properties import character_of
from . import messages


def is_loop(reading: bridge.Reading, clip: solver.Clip) -> bool:
    """Whether what was read is to be a loop: as the animator says, else if it is one or its action is marked so."""
    chosen = character_of(reading.armature).loop
    if chosen != "AUTO":
        return bool(chosen == "ON")
    return solver.is_cyclic(clip) or bridge.is_marked_cyclic(reading)


def ground_in_words(clip: solver.Clip) -> str:
    """A sentence for a character that walks in place; empty for others."""
    speed = float(np.linalg.norm(solver.ground_velocity(clip)))
    if speed == 0.0:
        return ""
    what = "a cycle in place" if solver.is_cyclic(clip) else "a walk in place"
    return f"This is {what}: the ground moves by {messages.amount(speed, is_angular=False)}/s, and the plants with it."
