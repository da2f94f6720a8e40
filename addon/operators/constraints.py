# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding constraints of the selected bones, and editing the list of constraints."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Operator

from .. import bridge
from ..properties import constraint_list, current_name
from ..properties.constraint import MODES, POSE_SPACES
from ..translation import TranslationError
from ..workflows import create, mirror
from .on_armature import SelectsHandle
from .selection import FromSelection, OnConstraint, select_bones
from .settings import NOT_REMEMBERED


def _count(number: int, one: str, many: str) -> str:
    return f"{one} added." if number == 1 else f"{number} {many} added."


class POISE_OT_constraint_add_pin(FromSelection, SelectsHandle, Operator):  # noqa: N801
    """Pin here"""

    bl_idname = "poise.constraint_add_pin"
    bl_label = "Pin Here"
    bl_description = (
        "Hold each selected bone where it is shown now, at the current frame: to keep a hand or foot in place, or"
        " to move it elsewhere by its handle"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    frame: FloatProperty(
        name="Frame", description="The frame to pin at; the current one if not set", options=NOT_REMEMBERED
    )
    hold: FloatProperty(name="Hold", description="For how many more frames the bone is held there", min=0.0)
    use_tail: BoolProperty(name="Tail", description="Hold the tail of the bone instead of its head")

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        pins = create.add_pins(
            armature, self.chosen(context, armature), self.chosen_frame(context), self.hold, self.use_tail
        )
        return _count(len(pins), "Pin", "pins")


class POISE_OT_constraint_add_trajectory(FromSelection, SelectsHandle, Operator):  # noqa: N801
    """Trajectory"""

    bl_idname = "poise.constraint_add_trajectory"
    bl_label = "Trajectory"
    bl_description = (
        "Add points to the path of each selected bone over the preview range, by which the path can be changed: "
        "for an arc of a hand, or a foot that must step over something"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    begin: FloatProperty(
        name="Begin", description="The first frame; of the preview range if not set", options=NOT_REMEMBERED
    )
    end: FloatProperty(
        name="End", description="The last frame; of the preview range if not set", options=NOT_REMEMBERED
    )
    count: IntProperty(name="Points", description="How many points", default=3, min=1, soft_max=20)
    mode: EnumProperty(
        name="Path", description="How the bone moves from point to point", items=MODES, default="RELATIVE"
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        begin, end = self.span(context)
        bones = self.chosen(context, armature)
        made = create.add_trajectories(armature, bones, begin, end, self.count, self.mode)
        return _count(len(made), "Trajectory", "trajectories")


class POISE_OT_constraint_add_footplant(FromSelection, SelectsHandle, Operator):  # noqa: N801
    """Footplant"""

    bl_idname = "poise.constraint_add_footplant"
    bl_label = "Footplant"
    bl_description = (
        "Keep the foot of the selected bone where it stands over the preview range, or for half a second from the"
        " current frame: where Find has missed a step"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    foot: EnumProperty(
        name="Foot",
        description="Which foot stands",
        items=(
            ("AUTO", "Selected", "The foot of the selected bones"),
            ("LEFT", "Left", "The left foot"),
            ("RIGHT", "Right", "The right foot"),
        ),
        options=NOT_REMEMBERED,
    )
    begin: FloatProperty(name="Begin", description="The frame of its strikes", options=NOT_REMEMBERED)
    end: FloatProperty(name="End", description="The frame at which it leaves", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bridge.check_armature(armature)
        begin, end = self.hold_span(context)
        side = self.foot.lower()
        if side == "auto":
            side = create.foot_of(armature, self.chosen(context, armature))
        return f"{create.add_footplant(armature, side, begin, end).name} added."


class POISE_OT_constraint_add_orientation(FromSelection, SelectsHandle, Operator):  # noqa: N801
    """Orientation"""

    bl_idname = "poise.constraint_add_orientation"
    bl_label = "Orientation"
    bl_description = (
        "Hold the orientation that each selected bone has at the current frame: for a hand that keeps a cup "
        "upright. Turn it by its handle"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    frame: FloatProperty(name="Frame", description="The frame; the current one if not set", options=NOT_REMEMBERED)
    hold: FloatProperty(name="Hold", description="For how many more frames the orientation is held", min=0.0)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        made = create.add_orientations(armature, self.chosen(context, armature), self.chosen_frame(context), self.hold)
        return _count(len(made), "Orientation", "orientations")


class POISE_OT_constraint_add_look_at(FromSelection, SelectsHandle, Operator):  # noqa: N801
    """Look at"""

    bl_idname = "poise.constraint_add_look_at"
    bl_label = "Look At"
    bl_description = (
        "Point each selected bone at a handle ahead of it, or at an object, over the preview range: for a head "
        "that looks at something"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    begin: FloatProperty(
        name="Begin", description="The first frame; of the preview range if not set", options=NOT_REMEMBERED
    )
    end: FloatProperty(
        name="End", description="The last frame; of the preview range if not set", options=NOT_REMEMBERED
    )
    target: StringProperty(
        name="Target", description="The object to look at; a new empty if none", options=NOT_REMEMBERED
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        begin, end = self.span(context)
        made = create.add_look_at(armature, self.chosen(context, armature), begin, end, self.target)
        return _count(len(made), "Look at", "look ats")


class POISE_OT_constraint_add_balance(FromSelection, Operator):  # noqa: N801
    """Balance"""

    bl_idname = "poise.constraint_add_balance"
    bl_label = "Balance"
    bl_description = (
        "Keep the centre of mass over the feet as in the source, over the preview range or in all frames: where "
        "edits make the character look as if it would fall"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    begin: FloatProperty(name="Begin", description="The first frame; else of the preview range", options=NOT_REMEMBERED)
    end: FloatProperty(name="End", description="The last frame; else of the preview range", options=NOT_REMEMBERED)
    use_bones: BoolProperty(
        name="Selected Bones",
        description="Over the middle of the selected bones instead of the feet",
        options=NOT_REMEMBERED,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        scene = context.scene
        assert scene is not None
        is_whole = not scene.use_preview_range and not self.is_set("begin") and not self.is_set("end")
        bones = self.chosen(context, armature) if self.use_bones else []
        item = create.add_balance(armature, None if is_whole else self.span(context), bones)
        return f"{item.name} added."


class POISE_OT_constraint_add_pose(FromSelection, Operator):  # noqa: N801
    """Hold pose"""

    bl_idname = "poise.constraint_add_pose"
    bl_label = "Hold Pose"
    bl_description = (
        "Hold the pose that the selected bones have now over the preview range, or for half a second from the "
        "current frame: for a fist, or an arm in a sling"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    frame: FloatProperty(
        name="Frame", description="The frame of the pose; the current one if not set", options=NOT_REMEMBERED
    )
    begin: FloatProperty(name="Begin", description="The first frame at which it is held", options=NOT_REMEMBERED)
    end: FloatProperty(name="End", description="The last frame at which it is held", options=NOT_REMEMBERED)
    space: EnumProperty(name="Space", description="What the pose is relative to", items=POSE_SPACES)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        begin, end = self.hold_span(context)
        bones = self.chosen(context, armature)
        return f"{create.add_pose(armature, bones, self.chosen_frame(context), begin, end, self.space).name} added."


class POISE_OT_pose_capture(OnConstraint, Operator):  # noqa: N801
    """Hold this pose"""

    bl_idname = "poise.pose_capture"
    bl_label = "Hold This Pose"
    bl_description = "Replace the active held pose by the pose that its bones have now: after posing them anew"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        scene = context.scene
        assert scene is not None
        item = self.constraint(armature)
        if item.kind != "POSE":
            raise TranslationError(f"{item.name}: it holds no pose.")
        create.capture_pose(armature, item, scene.frame_current_final)
        return f"{item.name} holds the pose of frame {scene.frame_current_final:g}."


class POISE_OT_constraint_remove(OnConstraint, Operator):  # noqa: N801
    """Remove"""

    bl_idname = "poise.constraint_remove"
    bl_label = "Remove Constraint"
    bl_description = "Remove the active constraint and its handles"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        name = self.constraint(armature).name
        constraint_list.remove(armature, self.chosen_index(armature))
        return f"{name} removed."


class POISE_OT_constraint_duplicate(OnConstraint, SelectsHandle, Operator):  # noqa: N801
    """Duplicate"""

    bl_idname = "poise.constraint_duplicate"
    bl_label = "Duplicate Constraint"
    bl_description = "Copy the active constraint, with handles of its own: to use it again at other frames"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return f"{constraint_list.duplicate(armature, self.chosen_index(armature)).name} added."


class POISE_OT_constraint_mirror(OnConstraint, SelectsHandle, Operator):  # noqa: N801
    """Mirror"""

    bl_idname = "poise.constraint_mirror"
    bl_label = "Mirror Constraint"
    bl_description = (
        "Copy the active constraint to the other side of the character: to do with the right hand what the left "
        "one does"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return f"{mirror.mirror(armature, self.chosen_index(armature)).name} added."


class POISE_OT_constraint_move(OnConstraint, Operator):  # noqa: N801
    """Move in priority"""

    bl_idname = "poise.constraint_move"
    bl_label = "Change Priority"
    bl_description = (
        "Raise or lower the priority of the active constraint: raise it where it is missed for the sake of "
        "another one. First it gets a priority of its own, then the next one in use"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    direction: EnumProperty(
        name="Direction",
        description="Raise or lower",
        items=(("UP", "Up", "More important"), ("DOWN", "Down", "Less important")),
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        item = self.constraint(armature)
        if not constraint_list.move(armature, self.chosen_index(armature), self.direction == "UP"):
            most = "most" if self.direction == "UP" else "least"
            raise TranslationError(f"{item.name} is the {most} important one already.")
        return f"{item.name} has priority {item.priority} now."


class POISE_OT_constraint_select_bones(OnConstraint, Operator):  # noqa: N801
    """Select its bones"""

    bl_idname = "poise.constraint_select_bones"
    bl_label = "Select Bones"
    bl_description = "Select the bones of the active constraint, to see which they are or to pose them"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    extend: BoolProperty(name="Extend", description="Keep the present selection", options=NOT_REMEMBERED)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        item = self.constraint(armature)
        named = [current_name(armature, each) for each in (item, *item.bones) if each.bone]
        selected = select_bones(armature, named, self.extend)
        if not selected:
            raise TranslationError(f"{item.name}: there is no bone to select.")
        return f"{', '.join(selected)} selected."


class POISE_OT_constraint_pick(OnConstraint, FromSelection, Operator):  # noqa: N801
    """Take the selected bones"""

    bl_idname = "poise.constraint_pick"
    bl_label = "Use Selected Bones"
    bl_description = (
        "Use the selected bones for the active constraint: as its bones, as what its points move with, or as the "
        "bones that may move for it"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    role: EnumProperty(
        name="Role",
        description="What the bones are for the constraint",
        items=(
            ("BONE", "Bone", "The constrained bone; all selected ones for a pose or balance"),
            ("REFERENCE", "Moves With", "Its points move along with this bone"),
            ("RECRUITED", "May Move", "Only these bones may move for it"),
        ),
        options=NOT_REMEMBERED,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        bones = self.chosen(context, armature)
        item = self.constraint(armature)
        scene = context.scene
        assert scene is not None
        create.use_bones(armature, item, self.role, bones, scene.frame_current_final)
        return f"{item.name} takes {', '.join(bones)}."


classes = (
    POISE_OT_constraint_add_pin,
    POISE_OT_constraint_add_trajectory,
    POISE_OT_constraint_add_footplant,
    POISE_OT_constraint_add_orientation,
    POISE_OT_constraint_add_look_at,
    POISE_OT_constraint_add_balance,
    POISE_OT_constraint_add_pose,
    POISE_OT_pose_capture,
    POISE_OT_constraint_remove,
    POISE_OT_constraint_duplicate,
    POISE_OT_constraint_mirror,
    POISE_OT_constraint_move,
    POISE_OT_constraint_select_bones,
    POISE_OT_constraint_pick,
)
