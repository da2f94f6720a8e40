# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene markers for the events of constraints, for editors that cannot show bars, as the Graph Editor.

Markers cannot be marked as Poise's own, so their names and frames are stored. One that the animator has renamed or
moved since is the animator's and stays.
"""

from __future__ import annotations

import bpy

from .. import bridge
from ..properties import PoiseConstraint, character_of
from .bars import short_name
from .events import Event, events


def update(armature: bpy.types.Object) -> int:
    """Put markers on the events of all enabled constraints, in place of those that were made before; returns how
    many."""
    remove(armature)
    stored = character_of(armature).timeline.markers
    made = [
        (marker_name(item, event), round(event.frame))
        for item in character_of(armature).constraints
        if item.enabled
        for event in events(item)
    ]
    scene = bridge.current_scene()
    for name, frame in made:
        scene.timeline_markers.new(name, frame=frame)
        entry = stored.add()
        entry.name, entry.frame = name, frame
    return len(made)


def refresh(armature: bpy.types.Object) -> None:
    """Update the markers where there are some."""
    if len(character_of(armature).timeline.markers):
        update(armature)


def remove(armature: bpy.types.Object) -> int:
    """Remove the markers that were made before; returns how many there were."""
    stored = character_of(armature).timeline.markers
    own = [(entry.name, entry.frame) for entry in stored]
    stored.clear()
    scene = bridge.current_scene()
    removed = 0
    for marker in list(scene.timeline_markers):
        if (marker.name, marker.frame) in own and marker.camera is None:
            own.remove((marker.name, marker.frame))
            scene.timeline_markers.remove(marker)
            removed += 1
    return removed


def marker_name(item: PoiseConstraint, event: Event) -> str:
    """The name of an event's marker: short, because markers stand close together."""
    if item.kind == "FOOTPLANT":
        return f"{item.foot[0]} {event.label.lower()}"
    if item.kind == "HANDPLANT":
        return f"{item.hand[0]} hand {event.label.lower()}"
    return f"{short_name(item.bone or item.name)} {event.label.lower()}"
