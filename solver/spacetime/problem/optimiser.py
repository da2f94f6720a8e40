# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse nonlinear programs made of small functions at many instants, solved by IPOPT in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.progress import finished
from ..optimiser_package import require
from .time_budget import Clock, TimeBudget

MINIMUM_FILL = 2
"""MUMPS's ordering by approximate minimum fill: as fast here as METIS, whose licence does not suit every use."""

POLL = 0.02
"""Seconds between two looks at a solve that runs."""

FALLS = 0.5
"""The share of an earlier violation to which a solve that is not stalled comes down."""

PLAIN = 1e-3
"""Units of the character: a solve that has once been within this of all constraints is not called stalled."""


class PointFunction:
    """A small function r = φ(y, p) with its first and second derivatives by y, as compiled expressions."""

    def __init__(self, y: Any, p: Any, expression: Any) -> None:
        ca = require()
        self.rows, self.width, self.parameters = expression.shape[0], y.shape[0], p.shape[0]
        multipliers = ca.SX.sym("multipliers", self.rows)
        lagrangian = ca.dot(multipliers, expression)
        gradient = ca.gradient(lagrangian, y)
        self.value = ca.Function("value", [y, p], [ca.densify(expression)])
        self.jacobian = ca.Function("jacobian", [y, p], [ca.jacobian(expression, y)])
        self.gradient = ca.Function("gradient", [y, p, multipliers], [ca.densify(gradient)])
        self.hessian = ca.Function("hessian", [y, p, multipliers], [ca.jacobian(gradient, y, {"symmetric": True})])


@dataclass(eq=False)
class Block:
    """A point function at several instants, at each of which y is an affine function of the unknowns."""

    name: str
    """What it requires, for warm starts and messages."""
    function: PointFunction
    matrix: Any
    """Sparse (instants · width, unknowns): from the unknowns to the y of all instants, one after the other."""
    constant: Array
    """(width, instants) added to them."""
    parameters: Array
    """(parameters, instants)"""
    lower: Array
    """(rows, instants) bounds of r as a constraint; of an objective they are not used."""
    upper: Array

    @property
    def instants(self) -> int:
        """How many instants there are."""
        return int(self.constant.shape[1])

    @property
    def rows(self) -> int:
        """The rows of all instants."""
        return self.function.rows * self.instants

    def states(self, unknowns: Any) -> Any:
        """(width, instants) y at all instants."""
        ca = require()
        return ca.reshape(self.matrix @ unknowns, self.function.width, self.instants) + ca.DM(self.constant)

    def values(self, unknowns: Any) -> Any:
        """(rows · instants,) r, instant by instant."""
        ca = require()
        return ca.vec(self.function.value.map(self.instants)(self.states(unknowns), ca.DM(self.parameters)))

    def jacobian(self, unknowns: Any) -> Any:
        """Sparse (rows · instants, unknowns)."""
        ca = require()
        blocks = self.function.jacobian.map(self.instants)(self.states(unknowns), ca.DM(self.parameters))
        return ca.diagcat(*ca.horzsplit(blocks, self.function.width)) @ self.matrix

    def gradient(self, unknowns: Any, multipliers: Any) -> Any:
        """(unknowns,) of the sum of r weighted with multipliers (rows · instants,)."""
        ca = require()
        weights = ca.reshape(multipliers, self.function.rows, self.instants)
        blocks = self.function.gradient.map(self.instants)(self.states(unknowns), ca.DM(self.parameters), weights)
        return self.matrix.T @ ca.vec(blocks)

    def hessian(self, unknowns: Any, multipliers: Any) -> Any:
        """Sparse (unknowns, unknowns): of the sum of r weighted with multipliers (rows · instants,)."""
        ca = require()
        weights = ca.reshape(multipliers, self.function.rows, self.instants)
        blocks = self.function.hessian.map(self.instants)(self.states(unknowns), ca.DM(self.parameters), weights)
        return self.matrix.T @ ca.diagcat(*ca.horzsplit(blocks, self.function.width)) @ self.matrix


@dataclass(eq=False)
class LinearRows:
    """Linear functions of the unknowns within bounds."""

    name: str
    matrix: Any
    """Sparse (rows, unknowns)"""
    lower: Array
    upper: Array

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.lower)


@dataclass(eq=False)
class Program:
    """Minimise a quadratic form and objective blocks, subject to constraint blocks, linear rows and bounds."""

    unknowns: int
    objectives: list[Block] = field(default_factory=list)
    """Each has one row; their values are added up."""
    quadratic: Any = None
    """Sparse (unknowns, unknowns) Q and its vector b: ½ xᵀ Q x + bᵀ x is added to the objective."""
    linear: Any = None
    constraints: list[Block] = field(default_factory=list)
    rows: list[LinearRows] = field(default_factory=list)
    lower: Array = field(default_factory=lambda: np.zeros(0))
    upper: Array = field(default_factory=lambda: np.zeros(0))
    """(unknowns,) bounds of the unknowns."""

    @property
    def constraint_bounds(self) -> tuple[Array, Array]:
        """The bounds of all constraints: those of the blocks, instant by instant, then the linear rows."""
        lower = [block.lower.T.ravel() for block in self.constraints]
        upper = [block.upper.T.ravel() for block in self.constraints]
        lower += [rows.lower for rows in self.rows]
        upper += [rows.upper for rows in self.rows]
        return np.concatenate(lower), np.concatenate(upper)

    @property
    def slices(self) -> dict[str, slice]:
        """Where the rows of each constraint are among all."""
        every: list[Block | LinearRows] = [*self.constraints, *self.rows]
        ends = np.cumsum([each.rows for each in every])
        return {each.name: slice(int(end) - each.rows, int(end)) for each, end in zip(every, ends, strict=True)}

    def functions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The program and its derivatives, as CasADi's `nlpsol` takes them."""
        ca = require()
        x = ca.MX.sym("x", self.unknowns)
        p = ca.MX.sym("p", 0)
        # One vector of ones weighs the sums of objective blocks.
        value = 0.5 * ca.bilin(self.quadratic, x, x) + ca.dot(self.linear, x)
        gradient = self.quadratic @ x + self.linear
        hessian = self.quadratic
        for block in self.objectives:
            ones = ca.DM.ones(block.rows)
            value = value + ca.sum1(block.values(x))
            gradient = gradient + block.gradient(x, ones)
            hessian = hessian + block.hessian(x, ones)
        rows = ca.vertcat(*(block.values(x) for block in self.constraints), *(each.matrix @ x for each in self.rows))
        jacobian = ca.vertcat(*(block.jacobian(x) for block in self.constraints), *(each.matrix for each in self.rows))
        factor, multipliers = ca.MX.sym("factor"), ca.MX.sym("multipliers", rows.shape[0])
        lagrangian = factor * hessian
        at = 0
        for block in self.constraints:
            lagrangian = lagrangian + block.hessian(x, multipliers[at : at + block.rows])
            at += block.rows
        options = {
            "grad_f": ca.Function("grad_f", [x, p], [value, gradient], ["x", "p"], ["f", "grad_f_x"]),
            "jac_g": ca.Function("jac_g", [x, p], [rows, jacobian], ["x", "p"], ["g", "jac_g_x"]),
            "hess_lag": ca.Function(
                "hess_lag",
                [x, p, factor, multipliers],
                [ca.triu(lagrangian)],
                ["x", "p", "lam_f", "lam_g"],
                ["triu_hess_gamma_x_x"],
            ),
        }
        return {"x": x, "p": p, "f": value, "g": rows}, options


@dataclass(frozen=True, eq=False)
class Start:
    """Where a solve begins; with multipliers of an earlier solution it is a warm start."""

    unknowns: Array
    multipliers: Mapping[str, Array] | None = None
    """Of each constraint, by its name; those that the program does not have, or has in another size, are ignored."""
    bound_multipliers: Array | None = None
    """(unknowns,) those of the bounds; None: 0."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a solve ended."""

    unknowns: Array
    multipliers: Mapping[str, Array]
    """Of each constraint, by its name."""
    bound_multipliers: Array
    objective: float
    violation: float
    """The largest violation of a constraint."""
    violations: Mapping[str, Array]
    """(rows,) of each constraint, by its name."""
    iterations: int
    seconds: float
    status: str
    """IPOPT's own word for how it ended: a result is judged by its residuals, not by this."""

    @property
    def start(self) -> Start:
        """A warm start from here."""
        return Start(self.unknowns, self.multipliers, self.bound_multipliers)


@dataclass(frozen=True)
class Iteration:
    """How far a solve is."""

    number: int
    violation: float


@dataclass(frozen=True)
class Limits:
    """When a solve ends, if not at an optimum."""

    iterations: int = 300
    seconds: float = 30.0
    """From when the solve begins to build its functions on."""
    tolerance: float = 1e-7
    """Of constraints, in units of the character."""
    acceptable: float = 1e-5
    stalled: int | None = None
    """Iterations in which the largest violation must fall to `FALLS` of the least before, while it is plainly violated;
    else the solve ends. None: it goes on."""
    clock: Clock = time.monotonic
    """Where the seconds are read."""


def optimise(program: Program, start: Start, limits: Limits | None = None) -> Optimum:
    """Solve a program from a start."""
    return finished(optimising(program, start, limits))


def optimising(program: Program, start: Start, limits: Limits | None = None) -> Generator[Iteration, None, Optimum]:
    """As `optimise`, a generator that yields while a thread solves; closing it stops the thread within an iteration."""
    run = _Run(program, start, limits or Limits())
    thread = threading.Thread(target=run.solve, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL)
            yield run.latest
    finally:
        run.is_cancelled = True
        thread.join()
    if run.error is not None:
        raise run.error
    assert run.optimum is not None
    return run.optimum


class _Run:
    def __init__(self, program: Program, start: Start, limits: Limits) -> None:
        self.program, self.start, self.limits = program, start, limits
        self.latest = Iteration(0, np.inf)
        self.budget = TimeBudget(limits.seconds, limits.clock)
        self.violations: list[float] = []
        self.is_cancelled = False
        self.optimum: Optimum | None = None
        self.error: Exception | None = None

    def solve(self) -> None:
        try:
            self.optimum = self._solved()
        except Exception as error:  # raised again in the thread that waits
            self.error = error

    def _solved(self) -> Optimum:
        ca = require()
        begin = self.limits.clock()
        program, derivatives = self.program.functions()
        lower, upper = self.program.constraint_bounds
        is_warm = self.start.multipliers is not None
        slices = self.program.slices
        watch = _watching(ca, self, self.program.unknowns, len(lower), lower, upper)
        options = {
            **derivatives,
            "iteration_callback": watch,
            "print_time": False,
            "ipopt": {
                "print_level": 0,
                "sb": "yes",
                "max_iter": self.limits.iterations,
                "tol": self.limits.tolerance,
                "constr_viol_tol": self.limits.tolerance,
                "acceptable_tol": self.limits.acceptable,
                "acceptable_constr_viol_tol": self.limits.tolerance,
                "acceptable_iter": 8,
                "mumps_pivot_order": MINIMUM_FILL,
                "mu_strategy": "monotone" if is_warm else "adaptive",
                **(WARM if is_warm else {}),
            },
        }
        solver = ca.nlpsol("spacetime", "ipopt", program, options)
        given: dict[str, Any] = {"x0": self.start.unknowns}
        if is_warm:
            given["lam_g0"] = self._multipliers(slices, len(lower))
            if self.start.bound_multipliers is not None:
                given["lam_x0"] = self.start.bound_multipliers
        found = solver(**given, lbx=self.program.lower, ubx=self.program.upper, lbg=lower, ubg=upper)
        rows = np.asarray(found["g"]).ravel()
        violations = np.maximum(np.maximum(lower - rows, rows - upper), 0.0)
        statistics = solver.stats()
        return Optimum(
            np.asarray(found["x"]).ravel(),
            {name: np.asarray(found["lam_g"]).ravel()[own] for name, own in slices.items()},
            np.asarray(found["lam_x"]).ravel(),
            float(found["f"]),
            float(violations.max(initial=0.0)),
            {name: violations[own] for name, own in slices.items()},
            int(statistics["iter_count"]),
            self.limits.clock() - begin,
            str(statistics["return_status"]),
        )

    def went_to(self, violation: float) -> bool:
        """Take note of an iteration with this largest violation; whether the solve goes on."""
        self.latest = Iteration(self.latest.number + 1, violation)
        self.violations.append(violation)
        return not (self.is_cancelled or self.budget.is_spent or self._is_stalled())

    def _is_stalled(self) -> bool:
        """Whether the violations of the last iterations are no less than those before, and do not fall either.

        A solve may leave a start that hardly violates anything and come back: then they fall.
        """
        count = self.limits.stalled
        if count is None or len(self.violations) <= count:
            return False
        least, last = min(self.violations[:-count]), self.violations[-count:]
        early, late = min(last[: count // 2]), min(last[count // 2 :])
        return least > PLAIN and min(early, late) > FALLS * least and late > FALLS * early

    def _multipliers(self, slices: Mapping[str, slice], count: int) -> Array:
        """(rows,) those of the start for each constraint that it knows, else 0."""
        found = np.zeros(count)
        for name, known in (self.start.multipliers or {}).items():
            own = slices.get(name)
            if own is not None and own.stop - own.start == len(known):
                found[own] = known
        return found


WARM = {
    "warm_start_init_point": "yes",
    "mu_init": 1e-4,
    "warm_start_bound_push": 1e-6,
    "warm_start_bound_frac": 1e-6,
    "warm_start_slack_bound_push": 1e-6,
    "warm_start_slack_bound_frac": 1e-6,
    "warm_start_mult_bound_push": 1e-6,
}
"""IPOPT's options for a start near an optimum with its multipliers."""


def _watching(ca: Any, run: _Run, unknowns: int, rows: int, lower: Array, upper: Array) -> Any:
    """The function that IPOPT calls after every iteration; it stops the solve by returning 1."""
    sizes: dict[str, int] = {"x": unknowns, "f": 1, "g": rows, "lam_x": unknowns, "lam_g": rows, "lam_p": 0}

    class Watch(ca.Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            ca.Callback.__init__(self)
            self.construct("watch", {})

        def get_n_in(self) -> int:
            return int(ca.nlpsol_n_out())

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, index: int) -> str:
            return str(ca.nlpsol_out(index))

        def get_sparsity_in(self, index: int) -> Any:
            return ca.Sparsity.dense(sizes[ca.nlpsol_out(index)], 1)

        def eval(self, arguments: Any) -> list[float]:
            values = np.asarray(arguments[2]).ravel()
            violation = float(np.maximum(lower - values, values - upper).max(initial=0.0))
            return [0.0 if run.went_to(violation) else 1.0]

    return Watch()
