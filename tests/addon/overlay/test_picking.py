# SPDX-License-Identifier: GPL-3.0-or-later
"""Clicks hit what is drawn: points first, then footprints, the nearest of several."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import overlay
from poise.addon.overlay.picking import Hit, hit_among, projected, targets_of
from poise.addon.overlay.soles import footprints_of

from .made_up import BODY, handle, mark

FROM_ABOVE = np.diag([1.0, 1.0, 0.1, 1.0])
"""An orthographic view along -z, one unit to either side."""
SIZE = (400.0, 400.0)


def pixel(place: Any) -> tuple[float, float]:
    x, y = projected(np.array([place], dtype=np.float64), FROM_ABOVE, SIZE)[0]
    return float(x), float(y)


def clicked(marks: list[Any], place: Any, offset: tuple[float, float] = (0.0, 0.0)) -> Hit | None:
    x, y = pixel(place)
    targets = targets_of(marks, footprints_of(marks, BODY, None))
    return hit_among(targets, FROM_ABOVE, SIZE, (x + offset[0], y + offset[1]))


def test_places_are_projected_to_pixels_and_not_from_behind() -> None:
    assert pixel((0.0, 0.0, 0.0)) == (200.0, 200.0) and pixel((0.5, -1.0, 3.0)) == (300.0, 0.0)
    camera = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -1.0, 0.0]])
    pixels = projected(np.array([[0.0, 0.0, -2.0], [1.0, 1.0, -2.0], [0.0, 0.0, 2.0]]), camera, SIZE)
    assert pixels[0].tolist() == [200.0, 200.0] and pixels[1].tolist() == [300.0, 300.0]
    assert np.isnan(pixels[2]).all()


def test_a_click_into_a_footprint_hits_it_and_one_beside_it_does_not() -> None:
    plant = mark("FOOTPLANT", handle((0.2, 0.1, 0.0)), uid="plant")
    assert clicked([plant], (0.2, 0.1, 0.0)) == Hit("plant", 0, False)
    assert clicked([plant], (0.2, 0.1, 0.0), (0.0, 60.0)) is None


def test_a_footprint_seen_from_the_side_is_hit_at_its_edge() -> None:
    (print_,) = footprints_of([mark(uid="plant")], BODY, None)
    from_the_side = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    x, y = projected(print_.middle[None], from_the_side, SIZE)[0]
    targets = targets_of([], [print_])
    assert hit_among(targets, from_the_side, SIZE, (x, y + 5.0)) is not None
    assert hit_among(targets, from_the_side, SIZE, (x, y + 8.0)) is None
    assert hit_among(targets, from_the_side, SIZE, (x, y + 8.0), scale=2.0) is not None


def test_a_point_comes_before_the_footprint_that_it_lies_on() -> None:
    plant = mark(uid="plant")
    pin = mark("SHAPE", handle((0.0, 0.0, 0.3)), handle((0.0, 0.2, 0.3), point=1), uid="pin")
    assert clicked([plant, pin], (0.0, 0.0, 0.0), (10.0, 0.0)) == Hit("pin", 0, False)
    assert clicked([plant, pin], (0.0, 0.2, 0.0)) == Hit("pin", 1, False)


def test_of_several_footprints_the_one_with_the_nearest_middle_is_hit() -> None:
    plants = [mark("FOOTPLANT", handle((x, 0.0, 0.0)), uid=str(x)) for x in (-0.03, 0.03)]
    assert clicked(plants, (-0.02, 0.0, 0.0)) == Hit("-0.03", 0, False)
    assert clicked(plants, (0.02, 0.0, 0.0)) == Hit("0.03", 0, False)


def test_proposals_are_told_apart() -> None:
    assert clicked([mark(is_proposal=True)], (0.0, 0.0, 0.0)) == Hit("one", 0, True)


def in_region(place: Any) -> Any:
    """A context as in a viewport that looks straight down at a place."""
    view = np.diag([1.0, 1.0, 0.01, 1.0])
    view[:3, 3] = -view[:3, :3] @ np.array(place)
    return SimpleNamespace(
        object=bpy.context.object,
        view_layer=bpy.context.view_layer,
        scene=bpy.context.scene,
        preferences=bpy.context.preferences,
        region=SimpleNamespace(width=400, height=400),
        region_data=SimpleNamespace(perspective_matrix=view.tolist()),
    )


def test_a_plant_of_a_character_is_picked_in_the_region_and_not_where_it_is_switched_off(armature: Any) -> None:
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    plants = armature.poise.constraints
    for plant in (plants[0], plants[len(plants) - 1]):
        place = plant.points[0].object.matrix_world.translation
        hit = overlay.pick(in_region(place), 200, 200)
        assert hit == Hit(plant.uid, 0, False)
    armature.poise.display.footprints = False
    assert overlay.pick(in_region(place), 200, 200) is None
    armature.poise.display.footprints, armature.poise.display.show = True, False
    assert overlay.pick(in_region(place), 200, 200) is None


def test_a_pin_is_picked_where_its_empty_was_moved_to(armature: Any) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    pin = armature.poise.constraints[0]
    pin.points[0].object.location.x += 3.0
    bpy.context.view_layer.update()
    place = pin.points[0].object.matrix_world.translation
    assert overlay.pick(in_region(place), 205, 203) == Hit(pin.uid, 0, False)
    assert overlay.pick(in_region(place - place), 200, 200) is None


@pytest.mark.parametrize("missing", ["region", "region_data"])
def test_outside_of_a_viewport_nothing_is_picked(armature: Any, missing: str) -> None:
    context = in_region((0.0, 0.0, 0.0))
    setattr(context, missing, None)
    assert overlay.pick(context, 200, 200) is None
