# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects do is drawn where it was found, and is gone with the objects."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay.object_events import AXIS, CROSS, Event, event_picture, events_of
from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.parts import Parts
from poise.examples.detection.bodies import door

from ..bodies import moving_box


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def event(kind: str, **fields: Any) -> Event:
    direction = (0.0, 0.6, 0.8) if kind == "LINE" else (0.0, 0.0, 0.0)
    return Event("Door", kind, 10.0, 20.0, False, (1.0, 2.0, 3.0), direction, 2.0)._replace(**fields)


def test_an_axis_is_a_line_and_a_point_a_cross(palette: Palette) -> None:
    line = event_picture([event("LINE")], 15.0, palette).vertices["bold"].places
    assert line[1] - line[0] == pytest.approx(2.0 * AXIS * 2.0 * np.array([0.0, 0.6, 0.8]), abs=1e-5)
    assert line.mean(axis=0) == pytest.approx([1.0, 2.0, 3.0])
    for kind, drawn in (("POINT", "bold"), ("SPACE", "thin")):
        picture = event_picture([event(kind)], 15.0, palette)
        cross = picture.vertices[drawn].places.reshape(3, 2, 3)  # type: ignore[index]
        assert np.ptp(cross, axis=1) == pytest.approx(2.0 * CROSS * 2.0 * np.eye(3), abs=1e-5)
        assert picture.labels[0].text == "Door (10\N{EN DASH}20)"


def test_those_of_the_current_frame_are_bright(palette: Palette) -> None:
    now, later = (
        event_picture([event("LINE")], frame, palette).vertices["bold"].colors[0, 3] for frame in (15.0, 50.0)
    )
    assert now > later
    assert not event_picture([event("LINE")], 15.0, palette, with_texts=False).labels


def test_events_of_a_character_are_drawn_with_its_proposals(armature: Any, palette: Palette) -> None:
    assert events_of(armature) == ()
    thing = moving_box("Door", door().body)
    armature.poise.detection.object = thing
    bpy.ops.poise.detect_object()
    found = events_of(armature)
    assert len(found) == len(armature.poise.detection.events) > 0 and found == events_of(armature)
    parts = Parts()
    assert "objects" in dict(parts.pictures(armature, 30.0, palette))
    armature.poise.display.proposals = False
    assert "objects" not in dict(parts.pictures(armature, 30.0, palette))
    bpy.data.objects.remove(thing)
    assert events_of(armature) == ()
