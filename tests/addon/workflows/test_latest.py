# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest solves of an armature are at hand, and a result that is older than an edit is known to be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.properties import character_of
from poise.addon.workflows import clean, create, latest, solve

FRAME = 20.0


@pytest.fixture
def pinned(armature: bpy.types.Object) -> Any:
    """A walk with a pin that lifts the left hand, solved."""
    (pin,) = create.add_pins(armature, ["l_wrist"], FRAME)
    pin.points[0].object.location.z += 0.1
    solve.solve(armature)
    return armature


def pin_of(armature: bpy.types.Object) -> Any:
    return character_of(armature).constraints[0]


def test_a_solve_is_kept_until_it_is_forgotten(armature: bpy.types.Object) -> None:
    assert latest.of(armature) is None
    (pin,) = create.add_pins(armature, ["l_wrist"], FRAME)
    pin.points[0].object.location.z += 0.1
    solve.solve(armature)
    found = latest.of(armature)
    assert found is not None
    assert found.solved.translated.uids == tuple(item.uid for item in character_of(armature).constraints)
    lift = found.shown.position("l_wrist") - found.solved.source.position("l_wrist")
    frame = found.solved.reading.frame_of(FRAME)
    np.testing.assert_allclose(lift[frame], [0.0, 0.0, 0.1], atol=1e-4)
    assert len(found.residuals) == 1
    latest.forget(armature.name)
    assert latest.of(armature) is None


def test_another_file_has_none(pinned: Any) -> None:
    assert latest.with_signature(pinned, character_of(pinned).live_state.solved) is not None
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not latest._kept and not latest._checked


def test_as_many_are_kept_as_fit(pinned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = character_of(pinned).live_state.solved
    pin_of(pinned).points[0].object.location.z += 0.1
    solve.solve(pinned)
    second = character_of(pinned).live_state.solved
    assert latest.with_signature(pinned, first) and latest.with_signature(pinned, second)
    monkeypatch.setattr(latest, "MOST_FRAMES", 1)
    pin_of(pinned).points[0].object.location.z += 0.1
    solve.solve(pinned)
    assert latest.with_signature(pinned, first) is latest.with_signature(pinned, second) is None
    assert latest.of(pinned) is not None


# Stale --------------------------------------------------------------------------------------------------------------


def _move(armature: Any) -> None:
    pin_of(armature).points[0].object.location.x += 1e-3


def _turn_handle(armature: Any) -> None:
    pin_of(armature).points[0].object.rotation_quaternion = (0.0, 1.0, 0.0, 0.0)


def _switch_off(armature: Any) -> None:
    pin_of(armature).enabled = False


def _delete(armature: Any) -> None:
    character_of(armature).constraints.remove(0)


def _add(armature: Any) -> None:
    create.add_pins(armature, ["r_wrist"], FRAME)


def _mass(armature: Any) -> None:
    character_of(armature).mass = 90.0


def _landmark(armature: Any) -> None:
    landmark = character_of(armature).landmarks.add()
    landmark.mark, landmark.bone = "left_wrist", "l_wrist"


def _range(armature: Any) -> None:
    bpy.context.scene.frame_end -= 1


def _thinning(armature: Any) -> None:
    character_of(armature).tolerance = 0.01


def _source(armature: Any) -> None:
    animation = bridge.animation_of(armature)
    curve: Any = versions.curves_of(animation.source, animation.slot)[0]
    curve.keyframe_points[3].co[1] += 0.1


def _priority(armature: Any) -> None:
    pin_of(armature).priority += 1


def _event(armature: Any) -> None:
    pin_of(armature).points[0].end += 1.0


EDITS = (
    _move,
    _turn_handle,
    _switch_off,
    _delete,
    _add,
    _mass,
    _landmark,
    _range,
    _thinning,
    _source,
    _priority,
    _event,
)


@pytest.mark.parametrize("edit", EDITS)
def test_a_result_is_stale_after_an_edit_until_it_is_solved_again(edit: Callable[[Any], None], pinned: Any) -> None:
    assert not latest.is_stale(pinned)
    bpy.context.scene.frame_set(31)
    assert not latest.is_stale(pinned)
    edit(pinned)
    assert latest.is_stale(pinned)
    solve.solve(pinned, options_of(pinned))
    assert not latest.is_stale(pinned)


def options_of(armature: bpy.types.Object) -> solve.SolveOptions:
    """As the operator takes them from the panel."""
    return solve.SolveOptions(tolerance=character_of(armature).tolerance)


def test_an_edit_that_is_taken_back_is_none(pinned: Any) -> None:
    handle = pin_of(pinned).points[0].object
    before = tuple(handle.location)
    _move(pinned)
    assert latest.is_stale(pinned)
    handle.location = before
    assert not latest.is_stale(pinned)


def test_what_was_just_found_is_not_checked_again_where_that_is_said(pinned: Any) -> None:
    assert not latest.is_stale(pinned)
    _move(pinned)
    assert not latest.is_stale(pinned, longest_age=60.0)
    assert latest.is_stale(pinned)
    assert latest.is_stale(pinned, longest_age=60.0)


def test_a_handle_that_moves_with_its_parent_counts(pinned: Any) -> None:
    handle = pin_of(pinned).points[0].object
    handle.parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(handle.parent)
    solve.solve(pinned)
    assert not latest.is_stale(pinned)
    handle.parent.location.y += 0.1
    assert latest.is_stale(pinned)


@pytest.mark.parametrize("kind", ["SHAPE", "HANDPLANT"])
def test_the_object_that_points_go_with_counts_while_it_is_there(kind: str, armature: bpy.types.Object) -> None:
    box = bpy.data.objects.new("Box", None)
    bpy.context.scene.collection.objects.link(box)
    without = latest.constraint_signature(armature)
    if kind == "SHAPE":
        (item,) = create.add_pins(armature, ["l_wrist"], FRAME)
        item.reference, item.reference_object = "OBJECT", box
    else:
        item = create.add_handplant(armature, "left", FRAME, FRAME + 5.0, on=box)
        item.points[0].object.parent = None  # so that only the reference moves
    assert item.kind == kind and item.reference == "OBJECT"
    before = latest.constraint_signature(armature)
    box.location.x += 0.1
    bpy.context.view_layer.update()
    moved = latest.constraint_signature(armature)
    assert len({without, before, moved}) == 3
    bpy.context.scene.collection.objects.unlink(box)
    assert latest.constraint_signature(armature) == without, "a solve leaves the constraint out"


def test_it_is_known_after_the_file_was_opened_again(pinned: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened = bpy.data.objects["Walker"]
    assert latest.of(opened) is None
    assert not latest.is_stale(opened)
    _move(opened)
    assert latest.is_stale(opened)


def test_without_a_result_nothing_is_stale(pinned: Any) -> None:
    bridge.restore_source(pinned)
    _move(pinned)
    assert not latest.is_stale(pinned)


def test_a_cleanup_is_not_compared_with_a_solve(pinned: Any) -> None:
    clean.clean(pinned)
    _move(pinned)
    assert not latest.is_stale(pinned)


# What a solve reuses ------------------------------------------------------------------------------------------------


def test_the_reading_is_kept_until_the_source_changes(pinned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = latest.of(pinned)
    assert first is not None
    _move(pinned)
    second = solve.solve(pinned)
    assert second.reading is first.solved.reading
    _source(pinned)
    third = solve.solve(pinned)
    assert third.reading is not second.reading
    assert solve.solve(pinned, solve.SolveOptions(begin=5)).reading is not third.reading


def test_an_unchanged_solve_is_not_repeated(pinned: Any) -> None:
    first = latest.of(pinned)
    assert first is not None
    assert solve.solve(pinned).deformation is first.solved.deformation


@pytest.mark.parametrize("edit", [_move, _turn_handle, _event, _add, _delete, _priority])
def test_what_is_reused_changes_no_result(edit: Callable[[Any], None], pinned: Any) -> None:
    edit(pinned)
    again = solve.solve(pinned).baked.clip
    latest.forget()
    anew = solve.solve(pinned).baked.clip
    np.testing.assert_allclose(again.world.positions, anew.world.positions, atol=1e-9)
