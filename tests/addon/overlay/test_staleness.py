# SPDX-License-Identifier: GPL-3.0-or-later
"""A result is stale after an edit, and this is found outside of drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest

from poise.addon.overlay import staleness
from poise.addon.overlay.palette import palette_of
from poise.addon.overlay.parts import STALE, Parts
from poise.addon.overlay.status import status_of


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    staleness.forget()
    yield
    staleness.forget()


@pytest.fixture
def solved(armature: Any) -> Any:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=20)
    armature.poise.constraints[0].points[0].object.location.z += 0.1
    bpy.ops.poise.solve()
    return armature


def test_an_edit_makes_a_result_stale_when_it_is_checked(solved: Any) -> None:
    assert not staleness.is_stale(solved) and not staleness.check(solved)
    solved.poise.constraints[0].points[0].object.location.z += 0.1
    bpy.context.view_layer.update()
    assert not staleness.is_stale(solved), "drawing does not check"
    assert solved.name in staleness._wanted, "but it was asked for"
    assert staleness.check(solved) and staleness.is_stale(solved)
    bpy.ops.poise.solve()
    assert not staleness.check(solved)


def test_a_stale_result_is_drawn_dimmed_and_says_so(solved: Any) -> None:
    palette = palette_of(bpy.context.preferences)
    parts = Parts()
    fresh = dict(parts.pictures(solved, 20.0, palette))["trajectories"].vertices["bold"].colors[:, 3]
    solved.poise.constraints[0].weight = 2.0
    staleness.check(solved)
    stale = dict(parts.pictures(solved, 20.0, palette))["trajectories"].vertices["bold"].colors[:, 3]
    assert stale == pytest.approx(STALE * fresh)
    status = status_of(solved, palette)
    assert status is not None and "stale" in status[0]


def test_an_armature_without_a_result_is_not_stale(armature: Any) -> None:
    assert not staleness.check(armature)


@pytest.mark.parametrize("target", ["ACTION", "REPLACE", "COMBINE"])
def test_comparing_makes_nothing_stale(armature: Any, target: str) -> None:
    armature.poise.target = target
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=20)
    bpy.ops.poise.solve()
    for _ in range(2):
        bpy.ops.poise.compare_toggle()
        assert not staleness.check(armature)


def test_a_result_that_live_mode_follows_is_not_drawn_as_stale(solved: Any) -> None:
    solved.poise.live = True
    solved.poise.constraints[0].points[0].object.location.z += 0.1
    assert not staleness.check(solved)
