# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of live mode and of the newest result, as saved on a character."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from bpy.props import StringProperty
from bpy.types import PropertyGroup


class PoiseLiveState(PropertyGroup):
    """What is known of the newest result. Undo restores it together with the result."""

    solved: StringProperty(
        name="Solved", description="The signature of all that the result was solved from", options={"HIDDEN"}
    )
    problem: StringProperty(name="Problem", description="Why live mode was switched off, in one sentence")
