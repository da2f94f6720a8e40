# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of blocks: their derivatives, known solutions, warm starts, and how a solve is stopped."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.spacetime.problem import optimiser
from poise.solver.spacetime.problem.optimiser import (
    Block,
    Iteration,
    Limits,
    LinearRows,
    PointFunction,
    Program,
    Start,
    optimise,
    optimising,
)
from poise.solver.spacetime.problem.spacetime_problem import CharacterFunctions

from ..small_problems import hopping_leg

ca = pytest.importorskip("casadi", reason="the optimiser is not installed")

UNKNOWNS = 7
INSTANTS = 4
FREE = np.full(UNKNOWNS, np.inf)


def sparse(matrix: Array) -> Any:
    return ca.sparsify(ca.DM(matrix))


def curved() -> PointFunction:
    """Two rows of three numbers and two parameters."""
    y, p = ca.SX.sym("y", 3), ca.SX.sym("p", 2)
    return PointFunction(y, p, ca.vertcat(p[0] * ca.sin(y[0]) * y[1] ** 2, ca.exp(p[1] * y[2]) + y[0] * y[2]))


def curved_by_hand(states: Array, parameters: Array) -> Array:
    """The same of states (3, instants) and parameters (2, instants)."""
    (x, y, z), (p, q) = states, parameters
    return np.stack([p * np.sin(x) * y**2, np.exp(q * z) + x * z])


def sum_of_squares() -> PointFunction:
    """One row: the squared distance of three numbers from one of two parameters, to the fourth power for the last."""
    y, p = ca.SX.sym("y", 3), ca.SX.sym("p", 2)
    return PointFunction(y, p, (y[0] - p[0]) ** 2 + (y[1] * y[2] - p[1]) ** 2 + y[2] ** 4)


def random_block(rng: np.random.Generator, function: PointFunction, name: str = "block") -> Block:
    matrix = rng.standard_normal((INSTANTS * 3, UNKNOWNS)) * (rng.random((INSTANTS * 3, UNKNOWNS)) < 0.5)
    none = np.zeros((function.rows, INSTANTS))
    constant, parameters = rng.standard_normal((3, INSTANTS)), rng.standard_normal((2, INSTANTS))
    return Block(name, function, sparse(matrix), constant, parameters, none, none)


def slopes(function: Any, at: Array, step: float = 1e-6) -> Array:
    """(values, unknowns) the difference quotients of a function from arrays to arrays."""
    columns = [(function(at + step * unit) - function(at - step * unit)) / (2.0 * step) for unit in np.eye(len(at))]
    return np.stack(columns, axis=1)


def column(result: Any) -> Array:
    return np.asarray(ca.DM(result)).ravel()


def full(result: Any) -> Array:
    return np.asarray(ca.DM(result).full())


# --- derivatives ----------------------------------------------------------------------------------------------------


def test_a_block_is_its_function_at_every_instant(rng: np.random.Generator) -> None:
    block = random_block(rng, curved())
    unknowns = 0.5 * rng.standard_normal(UNKNOWNS)
    states = (full(block.matrix) @ unknowns).reshape(INSTANTS, 3).T + block.constant
    np.testing.assert_allclose(full(block.states(ca.DM(unknowns))), states, atol=1e-12)
    expected = curved_by_hand(states, block.parameters)
    np.testing.assert_allclose(column(block.values(ca.DM(unknowns))), expected.T.ravel(), rtol=1e-12)
    assert block.rows == 2 * INSTANTS and block.instants == INSTANTS


def test_the_derivatives_of_a_block_are_difference_quotients(rng: np.random.Generator) -> None:
    block = random_block(rng, curved())
    unknowns, multipliers = 0.5 * rng.standard_normal(UNKNOWNS), rng.standard_normal(2 * INSTANTS)
    weights = ca.DM(multipliers)
    jacobian = full(block.jacobian(ca.DM(unknowns)))
    np.testing.assert_allclose(
        jacobian, slopes(lambda x: column(block.values(ca.DM(x))), unknowns), rtol=1e-6, atol=1e-7
    )
    gradient = column(block.gradient(ca.DM(unknowns), weights))
    np.testing.assert_allclose(gradient, jacobian.T @ multipliers, rtol=1e-10, atol=1e-10)
    hessian = full(block.hessian(ca.DM(unknowns), weights))
    quotients = slopes(lambda x: column(block.gradient(ca.DM(x), weights)), unknowns)
    np.testing.assert_allclose(hessian, quotients, rtol=1e-6, atol=1e-6)


def random_program(rng: np.random.Generator) -> Program:
    """Everything that a program may have: a quadratic form, objective blocks, constraint blocks and linear rows."""
    root = rng.standard_normal((UNKNOWNS, UNKNOWNS))
    return Program(
        UNKNOWNS,
        [random_block(rng, sum_of_squares(), "one"), random_block(rng, sum_of_squares(), "other")],
        sparse(root @ root.T),
        ca.DM(rng.standard_normal(UNKNOWNS)),
        [random_block(rng, curved(), "first"), random_block(rng, curved(), "second")],
        [LinearRows("line", sparse(rng.standard_normal((3, UNKNOWNS))), np.zeros(3), np.ones(3))],
        -FREE,
        FREE,
    )


def test_the_derivatives_of_a_program_are_difference_quotients(rng: np.random.Generator) -> None:
    program = random_program(rng)
    symbols, options = program.functions()
    unknowns = 0.5 * rng.standard_normal(UNKNOWNS)
    value = ca.Function("value", [symbols["x"], symbols["p"]], [symbols["f"], symbols["g"]])
    found, gradient = options["grad_f"](unknowns, [])
    rows, jacobian = options["jac_g"](unknowns, [])
    objective, constraints = value(unknowns, [])
    quadratic = 0.5 * unknowns @ full(program.quadratic) @ unknowns + column(program.linear) @ unknowns
    blocks = sum(column(block.values(ca.DM(unknowns))).sum() for block in program.objectives)
    assert float(objective) == pytest.approx(quadratic + blocks)
    assert float(found) == pytest.approx(float(objective))
    np.testing.assert_allclose(column(rows), column(constraints))
    expected = slopes(lambda x: column(value(x, [])[0]), unknowns)[0]
    np.testing.assert_allclose(column(gradient), expected, rtol=1e-5, atol=1e-5)
    expected = slopes(lambda x: column(value(x, [])[1]), unknowns)
    np.testing.assert_allclose(full(jacobian), expected, rtol=1e-5, atol=1e-6)
    factor, multipliers = 0.7, rng.standard_normal(rows.shape[0])

    def lagrangian_gradient(x: Array) -> Array:
        return factor * column(options["grad_f"](x, [])[1]) + full(options["jac_g"](x, [])[1]).T @ multipliers

    upper = full(options["hess_lag"](unknowns, [], factor, multipliers))
    np.testing.assert_allclose(upper, np.triu(slopes(lagrangian_gradient, unknowns)), rtol=1e-5, atol=1e-5)


def test_rows_are_found_by_the_names_of_their_constraints(rng: np.random.Generator) -> None:
    program = random_program(rng)
    assert program.slices == {"first": slice(0, 8), "second": slice(8, 16), "line": slice(16, 19)}
    # Instant by instant, of each instant row by row.
    program.constraints[1].lower = np.array([[1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0]])
    program.constraints[1].upper = program.constraints[1].lower + 10.0
    lower, upper = program.constraint_bounds
    np.testing.assert_array_equal(lower, [*np.zeros(8), *np.arange(1.0, 9.0), *np.zeros(3)])
    np.testing.assert_array_equal(upper, [*np.zeros(8), *np.arange(11.0, 19.0), *np.ones(3)])


# --- known solutions ------------------------------------------------------------------------------------------------


def quadratic_program(rng: np.random.Generator) -> tuple[Program, Array, Array, Array, Array]:
    """½ xᵀ Q x + bᵀ x with A x = c, and its parts."""
    root = rng.standard_normal((UNKNOWNS, UNKNOWNS))
    form, slope = root @ root.T + np.eye(UNKNOWNS), rng.standard_normal(UNKNOWNS)
    matrix, right = rng.standard_normal((3, UNKNOWNS)), rng.standard_normal(3)
    rows = LinearRows("line", sparse(matrix), right, right)
    program = Program(UNKNOWNS, [], sparse(form), ca.DM(slope), [], [rows], -FREE, FREE)
    return program, form, slope, matrix, right


def test_a_quadratic_program_with_equations(rng: np.random.Generator) -> None:
    """Its solution is that of one linear system, the multipliers with it."""
    program, form, slope, matrix, right = quadratic_program(rng)
    optimum = optimise(program, Start(np.zeros(UNKNOWNS)))
    system = np.block([[form, matrix.T], [matrix, np.zeros((3, 3))]])
    known = np.linalg.solve(system, np.concatenate([-slope, right]))
    np.testing.assert_allclose(optimum.unknowns, known[:UNKNOWNS], atol=1e-6)
    np.testing.assert_allclose(optimum.multipliers["line"], known[UNKNOWNS:], atol=1e-6)
    solution = known[:UNKNOWNS]
    assert optimum.objective == pytest.approx(0.5 * solution @ form @ solution + slope @ solution, abs=1e-6)
    assert optimum.violation < 1e-7 and optimum.violations["line"].shape == (3,)


GOAL = np.array([-2.0, -0.4, 0.0, 0.3, 0.9, 1.5, 7.0])


def box() -> Program:
    """The point of a box that is nearest to `GOAL`."""
    lower, upper = np.full(UNKNOWNS, -0.5), np.full(UNKNOWNS, 1.0)
    none = LinearRows("nothing", ca.DM(0, UNKNOWNS), np.zeros(0), np.zeros(0))
    return Program(UNKNOWNS, [], ca.DM.eye(UNKNOWNS), ca.DM(-GOAL), [], [none], lower, upper)


def test_a_quadratic_program_with_bounds() -> None:
    """Every coordinate by itself."""
    optimum = optimise(box(), Start(np.zeros(UNKNOWNS)))
    nearest = np.clip(GOAL, -0.5, 1.0)
    np.testing.assert_allclose(optimum.unknowns, nearest, atol=1e-6)
    np.testing.assert_allclose(optimum.bound_multipliers, GOAL - nearest, atol=1e-5)


def rosenbrock() -> PointFunction:
    y, p = ca.SX.sym("y", 2), ca.SX.sym("p", 1)
    return PointFunction(y, p, (1.0 - y[0]) ** 2 + p * (y[1] - y[0] ** 2) ** 2)


def valleys(instants: int = 3) -> tuple[Program, Array]:
    """Rosenbrock's function at several instants, each of its own two unknowns, and a start on the wrong side."""
    function, count = rosenbrock(), 2 * instants
    none, many = np.zeros((1, instants)), np.full(count, np.inf)
    steep = np.linspace(50.0, 200.0, instants)[None]
    block = Block("valley", function, ca.DM.eye(count), np.zeros((2, instants)), steep, none, none)
    no_rows = LinearRows("nothing", ca.DM(0, count), np.zeros(0), np.zeros(0))
    program = Program(count, [block], ca.DM(count, count), ca.DM.zeros(count), [], [no_rows], -many, many)
    return program, np.tile([-1.2, 1.0], instants)


def test_curved_valleys_are_followed_to_their_ends() -> None:
    program, start = valleys()
    optimum = optimise(program, Start(start))
    np.testing.assert_allclose(optimum.unknowns, np.ones(len(start)), atol=1e-5)
    assert optimum.status == "Solve_Succeeded" and optimum.iterations > 5
    assert optimum.objective == pytest.approx(0.0, abs=1e-9)


def circle(radius: float, name: str = "circle") -> tuple[Program, Array]:
    """The point of a circle that is nearest to (3, 4), from within."""
    y, p = ca.SX.sym("y", 2), ca.SX.sym("p", 1)
    function = PointFunction(y, p, ca.sumsqr(y) - p)
    none = np.zeros((1, 1))
    block = Block(
        name, function, ca.DM.eye(2), np.zeros((2, 1)), np.full((1, 1), radius**2 * np.sign(radius)), none, none
    )
    rows = LinearRows("sum", ca.DM([[1.0, 1.0]]), np.array([0.0]), np.array([np.inf]))
    many = np.full(2, np.inf)
    return Program(2, [], ca.DM.eye(2), ca.DM([-3.0, -4.0]), [block], [rows], -many, many), np.array([0.2, 0.1])


def test_the_nearest_point_of_a_circle() -> None:
    program, start = circle(2.0)
    optimum = optimise(program, Start(start))
    np.testing.assert_allclose(optimum.unknowns, [1.2, 1.6], atol=1e-6)
    # (x - 3, y - 4) + λ (2 x, 2 y) = 0
    assert optimum.multipliers["circle"][0] == pytest.approx(0.75, abs=1e-6)
    assert optimum.multipliers["sum"][0] == pytest.approx(0.0, abs=1e-5)


def test_what_cannot_be_met_is_named_with_its_violation() -> None:
    program, start = circle(-1.0, name="a circle without points")
    optimum = optimise(program, Start(start))
    assert optimum.status != "Solve_Succeeded"
    assert optimum.violation == pytest.approx(1.0, abs=1e-3)
    assert optimum.violations["a circle without points"][0] == pytest.approx(optimum.violation)
    assert optimum.violations["sum"][0] < 1e-6


# --- warm starts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["box", "circle", "hopping leg"])
def test_a_warm_start_takes_fewer_iterations(name: str) -> None:
    """With the multipliers, the optimum of a program is recognised at once; without, the bounds push it away."""
    program, start = box(), np.zeros(UNKNOWNS)
    if name == "circle":
        program, start = circle(2.0)
    elif name == "hopping leg":
        leg = hopping_leg(2.0, 0.9, 20)
        program, start = leg.problem.program(CharacterFunctions(leg.problem.character, leg.pushed)), leg.start
    cold = optimise(program, Start(start))
    warm = optimise(program, cold.start)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-5) and warm.violation < 1e-7
    assert warm.iterations <= 2 < cold.iterations


def test_multipliers_of_bounds_may_be_unknown() -> None:
    program, start = circle(2.0)
    cold = optimise(program, Start(start))
    np.testing.assert_allclose(optimise(program, Start(start, cold.multipliers)).unknowns, cold.unknowns, atol=1e-6)


def given_multipliers(program: Program, start: Start, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a solve gives to the solver."""
    given: dict[str, Any] = {}
    make = ca.nlpsol

    def watched(*arguments: Any) -> Any:
        solver = make(*arguments)

        class Watched:
            def __call__(self, **called: Any) -> Any:
                given.update(called)
                return solver(**called)

            def stats(self) -> Any:
                return solver.stats()

        return Watched()

    monkeypatch.setattr(ca, "nlpsol", watched)
    optimise(program, start)
    return given


def test_multipliers_of_a_warm_start_follow_the_names_of_constraints(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edits add constraints, take others away, and change the size of some."""
    program = random_program(rng)
    known = {
        "line": np.array([1.0, 2.0, 3.0]),
        "second": np.arange(10.0, 18.0),
        "first": np.ones(5),
        "gone": np.ones(2),
    }
    start = Start(np.zeros(UNKNOWNS), known, np.arange(7.0))
    given = given_multipliers(program, start, monkeypatch)
    expected = np.concatenate([np.zeros(8), known["second"], known["line"]])
    np.testing.assert_array_equal(given["lam_g0"], expected)
    np.testing.assert_array_equal(given["lam_x0"], np.arange(7.0))


def test_a_cold_start_has_no_multipliers(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    program, *_ = quadratic_program(rng)
    given = given_multipliers(program, Start(np.zeros(UNKNOWNS)), monkeypatch)
    assert "lam_g0" not in given and "lam_x0" not in given


# --- stopping -------------------------------------------------------------------------------------------------------


def test_limits_end_a_solve_with_what_it_has() -> None:
    program, start = valleys()
    optimum = optimise(program, Start(start), Limits(iterations=3))
    assert optimum.iterations == 3 and optimum.status == "Maximum_Iterations_Exceeded"
    assert np.isfinite(optimum.unknowns).all() and np.abs(optimum.unknowns - 1.0).max() > 1e-3


def test_a_solve_ends_when_its_seconds_have_passed_on_its_clock() -> None:
    """Every look at this clock takes a second, so that seconds count iterations on any machine."""
    program, start = valleys()
    whole = optimise(program, Start(start)).iterations
    now = iter(range(10**6))
    optimum = optimise(program, Start(start), Limits(seconds=6.0, clock=lambda: float(next(now))))
    assert optimum.status == "User_Requested_Stop" and 0 < optimum.iterations < 6 < whole
    assert np.isfinite(optimum.unknowns).all()
    late = iter([0.0, *np.full(10**6, 50.0)])
    optimum = optimise(program, Start(start), Limits(seconds=6.0, clock=lambda: float(next(late))))
    assert optimum.iterations == 0, "building the functions counts"


def run_through(violations: list[float], stalled: int | None) -> int | None:
    """The iteration at which a run with these largest violations stops, None if it does not."""
    program, start = valleys()
    run = optimiser._Run(program, Start(start), Limits(stalled=stalled))
    return next((number for number, each in enumerate(violations) if not run.went_to(each)), None)


def test_a_solve_whose_violation_does_not_fall_is_stalled() -> None:
    flat = [5.0] * 100
    assert run_through(flat, 20) == 20
    assert run_through(flat, None) is None
    slow = [100.0 * 0.98**number for number in range(300)]
    assert run_through(slow, 20) == 20, "it halves in 35 iterations"


def test_a_solve_that_comes_on_is_not_stalled() -> None:
    assert run_through([100.0 * 0.96**number for number in range(200)], 20) is None, "it halves in 17 iterations"
    plateau = [7.0] * 15 + [7.0 * 0.5**number for number in range(30)]
    assert run_through(plateau, 20) is None
    nearly_solved = [1e-4] + [0.5] * 100
    assert run_through(nearly_solved, 20) is None, "the start has nearly obeyed, so there is no reason to give up"
    away_and_back = [0.01] + [3.0 * 0.9**number for number in range(60)]
    assert run_through(away_and_back, 20) is None


def test_a_program_without_a_solution_is_given_up() -> None:
    """The circle of a negative squared radius: IPOPT alone goes on for longer."""
    program, start = circle(-1.0)
    alone = optimise(program, Start(start), Limits(iterations=300))
    stopped = optimise(program, Start(start), Limits(iterations=300, stalled=5))
    assert alone.violation > 0.5 and stopped.violation > 0.5
    assert stopped.iterations < alone.iterations and stopped.status == "User_Requested_Stop"


def test_progress_counts_iterations() -> None:
    program, start = valleys()
    seen = []
    steps = optimising(program, Start(start))
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as stop:
            optimum = stop.value
            break
    numbers = [iteration.number for iteration in seen]
    assert numbers == sorted(numbers)
    # IPOPT reports its start as well.
    assert numbers[-1] == optimum.iterations + 1
    assert seen[-1].violation == 0.0


class Waiting:
    """In place of `Iteration`: counts iterations, and waits at one of them until the solve has been cancelled."""

    def __init__(self, number: int, runs: list[Any]) -> None:
        self.waits_at, self.runs, self.numbers = number, runs, list[int]()
        self.reached = threading.Event()

    def __call__(self, number: int, violation: float) -> Iteration:
        if number > 0:
            self.numbers.append(number)
        if number == self.waits_at:
            self.reached.set()
            deadline = time.monotonic() + 30.0
            while not self.runs[0].is_cancelled and time.monotonic() < deadline:
                time.sleep(0.001)
        return Iteration(number, violation)


def test_closing_stops_a_solve_within_an_iteration_and_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []

    class Recorded(optimiser._Run):
        def __init__(self, *arguments: Any) -> None:
            runs.append(self)
            super().__init__(*arguments)

    waiting = Waiting(3, runs)
    monkeypatch.setattr(optimiser, "_Run", Recorded)
    monkeypatch.setattr(optimiser, "Iteration", waiting)
    program, start = valleys()
    before = set(threading.enumerate())
    steps = optimising(program, Start(start))
    while not waiting.reached.is_set():
        next(steps)
    assert len(set(threading.enumerate()) - before) == 1
    steps.close()
    assert waiting.numbers == [1, 2, 3], "the iteration that ran when it was cancelled was the last one"
    assert set(threading.enumerate()) == before
    assert runs[0].optimum.status == "User_Requested_Stop"
    with pytest.raises(StopIteration):
        next(steps)


def test_errors_of_the_thread_are_raised_to_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    program, start = valleys()
    with pytest.raises(RuntimeError, match="x0"):
        optimise(program, Start(start[:-1]))

    def broken(self: Program) -> Any:
        raise ArithmeticError("this program has no derivatives")

    monkeypatch.setattr(Program, "functions", broken)
    with pytest.raises(ArithmeticError, match="no derivatives"):
        optimise(program, Start(start))
    assert set(threading.enumerate()) == before
