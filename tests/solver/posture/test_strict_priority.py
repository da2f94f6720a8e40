# SPDX-License-Identifier: GPL-3.0-or-later
"""The strict-priority step: each level as good as those above allow, and none changed by those below."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from poise.solver.core.arrays import Array, BoolArray
from poise.solver.posture import strict_priority
from poise.solver.posture.levels import Attraction, PriorityLevels
from poise.solver.posture.objective_descent import FLAT
from poise.solver.posture.secants import Secants
from poise.solver.posture.strict_priority import DAMPING, LOWER_LEVEL_WEIGHT, Solution, level_weights, prioritized_step

from ..rounding import assert_equal_to_rounding

FRAMES, COLUMNS = 6, 24


@dataclass(frozen=True, eq=False)
class Level:
    """The rows of one level."""

    jacobian: Array
    goal_error: Array
    recruited: BoolArray | None = None
    null_rows: Array | None = None


def level(jacobian: Array, residual: Array, recruited: BoolArray | None = None) -> Level:
    return Level(jacobian, residual, recruited)


def stacked(levels: list[Level]) -> PriorityLevels:
    rows = [each.jacobian.shape[1] for each in levels]
    errors = np.concatenate([each.goal_error for each in levels], axis=1)
    recruited = null_rows = None
    if any(each.recruited is not None for each in levels):
        masks = [
            np.ones(each.jacobian.shape[1:], dtype=bool) if each.recruited is None else each.recruited
            for each in levels
        ]
        recruited = np.concatenate(masks)
    if any(each.null_rows is not None for each in levels):
        null = [np.zeros_like(each.goal_error) if each.null_rows is None else each.null_rows for each in levels]
        null_rows = np.concatenate(null, axis=1)
    of_row = np.repeat(np.arange(len(levels)), rows)
    jacobian = np.concatenate([each.jacobian for each in levels], axis=1)
    return PriorityLevels(len(levels), jacobian, errors, errors, of_row, of_row, recruited, null_rows)


def random_levels(rng: np.random.Generator, *rows: int) -> list[Level]:
    return [level(rng.standard_normal((FRAMES, m, COLUMNS)), 0.3 * rng.standard_normal((FRAMES, m))) for m in rows]


def in_turn(levels: list[Level]) -> list[Level]:
    """The same levels, which the solver then takes one after the other: rows that recruit are never met all at once."""
    return [replace(each, recruited=np.ones(each.jacobian.shape[1:], dtype=bool)) for each in levels]


def solve(
    levels: list[Level], attraction: Array | None = None, columns: BoolArray | None = None, strict: int = 9
) -> Array:
    """(frames, columns) the step with the first `strict` levels strict."""
    velocity = np.zeros((FRAMES, COLUMNS)) if attraction is None else attraction
    columns = np.full(COLUMNS, attraction is not None) if columns is None else columns
    solution = prioritized_step(
        stacked(levels),
        Attraction(velocity, columns),
        np.full(FRAMES, min(strict, len(levels))),
        Secants.none(FRAMES, COLUMNS),
        np.ones(COLUMNS),
        np.ones(FRAMES, dtype=bool),
    )
    return solution.strict_step + solution.descent_step


def undamped(of: Level) -> Array:
    """(frames, columns) the least step that meets a level."""
    return np.einsum("fcr,fr->fc", np.linalg.pinv(of.jacobian), of.goal_error)


def moved(of: Level, step: Array) -> Array:
    return np.einsum("frc,fc->fr", of.jacobian, step)


def test_levels_that_fit_together_are_all_met(rng):
    levels = random_levels(rng, 4, 3, 5)
    step = solve(levels)
    for index, each in enumerate(levels):
        assert np.allclose(moved(each, step), each.goal_error, atol=1e-9), f"level {index} is not met"


@pytest.mark.parametrize("far", [1.0, 30.0, 1000.0])
def test_a_level_never_moves_those_above_it_however_strongly_it_is_damped(rng, far):
    # A projector that is damped along with the step breaks this: the classic mistake. The longer the way, the stronger
    # the damping.
    levels = [level(each.jacobian, far * each.goal_error) for each in random_levels(rng, 4, 3, 5)]
    is_damped = np.abs(moved(levels[0], solve(levels[:1])) - levels[0].goal_error).max() > 1.0
    assert is_damped == (far > 1.0)
    for count in (1, 2):
        above = solve(levels[:count])
        below = solve(levels[: count + 1])
        for index in range(count):
            leak = np.abs(moved(levels[index], below) - moved(levels[index], above)).max()
            assert leak < 1e-12, f"level {count} moves level {index} by {leak:.1e}"


@pytest.mark.parametrize("far", [1.0, 30.0])
def test_the_attraction_never_moves_a_level(rng, far):
    levels = in_turn([level(each.jacobian, far * each.goal_error) for each in random_levels(rng, 4, 3)])
    without = solve(levels)
    attracted = solve(levels, 10.0 * rng.standard_normal((FRAMES, COLUMNS)))
    assert np.abs(attracted - without).max() > 1.0, "the attraction did nothing"
    for each in levels:
        assert np.abs(moved(each, attracted) - moved(each, without)).max() < 1e-11


@pytest.mark.parametrize("order", [list, in_turn])
def test_the_attraction_takes_all_that_is_left(rng, order):
    levels = random_levels(rng, 4, 3)
    pull = rng.standard_normal((FRAMES, COLUMNS))
    rest = solve(order(levels), pull) - pull
    rows = np.concatenate([each.jacobian for each in levels], axis=1)
    outside = rest - np.einsum("fcr,frd,fd->fc", np.linalg.pinv(rows), rows, rest)
    assert np.abs(outside).max() < 1e-12


def test_a_level_that_conflicts_gets_the_best_that_those_above_allow(rng):
    # The second level shares a row with the first but wants something else of it: the rest of it must be met, and the
    # shared row must stay with the first.
    first, second = random_levels(rng, 3, 4)
    second.jacobian[:, 0] = first.jacobian[:, 0]
    step = solve([first, second])
    assert np.allclose(moved(first, step), first.goal_error, atol=1e-10)
    assert np.allclose(moved(second, step)[:, 0], first.goal_error[:, 0], atol=1e-10)
    null = np.linalg.svd(first.jacobian)[2][:, 3:]
    best = np.linalg.lstsq
    for frame in range(FRAMES):
        start = np.linalg.pinv(first.jacobian[frame]) @ first.goal_error[frame]
        inner = second.jacobian[frame] @ null[frame].T
        wanted = second.goal_error[frame] - second.jacobian[frame] @ start
        reachable = np.linalg.norm(wanted - inner @ best(inner, wanted, rcond=None)[0])
        reached = np.linalg.norm(second.goal_error[frame] - second.jacobian[frame] @ step[frame])
        assert reached < reachable + 1e-9


def test_two_equal_rows_share_by_least_squares(rng):
    (both,) = random_levels(rng, 2)
    both.jacobian[:, 1] = both.jacobian[:, 0]
    step = solve([both])
    assert np.allclose(moved(both, step), both.goal_error.mean(axis=1, keepdims=True), atol=1e-10)


def test_adaptive_damping_leaves_a_well_conditioned_level_alone(rng):
    levels = random_levels(rng, 4)
    assert np.allclose(solve(levels), undamped(levels[0]), atol=1e-12)
    assert np.allclose(solve(in_turn(levels)), undamped(levels[0]), atol=1e-12)


def test_a_frame_that_needs_care_does_not_change_its_neighbours(rng):
    levels = random_levels(rng, 4, 3, 2)
    pull = rng.standard_normal((FRAMES, COLUMNS))
    alone = solve(levels, attraction=pull)
    levels[1].jacobian[2, 0] = levels[0].jacobian[2, 0]
    levels[2].goal_error[4] = 50.0
    together = solve(levels, attraction=pull)
    changed = [2, 4]
    assert_equal_to_rounding(np.delete(together, changed, axis=0), np.delete(alone, changed, axis=0))
    assert np.allclose(moved(levels[0], together), levels[0].goal_error, atol=1e-9), (
        "a conflict cost the level above it"
    )
    assert np.abs(together[4]).max() < 5.0, "a step that asks for too much is not damped"


@pytest.mark.parametrize("columns", [slice(None), slice(0, 10)])
def test_meeting_all_levels_at_once_is_meeting_them_in_turn(rng, columns):
    levels = random_levels(rng, 4, 3, 5)
    attracted = np.zeros(COLUMNS, dtype=bool)
    attracted[columns] = True
    velocity = rng.standard_normal((FRAMES, COLUMNS))
    at_once, one_by_one = (solve(each, velocity, attracted) for each in (levels, in_turn(levels)))
    assert np.allclose(at_once, one_by_one, atol=1e-11)


def test_what_no_row_can_change_does_not_keep_levels_from_being_met_at_once(rng, monkeypatch):
    levels = random_levels(rng, 4, 3, 5)
    null_rows = rng.standard_normal((FRAMES, 3))
    null_rows /= np.linalg.norm(null_rows, axis=1, keepdims=True)
    middle = levels[1]
    middle.jacobian[:] -= null_rows[:, :, None] * np.einsum("fr,frc->fc", null_rows, middle.jacobian)[:, None]
    middle.goal_error[:] -= null_rows * np.einsum("fr,fr->f", null_rows, middle.goal_error)[:, None]
    pull = rng.standard_normal((FRAMES, COLUMNS))
    one_by_one = solve(in_turn(levels), pull)
    levels[1] = replace(middle, null_rows=null_rows)
    monkeypatch.setattr(strict_priority, "_step_by_level", None)
    at_once = solve(levels, pull)
    assert np.allclose(at_once, one_by_one, atol=1e-11)


def test_rows_that_are_switched_off_in_some_frames_hold_nothing(rng):
    levels = random_levels(rng, 4, 3)
    levels[0].jacobian[::2, 1], levels[0].goal_error[::2, 1] = 0.0, 0.0
    pull = rng.standard_normal((FRAMES, COLUMNS))
    without = [level(np.delete(levels[0].jacobian, 1, axis=1), np.delete(levels[0].goal_error, 1, axis=1)), levels[1]]
    assert np.allclose(solve(levels, pull)[::2], solve(without, pull)[::2], atol=1e-11)


def test_a_row_that_nothing_moves_costs_the_others_nothing_even_if_it_wants_something(rng):
    levels = random_levels(rng, 4, 3)
    levels[0].jacobian[1, 2] = 0.0
    step = solve(levels)
    assert np.allclose(np.delete(moved(levels[0], step), 2, axis=1), np.delete(levels[0].goal_error, 2, axis=1))
    assert np.allclose(moved(levels[1], step), levels[1].goal_error)
    nothing = level(np.zeros((FRAMES, 3, COLUMNS)), np.ones((FRAMES, 3)))
    assert not solve([nothing]).any()


def test_adaptive_damping_bounds_the_step_near_a_singularity(rng):
    (near,) = random_levels(rng, 3)
    near.jacobian[:, 2] = near.jacobian[:, 1] + 1e-4 * rng.standard_normal((FRAMES, COLUMNS))
    assert np.abs(undamped(near)).max() > 100.0
    assert np.abs(solve([near])).max() < 5.0


def test_a_lost_direction_is_neither_followed_nor_held(rng):
    (flat, below) = random_levels(rng, 3, 3)
    flat.jacobian[:, 2] = 0.0
    step = solve([flat, below])
    assert np.isfinite(step).all()
    assert np.allclose(moved(below, step), below.goal_error, atol=1e-9)


def test_rows_move_only_what_they_recruit(rng):
    rows = rng.standard_normal((FRAMES, 3, COLUMNS))
    recruited = np.zeros((3, COLUMNS), dtype=bool)
    recruited[:, :8] = True
    only = level(rows, 0.1 * rng.standard_normal((FRAMES, 3)), recruited)
    step = solve([only])
    assert not step[:, 8:].any()
    assert np.allclose(moved(only, step), only.goal_error, atol=1e-9)


def test_a_higher_level_is_safe_even_from_columns_that_it_does_not_recruit(rng):
    # The recruiting rule is broken here on purpose: the lower level uses columns that move the higher one, which may
    # not use them itself. The compensation must come from columns that the higher level recruits.
    recruited = np.zeros((3, COLUMNS), dtype=bool)
    recruited[:, :8] = True
    higher = level(rng.standard_normal((FRAMES, 3, COLUMNS)), np.zeros((FRAMES, 3)), recruited)
    lower = level(rng.standard_normal((FRAMES, 3, COLUMNS)), 0.1 * rng.standard_normal((FRAMES, 3)))
    step = solve([higher, lower])
    assert np.abs(moved(higher, step)).max() < 1e-10
    assert np.allclose(moved(lower, step), lower.goal_error, atol=1e-9)


def test_what_lies_below_weighs_less_by_the_same_share_at_every_level():
    weights = level_weights(np.array([0.1, 2.0]), np.array([[-1, 0, 1, 2, 3]] * 2))
    assert not weights[:, 0].any(), "a level above an unreachable one must stay strict"
    assert np.allclose(weights[:, 1], 1.0), "an unreachable level must count for itself in full"
    assert np.allclose(weights[:, 2], LOWER_LEVEL_WEIGHT * np.array([0.1, 2.0]))
    assert np.allclose(weights[:, 3:] / weights[:, 2:-1], LOWER_LEVEL_WEIGHT)


def test_an_unreachable_level_and_those_below_it_do_not_move_the_strict_ones(rng):
    levels = random_levels(rng, 4, 3, 5)
    step = solve(levels, rng.standard_normal((FRAMES, COLUMNS)), strict=1)
    assert np.allclose(moved(levels[0], step), levels[0].goal_error, atol=1e-12)
    errors = np.linalg.norm(levels[1].goal_error - moved(levels[1], step), axis=1)
    assert (errors < np.linalg.norm(levels[1].goal_error - moved(levels[1], solve(levels[:1])), axis=1)).all()


def test_an_unreachable_level_moves_only_what_it_recruits(rng):
    rows = rng.standard_normal((FRAMES, 3, COLUMNS))
    recruited = np.zeros((3, COLUMNS), dtype=bool)
    recruited[:, :8] = True
    below = level(rng.standard_normal((FRAMES, 2, COLUMNS)), np.zeros((FRAMES, 2)))
    below.jacobian[:, :, :8] = 0.0
    step = solve([level(rows, np.ones((FRAMES, 3)), recruited), below], strict=0)
    assert np.abs(step[:, 8:]).max() < 1e-12 and np.abs(step[:, :8]).max() > 0.01


def test_a_level_that_is_met_since_it_was_unreachable_takes_no_long_step(rng):
    first, second, third = random_levels(rng, 3, 2, 2)
    met = replace(second, goal_error=np.zeros_like(second.goal_error))
    step = solve([first, met, third], rng.standard_normal((FRAMES, COLUMNS)), strict=1)
    assert np.abs(step).max() < 100.0


def solve_objective(rng: np.random.Generator, levels: list[Level], strict: int) -> tuple[Solution, Array, Array]:
    """The solution above a random objective, and its descent direction and curvature."""
    roots = rng.standard_normal((FRAMES, COLUMNS, COLUMNS))
    curvature, descent = roots @ roots.swapaxes(1, 2), rng.standard_normal((FRAMES, COLUMNS))
    solution = prioritized_step(
        stacked(levels),
        Attraction(descent, np.ones(COLUMNS, dtype=bool), curvature),
        np.full(FRAMES, strict),
        Secants.none(FRAMES, COLUMNS),
        np.ones(COLUMNS),
        np.zeros(FRAMES, dtype=bool),
    )
    return solution, descent, curvature


def test_below_strict_levels_an_objective_is_minimized_in_their_null_space(rng):
    levels = random_levels(rng, 4, 3)
    solution, descent, curvature = solve_objective(rng, levels, 2)
    step = solution.strict_step + solution.descent_step
    rows = np.concatenate([each.jacobian for each in levels], axis=1)
    for frame in range(FRAMES):
        free = np.linalg.svd(rows[frame])[2][7:].T
        lifted = curvature[frame] + FLAT * np.trace(curvature[frame]) / COLUMNS * np.eye(COLUMNS)
        met = solution.strict_step[frame]
        own = free.T @ (descent[frame] - curvature[frame] @ met)
        expected = met + free @ np.linalg.solve(free.T @ lifted @ free, own)
        assert np.allclose(step[frame], expected, atol=1e-8)
    for each in levels:
        assert np.allclose(moved(each, step), each.goal_error, atol=1e-9)
    assert solution.multipliers is not None and solution.multipliers.shape == (FRAMES, 7)


def test_below_an_unreachable_level_an_objective_has_a_small_weight(rng):
    (only,) = random_levels(rng, 3)
    solution, descent, curvature = solve_objective(rng, [only], 0)
    errors = np.linalg.norm(only.goal_error, axis=1)
    for frame in range(FRAMES):
        rows, weight = only.jacobian[frame], LOWER_LEVEL_WEIGHT * errors[frame]
        whole = rows.T @ rows + weight * curvature[frame] + DAMPING * errors[frame] * np.eye(COLUMNS)
        whole += FLAT * np.trace(whole) / COLUMNS * np.eye(COLUMNS)
        expected = np.linalg.solve(whole, rows.T @ only.goal_error[frame] + weight * descent[frame])
        assert np.allclose(solution.descent_step[frame], expected, atol=1e-9)
    assert not solution.strict_step.any()
