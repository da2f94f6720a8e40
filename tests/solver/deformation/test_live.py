# SPDX-License-Identifier: GPL-3.0-or-later
"""A deformation that follows edits: its previews, its result, and what it reuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    Footplant,
    OrientationConstraint,
    ShapeConstraint,
)
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation import deform as deform_module
from poise.solver.deformation.deform import Deformation, deform, deforming
from poise.solver.deformation.live import LiveDeformation, reused
from poise.solver.deformation.progress import Preview
from poise.solver.synthetic import SyntheticMotion, walk

from ..in_place import walk_in_place
from ..made_up import plant_of

HELD = 1e-3
"""Sizes of the character within which planted points are in a preview."""
AGREES = 2e-3
"""Sizes of the character by which a result may differ from that of a solve anew."""
FEET, BALANCE, HAND = 10, 5, 1


@pytest.fixture(scope="module")
def steps() -> SyntheticMotion:
    return walk(steps=4, fps=60.0, skate=0.01)


@pytest.fixture(scope="module")
def plants(steps: SyntheticMotion) -> list[Footplant]:
    return [plant_of(contact, priority=FEET) for contact in steps.contacts]


@pytest.fixture(scope="module")
def enforced(steps: SyntheticMotion, plants: list[Footplant]) -> Deformation:
    return deform(steps.clip, [*plants, Balance(priority=BALANCE)])


def with_moved_plant(enforced: Deformation, number: int, by: Array) -> list[Constraint]:
    """The constraints, one plant moved by some sizes of the character."""
    constraints = list(enforced.constraints)
    moved = constraints[number]
    assert isinstance(moved, Footplant)
    constraints[number] = moved.moved(enforced.source.skeleton.size * by)
    return constraints


def farthest(one: Clip, other: Clip) -> float:
    """The largest distance of any joint in two motions, in sizes of the character."""
    return float(np.abs(one.world.positions - other.world.positions).max() / one.skeleton.size)


def previews_of(live: LiveDeformation, constraints: list[Constraint], focus: int | None = None) -> list[Preview]:
    """All previews of an edit, with their clips as they were when they came."""
    found = []
    for progress in live.follow(constraints, focus):
        if progress.preview is not None:
            _ = progress.preview.clip
            found.append(progress.preview)
    return found


def test_following_gives_what_solving_anew_gives(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    for share in np.linspace(0.1, 1.0, 10):
        constraints = with_moved_plant(enforced, 1, share * np.array((0.02, 0.0, 0.06)))
        result = finished(live.follow(constraints))
        assert live.deformation is result
    anew = deform(enforced.source, constraints)
    assert farthest(result.clip, anew.clip) < AGREES
    assert max(residual.worst for residual in result.report.residuals) < 1e-5 * enforced.source.skeleton.size


def test_moving_back_gives_what_was_there(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    finished(live.follow(with_moved_plant(enforced, 2, np.array((0.05, 0.0, 0.0)))))
    finished(live.follow(with_moved_plant(enforced, 0, np.array((0.0, 0.0, 0.03)))))
    back = finished(live.follow(enforced.constraints))
    assert farthest(back.clip, enforced.clip) < AGREES


def test_an_edit_that_is_closed_leaves_the_former_result(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    for share in (0.5, 1.0):
        steps = live.follow(with_moved_plant(enforced, 1, share * np.array((0.0, 0.0, 0.04))))
        next(steps)
        steps.close()
        assert live.deformation is enforced
    result = finished(steps := live.follow(with_moved_plant(enforced, 1, np.array((0.0, 0.0, 0.04)))))
    steps.close()
    anew = deform(enforced.source, with_moved_plant(enforced, 1, np.array((0.0, 0.0, 0.04))))
    assert farthest(result.clip, anew.clip) < AGREES


def test_errors_are_raised_at_the_call_and_change_nothing(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    with pytest.raises(ConstraintError):
        live.follow([Balance(priority=1), "no constraint"])  # type: ignore[list-item]
    assert live.deformation is enforced
    assert not finished(live.follow(enforced.constraints)).solved.any()


def test_constraints_with_the_same_values_are_reused(plants: list[Footplant]) -> None:
    point = ConstraintPoint((1.0, 2.0, 3.0), 5, 8)
    hand = ShapeConstraint("l_wrist", 0, 10, [point], name="hand")
    copies = (replace(plants[0]), replace(plants[1], priority=FEET + 1), replace(hand, name="other"), replace(hand))
    same = reused(copies, [*plants, hand])
    assert same[0] is plants[0] and same[3] is hand
    assert same[1] is copies[1] and same[2] is copies[2]
    twice = reused((replace(plants[0]), replace(plants[0])), plants)
    assert twice[0] is plants[0] and twice[1] is not plants[0], "one object must not stand for two constraints"


def test_copies_of_the_constraints_are_no_change(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    result = finished(live.follow([replace(each) for each in enforced.constraints]))
    assert not result.solved.any()
    assert all(one is other for one, other in zip(result.constraints, enforced.constraints, strict=True))


# Previews -----------------------------------------------------------------------------------------------------------


def test_planted_points_hold_in_every_preview(enforced: Deformation) -> None:
    live, size = LiveDeformation(enforced), enforced.source.skeleton.size
    for share in np.linspace(0.1, 1.0, 10):
        constraints = with_moved_plant(enforced, 1, share * np.array((0.02, 0.0, 0.06)))
        shown = previews_of(live, constraints)
        assert shown
        for preview in shown:
            for residual in live.deformation.residuals_in(preview.clip)[: len(constraints) - 1]:
                near = np.isin(residual.frames, np.flatnonzero(preview.frames))
                assert residual.distances[near].max(initial=0.0) < HELD * size


def test_first_previews_move_little_from_one_small_move_to_the_next(enforced: Deformation) -> None:
    live, shown = LiveDeformation(enforced), []
    moves = 0.03 * np.sin(np.linspace(0.1, 2.0, 30))
    for move in moves:
        steps = live.follow(with_moved_plant(enforced, 1, np.array((0.0, 0.0, move))))
        shown.append(next(each.preview.clip for each in steps if each.preview is not None))
        steps.close()
    changes = [farthest(one, other) for one, other in pairwise(shown)]
    assert max(changes) < 3.0 * np.abs(np.diff(moves)).max(), "a preview jumps"


def test_first_previews_of_a_hand_out_of_reach_follow_it_evenly(enforced: Deformation) -> None:
    clip, size = enforced.source, enforced.source.skeleton.size
    wrist = int(clip.skeleton.landmarks.require("left_wrist"))
    goal = clip.position(wrist)[60] + size * np.array((0.0, 0.0, 1.5))

    def reaching(by: float) -> list[Constraint]:
        point = ConstraintPoint(goal + size * np.array((by, 0.0, 0.0)), 50, 70)
        hand = ShapeConstraint(wrist, 30, 90, [point], mode="condensed", priority=HAND)
        return [*enforced.constraints, hand]

    live, shown = LiveDeformation(enforced), []
    result = finished(live.follow(reaching(0.0)))
    for move in 0.002 * np.arange(1, 21):
        steps = live.follow(reaching(float(move)))
        preview = next(each.preview for each in steps if each.preview is not None)
        shown.append(preview.clip)
        steps.close()
        for residual in result.residuals_in(preview.clip)[: len(enforced.constraints) - 1]:
            near = np.isin(residual.frames, np.flatnonzero(preview.frames))
            assert residual.distances[near].max(initial=0.0) < HELD * size
    assert max(farthest(one, other) for one, other in pairwise(shown)) < 0.01, "a preview jumps"
    assert farthest(result.clip, shown[0]) < 0.03, "frames that were solved in strict priority are only projected"
    across = (shown[-1].position(wrist) - result.clip.position(wrist))[60, 0] / size
    assert 0.01 < across < 0.04, "the hand does not follow its target"


def test_outside_of_its_frames_a_preview_is_the_former_result(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    for preview in previews_of(live, with_moved_plant(enforced, 1, np.array((0.0, 0.0, 0.04)))):
        others = ~preview.frames
        np.testing.assert_array_equal(preview.clip.motion.rotations[others], enforced.clip.motion.rotations[others])
        assert preview.frames.any()


def test_a_long_clip_is_shown_near_the_focus_first() -> None:
    long = walk(steps=24, fps=30.0, skate=0.01)
    constraints = [plant_of(contact, priority=FEET) for contact in long.contacts]
    focus, size = long.clip.frames // 3, long.clip.skeleton.size
    steps, shown = deforming(long.clip, constraints, focus=focus), []
    while True:
        try:
            progress = next(steps)
        except StopIteration as stop:
            result: Deformation = stop.value
            break
        if progress.preview is not None:
            _ = progress.preview.clip
            shown.append(progress.preview)
    first = np.flatnonzero(shown[0].frames)
    assert first[0] <= focus <= first[-1] and len(first) < 0.4 * long.clip.frames
    near = np.abs(np.arange(long.clip.frames) - focus) < 10
    apart = np.abs(shown[0].clip.world.positions - result.clip.world.positions)[near].max()
    assert apart < 0.01 * size
    without = deform(long.clip, constraints)
    np.testing.assert_array_equal(result.clip.motion.rotations, without.clip.motion.rotations)


def test_previews_of_a_loop_have_the_loops_own_frames() -> None:
    made = walk_in_place(sway=0.01)
    wrist = int(made.clip.skeleton.landmarks.require("left_wrist"))
    place = made.clip.position(wrist)[10] + 0.05 * made.clip.skeleton.size
    constraints: list[Constraint] = [ShapeConstraint(wrist, 4, 16, [ConstraintPoint(place, 10, 10)], mode="condensed")]
    live = LiveDeformation(deform(made.clip, [], cyclic=True))
    shown = previews_of(live, constraints, focus=10)
    assert shown
    for preview in shown:
        assert preview.clip.frames == len(preview.frames) == made.clip.frames


# Preparing ----------------------------------------------------------------------------------------------------------

PLANT = 1


def reaching(enforced: Deformation, far: float, by: float = 0.0) -> list[Constraint]:
    """The constraints, and a hand that passes through two points; the second is raised, and moved, by some sizes of the
    character."""
    clip, size = enforced.source, enforced.source.skeleton.size
    wrist = int(clip.skeleton.landmarks.require("left_wrist"))
    place = clip.position(wrist)[60] + size * np.array((by, 0.0, far))
    points = [ConstraintPoint(clip.position(wrist)[30], 30), ConstraintPoint(place, 55, 65)]
    return [*enforced.constraints, ShapeConstraint(wrist, 20, 90, points, mode="condensed", priority=HAND)]


def drafts_before_first_preview(
    live: LiveDeformation, constraints: list[Constraint], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, Deformation]:
    """How many drafts are solved until an edit shows something, and its result."""
    solved: list[int] = []
    solve_draft = deform_module.solve_draft

    def counted(*given: Any) -> Any:
        solved.append(1)
        return solve_draft(*given)

    with monkeypatch.context() as patched:
        patched.setattr(deform_module, "solve_draft", counted)
        steps = live.follow(constraints)
        assert any(each.preview is not None for each in steps)
        count = len(solved)
    return count, finished(steps)


@pytest.mark.parametrize("far", [None, 0.05, 1.5])
def test_a_prepared_edit_is_previewed_without_a_solve(
    far: float | None, enforced: Deformation, monkeypatch: pytest.MonkeyPatch
) -> None:
    if far is None:
        begin, number = enforced, PLANT
        constraints = with_moved_plant(enforced, PLANT, np.array((0.01, 0.0, 0.0)))
    else:
        begin, number = enforced.again(reaching(enforced, far)), len(enforced.constraints)
        constraints = [*begin.constraints[:-1], reaching(enforced, far, 0.01)[-1]]
    bare, prepared = LiveDeformation(begin), LiveDeformation(begin)
    stages = {each.stage for each in prepared.preparing(number, time=60.0)}
    assert {Stage.COARSE, Stage.SOLVING} <= stages, "it does not stop in between"
    assert prepared.deformation is begin
    needed, expected = drafts_before_first_preview(bare, constraints, monkeypatch)
    saved, result = drafts_before_first_preview(prepared, constraints, monkeypatch)
    assert needed > 0 and saved == 0
    np.testing.assert_array_equal(result.clip.motion.rotations, expected.clip.motion.rotations)
    np.testing.assert_array_equal(result.clip.motion.translations, expected.clip.motion.translations)


def test_a_prepared_edit_shows_the_former_result_outside_of_its_frames(enforced: Deformation) -> None:
    live = LiveDeformation(enforced)
    finished(live.preparing(PLANT))
    first = previews_of(live, with_moved_plant(enforced, PLANT, np.array((0.01, 0.0, 0.0))))[0]
    others = ~first.frames
    assert first.frames.any()
    np.testing.assert_array_equal(first.clip.motion.rotations[others], enforced.clip.motion.rotations[others])


def test_a_preparation_that_is_closed_changes_no_result(enforced: Deformation) -> None:
    constraints = with_moved_plant(enforced, PLANT, np.array((0.01, 0.0, 0.0)))
    expected = finished(LiveDeformation(enforced).follow(constraints))
    count = sum(1 for _ in LiveDeformation(enforced).preparing(PLANT))
    for done in (1, count // 2, count - 1):
        live = LiveDeformation(enforced)
        steps = live.preparing(PLANT)
        for _ in range(done):
            next(steps)
        steps.close()
        result = finished(live.follow(constraints))
        np.testing.assert_array_equal(result.clip.motion.rotations, expected.clip.motion.rotations)


def test_what_has_no_place_is_not_prepared(enforced: Deformation) -> None:
    assert isinstance(enforced.constraints[-1], Balance)
    assert not list(LiveDeformation(enforced).preparing(len(enforced.constraints) - 1))


def test_a_rotation_is_prepared(enforced: Deformation, monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(by: float) -> list[Constraint]:
        head = int(enforced.source.skeleton.landmarks.require("head"))
        turn = rotations.exp(np.array((0.0, 0.0, 0.3 + by)))
        place = rotations.multiply(turn, enforced.source.world.rotations[60, head])
        return [*enforced.constraints, OrientationConstraint(head, 40, 80, [ConstraintPoint(place, 60)])]

    begin = enforced.again(turned(0.0))
    live = LiveDeformation(begin)
    finished(live.preparing(len(enforced.constraints)))
    assert drafts_before_first_preview(live, turned(0.01), monkeypatch)[0] == 0


def test_a_loop_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    made = walk_in_place(sway=0.01)
    wrist = int(made.clip.skeleton.landmarks.require("left_wrist"))

    def pinned(by: float) -> list[Constraint]:
        place = made.clip.position(wrist)[10] + (0.05 + by) * made.clip.skeleton.size
        return [ShapeConstraint(wrist, 4, 16, [ConstraintPoint(place, 10, 10)], mode="condensed")]

    live = LiveDeformation(deform(made.clip, pinned(0.0), cyclic=True))
    finished(live.preparing(0, focus=10))
    assert drafts_before_first_preview(live, pinned(0.005), monkeypatch)[0] == 0
