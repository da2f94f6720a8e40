# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator was not told, it takes from the panel's settings: so it then shows what it has really used."""

from __future__ import annotations

from typing import Any

import bpy

from .. import bridge
from ..properties import character_of

NOT_REMEMBERED = {"SKIP_SAVE"}
"""Of properties whose last value must not come back by itself: what is not given is taken from the panel."""

SHARED_SETTINGS = ("target", "tolerance", "quality")
"""Properties of operators with the same names and meanings as the character's."""


def fill_from_panel(operator: Any, armature: bpy.types.Object) -> None:
    """Set the properties of an operator that were not given: range, target, thinning and quality."""
    character = character_of(armature)
    scene = bridge.current_scene()
    given = operator.properties.is_property_set
    if not given("begin"):
        operator.begin = character.begin if character.use_range else scene.frame_start
    if not given("end"):
        operator.end = character.end if character.use_range else scene.frame_end
    for name in SHARED_SETTINGS:
        if hasattr(operator, name) and not given(name):
            setattr(operator, name, getattr(character, name))
