# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones and objects that detection looks at, and what carries them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge, translation
from poise.addon.properties import character_of
from poise.addon.workflows.subjects import WORLD, Reference, Subject, tracked_in_steps
from poise.solver import MovingObject, finished

from ..bodies import box


def test_a_subject_is_what_an_example_says(armature: bpy.types.Object) -> None:
    template = character_of(armature).detection.templates.add()
    with pytest.raises(translation.TranslationError, match="neither a bone nor an object"):
        Subject.of(armature, template)
    template.bone = "l_wrist"
    assert Subject.of(armature, template) == Subject(bone="l_wrist") and Subject(bone="l_wrist").reference == WORLD
    template.reference, template.reference_bone = "BONE", "root"
    assert Subject.of(armature, template).reference == Reference(bone=template.reference_bone)
    template.reference, template.reference_object = "OBJECT", box("Tray")
    assert Subject.of(armature, template).title == "l_wrist on Tray"
    template.object = box("Cup")
    assert Subject.of(armature, template).title == "Cup on Tray"


def test_bones_and_objects_are_tracked(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    still = box("Cup")
    still.location = (1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    assert finished(tracked_in_steps(reading, reading.clip, "l_wrist", "")) == "l_wrist"
    assert finished(tracked_in_steps(reading, reading.clip, "", "")) is None
    seen = finished(tracked_in_steps(reading, reading.clip, "", "Cup"))
    assert isinstance(seen, MovingObject)
    np.testing.assert_allclose(seen.positions, np.tile([1.0, 2.0, 3.0], (reading.clip.frames, 1)))
    with pytest.raises(translation.TranslationError, match="'Gone' is not in the scene"):
        finished(tracked_in_steps(reading, reading.clip, "", "Gone"))
    with pytest.raises(translation.TranslationError, match="none of the bones"):
        finished(tracked_in_steps(reading, reading.clip, "Gone", ""))
