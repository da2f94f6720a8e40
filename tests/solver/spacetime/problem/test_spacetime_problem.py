# SPDX-License-Identifier: GPL-3.0-or-later
"""Spacetime problems whose answers are known, and the parts that problems are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.character import ROOT_DOFS, SimplifiedCharacter
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState, ExternalForce, inverse_dynamics
from poise.solver.spacetime.handles.handle import CenterOfMassHandle
from poise.solver.spacetime.problem.layout import Layout, SplineSpace, force_tracks
from poise.solver.spacetime.problem.muscles import Muscles
from poise.solver.spacetime.problem.objectives import Objectives
from poise.solver.spacetime.problem.spacetime_problem import CharacterFunctions, HeightBound, HeldPose, Problem, energy
from poise.solver.spacetime.problem.stances import Push, Stance
from poise.solver.spacetime.problem.time_grid import time_grid

from ..simplified_characters import of_recipe, random_character
from ..small_problems import (
    CHAIN,
    CHAIN_DURATION,
    FOOT,
    GRAVITY,
    HANGING,
    TURNTABLE,
    SmallProblem,
    bouncing_ball,
    hanging_body,
    hanging_chain,
    hopping_leg,
    turning_arm,
)

pytest.importorskip("casadi", reason="the optimiser is not installed")

KNOWN = 1e-4
"""How near to its known answer each problem is solved."""


# --- a bouncing ball ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("period", "contact", "intervals"), [(2.0, 0.8, 20), (1.3, 0.9, 31)])
def test_a_bouncing_ball(period: float, contact: float, intervals: int) -> None:
    """The sum of squares is smallest where the force is the same throughout; its impulse carries the weight for the
    whole period."""
    ball = bouncing_ball(period, contact, intervals)
    optimum = ball.solved()
    motion = ball.motion(optimum)
    np.testing.assert_allclose(ball.impulse(optimum), [0.0, period, 0.0], atol=KNOWN)
    nodes = ball.layout.tracks[0].nodes
    evenly = period / ball.layout.grid.weights[nodes].sum()
    np.testing.assert_allclose(ball.forces(optimum), np.tile([0.0, evenly, 0.0], (len(nodes), 1)), atol=KNOWN)
    flight = period - contact
    begin, middle, end = motion.center_of_mass([(period + contact) / 2.0, period, (period - contact) / 2.0])[:, 1]
    # Of the flight that goes on over the end of the period, the highest point is there.
    assert middle - begin == pytest.approx(flight**2 / 8.0, abs=KNOWN)
    assert middle - end == pytest.approx(flight**2 / 8.0, abs=KNOWN)
    assert middle == pytest.approx(1.0, abs=KNOWN)


def test_less_gravity_needs_less_impulse() -> None:
    ball = bouncing_ball(2.0, 0.8, 20)
    moon = replace(ball, problem=replace(ball.problem, gravity=GRAVITY / 6.0))
    np.testing.assert_allclose(moon.impulse(moon.solved()), [0.0, 2.0 / 6.0, 0.0], atol=KNOWN)


@pytest.mark.parametrize("rise", [0.1, 0.3])
def test_the_duration_of_a_flight_follows_from_its_rise(rise: float) -> None:
    """Time may be stretched: of a flight that rises by `rise`, the duration is √(8 rise / gravity)."""
    period, contact = 2.0, 0.8
    ball = bouncing_ball(period, contact, 20)
    lower = np.full(6, np.nan)
    lower[1] = 1.0 - rise
    poses = (*ball.problem.poses, HeldPose((period + contact) / 2.0, lower, "the begin of the flight"))
    stretched = replace(ball, problem=replace(ball.problem, poses=poses, duration=(0.3, 3.0)))
    motion = stretched.motion(stretched.solved())
    assert motion.stretch * (period - contact) == pytest.approx(np.sqrt(8.0 * rise), abs=KNOWN)
    assert motion.duration == pytest.approx(period * motion.stretch)


# --- a hopping leg --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("period", "contact"), [(2.0, 0.9), (1.4, 0.8)])
def test_a_hopping_leg(period: float, contact: float) -> None:
    leg = hopping_leg(period, contact, 40)
    optimum = leg.solved()
    motion = leg.motion(optimum)
    np.testing.assert_allclose(leg.impulse(optimum), [0.0, period, 0.0], atol=KNOWN)
    begin, middle = motion.center_of_mass([(period + contact) / 2.0, period])[:, 1]
    assert middle - begin == pytest.approx((period - contact) ** 2 / 8.0, abs=KNOWN)
    points = motion.points
    stands = (points >= (period - contact) / 2.0 - 1e-9) & (points <= (period + contact) / 2.0 + 1e-9)
    foot = CharacterState(motion.character, motion.values(points)).point("foot")
    np.testing.assert_allclose(foot[stands], np.zeros((stands.sum(), 3)), atol=KNOWN)
    # In the middle of the stance, where the touchdown is forgotten, the foot rests: the leg pushes the body with what
    # the ground pushes less the weight of the foot.
    nodes = leg.layout.tracks[0].nodes
    middles = slice(len(nodes) // 2 - 1, len(nodes) // 2 + 2)
    pushed = leg.forces(optimum)[middles, 1]
    np.testing.assert_allclose(motion.torques(points[nodes[middles]])[:, 0], pushed - FOOT, atol=KNOWN)


# --- pendulums ------------------------------------------------------------------------------------------------------


def test_a_pendulum_swings_for_a_quarter_of_its_period() -> None:
    """The ends are given, and the time that it takes from one to the other: that of the pendulum let go at rest."""
    hanging = hanging_body(40)
    motion = hanging.motion(hanging.solved())
    values, rates, _ = motion.motion(motion.points)
    np.testing.assert_allclose(values[:, 5], HANGING.angles(motion.points), atol=KNOWN)
    np.testing.assert_allclose(np.abs(rates[:, 5]), HANGING.speed(values[:, 5]), atol=KNOWN)
    np.testing.assert_allclose(values[:, 3:5], 0.0, atol=KNOWN)
    state = CharacterState(motion.character, values, rates)
    np.testing.assert_allclose(state.point("pivot"), 0.0, atol=KNOWN)
    energies = 0.5 * HANGING.inertia * rates[:, 5] ** 2 - HANGING.length * np.cos(values[:, 5])
    np.testing.assert_allclose(energies, -HANGING.length * np.cos(HANGING.amplitude), atol=KNOWN)


def extrapolated(coarse: Array, fine: Array) -> Array:
    """Values at the points of the coarser of two grids, from errors that fall with the square of the spacing."""
    return fine[::2] + (fine[::2] - coarse) / 3.0


def largest(values: Array) -> float:
    return float(np.abs(values).max())


def test_a_double_pendulum() -> None:
    """Its hinge has no torque. Joints are cubic splines that obey at their knots: the error is of second order."""
    angles, rates, errors = [], [], []
    for intervals in (24, 48):
        chain = hanging_chain(intervals)
        motion = chain.motion(chain.solved())
        values, velocities, _ = motion.motion(motion.points)
        assert largest(motion.torques(motion.points)) < 1e-7
        angles.append(np.cumsum(values[:, 5:7], axis=1))
        rates.append(np.cumsum(velocities[:, 5:7], axis=1))
        errors.append(largest(angles[-1] - CHAIN.states(CHAIN_DURATION, intervals + 1)[:, :2]))
    known = CHAIN.states(CHAIN_DURATION, 25)
    assert np.ptp(known[:, 1] - known[:, 0]) > 1.0, "the hinge bends"
    assert errors[1] < 1e-3 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    np.testing.assert_allclose(extrapolated(*angles), known[:, :2], atol=KNOWN)
    np.testing.assert_allclose(extrapolated(*rates), known[:, 2:], atol=KNOWN)


def test_the_smallest_torques_through_three_angles() -> None:
    """An arm about the vertical: squared torques are smallest along the natural cubic spline through the angles."""
    angle, half = 0.7, 1.0
    turns, torques, errors = [], [], []
    for intervals in (24, 48):
        arm = turning_arm(angle, half, intervals)
        motion = arm.motion(arm.solved())
        until = np.minimum(motion.points, 2.0 * half - motion.points) / half
        turns.append(motion.values(motion.points)[:, ROOT_DOFS])
        torques.append(motion.torques(motion.points)[:, 0])
        errors.append(largest(turns[-1] - angle * (1.5 * until - 0.5 * until**3)))
    until = until[::2]
    assert errors[1] < 2e-4 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    np.testing.assert_allclose(extrapolated(*turns), angle * (1.5 * until - 0.5 * until**3), atol=KNOWN)
    # Sums over points are no integrals at the kink in the middle and at the ends: there the error is of first order.
    away = (until > 0.01) & (until < 0.8)
    known = -3.0 * TURNTABLE * angle / half**2 * until
    np.testing.assert_allclose(extrapolated(*torques)[away], known[away], atol=KNOWN)


# --- the parts of problems ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biped", "hopper", "random"])
def test_the_equations_are_those_of_inverse_dynamics(name: str, rng: np.random.Generator) -> None:
    """With time stretched and muscles at work."""
    character = random_character(rng, 5) if name == "random" else of_recipe(name)
    pushed = (len(character) - 1, ROOT_DOFS - 1)
    functions = CharacterFunctions(character, pushed)
    count, joints = len(character), len(character) - ROOT_DOFS
    state = rng.standard_normal(functions.width)
    stretch = state[-1] = 1.3
    ground, stiffness = rng.standard_normal(9), rng.uniform(0.5, 2.0, 2 * joints)
    values, rates, accelerations = state[:count], state[count : 2 * count], state[2 * count : 3 * count]
    rests, rest_rates = state[3 * count : 3 * count + joints], state[3 * count + joints : 3 * count + 2 * joints]
    pushes = state[3 * count + 2 * joints : -1].reshape(2, 3)
    muscles = Muscles(stiffness[:joints], stiffness[joints:], np.ones(joints))
    torques = muscles.torques(values[ROOT_DOFS:], rates[ROOT_DOFS:] / stretch, rests, rest_rates / stretch)
    needed = inverse_dynamics(
        character,
        values[None],
        rates[None] / stretch,
        accelerations[None] / stretch**2,
        ground[:3],
        [ExternalForce(body, ground[None, 3 + 3 * i : 6 + 3 * i], pushes[None, i]) for i, body in enumerate(pushed)],
    )
    expected = np.concatenate([needed.force[0] / character.mass, needed.moment[0], needed.joints[0] - torques])
    found = np.asarray(functions.equations.value(state, np.concatenate([ground, stiffness])))[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(np.asarray(functions.spin.value(state, ground))[:, 0], needed.moment[0], atol=1e-10)
    np.testing.assert_allclose(np.asarray(functions.torques.value(state, stiffness))[:, 0], torques, atol=1e-12)


def test_heights_are_above_the_ground_or_above_a_bump(rng: np.random.Generator) -> None:
    character = of_recipe("biped")
    functions = CharacterFunctions(character, ())
    state = rng.standard_normal(functions.width)
    names = ("left_ball", "right_ball")
    body = CharacterState(character, state[None, : len(character)])
    place = np.mean([body.point(name)[0] for name in names], axis=0)
    assert float(functions.height(names).value(state, [])) == pytest.approx(place @ character.up)
    np.testing.assert_allclose(np.asarray(functions.mean_point(names).value(state, []))[:, 0], place, atol=1e-12)
    center, height, radius = place + np.array([0.2, 5.0, -0.1]), 0.4, 0.5
    away = place - center
    away -= character.up * (away @ character.up)
    above = place @ character.up - height * np.exp(-((np.linalg.norm(away) / radius) ** 4))
    found = functions.height_over_bump(names).value(state, [*center, height, radius])
    assert float(found) == pytest.approx(above)


def test_a_jumper_clears_a_height() -> None:
    """The foot of a hopping leg passes over an obstacle that it would run into, and only there."""
    leg = hopping_leg(2.0, 0.9, 40)
    middle = np.array([leg.layout.grid.points[0]])
    low = CharacterState(leg.problem.character, leg.motion(leg.solved()).values(middle)).point("foot")[0, 1]
    height = low + 0.1
    bound = HeightBound(("foot",), middle, np.array([height]), "the bar")
    jumper = replace(leg, problem=replace(leg.problem, heights=(bound,)))
    foot = CharacterState(leg.problem.character, jumper.motion(jumper.solved()).values(middle)).point("foot")[0, 1]
    assert foot == pytest.approx(height, abs=1e-5), "no higher than it must"


@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_forces_stay_within_the_pyramid_of_friction(heading: float, rng: np.random.Generator) -> None:
    """Which is turned with the body."""
    leg = hopping_leg(2.0, 0.9, 20)
    stances = (replace(leg.problem.stances[0], heading=heading),)
    problem = replace(leg.problem, friction=0.6, stances=stances)
    (rows,) = [rows for rows in problem.program(CharacterFunctions(problem.character, (6,))).rows if rows.rows]
    left, up, forward = problem.character.axes
    own = leg.layout.force_slices[0]
    matrix = np.asarray(rows.matrix.full())
    of_node = matrix[:, own].reshape(len(matrix), -1, 3).any(axis=2)
    np.testing.assert_array_equal(of_node.sum(axis=0), 4)
    insides = 0
    for _ in range(20):
        seen = rng.standard_normal((of_node.shape[1], 3)) * [0.3, 1.0, 0.3]
        turned = rotations.rotate(rotations.from_axis_angle(up, heading), seen)
        unknowns = np.zeros(leg.layout.unknowns)
        unknowns[own] = turned.ravel()
        broken = matrix @ unknowns < rows.lower
        inside = ~(of_node & broken[:, None]).any(axis=0)
        expected = np.abs(seen @ left) + np.abs(seen @ forward) <= 0.6 * (seen @ up)
        np.testing.assert_array_equal(inside, expected)
        insides += int(inside.sum())
    assert 10 < insides < 20 * of_node.shape[1] - 10, "some are inside, some outside"


def walking(drift: Array | None) -> tuple[Problem, tuple[Stance, Stance]]:
    """A problem of the biped with two stances; the second one goes on over the end of the period."""
    character: SimplifiedCharacter = of_recipe("biped")
    places = np.array([[0.1, 0.0, 0.2]]), np.array([[-0.1, 0.0, 0.8]])
    stances = (
        Stance("left foot", ("left_ball",), 0.3, 0.9, places[0][0], (Push("left_ball", places[0][0], 0.2, 1.0),)),
        Stance("right foot", ("right_ball",), 1.3, 2.2, places[1][0], (Push("right_ball", places[1][0], 1.2, 2.3),)),
    )
    grid = time_grid(0.0, 2.0, (time for stance in stances for time in stance.events), 10.0)
    slots = {"left_ball": 0, "right_ball": 1}
    layout = Layout(character, grid, force_tracks(stances, grid, slots, drift is not None), 2, drift)
    muscles = Muscles(*np.ones((3, layout.joints)))
    targets = np.zeros((3, len(grid.points)))
    handles, weights = (CenterOfMassHandle(),), np.ones(1)
    return Problem(
        layout, stances, muscles, GRAVITY, 1.0, handles, weights, targets, Objectives(), slots=slots
    ), stances


def test_stances_are_pinned_while_they_rest() -> None:
    problem, stances = walking(None)
    points = problem.layout.grid.points
    for stance in stances:
        pinned = problem.pinned_times(stance, points)
        assert [index for index, _ in pinned] == [
            index for index, time in enumerate(points) if stance.begin - 1e-9 <= time <= stance.end + 1e-9
        ]
        assert not any(shift.any() for _, shift in pinned)
    held = replace(problem, poses=(HeldPose(points[6], np.zeros(len(problem.character)), "a pose"),))
    without = {index for index, _ in problem.pinned_times(stances[0], points)} - {6}
    assert {index for index, _ in held.pinned_times(stances[0], points)} == without


def test_a_stance_over_the_end_of_a_period_is_pinned_at_its_begin_as_well() -> None:
    drift = np.array([0.0, 0.0, 1.5])
    problem, (_, stance) = walking(drift)
    points = problem.layout.grid.points[:-1]
    pinned = problem.pinned_times(stance, points)
    early = [index for index, shift in pinned if shift.any()]
    assert early == [index for index, time in enumerate(points) if time <= 0.2 + 1e-9]
    for index, shift in pinned:
        np.testing.assert_allclose(shift, drift if index in early else 0.0)
    program = problem.program(CharacterFunctions(problem.character, (5, 5)))
    (block,) = [block for block in program.constraints if block.name == stance.label]
    for places in (block.lower, block.upper):
        np.testing.assert_allclose(places.T, [stance.place - shift for _, shift in pinned])


def test_the_ground_pushes_where_the_stance_is() -> None:
    drift = np.array([0.0, 0.0, 1.5])
    problem, (left, right) = walking(drift)
    found = problem.ground(np.array([0.1, 0.5, 1.1, 1.6, 1.95]))
    np.testing.assert_allclose(found[:3], np.tile(GRAVITY[:, None], 5))
    nothing = np.zeros(3)
    for slot, expected in ((0, [nothing, left.place, nothing, nothing, nothing]),
                           (1, [right.place - drift, nothing, nothing, right.place, right.place])):  # fmt: skip
        np.testing.assert_allclose(found[3 + 3 * slot : 6 + 3 * slot].T, expected)


@pytest.mark.parametrize("derivative", [1, 2, 3])
def test_the_energy_of_a_polynomial(derivative: int) -> None:
    """∫ (dⁿ t³ / dtⁿ)² over [0, 2], on uneven points."""
    points = np.array([0.0, 0.3, 0.5, 1.4, 2.0])
    space = SplineSpace(tuple(points), 3, 1, False)
    times = np.linspace(0.0, 2.0, 40)
    cubic, *_ = np.linalg.lstsq(space.basis(times), times**3, rcond=None)
    integrals: dict[int, Callable[[float], float]] = {
        1: lambda end: 9.0 * end**5 / 5.0,
        2: lambda end: 36.0 * end**3 / 3.0,
        3: lambda end: 36.0 * end,
    }
    found = cubic @ energy(space, derivative, points) @ cubic
    assert found == pytest.approx(integrals[derivative](2.0), rel=1e-9)


def test_objectives_are_what_they_say() -> None:
    """The value of the program at the start, by its parts: impact, power and the smoothness of muscles."""
    leg: SmallProblem = hopping_leg(2.0, 0.9, 20)
    layout, muscles = leg.layout, leg.problem.muscles
    rng = np.random.default_rng(5)
    unknowns = rng.uniform(0.5, 1.5, layout.unknowns)
    unknowns[layout.duration] = 1.0
    motion = replace(leg.motion(leg.solved()), unknowns=unknowns)
    shares = layout.grid.weights.copy()
    shares[0] += shares[-1]
    torques, points = motion.torques(motion.points)[:-1], layout.grid.points
    fine = np.linspace(points[0], points[-1], 4_001)
    bends = layout.cubic.basis(fine, 2) @ unknowns[layout.muscle_slices[0]]
    expected = {
        "impact": shares[layout.tracks[0].nodes] @ (unknowns[layout.force_slices[0]].reshape(-1, 3) ** 2).sum(axis=1),
        "power": shares[:-1] @ (torques**2).sum(axis=1),
        "muscle_smoothness": np.mean(bends[:-1] ** 2) * (points[-1] - points[0]),
    }
    none = Objectives(deviation=0.0, muscle_smoothness=0.0, jerk=0.0, impact_smoothness=0.0)
    assert muscles.stiffness[0] == 5.0
    for name, value in expected.items():
        problem = replace(leg.problem, objectives=none.replace(**{name: 1.0}))
        program, _ = problem.program(CharacterFunctions(problem.character, (6,))).functions()
        function = pytest.importorskip("casadi").Function("f", [program["x"], program["p"]], [program["f"]])
        assert float(function(unknowns, [])) == pytest.approx(value, rel=1e-4), name


def test_a_push_costs_the_same_however_it_is_shared_among_the_places_of_a_leg() -> None:
    character = of_recipe("biped")
    left, right = (character.points[f"{side}_ball"].body for side in ("left", "right"))
    functions = CharacterFunctions(character, (left, left, right))
    objective = functions.objective((), Objectives(), is_edit=False)
    # Parameters: the five weights, of which impact is the fourth, the support and the muscles.
    parameters = np.zeros(objective.parameters)
    parameters[3] = 1.0

    def cost(*forces: tuple[float, float, float]) -> float:
        state = np.zeros(functions.width)
        state[-10:-1] = np.concatenate(forces)
        state[-1] = 1.0
        return float(objective.value(state, parameters))

    none = (0.0, 0.0, 0.0)
    assert cost((0.0, 2.0, 1.0), none, none) == pytest.approx(5.0)
    assert cost((0.0, 1.5, 0.25), (0.0, 0.5, 0.75), none) == pytest.approx(5.0)
    assert cost((0.0, 1.0, 0.5), none, (0.0, 1.0, 0.5)) == pytest.approx(2.5)
