# SPDX-License-Identifier: GPL-3.0-or-later
"""Switching live mode on and off: it begins with a result, and ends with keys."""

from __future__ import annotations

from collections.abc import Generator

import bpy

from .. import bridge
from ..properties import character_of
from ..workflows import latest, solve
from ..workflows.progress import StageShare
from . import watching
from .session import options_of


def toggle_in_steps(armature: bpy.types.Object) -> Generator[StageShare, None, str]:
    """Switch live mode of an armature off, or on after a solve where its result is not that of its constraints; returns
    a sentence. Closing the generator changes nothing."""
    name = armature.name
    if character_of(armature).live:
        settle(armature)
        return "Live mode is off: press Solve after edits."
    options = options_of(armature)
    if latest.of(armature) is None or not bridge.has_result(armature) or latest.is_stale(armature):
        result = yield from solve.solve_in_steps(armature, options)
        armature = result.reading.armature
    character = character_of(armature)
    character.live, character.live_state.problem = True, ""
    watching.begin(armature)
    return f"Live mode is on: edits of the constraints of {name!r} are solved at once."


def settle(armature: bpy.types.Object) -> None:
    """Switch live mode off where it is on, with keys of the newest edit: where the result is to be used as it is."""
    if character_of(armature).live:
        watching.leave(armature)
        character_of(armature).live = False
