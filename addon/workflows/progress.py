# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a solve that runs in the window has come: for the panel, and for nobody else. Never saved."""

from __future__ import annotations

from dataclasses import dataclass

BEGINS = {
    "reading": 0.0,
    "boundaries": 0.2,
    "coarse": 0.3,
    "solving": 0.45,
    "conflicts": 0.6,
    "smoothing": 0.75,
    "clearance": 0.85,
    "telling": 0.9,
    "baking": 0.95,
}
"""Where stages begin in the whole, about as they take their time on a captured walk."""


@dataclass
class Shown:
    """A solve that is running."""

    armature: str
    """The name of its object."""
    stage: str = "reading"
    share: float = 0.0
    """Of the whole, from 0 to 1; it never falls."""

    def told(self, stage: str, share: float) -> None:
        """Take notice of a share of one of the solver's stages."""
        self.stage = stage
        begin = BEGINS.get(stage, self.share)
        end = min((other for other in BEGINS.values() if other > begin), default=1.0)
        self.share = max(self.share, begin + (end - begin) * min(max(share, 0.0), 1.0))


_running: list[Shown] = []


def begin(armature: str) -> Shown:
    """Show a new solve."""
    shown = Shown(armature)
    _running.append(shown)
    return shown


def end(shown: Shown) -> None:
    """Show it no longer."""
    if shown in _running:
        _running.remove(shown)


def of(armature: str) -> Shown | None:
    """The solve of an armature that is running, if there is one."""
    return next((shown for shown in _running if shown.armature == armature), None)
