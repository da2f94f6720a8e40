# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving constraints to JSON files, and loading them."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Operator

from ..translation import TranslationError
from ..workflows import import_export
from .on_armature import OnArmature
from .selection import OnConstraints
from .settings import NOT_REMEMBERED, counted

ENDING = ".json"


class WithFile(OnArmature):
    """Mixed into operators on a file, which is chosen in the file browser where none is given."""

    filepath: StringProperty(
        name="File", description="The JSON file with constraints", subtype="FILE_PATH", options=NOT_REMEMBERED
    )
    filter_glob: StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Open the file browser."""
        assert context.window_manager is not None
        context.window_manager.fileselect_add(self)  # type: ignore[arg-type]
        return {"RUNNING_MODAL"}

    def path(self) -> Path:
        """The path of the file; raises where none is given."""
        if not self.filepath:
            raise TranslationError("No file is given: choose one.")
        return Path(bpy.path.abspath(self.filepath))


class POISE_OT_constraints_save(OnConstraints, WithFile, Operator):  # noqa: N801
    """Save constraints"""

    bl_idname = "poise.constraints_save"
    bl_label = "Save Constraints"
    bl_description = "Write the enabled constraints to a JSON file, to apply them to other motions or without Blender"
    bl_options = {"REGISTER"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        path = self.path()
        count, left_out = import_export.save(armature, path.with_suffix(path.suffix or ENDING))
        return " ".join([f"{counted(count, 'constraint')} saved.", *left_out])


class POISE_OT_constraints_load(WithFile, Operator):  # noqa: N801
    """Load constraints"""

    bl_idname = "poise.constraints_load"
    bl_label = "Load Constraints"
    bl_description = (
        "Add the constraints of a JSON file, with handles for their points: those of another motion, or that were"
        " made without Blender"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    replace: BoolProperty(name="Replace", description="Replace the present constraints", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        count = import_export.load(armature, self.path(), self.replace)
        return f"{counted(count, 'constraint')} loaded."


classes = (POISE_OT_constraints_save, POISE_OT_constraints_load)
