# SPDX-License-Identifier: GPL-3.0-or-later
"""The spacetime problem of an edit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver import PoiseError
from poise.solver.spacetime import Edit, FootprintEdit, LockedJoint, Obstacle
from poise.solver.spacetime.editing.edited_problem import HEADING_WEIGHT, _flies, _grid, edited_problem
from poise.solver.spacetime.problem.layout import force_tracks
from poise.solver.spacetime.problem.optimiser import optimise

from ..small_fits import walk_fit


def test_the_fit_is_the_optimum_of_an_edit_that_changes_nothing() -> None:
    fit = walk_fit()
    edited = edited_problem(fit, Edit())
    optimum = optimise(edited.problem.program(edited.functions), edited.start)
    assert optimum.iterations <= 12
    moved = replace(fit.motion, unknowns=optimum.unknowns)
    handles, points = fit.problem.handles, fit.motion.points
    away = moved.handle_values(handles, points) - fit.motion.handle_values(handles, points)
    assert np.abs(away).max() < 1e-3 * fit.units.length


def test_footprints_move_turn_and_rise_with_the_places_that_push() -> None:
    fit = walk_fit()
    change = FootprintEdit(1, (0.1, 0.05, 0.0), np.pi / 2)
    before, after = fit.problem.stances[1], edited_problem(fit, Edit(footprints=(change,))).problem.stances[1]
    shift = np.array(change.shift) / fit.units.length
    assert np.allclose(after.place, before.place + shift)
    for old, new in zip(before.pushes, after.pushes, strict=True):
        arm, turned = old.place - before.place, new.place - after.place
        assert np.isclose(arm[1], turned[1]) and np.allclose([arm[2], -arm[0]], [turned[0], turned[2]])


def test_edits_of_one_stance_add_up() -> None:
    fit = walk_fit()
    twice = Edit(footprints=(FootprintEdit(0, (0.1, 0.0, 0.0)), FootprintEdit(0, (0.2, 0.0, 0.1))))
    assert np.allclose(edited_problem(fit, twice).footprints[0].shift, (0.3, 0.0, 0.1))


def test_times_are_stretched_as_a_whole_and_by_event() -> None:
    fit = walk_fit()
    grid = fit.problem.layout.grid
    slow = edited_problem(fit, Edit(duration=1.5)).problem
    assert np.allclose(slow.layout.grid.points, 1.5 * grid.points) and np.allclose(slow.layout.grid.source, grid.points)
    assert np.isclose(slow.stances[1].begin, 1.5 * fit.problem.stances[1].begin)
    later = edited_problem(fit, Edit(footprints=(FootprintEdit(1, earlier_strike=-0.05),))).problem
    moved = (later.stances[1].begin - fit.problem.stances[1].begin) * fit.units.time
    assert np.isclose(moved, 0.05, atol=1e-6)
    assert np.isclose(later.layout.grid.points[-1], grid.points[-1])


def test_the_targets_of_a_foot_follow_its_own_footprints() -> None:
    fit = walk_fit()
    index = next(i for i, stance in enumerate(fit.problem.stances) if stance.contact == "left foot")
    shift = 0.2 * fit.units.length
    still = edited_problem(fit, Edit()).problem.targets
    moved = edited_problem(fit, Edit(footprints=(FootprintEdit(index, (shift, 0.0, 0.0)),))).problem.targets
    stance = fit.problem.stances[index]
    points = fit.problem.layout.grid.points
    stands = (points >= stance.begin) & (points <= stance.end)
    away = moved - still
    assert np.allclose(away[0, stands], 0.2)  # the left ball is the first handle
    assert np.allclose(away[3:6], 0.0)  # the right ball the second, whose footprints stay
    assert away[6].max() > 0.05  # the centre of mass comes along


def test_locked_joints_have_one_value() -> None:
    fit = walk_fit()
    problem = edited_problem(
        fit, Edit(locked=(LockedJoint("left_knee", (20.0,)), LockedJoint("left_shoulder")))
    ).problem
    knee = fit.problem.character.joint_of["left_knee"][0]
    shoulder = fit.problem.character.joint_of["left_shoulder"][0]
    assert np.isclose(problem.locked[knee], np.deg2rad(20.0))
    mean = fit.motion.values(fit.motion.points)[:, shoulder].mean()
    assert np.isclose(problem.locked[shoulder], mean)


def test_feet_are_bounded_by_ground_and_obstacles_between_stances_alone() -> None:
    fit = walk_fit()
    place = tuple(fit.stances[1].place)
    problem = edited_problem(fit, Edit(obstacles=(Obstacle(place, 0.1, 0.2),))).problem  # type: ignore[arg-type]
    labels = [bound.label for bound in problem.heights]
    assert any("obstacle 1" in label for label in labels) and any("ground" in label for label in labels)
    for bound in problem.heights:
        own = [stance for stance in problem.stances if stance.points == bound.points]
        for stance in own:
            assert not ((bound.times > stance.begin + 1e-6) & (bound.times < stance.end - 1e-6)).any()


def test_a_turn_holds_the_heading_at_the_end() -> None:
    fit = walk_fit()
    problem = edited_problem(fit, Edit(turn=0.5)).problem
    (pose,) = problem.poses
    heading = fit.motion.values([fit.motion.duration])[0, 3]
    assert np.isclose(pose.values[3], heading + 0.5) and np.isnan(pose.values[:3]).all()


def test_a_kept_heading_weighs_the_hips_but_not_which_way_is_up() -> None:
    fit = walk_fit()
    ratios = edited_problem(fit, Edit(keep_heading=True)).problem.weights / fit.problem.weights
    heavy = [handle.label for handle, ratio in zip(fit.problem.handles, ratios, strict=True) if ratio > 1.0]
    assert heavy == ["left axis of hips"]
    assert set(ratios) == {1.0, HEADING_WEIGHT}


@pytest.mark.parametrize(
    ("edit", "word"),
    [
        (Edit(footprints=(FootprintEdit(99),)), "no stance 99"),
        (Edit(locked=(LockedJoint("tail"),)), "tail"),
        (Edit(locked=(LockedJoint("left_hip", (1.0,)),)), "left_hip"),
        (Edit(footprints=(FootprintEdit(1, earlier_strike=5.0),)), "no time between"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_with_its_name(edit: Edit, word: str) -> None:
    with pytest.raises(PoiseError, match=word):
        edited_problem(walk_fit(), edit)


def test_the_start_is_the_fit_where_nothing_moves() -> None:
    fit = walk_fit()
    assert np.array_equal(edited_problem(fit, Edit(gravity=0.5)).start.unknowns, fit.optimum.unknowns)


def test_joints_are_locked_within_their_ranges() -> None:
    fit = walk_fit()
    for degrees in (300.0, -90.0, 151.0, 1e49):
        with pytest.raises(PoiseError, match=r"left knee flexion cannot be locked at .*: it can be between 1 and 150°"):
            edited_problem(fit, Edit(locked=(LockedJoint("left_knee", (degrees,)),)))
    (knee,) = fit.problem.character.joint_of["left_knee"]
    for degrees in (1.0, 60.0, 150.0):
        locked = edited_problem(fit, Edit(locked=(LockedJoint("left_knee", (degrees,)),))).problem.locked
        assert np.isclose(locked[knee], np.deg2rad(degrees))


def test_joints_without_a_range_of_the_recipe_may_leave_that_of_the_source_by_half_a_turn() -> None:
    fit = walk_fit()
    hips = tuple(
        replace(kept, lower=(), upper=()) if kept.joints == ("left_hip",) else kept for kept in fit.recipe.joints
    )
    free = replace(fit, recipe=replace(fit.recipe, joints=hips))
    dofs = [fit.problem.character.dofs[index] for index in fit.problem.character.joint_of["left_hip"]]
    edge = np.rad2deg([dof.upper for dof in dofs])
    beyond, absurd = (LockedJoint("left_hip", tuple(edge + degrees)) for degrees in (170.0, 190.0))
    assert len(edited_problem(free, Edit(locked=(beyond,))).problem.locked) == 3
    with pytest.raises(PoiseError, match="left hip flexion cannot be locked"):
        edited_problem(free, Edit(locked=(absurd,)))
    with pytest.raises(PoiseError, match="left hip flexion cannot be locked"):
        edited_problem(fit, Edit(locked=(beyond,)))


def test_one_joint_has_one_lock() -> None:
    one, other = LockedJoint("left_knee", (10.0,)), LockedJoint("left_knee", (20.0,))
    with pytest.raises(PoiseError, match="'left_knee' is locked twice, at different values"):
        edited_problem(walk_fit(), Edit(locked=(one, other)))
    assert edited_problem(walk_fit(), Edit(locked=(one, one))).problem.locked


def test_an_edit_leaves_the_motion_some_frames() -> None:
    for duration in (0.01, 1e-99):
        with pytest.raises(PoiseError, match="s for the whole motion: give it a longer duration"):
            edited_problem(walk_fit(), Edit(duration=duration))
    assert edited_problem(walk_fit(), Edit(duration=0.1))


def test_an_edit_leaves_some_time_in_the_air() -> None:
    """The walk has no flight: a stance in the middle of it is taken away."""
    fit = walk_fit()
    stances = (fit.problem.stances[0], fit.problem.stances[-1])
    base = fit.problem.layout
    layout = replace(base, tracks=force_tracks(stances, base.grid, fit.problem.slots, False))
    flying = replace(fit, problem=replace(fit.problem, stances=stances, layout=layout))
    assert _flies(flying).any()
    for flight in (1e-3, 1e-99):
        with pytest.raises(PoiseError, match=r"s in the air after .* s, and the least is .* s: give the flight more"):
            _grid(flying, Edit(flight=flight), (FootprintEdit(0), FootprintEdit(1)))
    short = _grid(flying, Edit(flight=0.1), (FootprintEdit(0), FootprintEdit(1)))
    assert np.isclose(short.spacing[_flies(flying)].sum(), 0.1 * base.grid.spacing[_flies(flying)].sum())
