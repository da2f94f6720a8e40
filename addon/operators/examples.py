# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding what bones and objects do, from examples and without: rests, turns and slides."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
from bpy.props import EnumProperty, IntProperty
from bpy.types import Operator

from .. import bridge, translation
from ..properties import character_of, current_name
from ..properties.templates import TEMPLATE_KINDS
from ..workflows import examples, object_events, progress, slides
from .in_steps import InSteps, Steps
from .on_armature import OnArmature
from .selection import FromSelection, select_bones, selected_bones
from .settings import NOT_REMEMBERED, counted

SOURCES = (
    ("AUTO", "Preview Range or Keys", "The preview range where it is in use, else the selected keys"),
    ("PREVIEW", "Preview Range", "The frames of the preview range"),
    ("KEYS", "Selected Keys", "From the first to the last key that is selected"),
)


def _times(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {counted(count, 'time')}" for name, count in counts.items())


def _frames(context: bpy.types.Context, source: str, animated: bpy.types.Object, bones: list[str]) -> tuple[int, int]:
    """The frames that the animator has chosen for an example."""
    scene = context.scene
    assert scene is not None
    if source != "KEYS" and scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    keys = bridge.selected_frames(animated, bones) if source != "PREVIEW" else None
    if keys is None:
        raise translation.TranslationError(
            "There is no example: set the preview range (P in the timeline) to frames in which it does what you are "
            "looking for, or select its keys of these frames."
        )
    return keys


class GivesExample(FromSelection):
    """Mixed into operators that add an example: its bones, kind and frames."""

    kind: EnumProperty(
        name="Kind", description="What the bone does in the example", items=TEMPLATE_KINDS, options=NOT_REMEMBERED
    )
    begin: IntProperty(name="Begin", description="The first frame of the example", options=NOT_REMEMBERED)
    end: IntProperty(name="End", description="The last frame of the example", options=NOT_REMEMBERED)
    source: EnumProperty(
        name="Frames", description="Which frames are the example", items=SOURCES, options=NOT_REMEMBERED
    )

    def examples(
        self, context: bpy.types.Context, armature: bpy.types.Object, target: bpy.types.Object | None = None
    ) -> examples.NewExamples:
        """The examples: of each bone, or of an object."""
        operator: Any = self
        bones = self.chosen(context, armature) if target is None else []
        if not self.is_set("kind"):
            operator.kind = character_of(armature).template_kind
        if not (self.is_set("begin") and self.is_set("end")):
            operator.begin, operator.end = _frames(context, self.source, target or armature, bones)
        return examples.NewExamples(bones, operator.kind.lower(), operator.begin, operator.end, target)


class POISE_OT_template_add(GivesExample, Operator):  # noqa: N801
    """Add an example of what to find"""

    bl_idname = "poise.template_add"
    bl_label = "Add Example"
    bl_description = (
        "Take the preview range, or the selected keys, as an example of what the selected bones do. Add a second one "
        "where the first finds too little or too much: each sets how much its part of the motion may tremble"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        added = examples.add_examples(armature, self.examples(context, armature))
        return f"{counted(len(added), 'example')} added: Find More Like This uses all that are switched on."


class POISE_OT_template_add_object(GivesExample, Operator):  # noqa: N801
    """Add an example of what an object does"""

    bl_idname = "poise.template_add_object"
    bl_label = "Add Example of Object"
    bl_description = (
        "Take the preview range, or the selected keys, as an example of what the chosen object does. Needed only where "
        "its motion was captured or simulated and trembles"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        target = _chosen_object(armature)
        examples.add_examples(armature, self.examples(context, armature, target))
        return f"Example of {target.name} added: Find More Like This uses all that are switched on."


class OnExample(OnArmature):
    """Mixed into operators for one example: the given one, or the active one."""

    properties: Any

    index: IntProperty(
        name="Example", description="Its index in the list; the active one if not set", options=NOT_REMEMBERED
    )

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return "" if len(examples.detection_of(armature).templates) else "There is no example yet: add one first"

    def chosen_index(self, armature: bpy.types.Object) -> int:
        """Its index in the list."""
        settings: Any = examples.detection_of(armature)
        if not self.properties.is_property_set("index"):
            self.index = min(settings.active_template, len(settings.templates) - 1)
        if not 0 <= self.index < len(settings.templates):
            raise translation.TranslationError(
                f"There is no example {self.index}: there are {len(settings.templates)}, counted from 0."
            )
        return int(self.index)


class POISE_OT_template_remove(OnExample, Operator):  # noqa: N801
    """Remove an example"""

    bl_idname = "poise.template_remove"
    bl_label = "Remove Example"
    bl_description = "Remove this example, and search again with the others if a search is quick"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        examples.remove_example(armature, self.chosen_index(armature))
        return "The example was removed."


class POISE_OT_template_show(OnExample, Operator):  # noqa: N801
    """Go to an example"""

    bl_idname = "poise.template_show"
    bl_label = "Go to Example"
    bl_description = "Go to the first frame of this example and select its bone, to see what it shows"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        template: Any = examples.detection_of(armature).templates[self.chosen_index(armature)]
        assert context.scene is not None
        context.scene.frame_set(template.begin)
        if template.bone:
            select_bones(armature, [current_name(armature, template)])
        return f"The example is from frame {template.begin} to {template.end}."


class POISE_OT_detect_template(InSteps, GivesExample, Operator):  # noqa: N801
    """Find where bones do again what they do in the examples"""

    bl_idname = "poise.detect_template"
    bl_label = "Find More Like This"
    bl_description = (
        "Find where else in the motion the bones and objects of the examples do the same. Use it for contacts other "
        "than footplants: a hand on a table, a foot that turns on its ball, a hand that opens a door. Without an "
        "example yet, the selected bones in the preview range are one"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Finding"
    stages = progress.FIND

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        is_given = bool(self.bone) or self.is_set("begin")
        has_examples = len(examples.detection_of(armature).templates) > 0
        new = self.examples(context, armature) if is_given or not has_examples else None
        return (yield from examples.find_like_examples_in_steps(armature, new))

    def finish(self, armature: bpy.types.Object, found: examples.FoundLikeExamples) -> str:
        return f"Found: {_times(found.counts)}."


class POISE_OT_detect_slides(InSteps, FromSelection, Operator):  # noqa: N801
    """Find where bones slide"""

    bl_idname = "poise.detect_slides"
    bl_label = "Find Slides"
    bl_description = (
        "Find where the selected bones slide along a line or on a plane, and propose trajectories that stay on it: a "
        "hand on a rail or a table top, a foot on skis. No example is needed; without selected bones both hands are "
        "searched"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Finding"
    stages = progress.FIND

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        return (yield from slides.find_slides_in_steps(armature, self.chosen(context, armature)))

    def finish(self, armature: bpy.types.Object, counts: dict[str, int]) -> str:
        return f"Slides: {_times(counts)}."


class POISE_OT_detect_stays(InSteps, FromSelection, Operator):  # noqa: N801
    """Find where bones stay"""

    bl_idname = "poise.detect_stays"
    bl_label = "Find Stays"
    bl_description = (
        "Find where the selected bones stay in one place, turning or not, and propose pins: a hand on the rung of a "
        "ladder or on the floor. No example is needed; without selected bones both hands are searched"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Finding"
    stages = progress.FIND

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        return (yield from slides.find_stays_in_steps(armature, self.chosen(context, armature)))

    def finish(self, armature: bpy.types.Object, counts: dict[str, int]) -> str:
        return f"Stays: {_times(counts)}."


# Objects ------------------------------------------------------------------------------------------------------------


def _chosen_object(armature: bpy.types.Object) -> bpy.types.Object:
    target: bpy.types.Object | None = examples.detection_of(armature).object
    if target is None:
        raise translation.TranslationError("No object is chosen: choose the object to look at.")
    return target


class POISE_OT_detect_object(InSteps, Operator):  # noqa: N801
    """Find when an object rests or turns"""

    bl_idname = "poise.detect_object"
    bl_label = "Find What It Does"
    bl_description = (
        "List when the chosen object rests, turns about a line or turns about a point: a die that rolls, a door that "
        "opens. Then bones can hold on to it for just these frames"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    title = "Finding"
    stages = progress.FIND

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        return (yield from object_events.find_in_steps(armature, _chosen_object(armature)))

    def finish(self, armature: bpy.types.Object, count: int) -> str:
        return f"Found: {_times({_chosen_object(armature).name: count})}."


class OnEvent(OnArmature):
    """Mixed into operators for one entry of what objects do: the given one, or the active one."""

    properties: Any

    index: IntProperty(
        name="Entry", description="Its index in the list; the active one if not set", options=NOT_REMEMBERED
    )

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        has_events = len(examples.detection_of(armature).events) > 0
        return "" if has_events else "Nothing is known of an object yet: find what one does first"

    def chosen_index(self, armature: bpy.types.Object) -> int:
        """Its index in the list."""
        settings: Any = examples.detection_of(armature)
        if not self.properties.is_property_set("index"):
            self.index = min(settings.active_event, len(settings.events) - 1)
        return int(self.index)


class POISE_OT_event_show(OnEvent, Operator):  # noqa: N801
    """Go to what an object does"""

    bl_idname = "poise.event_show"
    bl_label = "Go to Frame"
    bl_description = "Go to the first frame in which the object does this"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        event = object_events.event_at(armature, self.chosen_index(armature))
        assert context.scene is not None
        context.scene.frame_set(int(event.begin))
        return f"{event.name}, to frame {event.end:g}."


class POISE_OT_event_hold(OnEvent, Operator):  # noqa: N801
    """Let bones hold an object"""

    bl_idname = "poise.event_hold"
    bl_label = "Hold On to It"
    bl_description = (
        "Pin the selected bones to the object for the frames of this entry, so that they stay on it where it is moved: "
        "a hand on a door while that opens"
    )
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        made = object_events.hold_on(armature, selected_bones(armature), self.chosen_index(armature))
        return f"{counted(len(made), 'pin')} added."


class POISE_OT_events_clear(OnEvent, Operator):  # noqa: N801
    """Clear what objects do"""

    bl_idname = "poise.events_clear"
    bl_label = "Clear List"
    bl_description = "Clear the list of what objects do; constraints that were made of it stay"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        settings: Any = examples.detection_of(armature)
        settings.events.clear()
        return "The list is clear."


classes = (
    POISE_OT_template_add,
    POISE_OT_template_add_object,
    POISE_OT_template_remove,
    POISE_OT_template_show,
    POISE_OT_detect_template,
    POISE_OT_detect_slides,
    POISE_OT_detect_stays,
    POISE_OT_detect_object,
    POISE_OT_event_show,
    POISE_OT_event_hold,
    POISE_OT_events_clear,
)
