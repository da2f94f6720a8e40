# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of operators that default to the settings in the panel, and text that reports share."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from .. import bridge
from ..properties import character_of
from ..properties.character import TARGETS

NOT_REMEMBERED = {"SKIP_SAVE"}
"""Options of properties that Blender must not set to their last value: what is not given comes from the panel."""

SHARED_SETTINGS = ("target", "tolerance", "quality")
"""Properties of operators with the names and meanings of those of the character."""


class BakesResult:
    """Mixed into operators that bake a result: its range of frames, its target and the thinning of its keys."""

    begin: IntProperty(name="Begin", description="The first frame", options=NOT_REMEMBERED)
    end: IntProperty(name="End", description="The last frame", options=NOT_REMEMBERED)
    target: EnumProperty(
        name="Result", description="Where the result is baked to", items=TARGETS, options=NOT_REMEMBERED
    )
    tolerance: FloatProperty(
        name="Thinning",
        description="Leave out keys where curves stay this near the motion; 0 keys every frame",
        min=0.0,
        precision=4,
        options=NOT_REMEMBERED,
    )


def fill_from_panel(operator: Any, armature: bpy.types.Object) -> None:
    """Set the properties of an operator that were not given: range, target, thinning and quality.

    So the operator then shows what it has used.
    """
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


def counted(count: int, noun: str) -> str:
    """A number with its noun, such as "1 bone" or "3 bones"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
