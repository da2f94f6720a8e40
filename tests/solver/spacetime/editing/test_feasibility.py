# SPDX-License-Identifier: GPL-3.0-or-later
"""Impossible edits are refused before they are solved, with the reason; possible ones are not."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise.examples import physics, physics_sources
from poise.solver import Clip, PoiseError
from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime import Edit, Fit, FootprintEdit, LimbEdit, Obstacle, fit, is_available, transform
from poise.solver.spacetime.editing.edited_problem import edited_problem
from poise.solver.spacetime.editing.feasibility import reach_of_mass, reach_of_points, why_impossible
from poise.solver.spacetime.problem.time_budget import TimeBudget
from poise.solver.synthetic import run

from ..small_fits import walk_fit

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not is_available(), reason="CasADi is not installed")]


@cache
def run_fit() -> Fit:
    return physics_sources.fitted_run()


@cache
def jump_fit() -> Fit:
    return physics_sources.fitted_jump()


def reasons(fitted: Fit, edit: Edit) -> list[str]:
    return why_impossible(edited_problem(fitted, edit).problem, fitted.units)


def moved(fitted: Fit, stance: int, aside: float = 0.0, up: float = 0.0) -> Edit:
    """A footprint elsewhere, by sizes of the character."""
    left, upward, _ = fitted.problem.character.axes
    x, y, z = fitted.units.length * (aside * left + up * upward)
    return Edit(footprints=(FootprintEdit(stance, (float(x), float(y), float(z))),))


@pytest.mark.parametrize("name", [*physics.RUNS, *physics.JUMPS])
def test_every_example_is_possible(name: str) -> None:
    fitted = run_fit() if name in physics.RUNS else jump_fit()
    assert reasons(fitted, {**physics.RUNS, **physics.JUMPS}[name](fitted)) == []


def test_a_footprint_out_of_reach_is_named() -> None:
    fitted = run_fit()
    for edit in (moved(fitted, 1, aside=3.5), moved(fitted, 1, up=3.5)):
        found = reasons(fitted, edit)
        assert found[0].startswith(f"{fitted.problem.stances[1].label} is out of reach by ")
        assert len(found) == 1, "the others are within reach"
        _, possible = why_impossible(edited_problem(fitted, edit).problem, fitted.units, fitted.problem)
        moves, least = (float(each) for each in re.findall(r"moved by ([\d.]+), and at most ([\d.]+) is", possible)[0])
        assert moves == pytest.approx(3.5 * fitted.units.length, rel=1e-2) and 0.5 < least < moves
    assert reasons(fitted, moved(fitted, 1, aside=0.2)) == []
    assert reasons(fitted, moved(fitted, 1, up=0.2)) == []


def test_reasons_name_seconds_of_the_source() -> None:
    fitted = run_fit()
    begin = fitted.stances[1].begin
    assert f"left foot at {begin:.2f} s" in reasons(fitted, moved(fitted, 1, up=3.5))[0]


def test_a_leap_higher_than_any_jumper_is_refused() -> None:
    fitted = jump_fit()
    assert reasons(fitted, moved(fitted, 1, up=0.5)) == []
    assert any("faster than any runner or jumper" in each for each in reasons(fitted, moved(fitted, 1, up=3.5)))


def test_stances_at_the_same_time_must_be_within_two_legs() -> None:
    fitted = run_fit()
    problem = edited_problem(fitted, moved(fitted, 1, aside=3.5)).problem
    first, second = problem.stances[:2]
    together = second.changed(lambda time: time - second.begin + first.begin, lambda place: place)
    both = replace(problem, stances=(first, together, *problem.stances[2:]))
    found = why_impossible(both, fitted.units)
    assert "are at the same time and" in found[0] and "farther than two legs reach" in found[0]


@pytest.mark.parametrize("gravity", [1000.0, 10000.0])
def test_absurd_gravity_is_refused(gravity: float) -> None:
    assert reasons(run_fit(), Edit(gravity=gravity))
    assert reasons(jump_fit(), Edit(gravity=gravity))


def test_an_obstacle_too_high_and_one_on_a_footprint_are_refused() -> None:
    fitted = jump_fit()
    (found,) = reasons(fitted, physics.obstacle_jump(fitted, height=3.0))
    assert found.startswith("obstacle 1 is ") and "higher than the feet can be lifted" in found
    place = tuple(map(float, fitted.stances[1].place))
    under = Edit(obstacles=(Obstacle(place, 0.3 * fitted.units.length, 0.2 * fitted.units.length),))
    assert reasons(fitted, under)[0].startswith("obstacle 1 stands on the stance of the feet at ")


# --- a walk with few points, whose fit takes two seconds ------------------------------------------------------------


def walked(edit: Edit) -> list[str]:
    fitted = walk_fit()
    return why_impossible(edited_problem(fitted, edit).problem, fitted.units, fitted.problem)


def test_a_body_turns_so_many_times_and_no_more() -> None:
    (found,) = walked(Edit(turn=20.0 * 2.0 * np.pi))
    assert "would have to turn by 20 turns within" in found
    (most,) = (float(each) for each in re.findall("at most ([0-9.]+) are possible", found))
    assert 3.0 < most < 10.0
    assert walked(Edit(turn=0.9 * most * 2.0 * np.pi)) == []
    assert walked(Edit(turn=1.1 * most * 2.0 * np.pi)) != []
    last = len(walk_fit().stances) - 1
    (found,) = walked(Edit(footprints=(FootprintEdit(last, turn=-200.0),)))
    assert walk_fit().stances[last].label in found


def test_a_foot_has_the_time_that_it_needs() -> None:
    fitted = walk_fit()
    problem = edited_problem(fitted, Edit()).problem
    one, other = (index for index, each in enumerate(problem.stances) if each.contact == "right foot")
    stances = list(problem.stances)
    late = stances[other].begin - 1e-3 - stances[one].end
    stances[one] = stances[one].changed(lambda time: time + late, lambda place: place)
    found = why_impossible(replace(problem, stances=tuple(stances)), fitted.units)
    assert any("the right foot would have to move" in each and "s or more" in each for each in found)
    assert not any("would have to move" in each for each in why_impossible(problem, fitted.units))


def test_a_limb_that_no_leg_can_carry_is_refused_for_its_mass() -> None:
    (first, *_) = walked(Edit(limbs=(LimbEdit("right_knee", mass=1e4),)))
    assert "times its mass, and no legs carry more than 8 times" in first
    assert walked(Edit(limbs=(LimbEdit("right_knee", mass=20.0),))) == []
    assert walked(Edit(limbs=(LimbEdit("right_knee", mass=1e-9),))) == []


@pytest.mark.parametrize("far", [1e3, 1e30, 1e49])
def test_distances_that_no_program_computes_with_are_refused_also_where_time_is_free(far: float) -> None:
    last = len(walk_fit().stances) - 1
    for duration in (1.0, None):
        found = walked(Edit(footprints=(FootprintEdit(last, (far, 0.0, 0.0)),), duration=duration))
        assert walk_fit().stances[last].label in found[0], found
        found = walked(Edit(footprints=(FootprintEdit(last, (0.0, far, 0.0)),), duration=duration))
        assert walk_fit().stances[last].label in found[0], found


def test_where_time_is_free_the_longest_duration_counts() -> None:
    """Nothing that can be reached in four times the time is refused."""
    fitted = walk_fit()
    last = len(fitted.stances) - 1
    for sizes in (0.5, 1.0):
        edit = Edit(footprints=(FootprintEdit(last, (0.0, 0.0, sizes * fitted.units.length)),), duration=None)
        assert walked(edit) == []


def test_gravity_may_be_zero() -> None:
    assert walked(Edit(gravity=0.0)) == []
    assert walked(Edit(gravity=1e-6)) == []


def test_a_leg_may_be_short() -> None:
    assert walked(Edit(limbs=(LimbEdit("right_knee", 0.05),))) == []


def test_a_budget_that_is_spent_leaves_out_the_linear_programs() -> None:
    fitted = walk_fit()
    edit = Edit(gravity=1e5)
    problem = edited_problem(fitted, edit).problem
    assert why_impossible(problem, fitted.units, fitted.problem) != []
    assert why_impossible(problem, fitted.units, fitted.problem, TimeBudget(0.0)) == []


def test_a_locked_leg_reaches_as_far_as_its_lock_lets_it() -> None:
    character = walk_fit().problem.character
    (knee,) = character.joint_of["left_knee"]
    bent = reach_of_mass(character, ("left_ball",), {knee: np.deg2rad(150.0)})
    assert bent < 0.8 * reach_of_mass(character, ("left_ball",))


# --------------------------------------------------------------------------------------------------------------------


def test_reaches_are_those_of_the_body() -> None:
    character = run_fit().problem.character
    leg = reach_of_points(character, ("left_ball",))
    assert 1.0 < leg < 1.3
    assert leg < reach_of_mass(character, ("left_ball",)) + 0.5
    mass = reach_of_mass(character, ("left_ball",))
    values = run_fit().motion.values(run_fit().motion.points)
    from poise.solver.spacetime.handles.handle import PointHandle
    from poise.solver.spacetime.problem.mapping import HandleValues

    places = HandleValues(character, (PointHandle("left_ball"),)).values(values)
    assert np.linalg.norm(places - values[:, :3], axis=1).max() < mass, "no posture of the run is farther"


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda fitted: moved(fitted, 1, aside=3.5), "The edit is impossible: the stance of the left foot"),
        (lambda fitted: Edit(gravity=1000.0), "The edit is impossible: the stance of the"),
        (
            lambda fitted: Edit(footprints=(FootprintEdit(1, earlier_strike=5.0),)),
            "The edit leaves no time between two contacts",
        ),
        (lambda fitted: Edit(footprints=(FootprintEdit(99),)), "There is no stance 99"),
    ],
)
def test_transform_tells_what_cannot_be(edit: object, told: str) -> None:
    assert callable(edit)
    with pytest.raises(ConstraintError, match=told):
        transform(run_fit(), edit(run_fit()))


def test_no_flight_time_and_negative_gravity_are_no_edits() -> None:
    for values in ({"flight": 0.0}, {"duration": 0.0}, {"gravity": -1.0}):
        with pytest.raises(ConstraintError, match=f"The {next(iter(values))} of an edit"):
            Edit(**values)  # type: ignore[arg-type]


def test_a_clip_without_contacts_and_a_character_without_legs_cannot_be_fitted(human_run: Clip) -> None:
    with pytest.raises(PoiseError, match="no contact with the ground"):
        fit(human_run, [])
    chain = _chain()
    with pytest.raises(PoiseError) as caught:
        fit(chain)
    assert len(str(caught.value)) > 20


@pytest.fixture
def human_run() -> Clip:
    return run(steps=2, fps=60.0).clip


def _chain() -> Clip:
    """Five bones in a row, at rest for a second."""
    from poise.solver import Motion, Skeleton

    skeleton = Skeleton(
        names=[f"bone{index}" for index in range(5)],
        parents=[-1, 0, 1, 2, 3],
        offsets=[[0.0, 0.0, 0.0]] + [[0.0, 1.0, 0.0]] * 4,
    )
    rotations = np.zeros((60, 5, 4))
    rotations[..., 0] = 1.0
    return Clip(skeleton, Motion(rotations, np.broadcast_to(skeleton.offsets, (60, 5, 3)).copy()), 60.0)
