# SPDX-License-Identifier: GPL-3.0-or-later
"""What is carried stays where it is at one frame, and moves along at others."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise.addon import bridge
from poise.addon.bridge.transforms import Transform, transforms_at
from poise.examples.detection.bodies import door

from ..bodies import box, moving_box
from ..characters import armature, registered

__all__ = ["armature", "registered"]


@pytest.mark.parametrize("bone", ["", "l_wrist"])
def test_it_stays_in_place_and_moves_along(bone: str, armature: bpy.types.Object) -> None:
    carrier = armature if bone else moving_box("Door", door().body)
    cup = box("Cup", 0.1)
    cup.rotation_mode = "QUATERNION"
    cup.location, cup.rotation_quaternion = Vector((0.4, 0.2, 1.1)), (0.8, 0.6, 0.0, 0.0)
    bpy.context.view_layer.update()
    (before,) = transforms_at(armature, [(cup, 10.0)])
    bpy.context.scene.frame_set(3)
    bridge.carry(armature, cup, 30.0, carrier, bone)
    assert bpy.context.scene.frame_current == 3

    def of_carrier(frame: float) -> Transform:
        if not bone:
            return transforms_at(armature, [(carrier, frame)])[0]
        bpy.context.scene.frame_set(int(frame))
        return Transform.of(armature.matrix_world @ armature.pose.bones[bone].matrix)

    at, later = transforms_at(armature, [(cup, 30.0), (cup, 45.0)])
    np.testing.assert_allclose(at.location, before.location, atol=1e-5)
    np.testing.assert_allclose(at.axes, before.axes, atol=1e-5)
    there, then = of_carrier(30.0), of_carrier(45.0)
    np.testing.assert_allclose(then.to_local(later.location), there.to_local(at.location), atol=1e-4)
    np.testing.assert_allclose(then.axes.T @ later.axes, there.axes.T @ at.axes, atol=1e-4)
