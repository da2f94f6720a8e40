# SPDX-License-Identifier: GPL-3.0-or-later
"""Several constraints of the list at once: selecting them, and changing all that are selected."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Operator

from .. import bridge
from ..properties import active_constraint, armature_in
from ..properties.points import default_ease
from ..workflows import selected
from .on_armature import OnArmature
from .selection import OnConstraints
from .settings import NOT_REMEMBERED, counted

SELECTIONS = (
    ("ALL", "All", "Select all constraints"),
    ("NONE", "None", "Deselect all constraints"),
    ("INVERT", "Invert", "Select those that are not selected, and deselect the others"),
    ("KIND", "Same Kind", "Select those of the active one's kind: all footplants, or all pins"),
    ("BONE", "Same Bone", "Select those of the active one's bone or foot"),
    ("SIMILAR", "Similar", "Select those of the active one's kind and bone: all plants of one foot"),
    ("MISSED", "Missed", "Select those that the last solve has missed"),
    ("DISABLED", "Switched Off", "Select those that are switched off, to delete them or to switch them on"),
)

EDITED = ("priority", "weight", "ease_in", "ease_out")
"""The properties that the pop-up sets, each behind a switch."""


class POISE_OT_constraints_select(OnConstraints, Operator):  # noqa: N801
    """Select constraints"""

    bl_idname = "poise.constraints_select"
    bl_label = "Select Constraints"
    bl_description = "Select several constraints in the list, to change all of them at once"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    by: EnumProperty(name="Which", description="Which constraints", items=SELECTIONS, options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return f"{counted(selected.select(armature, self.by), 'constraint')} selected."


class POISE_OT_constraint_select(OnConstraints, Operator):  # noqa: N801
    """Select a constraint"""

    bl_idname = "poise.constraint_select"
    bl_label = "Select Constraint"
    bl_description = (
        "Select this constraint, to change several at once. Shift: all from the active one to this one. Ctrl: this one "
        "alone"
    )
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012

    index: IntProperty(name="Index", description="Which constraint, counted from 0", options=NOT_REMEMBERED)
    extend: BoolProperty(
        name="Extend", description="Select all between the active one and this one too", options=NOT_REMEMBERED
    )
    only: BoolProperty(name="Only", description="Deselect all others", options=NOT_REMEMBERED)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Shift extends, and Ctrl selects this one alone."""
        self.extend, self.only = event.shift, event.ctrl
        return self.execute(context)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        selected.select_one(armature, self.index, self.extend, self.only)
        return f"{counted(len(selected.of(armature)), 'constraint')} selected."


class OnSelected(OnArmature):
    """Mixed into operators on the selected constraints."""

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if selected.of(armature) else "No constraint is selected: click the dots at the left of the list"


class POISE_OT_selected_edit(OnSelected, Operator):  # noqa: N801
    """Change all selected constraints"""

    bl_idname = "poise.selected_edit"
    bl_label = "Change Selected"
    bl_description = (
        "Set priority, weight and eases of all selected constraints at once: to let all plants of a foot come first, "
        "or to soften them together"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    use_priority: BoolProperty(name="Priority", description="Set the priority", options=NOT_REMEMBERED)
    priority: IntProperty(name="Priority", description="Larger numbers come first", options=NOT_REMEMBERED)
    use_weight: BoolProperty(name="Weight", description="Set the weight", options=NOT_REMEMBERED)
    weight: FloatProperty(
        name="Weight",
        description="Share among constraints of the same priority",
        default=1.0,
        min=1e-6,
        soft_max=10.0,
        options=NOT_REMEMBERED,
    )
    use_ease_in: BoolProperty(
        name="Ease In", description="Set the ease of plants and held poses", options=NOT_REMEMBERED
    )
    ease_in: FloatProperty(
        name="Ease In", description="In frames", default=-1.0, min=-1.0, step=100, options=NOT_REMEMBERED
    )
    use_ease_out: BoolProperty(
        name="Ease Out", description="Set the ease of plants and held poses", options=NOT_REMEMBERED
    )
    ease_out: FloatProperty(
        name="Ease Out", description="In frames", default=-1.0, min=-1.0, step=100, options=NOT_REMEMBERED
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Begin with the values of the active constraint, and open the pop-up."""
        armature = armature_in(context)
        assert armature is not None
        model: Any = active_constraint(armature)
        if model is None or not model.selected:
            model = selected.of(armature)[0]
        for name in EDITED:
            if not self.properties.is_property_set(name):
                value = getattr(model, name)
                setattr(self, name, default_ease(model) if name.startswith("ease_") and value < 0.0 else value)
        if context.window_manager is None or context.window is None:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, width=260)

    def draw(self, context: bpy.types.Context) -> None:
        """A switch and a value for each property."""
        armature = armature_in(context)
        layout: Any = self.layout
        if armature is not None:
            layout.label(text=f"{counted(len(selected.of(armature)), 'constraint')} selected", translate=False)
        for name in EDITED:
            row = layout.split(factor=0.45)
            row.prop(self, f"use_{name}")
            value = row.row()
            value.active = getattr(self, f"use_{name}")
            value.prop(self, name, text="")

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        changes = {name: getattr(self, name) for name in EDITED if getattr(self, f"use_{name}")}
        return f"{counted(selected.edit(armature, changes), 'constraint')} changed."


class POISE_OT_selected_enable(OnSelected, Operator):  # noqa: N801
    """Switch all selected constraints on or off"""

    bl_idname = "poise.selected_enable"
    bl_label = "Switch Selected On or Off"
    bl_description = "Switch all selected constraints on or off: to see the motion without them"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    enabled: BoolProperty(name="On", description="Use them in the next solve", default=True, options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        count = selected.edit(armature, {"enabled": self.enabled})
        return f"{counted(count, 'constraint')} switched {'on' if self.enabled else 'off'}."


class POISE_OT_selected_remove(OnSelected, Operator):  # noqa: N801
    """Remove all selected constraints"""

    bl_idname = "poise.selected_remove"
    bl_label = "Remove Selected"
    bl_description = "Remove all selected constraints and their handles"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        return f"{counted(selected.remove_all(armature), 'constraint')} removed."


classes = (
    POISE_OT_constraints_select,
    POISE_OT_constraint_select,
    POISE_OT_selected_edit,
    POISE_OT_selected_enable,
    POISE_OT_selected_remove,
)
