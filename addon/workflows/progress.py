# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of solves that are running, for the panel and the status bar. It is never saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...solver import Stage


class ShownStage(NamedTuple):
    """How a stage of a solve is shown."""

    label: str
    begin: float
    """Where it begins in the whole solve, from 0 to 1, about as stages take their time on a captured walk."""


READING = "reading"
BAKING = "baking"
"""The stages of the add-on; all others are those of the solver."""

STAGES = {
    READING: ShownStage("Reading", 0.0),
    Stage.COARSE.value: ShownStage("Solving", 0.2),
    Stage.BOUNDARIES.value: ShownStage("Solving", 0.3),
    Stage.CONFLICTS.value: ShownStage("Resolving conflicts", 0.4),
    Stage.SOLVING.value: ShownStage("Solving", 0.6),
    Stage.CLEARANCE.value: ShownStage("Lifting feet", 0.8),
    BAKING: ShownStage("Baking", 0.9),
}
"""By the names that the solver and the workflows yield."""


@dataclass
class RunningSolve:
    """The progress of a solve that is running."""

    armature: str
    """The name of its object."""
    label: str = STAGES[READING].label
    """What is being done, in an animator's words."""
    share: float = 0.0
    """Of the whole, from 0 to 1; it never falls."""

    def update(self, stage: str, share: float) -> None:
        """Set the label and the share of the whole from the share that is done of a stage."""
        self.label, begin = STAGES[stage]
        end = min((other.begin for other in STAGES.values() if other.begin > begin), default=1.0)
        self.share = max(self.share, begin + (end - begin) * min(max(share, 0.0), 1.0))


_running: list[RunningSolve] = []


def begin(armature: str) -> RunningSolve:
    """Add the solve of an armature to those that are shown."""
    running = RunningSolve(armature)
    _running.append(running)
    return running


def end(running: RunningSolve) -> None:
    """Remove a solve from those that are shown."""
    if running in _running:
        _running.remove(running)


def of(armature: str) -> RunningSolve | None:
    """The running solve of an armature; None where there is none."""
    return next((running for running in _running if running.armature == armature), None)
