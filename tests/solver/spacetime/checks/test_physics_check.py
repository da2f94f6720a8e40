# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the physics: motions that obey it pass, and each way of breaking it shows in its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.clip import Clip
from poise.solver.constraints.footplant import Footplant
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.detection.footplants import detect_footplants
from poise.solver.files.bvh import read_bvh
from poise.solver.spacetime import fit
from poise.solver.spacetime.checks import inverse_dynamics
from poise.solver.spacetime.checks.physics_check import PARABOLA, SPIN, PhysicsCheck, Worst, check_physics
from poise.solver.spacetime.problem.simplified_motion import SimplifiedMotion
from poise.solver.spacetime.problem.units import Units
from poise.solver.synthetic import SyntheticMotion

from ..small_fits import walk_fit
from ..small_problems import SmallProblem, bouncing_ball, hanging_body, hanging_chain, hopping_leg

pytest.importorskip("casadi", reason="the optimiser is not installed")

ROUNDING = 1e-6
"""Of what the optimiser solves to 1e-7."""


@cache
def solved(make: Callable[..., SmallProblem], *arguments: float) -> SimplifiedMotion:
    problem = make(*arguments)
    return problem.motion(problem.solved())


def ball() -> SimplifiedMotion:
    """It bounces with a period of 2; the ground pushes from 0.6 to 1.4."""
    return solved(bouncing_ball, 2.0, 0.8, 20)


def leg() -> SimplifiedMotion:
    """It hops with a period of 2, and stands from 0.55 to 1.45."""
    return solved(hopping_leg, 2.0, 0.9, 40)


def with_forces(motion: SimplifiedMotion, change: Callable[[Array], Array]) -> SimplifiedMotion:
    """The motion with other forces of the ground, a function of those that it has, (nodes, 3)."""
    unknowns = motion.unknowns.copy()
    own = motion.layout.force_slices[0]
    unknowns[own] = change(unknowns[own].reshape(-1, 3)).ravel()
    return replace(motion, unknowns=unknowns)


def largest_force(motion: SimplifiedMotion) -> float:
    return float(motion.unknowns[motion.layout.force_slices[0]].max())


# --- motions that obey physics --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "arguments", "friction"),
    [
        (bouncing_ball, (2.0, 0.8, 20), 1.0),
        (bouncing_ball, (2.0, 0.8, 20, 1.9), 1.0),
        (hopping_leg, (2.0, 0.9, 40), 1.0),
        (hanging_body, (40,), 20.0),
        (hanging_chain, (48,), 20.0),
    ],
)
def test_problems_with_known_answers_pass(
    make: Callable[..., SmallProblem], arguments: tuple[float, ...], friction: float
) -> None:
    check = check_physics(solved(make, *arguments), friction)
    assert check.failures == ()
    assert check.force_at_points.value < ROUNDING and check.force_between.value < ROUNDING
    assert check.moment_at_points.value < ROUNDING and check.torque_at_points.value < ROUNDING


def test_a_flight_is_a_parabola_without_a_change_of_angular_momentum() -> None:
    check = check_physics(ball(), 1.0)
    assert [(flight.begin, flight.end) for flight in check.flights] == [
        (0.0, pytest.approx(0.6)),
        (pytest.approx(1.4), pytest.approx(2.0)),
    ]
    assert check.parabola.value < ROUNDING
    assert not check_physics(solved(hanging_body, 40), 20.0).flights
    assert check_physics(solved(hanging_body, 40), 20.0).parabola == Worst(0.0)


def test_a_made_up_walk_passes() -> None:
    found = walk_fit()
    assert check_physics(found.motion, found.problem.friction).failures == ()


def test_stretched_time_and_other_units_change_nothing() -> None:
    """Figures are in body weights and sizes; times are in seconds."""
    stretched, units = replace(ball(), unknowns=ball().unknowns.copy()), Units(0.9, 70.0, 9.81)
    stretch = 1.5
    stretched.unknowns[stretched.layout.duration] = stretch
    # Everything that takes longer needs less gravity and less force.
    slower = with_forces(replace(stretched, gravity=stretched.gravity / stretch**2), lambda forces: forces / stretch**2)
    for motion in (slower, replace(slower, units=units)):
        check = check_physics(motion, 1.0)
        assert check.failures == ()
        assert check.flights[0].end == pytest.approx(0.6 * stretch * motion.units.time)


# --- motions that do not --------------------------------------------------------------------------------------------


def figures(check: PhysicsCheck) -> dict[str, float]:
    return {name: worst.value for name, worst in vars(check).items() if isinstance(worst, Worst)}


def assert_only(check: PhysicsCheck, **expected: float) -> None:
    """Fail unless the named figures have these values and all others are next to zero."""
    found = figures(check)
    for name, value in found.items():
        assert value == pytest.approx(expected.get(name, 0.0), abs=1e-5), name


def test_reversed_gravity_is_twice_the_weight() -> None:
    check = check_physics(replace(ball(), gravity=-ball().gravity), 1.0)
    assert_only(check, force_at_points=2.0, force_between=2.0)
    assert check.parabola.value == pytest.approx(8.0, abs=1e-5), "the fall below the tangent, over the rise above it"
    assert [failure.partition(":")[0] for failure in check.failures] == [
        "the sum of forces at a point",
        "the sum of forces between two points",
        "the parabola of a flight",
    ]


def moved_ground(motion: SimplifiedMotion, by: Array) -> SimplifiedMotion:
    stance = motion.stances[0]
    return replace(motion, stances=(stance.changed(lambda time: time, lambda place: place + by),))


def test_a_force_beside_the_body_turns_it() -> None:
    motion = ball()
    turns = 0.1 * largest_force(motion)
    check = check_physics(moved_ground(motion, np.array([0.1, 0.0, 0.0])), 1.0)
    assert_only(check, moment_at_points=turns, moment_between=turns)
    assert check.moment_at_points.seconds == pytest.approx(1.0, abs=0.31)


def test_a_stance_of_a_cycle_is_where_the_cycle_is() -> None:
    """The contact is around the end of a period, in which the body comes along by the drift."""
    motion, drift = solved(bouncing_ball, 2.0, 0.8, 20, 1.9), np.array([0.3, 0.0, 0.0])
    drifting = replace(motion, layout=replace(motion.layout, drift=drift))
    # At time t the ball is at drift · t / 2: the contact pushes below it at 1.9, and beside it at other times.
    drifting = moved_ground(drifting, drift * 1.9 / 2.0)
    check = check_physics(drifting, 1.0)
    beside = 0.3 * 0.3 / 2.0 * largest_force(motion)
    assert check.moment_at_points.value == pytest.approx(beside, rel=1e-5)
    assert check.force_between.value < ROUNDING


def test_forces_that_pull_or_slide_are_found() -> None:
    push = largest_force(ball())
    pulled = check_physics(with_forces(ball(), np.negative), 1.0)
    assert pulled.pull.value == pytest.approx(push) and pulled.pull.what == "ball"
    assert pulled.force_at_points.value == pytest.approx(2.0 * push)
    sliding = check_physics(with_forces(ball(), lambda forces: forces + np.array([0.9, 0.0, 1.2]) * push), 1.0)
    assert sliding.friction.value == pytest.approx(1.5 * push - push)
    assert sliding.pull.value == 0.0
    names = [failure.partition(":")[0] for failure in sliding.failures]
    assert "friction" in names and "a pull of the ground" not in names


def test_muscles_that_are_too_weak_or_give_other_torques_are_found() -> None:
    motion = leg()
    strongest = float(np.abs(motion.torques(motion.points)).max())
    limit = np.array([strongest - 0.4])
    weak = check_physics(replace(motion, muscles=replace(motion.muscles, limit=limit)), 1.0)
    assert weak.torque_beyond_limit.value > 0.4 - 1e-5
    assert weak.torque_beyond_limit.what == "leg length"
    assert weak.failures == ()
    assert check_physics(motion, 1.0).torque_beyond_limit.value == 0.0
    stiff = replace(motion, muscles=replace(motion.muscles, stiffness=1.1 * motion.muscles.stiffness))
    check = check_physics(stiff, 1.0)
    off = np.abs(stiff.torques(motion.points) - motion.torques(motion.points)).max()
    assert check.torque_at_points.value == pytest.approx(off, abs=1e-5) and off > 0.1
    assert check.torque_at_points.what == "leg length"
    assert check.force_at_points.value < ROUNDING


def test_a_flight_that_swerves_or_gains_spin_is_found() -> None:
    motion = ball()
    swerving, spinning = motion.unknowns.copy(), motion.unknowns.copy()
    # These coefficients act in the first flight, from 0 to 0.6.
    swerving[motion.layout.dof_slices[2].start + 3] += 0.01
    check = check_physics(replace(motion, unknowns=swerving), 1.0)
    assert check.parabola.value > PARABOLA and check.parabola.seconds == 0.0
    assert check.flights[1].parabola < check.flights[0].parabola
    assert check.force_at_points.value > 0.1 and check.spin.value < ROUNDING
    spinning[motion.layout.dof_slices[3].start + 6] += 0.01
    check = check_physics(replace(motion, unknowns=spinning), 1.0)
    assert check.spin.value > SPIN and check.parabola.value < ROUNDING
    assert check.moment_between.value > 0.01 and check.force_between.value < ROUNDING
    assert "the angular momentum of a flight" in [failure.partition(":")[0] for failure in check.failures]


@pytest.mark.parametrize("dropped", ["_motion_cross", "_force_cross"])
def test_forces_that_come_from_velocities_alone_count(monkeypatch: pytest.MonkeyPatch, dropped: str) -> None:
    """Without them the double pendulum would seem to be pulled."""
    motion = solved(hanging_chain, 48)
    assert check_physics(motion, 20.0).moment_at_points.value < ROUNDING
    monkeypatch.setattr(inverse_dynamics, dropped, lambda velocities, others: np.zeros_like(others))
    check = check_physics(motion, 20.0)
    assert check.torque_at_points.value > 0.01
    assert any(failure.startswith("the torque at a point") for failure in check.failures)


def test_residuals_between_points_are_found_there() -> None:
    """A coarse double pendulum obeys its equations at the points; between them the joint is only near its path."""
    coarse, fine = (check_physics(solved(hanging_chain, intervals), 20.0) for intervals in (12, 48))
    assert coarse.moment_at_points.value < ROUNDING
    assert coarse.moment_between.value > 4.0 * fine.moment_between.value
    points = solved(hanging_chain, 12).points
    assert np.abs(points - coarse.moment_between.seconds).min() > 0.01, "it is between the points"
    assert np.abs(points - coarse.moment_at_points.seconds).min() < 1e-9
    with pytest.raises(MotionError, match="one instant or more"):
        check_physics(leg(), 1.0, between=0)


def test_a_force_on_a_point_that_is_not_there_is_refused() -> None:
    motion = leg()
    with pytest.raises(MotionError, match="no point for the force on 'foot'"):
        character = replace(motion.character, points={})
        check_physics(replace(motion, layout=replace(motion.layout, character=character)), 1.0)


# --- fits of whole motions ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "recipe", "flights"),
    [(lambda: synthetic.run(steps=3), "biped", 3), (synthetic.jump, "hopper", 1), (synthetic.jump, "jumper", 1)],
    ids=["run", "hopper", "jumper"],
)
def test_fits_of_made_up_motions_pass(make: Callable[[], SyntheticMotion], recipe: str, flights: int) -> None:
    found = fit(make().clip, None, recipe)
    check = check_physics(found.motion, found.problem.friction)
    assert check.failures == ()
    assert len(check.flights) == flights


def part(clip: Clip, plants: list[Footplant], first: int, last: int) -> tuple[Clip, list[Footplant]]:
    """The frames of a clip from `first` to `last`, with the plants of them."""

    def earlier(time: float | None) -> float | None:
        return None if time is None else time - first

    found = []
    for plant in plants:
        events = [plant.heel_strike, plant.toe_strike, plant.heel_off, plant.toe_off]
        known = [event for event in events if event is not None]
        if max(known) <= first or min(known) >= last:
            continue
        contact = None if plant.contact is None else (plant.contact[0] - first, plant.contact[1] - first)
        found.append(
            replace(
                plant,
                heel_strike=earlier(plant.heel_strike),
                toe_strike=earlier(plant.toe_strike),
                heel_off=earlier(plant.heel_off),
                toe_off=earlier(plant.toe_off),
                contact=contact,
            )
        )
    return Clip(clip.skeleton, clip.motion.at(np.arange(first, last + 1)), clip.fps), found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "recipe", "first", "last", "flights"),
    [("09_01", "biped", 2, 146, 3), ("13_11", "hopper", 100, 399, 1), ("13_11", "jumper", 100, 399, 1)],
)
def test_fits_of_captured_clips_pass(mocap: Path, name: str, recipe: str, first: int, last: int, flights: int) -> None:
    clip = read_bvh(mocap / f"{name}.bvh")
    found = fit(*part(clip, list(detect_footplants(clip)), first, last), recipe)
    check = check_physics(found.motion, found.problem.friction)
    assert check.failures == ()
    assert len(check.flights) == flights
