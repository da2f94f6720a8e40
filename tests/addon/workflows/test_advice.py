# SPDX-License-Identifier: GPL-3.0-or-later
"""Following advice changes what it says, and the next solve misses less."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise.addon.properties import character_of
from poise.addon.translation import TranslationError
from poise.addon.workflows import advice, create, latest, solve

PART = solve.SolveOptions(begin=10, end=30)


def solved(armature: bpy.types.Object) -> Any:
    solve.solve(armature, PART)
    return character_of(armature)


def chosen(character: Any, kind: str) -> tuple[int, int]:
    """The index of the first problem with a fix of a kind, and the number of the fix."""
    return next(
        (index, number)
        for index, entry in enumerate(character.advice)
        for number, fix in enumerate(entry.fixes)
        if fix.kind == kind
    )


def missed_at(character: Any, frame: float) -> float:
    """By how much the only constraint is missed at a frame of the scene."""
    found = latest.of(character.id_data)
    assert found is not None
    (residual,) = found.residuals
    return float(residual.distances[residual.frames == found.solved.reading.frame_of(frame)][0])


def worst(character: Any) -> float:
    return max((residual.worst for residual in character.residuals), default=0.0)


@pytest.fixture
def stretched(armature: bpy.types.Object) -> Any:
    """A pin of a hand that only the forearm may move, a little out of reach."""
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.points[0].object.location.z += 0.25
    pin.recruit, pin.recruit_level = "LEVEL", 1
    return solved(armature)


def test_a_target_is_moved_to_what_is_reachable(stretched: Any) -> None:
    armature, handle = stretched.id_data, stretched.constraints[0].points[0].object
    before, missed = np.array(handle.location), missed_at(stretched, 20.0)
    index, number = chosen(stretched, "MOVE")
    count = len(stretched.advice)
    assert "was moved by" in advice.apply(armature, index, number)
    assert np.linalg.norm(np.array(handle.location) - before) == pytest.approx(missed, rel=0.05)
    assert len(stretched.advice) == count - 1
    assert missed_at(solved(armature), 20.0) < 0.25 * missed


@pytest.mark.parametrize("recruit", ["LEVEL", "BONES"])
def test_more_bones_may_move(recruit: str, stretched: Any) -> None:
    armature, pin, missed = stretched.id_data, stretched.constraints[0], worst(stretched)
    if recruit == "BONES":
        pin.recruit = "BONES"
        for name in ("l_wrist", "l_elbow"):
            pin.recruited.add().bone = name
    advice.apply(armature, *chosen(stretched, "BONES"))
    if recruit == "LEVEL":
        assert pin.recruit_level == 3
    else:
        assert [each.bone for each in pin.recruited] == ["l_wrist", "l_elbow", "l_shoulder", "l_sternoclavicular"]
    assert worst(solved(armature)) < 0.5 * missed


def test_what_stands_in_the_way_comes_after(armature: bpy.types.Object) -> None:
    (chest,) = create.add_pins(armature, ["vt1"], 20.0)
    chest.priority, chest.recruit = 4, "ALL"
    (hand,) = create.add_pins(armature, ["l_wrist"], 20.0)
    character: Any = character_of(armature)
    chest, hand = character.constraints
    hand.priority, hand.recruit = 2, "ALL"
    hand.points[0].object.location.z += 1.6
    missed = next(each.worst for each in solved(armature).residuals if each.uid == hand.uid)
    advice.apply(armature, *chosen(character, "RANK"))
    assert chest.priority < hand.priority == 2
    after = next(each.worst for each in solved(armature).residuals if each.uid == hand.uid)
    assert after < 0.5 * missed


@pytest.mark.parametrize("kind", ["FOOTPLANT", "BALANCE"])
def test_plants_and_balances_are_moved_too(kind: str, armature: bpy.types.Object) -> None:
    if kind == "FOOTPLANT":
        create.add_footplant(armature, "left", 15.0, 25.0)
    else:
        create.add_balance(armature, None, [])
    character: Any = character_of(armature)
    (item,) = character.constraints
    entry = character.advice.add()
    entry.uid = item.uid
    fix = entry.fixes.add()
    fix.kind, fix.move, fix.frame = "MOVE", (0.1, 0.0, -0.2), 24.0
    place = item.points[0].object.location.copy() if kind == "FOOTPLANT" else Vector((0.0, 0.0, 0.0))
    advice.apply(armature, 0, 0)
    now = item.points[0].object.location if kind == "FOOTPLANT" else item.displacement
    np.testing.assert_allclose(np.array(now) - np.array(place), (0.1, 0.0, -0.2), atol=1e-6)


def test_the_points_around_a_frame_decide(armature: bpy.types.Object) -> None:
    (path,) = create.add_trajectories(armature, ["l_wrist"], 10.0, 30.0, 3, "ABSOLUTE")
    times = [point.begin for point in path.points]
    assert [point.begin for point in advice.points_at(path, times[1])] == [times[1]]
    assert [point.begin for point in advice.points_at(path, times[1] + 1.0)] == times[1:]
    assert [point.begin for point in advice.points_at(path, times[0] - 1.0)] == times[:1]


def test_an_animated_handle_is_left_alone(stretched: Any) -> None:
    handle = stretched.constraints[0].points[0].object
    handle.keyframe_insert("location", frame=20)
    before, count = list(handle.location), len(stretched.advice)
    with pytest.raises(TranslationError, match="is animated or follows another object"):
        advice.apply(stretched.id_data, *chosen(stretched, "MOVE"))
    assert list(handle.location) == before and len(stretched.advice) == count


def test_a_deleted_constraint_or_problem_is_told(stretched: Any) -> None:
    index, number = chosen(stretched, "MOVE")
    with pytest.raises(TranslationError, match="not listed any more"):
        advice.apply(stretched.id_data, 99, 0)
    with pytest.raises(TranslationError, match="not proposed any more"):
        advice.apply(stretched.id_data, index, 99)
    stretched.constraints.clear()
    with pytest.raises(TranslationError, match="has been deleted"):
        advice.apply(stretched.id_data, index, number)


def test_the_worst_five_are_shown(armature: bpy.types.Object) -> None:
    character: Any = character_of(armature)
    for number in range(8):
        entry = character.advice.add()
        entry.sentence, entry.is_ignored = str(number), number == 1
    shown, more, ignored = advice.shown(armature)
    assert [(index, entry.sentence) for index, entry in shown] == [(n, str(n)) for n in (0, 2, 3, 4, 5)]
    assert (more, ignored) == (2, 1)
