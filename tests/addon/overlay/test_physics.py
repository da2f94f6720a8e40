# SPDX-License-Identifier: GPL-3.0-or-later
"""The simple body is drawn where the solver has it, and made anew only where something has changed."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay import physics as drawing
from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.parts import Parts
from poise.addon.overlay.shapes import Picture
from poise.addon.properties import character_of
from poise.addon.workflows import physics, physics_handles

from ..physical import FIRST, LAST, strider

__all__ = ["strider"]

MIDDLE = 25.0
PARTS = ["mass path", "body", "forces"]


def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def pictures(parts: Parts, armature: Any, frame: float = MIDDLE) -> dict[str, Picture]:
    return {name: each for name, each in parts.pictures(armature, frame, palette()) if name in (*PARTS, "edits")}


def test_a_fit_is_drawn_at_its_frame(strider: Any) -> None:
    parts = Parts()
    assert pictures(parts, strider) == {}
    fitted = physics.fit(strider)
    found = pictures(parts, strider)
    assert list(found) == PARTS
    seconds = (MIDDLE - FIRST) / 30.0
    bones = fitted.fit.motion.bones([seconds])[0]
    np.testing.assert_allclose(found["body"].vertices["bold"].places, bones.reshape(-1, 3), atol=1e-5)
    center = fitted.fit.motion.center_of_mass([seconds])[0]
    np.testing.assert_allclose(found["body"].vertices["dots"].places, [center], atol=1e-5)
    again = pictures(parts, strider)
    assert all(again[name] is picture for name, picture in found.items()), "nothing is made again"
    later = pictures(parts, strider, MIDDLE + 1.0)
    assert later["mass path"] is found["mass path"] and later["body"] is not found["body"]
    assert set(pictures(parts, strider, LAST + 20.0)) == {"mass path"}


def test_arrows_are_as_long_as_the_forces(strider: Any) -> None:
    fitted = physics.fit(strider)
    places = pictures(Parts(), strider)["forces"].vertices["bold"].places.reshape(-1, 5, 2, 3)
    size = fitted.read.clip.skeleton.size
    shafts = places[:, 0]
    pushes = fitted.fit.motion.ground_forces([(MIDDLE - FIRST) / 30.0])
    wanted = [push.forces[0] for push in pushes if np.linalg.norm(push.forces[0]) > drawing.WEAKEST]
    np.testing.assert_allclose((shafts[:, 1] - shafts[:, 0]) / (drawing.FORCE * size), wanted, atol=1e-4)
    total = np.sum(wanted, axis=0)
    assert 0.2 < total[2] < 3.0, "the ground carries about the weight of the body"


def test_a_result_is_drawn_beside_its_fit_until_it_is_hidden(strider: Any) -> None:
    parts = Parts()
    physics.fit(strider)
    fit = pictures(parts, strider)["body"]
    result = physics.solve_physics(strider, physics.PhysicsOptions({"duration": 1.3}))
    both = pictures(parts, strider)["body"]
    assert "thin" in both.vertices and "thin" not in fit.vertices
    edited = result.transformed.transformation.motion.bones([(MIDDLE - FIRST) / 30.0])[0]
    np.testing.assert_allclose(both.vertices["bold"].places, edited.reshape(-1, 3), atol=1e-5)
    colors = fit.vertices["bold"].colors[0], both.vertices["bold"].colors[0]
    assert (colors[0] != colors[1]).any()
    bpy.ops.poise.compare_toggle()
    np.testing.assert_array_equal(pictures(parts, strider)["body"].vertices["bold"].places, fit.vertices["bold"].places)


@pytest.mark.parametrize(
    ("switch", "gone"), [("physics_body", "body"), ("physics_forces", "forces"), ("physics_path", "mass path")]
)
def test_each_part_can_be_switched_off(switch: str, gone: str, strider: Any) -> None:
    physics.fit(strider)
    setattr(strider.poise.display, switch, False)
    assert [name for name in PARTS if name not in pictures(Parts(), strider)] == [gone]


def test_moved_footprints_and_obstacles_are_drawn_without_a_fit(armature: Any) -> None:
    parts = Parts()
    stance = character_of(armature).physics.stances.add()
    stance.contact = "left foot"
    physics_handles.add_footprints(armature)
    physics_handles.add_obstacle(armature, (1.0, 0.0, 0.0))
    item = character_of(armature).physics.obstacles[0]
    item.height = 0.5
    bpy.context.view_layer.update()
    hump = pictures(parts, armature)["edits"].vertices["thin"].places
    assert hump[:, 2].max() == pytest.approx(0.5, abs=0.01)
    np.testing.assert_allclose(hump[:, 0].mean(), 1.0, atol=1e-4)
    stance.object.location.x = -2.0
    bpy.context.view_layer.update()
    assert pictures(parts, armature)["edits"].vertices["thin"].places[:, 0].min() == pytest.approx(-2.0)
    third = hump[np.isclose(np.linalg.norm(hump[:, :2] - [1.0, 0.0], axis=1), item.radius, rtol=0.06)]
    assert (third[:, 2] / 0.5).mean() == pytest.approx(np.exp(-1.0), abs=0.1), "a third of its height at its radius"
