# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts are made anew only where what they show has changed, and each can be switched off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay import readings, subjects
from poise.addon.overlay.palette import palette_of
from poise.addon.overlay.parts import Parts
from poise.addon.overlay.shapes import Picture
from poise.addon.workflows import latest


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    yield
    for kept in (readings, subjects, latest):
        kept.forget()


@pytest.fixture
def worked_on(armature: Any) -> Any:
    """A character with plants, a pin out of reach, proposals and a result."""
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=20)
    pin = armature.poise.constraints[len(armature.poise.constraints) - 1]
    pin.points[0].object.location.z += 1.5
    pin.recruit, pin.recruit_level = "LEVEL", 2
    armature.poise.display.ghosts = True
    bpy.ops.poise.solve()
    bpy.context.scene.frame_set(20)
    return armature


def pictures(parts: Parts, armature: Any, frame: float = 20.0) -> dict[str, Picture]:
    return dict(parts.pictures(armature, frame, palette_of(bpy.context.preferences)))


ALL = ["ghosts", "balance", "footprints", "proposals", "trajectories", "current", "points", "misses"]


def test_every_part_is_drawn(worked_on: Any) -> None:
    assert list(pictures(Parts(), worked_on)) == ALL


@pytest.mark.parametrize(
    "switch, gone",
    [
        ("ghosts", {"ghosts"}),
        ("balance", {"balance"}),
        ("footprints", {"footprints"}),
        ("proposals", {"proposals"}),
        ("trajectories", {"trajectories", "current"}),
        ("points", {"points"}),
        ("misses", {"misses"}),
    ],
)
def test_each_part_can_be_switched_off_alone(worked_on: Any, switch: str, gone: set[str]) -> None:
    setattr(worked_on.poise.display, switch, False)
    assert set(ALL) - set(pictures(Parts(), worked_on)) == gone


def test_texts_can_be_switched_off(worked_on: Any) -> None:
    worked_on.poise.display.texts = False
    assert not [label for picture in pictures(Parts(), worked_on).values() for label in picture.labels]


def test_an_armature_without_constraints_is_left_alone(armature: Any) -> None:
    readings.read_now(armature)
    assert pictures(Parts(), armature) == {}


def test_nothing_is_made_again_where_nothing_has_changed(worked_on: Any) -> None:
    parts = Parts()
    first, second = pictures(parts, worked_on), pictures(parts, worked_on)
    assert all(second[name] is picture for name, picture in first.items())


def test_the_next_frame_changes_only_what_depends_on_it(worked_on: Any) -> None:
    parts = Parts()
    first, second = pictures(parts, worked_on, 20.0), pictures(parts, worked_on, 21.0)
    same = {name for name in first if second.get(name) is first[name]}
    assert {"footprints", "proposals", "trajectories"} <= same and not {"current", "balance", "ghosts"} & same


def test_a_handle_that_is_dragged_takes_its_footprint_along(worked_on: Any) -> None:
    parts = Parts()
    before = pictures(parts, worked_on)["footprints"].vertices["faces"].places
    worked_on.poise.constraints[0].points[0].object.location.x += 0.5
    bpy.context.view_layer.update()
    after = pictures(parts, worked_on)["footprints"].vertices["faces"].places
    moved = np.abs(after - before).max(axis=1) > 0.4
    assert 0 < moved.sum() < len(moved)


def test_a_result_that_is_hidden_shows_the_balance_of_the_source(worked_on: Any) -> None:
    parts = Parts()
    result = pictures(parts, worked_on)["balance"].vertices["dots"].places[0]
    bpy.ops.poise.compare_toggle()
    source = pictures(parts, worked_on)["balance"].vertices["dots"].places[0]
    subject = subjects.of(worked_on)
    now = subject.frame_at(20.0)
    assert result == pytest.approx(subject.centers[now], abs=1e-5)
    assert source == pytest.approx(subject.source_centers[now], abs=1e-5)


def test_nothing_is_missed_while_the_source_is_shown(worked_on: Any) -> None:
    parts = Parts()
    assert "misses" in pictures(parts, worked_on)
    bpy.ops.poise.compare_toggle()
    assert "misses" not in pictures(parts, worked_on)


def test_ghosts_are_at_chosen_frames(worked_on: Any) -> None:
    display = worked_on.poise.display
    around = pictures(Parts(), worked_on)["ghosts"].vertices["thin"].places
    display.ghosts_at, display.ghost_frames = "CHOSEN", "5"
    one = pictures(Parts(), worked_on)["ghosts"].vertices["thin"].places
    assert len(around) == 4 * len(one)
    display.ghost_frames = "100000"
    assert "ghosts" not in pictures(Parts(), worked_on)


def test_a_theme_changes_the_colours(worked_on: Any) -> None:
    parts = Parts()
    palette = palette_of(bpy.context.preferences)
    before = dict(parts.pictures(worked_on, 20.0, palette))["footprints"]
    after = dict(parts.pictures(worked_on, 20.0, palette._replace(left=(0.0, 0.0, 0.0, 1.0))))["footprints"]
    assert (before.vertices["faces"].colors != after.vertices["faces"].colors).any()


def test_a_result_that_is_not_in_memory_is_not_judged_by_the_source(worked_on: Any) -> None:
    latest.forget()
    readings.read_now(worked_on)
    shown = pictures(Parts(), worked_on)
    assert "trajectories" in shown and not {"balance", "current", "misses"} & set(shown)
    bpy.ops.poise.compare_toggle()
    assert {"balance", "current"} <= set(pictures(Parts(), worked_on))
