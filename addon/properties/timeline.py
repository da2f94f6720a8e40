# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown of a character in the timeline: the switch of the bars, and which scene markers are Poise's own."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from bpy.props import BoolProperty, CollectionProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup


class PoiseMarker(PropertyGroup):
    """A scene marker that was made for an event. Markers cannot be marked themselves, so it is known by both."""

    name: StringProperty(name="Name", description="The name that the marker got")
    frame: IntProperty(name="Frame", description="The frame that the marker was put on")


class PoiseTimeline(PropertyGroup):
    """The timeline's settings of a character."""

    show_bars: BoolProperty(
        name="Bars in Timeline",
        description="Show constraints as bars in the Timeline and the Dope Sheet, where their events can be dragged; "
        "switch it off where they are in the way of keyframes",
        default=True,
    )
    markers: CollectionProperty(
        type=PoiseMarker, name="Event Markers", description="The scene markers that were made for events"
    )
