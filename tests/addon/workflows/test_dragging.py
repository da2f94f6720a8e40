# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles follow the mouse: in the plane of the view, on the ground, along an axis and about one."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from poise.addon.bridge.placing import Placer
from poise.addon.workflows.dragging import ANGLE_STEP, Drag, View, length_step

WIDTH, HEIGHT = 800.0, 600.0
ABOVE = Euler((0.9, 0.0, 0.6))
ORTHOGRAPHIC, PERSPECTIVE = False, True


def view_from(rotation: Euler, is_perspective: bool = PERSPECTIVE, target: Vector | None = None) -> View:
    """A view that looks at a place from 5 away, the camera turned as given."""
    camera = Matrix.Translation(target or Vector((1.0, 2.0, 0.5))) @ rotation.to_matrix().to_4x4()
    camera = camera @ Matrix.Translation((0.0, 0.0, 5.0))
    near, far, wide = 0.1, 100.0, HEIGHT / WIDTH
    projection = Matrix(
        ((2.0, 0, 0, 0), (0, 2.0 / wide, 0, 0), (0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)))
    ).to_4x4()
    projection[3][2], projection[3][3] = -1.0, 0.0
    if not is_perspective:
        projection = Matrix(
            ((0.5, 0, 0, 0), (0, 0.5 / wide, 0, 0), (0, 0, -2 / (far - near), -(far + near) / (far - near)))
        ).to_4x4()
    return View(projection @ camera.inverted(), (WIDTH, HEIGHT))


@pytest.fixture
def handle() -> Any:
    made = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(made)
    made.location = (1.1, 2.2, 0.4)
    made.rotation_mode = "QUATERNION"
    bpy.context.view_layer.update()
    return made


def dragged(handle: Any, view: View, part: str, start: tuple[float, float] | None = None) -> Drag:
    pixel = start or view.pixel(Vector(handle.location))
    assert pixel is not None
    return Drag(view, Placer(handle), part, pixel, 2.0)


def moved(one: tuple[float, float], across: float, up: float) -> tuple[float, float]:
    return one[0] + across, one[1] + up


@pytest.mark.parametrize("kind", [ORTHOGRAPHIC, PERSPECTIVE])
def test_rays_and_pixels_agree(kind: bool) -> None:
    view = view_from(ABOVE, kind)
    for pixel in ((10.0, 20.0), (400.0, 300.0), (700.0, 590.0)):
        begin, direction = view.ray(pixel)
        assert direction.length == pytest.approx(1.0, abs=1e-6)
        for distance in (1.0, 10.0):
            back = view.pixel(begin + distance * direction)
            assert back is not None and np.allclose(back, pixel, atol=0.05)
    if kind == PERSPECTIVE:
        begin, direction = view.ray((400.0, 300.0))
        assert view.pixel(begin - 10.0 * direction) is None, "behind the viewer"


@pytest.mark.parametrize("kind", [ORTHOGRAPHIC, PERSPECTIVE])
@pytest.mark.parametrize("part", ["FREE", "GROUND"])
def test_it_stays_under_the_mouse(handle: Any, kind: bool, part: str) -> None:
    view = view_from(ABOVE, kind)
    drag = dragged(handle, view, part)
    for across, up in ((50.0, 0.0), (50.0, -80.0), (-120.0, 40.0)):
        goal = moved(drag.start, across, up)
        drag.to(goal)
        at = view.pixel(Vector(handle.location))
        assert at is not None and np.allclose(at, goal, atol=0.1)
    if part == "GROUND":
        assert handle.location.z == pytest.approx(0.4, abs=1e-6)


@pytest.mark.parametrize("part", ["X", "Y", "Z"])
def test_along_an_axis_it_goes_as_near_to_the_mouse_as_that_leads(handle: Any, part: str) -> None:
    view = view_from(ABOVE)
    before = Vector(handle.location)
    axis = Vector([float(part == name) for name in "XYZ"])
    goal = view.pixel(before + 0.7 * axis)
    assert goal is not None
    dragged(handle, view, part).to(goal)
    assert (handle.location - (before + 0.7 * axis)).length < 1e-4


def test_an_axis_toward_the_viewer_is_gone_along_by_going_up(handle: Any) -> None:
    view = view_from(Euler((0.0, 0.0, 0.0)), ORTHOGRAPHIC)  # from above
    drag = dragged(handle, view, "Z")
    drag.to(moved(drag.start, 0.0, 60.0))
    up = handle.location.z
    assert up > 0.45
    drag.to(moved(drag.start, 0.0, -60.0))
    assert handle.location.z == pytest.approx(0.8 - up, abs=1e-5)


def test_on_the_ground_seen_from_the_side_it_goes_sideways(handle: Any) -> None:
    view = view_from(Euler((0.5 * math.pi, 0.0, 0.0)), ORTHOGRAPHIC)  # from the front: the ground is a line
    drag = dragged(handle, view, "GROUND")
    drag.to(moved(drag.start, 100.0, 40.0))
    assert handle.location.x > 1.2
    assert (handle.location.y, handle.location.z) == pytest.approx((2.2, 0.4), abs=1e-5)


def test_above_the_horizon_it_does_not_fly_away(handle: Any) -> None:
    view = view_from(Euler((1.4, 0.0, 0.0)))
    drag = dragged(handle, view, "GROUND")
    drag.to(moved(drag.start, 0.0, 290.0))
    assert (handle.location - Vector((1.1, 2.2, 0.4))).length < 20.0 and handle.location.z == pytest.approx(0.4)


@pytest.mark.parametrize(("tilt", "sign"), [(0.5, 1.0), (math.pi - 0.5, -1.0)])
def test_it_turns_with_the_mouse_about_it(handle: Any, tilt: float, sign: float) -> None:
    view = view_from(Euler((tilt, 0.0, 0.3)), ORTHOGRAPHIC, Vector(handle.location))
    centre = view.pixel(Vector(handle.location))
    assert centre is not None
    around = [moved(centre, 100.0 * math.cos(angle), 100.0 * math.sin(angle)) for angle in np.linspace(0.0, 7.0, 50)]
    drag = dragged(handle, view, "TURN", around[0])
    for pixel in around[1:]:
        drag.to(pixel)
    assert drag.angle == pytest.approx(sign * 7.0, abs=1e-3), "more than a whole turn"
    turned = handle.matrix_basis.to_3x3().col[0]
    assert math.atan2(turned.y, turned.x) == pytest.approx(sign * (7.0 - 2.0 * math.pi), abs=1e-3)
    assert handle.location == Vector((1.1, 2.2, 0.4))


def test_a_dial_seen_from_its_edge_turns_by_going_sideways(handle: Any) -> None:
    view = view_from(Euler((0.5 * math.pi, 0.0, 0.0)), ORTHOGRAPHIC, Vector(handle.location))
    drag = dragged(handle, view, "TURN")
    drag.to(moved(drag.start, 90.0, 5.0))
    assert drag.angle == pytest.approx(math.radians(45.0))


def test_it_turns_about_its_own_axes(handle: Any) -> None:
    handle.rotation_quaternion = Euler((0.3, 0.5, 0.7)).to_quaternion()
    own = handle.rotation_quaternion.to_matrix().col[1].copy()
    drag = dragged(handle, view_from(ABOVE), "TURN_Y")
    assert (drag.axis() - own).length < 1e-6
    drag.to(moved(drag.start, 30.0, 50.0))
    assert (handle.rotation_quaternion.to_matrix().col[1] - own).length < 1e-5


def test_steps_and_fine_movements(handle: Any) -> None:
    view = view_from(ABOVE)
    step = length_step(2.0)
    drag = dragged(handle, view, "FREE")
    drag.to(moved(drag.start, 77.0, 31.0), in_steps=True)
    away = np.array(handle.location - Vector((1.1, 2.2, 0.4))) / step
    assert np.allclose(away, np.round(away), atol=1e-4) and np.abs(away).max() > 1.0
    drag = dragged(handle, view, "FREE", (400.0, 300.0))
    drag.to((500.0, 300.0), is_fine=True)
    assert drag.mouse == pytest.approx((410.0, 300.0))
    drag.to((510.0, 300.0))
    assert drag.mouse == pytest.approx((420.0, 300.0)), "without a jump where Shift is released"
    drag = dragged(handle, view, "TURN", moved(drag.start, 60.0, 0.0))
    drag.to(moved(drag.start, -10.0, 50.0), in_steps=True)
    turned = handle.matrix_basis.to_3x3().col[0]
    angle = math.atan2(turned.y, turned.x) / ANGLE_STEP
    assert abs(angle) > 0.5 and angle == pytest.approx(round(angle), abs=1e-3)


@pytest.mark.parametrize(("size", "step"), [(2.0, 0.02), (1.7, 0.02), (180.0, 2.0), (0.5, 0.01), (26.0, 0.5)])
def test_steps_are_round_numbers(size: float, step: float) -> None:
    assert length_step(size) == pytest.approx(step)


def test_the_text_names_the_axes_that_it_moves_along(handle: Any) -> None:
    view = view_from(ABOVE)
    texts = {}
    for part in ("FREE", "GROUND", "Z", "TURN"):
        drag = dragged(handle, view, part)
        texts[part] = drag.to(moved(drag.start, 30.0, 20.0))
        drag.placer.restore()
    assert texts["FREE"].startswith("Move X ") and ", Y " in texts["FREE"] and ", Z " in texts["FREE"]
    assert ", Y " in texts["GROUND"] and "Z" not in texts["GROUND"]
    assert texts["Z"].startswith("Move Z ")
    assert texts["TURN"].startswith("Turn ") and texts["TURN"].endswith("°")
