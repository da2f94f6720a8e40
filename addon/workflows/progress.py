# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of work that is running, for the panel and the status bar. It is never saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ...solver import Stage

_Yielded = TypeVar("_Yielded")
_Returned = TypeVar("_Returned")

StageShare = tuple[str, float]
"""A stage of some work, by its name in one of the tables below, and the share of it that is done, from 0 to 1."""


class ShownStage(NamedTuple):
    """How a stage is shown."""

    label: str
    begin: float
    """Where it begins in the whole, from 0 to 1, about as stages take their time on a captured walk."""


Stages = Mapping[str, ShownStage]
"""The stages of a kind of work, by the names that the solver and the workflows yield."""

READING = "reading"
BAKING = "baking"
FAULTS = "faults"
DETECTING = "detecting"
CLEANING = "cleaning"
MEASURING = "measuring"
FITTING = "fitting"
TRANSFORMING = "transforming"
"""The stages of the add-on; all others are those of the solver."""

SOLVE: Stages = {
    READING: ShownStage("Reading", 0.0),
    Stage.COARSE.value: ShownStage("Solving", 0.2),
    Stage.BOUNDARIES.value: ShownStage("Solving", 0.3),
    Stage.CONFLICTS.value: ShownStage("Resolving conflicts", 0.4),
    Stage.SOLVING.value: ShownStage("Solving", 0.6),
    Stage.CLEARANCE.value: ShownStage("Lifting feet", 0.8),
    BAKING: ShownStage("Baking", 0.9),
}
CLEAN: Stages = {
    READING: ShownStage("Reading", 0.0),
    FAULTS: ShownStage("Looking for faults", 0.3),
    DETECTING: ShownStage("Finding plants", 0.35),
    CLEANING: ShownStage("Cleaning", 0.5),
    MEASURING: ShownStage("Measuring", 0.75),
    BAKING: ShownStage("Baking", 0.8),
}
FIND: Stages = {
    READING: ShownStage("Reading", 0.0),
    DETECTING: ShownStage("Finding", 0.5),
}
FIT: Stages = {
    READING: ShownStage("Reading", 0.0),
    DETECTING: ShownStage("Finding plants", 0.05),
    FITTING: ShownStage("Fitting the motion", 0.1),
}
PHYSICS: Stages = {
    READING: ShownStage("Reading", 0.0),
    DETECTING: ShownStage("Finding plants", 0.05),
    FITTING: ShownStage("Fitting the motion", 0.1),
    TRANSFORMING: ShownStage("Solving the physics", 0.5),
    BAKING: ShownStage("Baking", 0.95),
}


@dataclass
class RunningWork:
    """The progress of work that is running."""

    armature: str
    """The name of its object."""
    stages: Stages = field(default_factory=lambda: SOLVE)
    label: str = SOLVE[READING].label
    """What is being done, in an animator's words."""
    share: float = 0.0
    """Of the whole, from 0 to 1; it never falls."""

    def update(self, stage: str, share: float) -> None:
        """Set the label and the share of the whole from the share that is done of a stage."""
        self.label, begin = self.stages[stage]
        end = min((other.begin for other in self.stages.values() if other.begin > begin), default=1.0)
        self.share = max(self.share, begin + (end - begin) * min(max(share, 0.0), 1.0))


_running: list[RunningWork] = []


def begin(armature: str, stages: Stages = SOLVE) -> RunningWork:
    """Add work on an armature to what is shown."""
    running = RunningWork(armature, stages)
    _running.append(running)
    return running


def end(running: RunningWork) -> None:
    """Remove work from what is shown."""
    if running in _running:
        _running.remove(running)


def of(armature: str) -> RunningWork | None:
    """The work that is running on an armature; None where there is none."""
    return next((running for running in _running if running.armature == armature), None)
