# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples from which detection learns, its settings, and what it has found of objects."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ..bridge.context import redraw_editors
from .bones import bone_mark_updater
from .constraint import REFERENCES

TEMPLATE_KINDS = (
    ("SPACE", "Stands Still", "It does not move at all: a foot that stands, a hand on a table", "PINNED", 0),
    (
        "LINE",
        "Turns About a Line",
        "It turns about a line that stands still: a hand that opens a door",
        "EMPTY_AXIS",
        1,
    ),
    (
        "POINT",
        "Turns About a Point",
        "It turns about a point that stands still: a foot that turns on its ball, a hand that wipes a globe",
        "SPHERE",
        2,
    ),
)
NOISE_PLACES = (
    ("VIEW", "Viewport", "At the bottom of the 3D viewport, over the frames of the scene"),
    ("EDITORS", "Animation Editors", "In Graph Editors and Dope Sheets, at the frames that these show"),
)


_mark_reference_bone = bone_mark_updater("reference_bone")

search_again: Callable[[Any], None] | None = None
"""Called with the armature when an example or a setting has changed; `workflows.examples` sets it."""


def _search_again(owner: Any, context: Context) -> None:
    if search_again is not None:
        search_again(owner.id_data)


def _follow_reference_bone(owner: Any, context: Context) -> None:
    _mark_reference_bone(owner, context)
    _search_again(owner, context)


def _redraw(owner: Any, context: Context) -> None:
    """Draw the noise pattern again, or no more."""
    redraw_editors("VIEW_3D", "GRAPH_EDITOR", "DOPESHEET_EDITOR")


def _is_no_armature(owner: Any, candidate: Any) -> bool:
    return candidate.type != "ARMATURE"


class Referring:
    """Mixed into groups with a reference: what something rests on, or turns in."""

    reference: EnumProperty(
        name="Relative To",
        description="What it rests on: choose the bone or the object that carries it where that moves, as a hand on a "
        "box that is carried, or a foot on a platform",
        items=REFERENCES,
        update=_search_again,
    )
    reference_bone: StringProperty(
        name="Bone",
        description="The bone that carries it",
        update=_follow_reference_bone,
    )
    reference_bone_id: StringProperty(options={"HIDDEN"})
    reference_object: PointerProperty(
        type=Object, name="Object", description="The object that carries it", update=_search_again
    )


class PoiseTemplate(Referring, PropertyGroup):
    """An example: frames in which a bone or an object does what is looked for. Frames are those of the scene."""

    enabled: BoolProperty(name="Use", description="Learn from this example", default=True, update=_search_again)
    bone: StringProperty(name="Bone", description="The bone of the example", update=bone_mark_updater())
    bone_id: StringProperty(options={"HIDDEN"})
    object: PointerProperty(
        type=Object,
        name="Object",
        description="The object of the example, where it is none of a bone",
        poll=_is_no_armature,
    )
    kind: EnumProperty(
        name="Kind", description="What it does in these frames", items=TEMPLATE_KINDS, update=_search_again
    )
    begin: IntProperty(name="Begin", description="The first frame of the example", update=_search_again)
    end: IntProperty(name="End", description="The last frame of the example", update=_search_again)
    tolerance: FloatProperty(
        name="Tolerance",
        description="How much more than in the example it may tremble and still be found. Raise it where too little is "
        "found, or where what is found is cut into pieces; lower it where too much is found",
        default=1.0,
        min=0.01,
        soft_min=0.25,
        soft_max=4.0,
        step=10,
        update=_search_again,
    )
    rotation: FloatProperty(
        name="Largest Turn",
        description="The turn up to which it counted as still in the last search, over one thirtieth of a second",
        default=-1.0,
        subtype="ANGLE",
    )
    distance: FloatProperty(
        name="Largest Move",
        description="The move up to which it counted as still in the last search, over one thirtieth of a second",
        default=-1.0,
        unit="LENGTH",
        precision=4,
    )


class PoiseObjectEvent(PropertyGroup):
    """Frames in which an object rests, or turns about a line or a point. Frames are those of the scene."""

    name: StringProperty(name="Name", description="What the object does, in words")
    object: PointerProperty(type=Object, name="Object", description="The object that does it")
    kind: EnumProperty(name="Kind", description="What it does", items=TEMPLATE_KINDS)
    begin: FloatProperty(name="Begin", description="The first frame")
    end: FloatProperty(name="End", description="The last frame")
    location: FloatVectorProperty(
        name="Location",
        description="Where it rests, the point that it turns about, or a point of the line, in the world",
        subtype="TRANSLATION",
    )
    direction: FloatVectorProperty(
        name="Direction", description="Along the line that it turns about; zero for other kinds", subtype="XYZ"
    )
    residual: FloatProperty(name="Residual", description="How far it is from there, in the mean", unit="LENGTH")


class PoiseDetection(Referring, PropertyGroup):
    """The examples and settings of detection, and what it has found of objects.

    The reference is that of new examples, and of slides.
    """

    templates: CollectionProperty(
        type=PoiseTemplate, name="Examples", description="Frames that show what to look for, and how much it trembles"
    )
    active_template: IntProperty(
        name="Active Example", description="The example whose settings are shown", min=0, update=_redraw
    )
    shortest: FloatProperty(
        name="Shortest",
        description="Seconds: leave out what lasts for less than this. Raise it where moments are found in which a "
        "bone only happens to be slow",
        default=0.1,
        min=0.0,
        soft_max=2.0,
        step=1,
        precision=2,
        update=_search_again,
    )
    bridged: FloatProperty(
        name="Bridge Gaps",
        description="Seconds: go on after an interruption of up to this long, if the bone is in the same place after "
        "it. Raise it where a single contact is found in several pieces",
        default=0.2,
        min=0.0,
        soft_max=2.0,
        step=1,
        precision=2,
        update=_search_again,
    )
    distance: FloatProperty(
        name="Same Place",
        description="How far apart two lines or points may be and count as the same, as a share of the leg's length",
        default=0.03,
        min=0.0001,
        soft_max=0.2,
        step=1,
        precision=3,
        update=_search_again,
    )
    angle: FloatProperty(
        name="Same Angle",
        description="How far two lines may be turned from each other and count as the same",
        default=math.radians(5.0),
        min=math.radians(0.1),
        soft_max=math.radians(30.0),
        subtype="ANGLE",
        update=_search_again,
    )
    show_noise: BoolProperty(
        name="Show Noise Pattern",
        description="Plot how much the bone or object of the active example turns and moves over the frames, with the "
        "thresholds learnt from the examples and what was found. Use it to see why something is found or not",
        default=True,
        update=_redraw,
    )
    noise_place: EnumProperty(
        name="Plot In", description="Where the noise pattern is plotted", items=NOISE_PLACES, update=_redraw
    )
    object: PointerProperty(
        type=Object,
        name="Object",
        description="An object of the scene, such as a door or a die, whose own motion is searched",
        poll=_is_no_armature,
    )
    events: CollectionProperty(
        type=PoiseObjectEvent, name="What Objects Do", description="When objects rest or turn, as last found"
    )
    active_event: IntProperty(name="Active Event", description="The one that the buttons use", min=0, update=_redraw)
