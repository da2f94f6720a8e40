# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves a small problem with IPOPT and the CasADi that is in a folder: `small_problem.py FOLDER`.

A chain of points is drawn to a parabola while neighbours stay at a given distance from each other: sparse, nonlinear
and with equations, so that derivatives, the linear solver and all libraries below it take part. It ends with a
sentence and the exit code 1 where CasADi is that of another folder, or where the solution is wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

POINTS = 60
LINK = 0.05
"""The distance of neighbouring points."""


def solve(folder: Path) -> str:
    """The version of CasADi with which the problem was solved."""
    import casadi
    import numpy

    if not Path(casadi.__file__).is_relative_to(folder):
        sys.exit(f"CasADi was imported from {casadi.__file__} instead of {folder}.")

    x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
    fall = casadi.Function("fall", [x, y], [(y - x**2) ** 2 + 0.01 * y])
    points = casadi.MX.sym("points", 2, POINTS)
    links = points[:, 1:] - points[:, :-1]
    problem: dict[str, Any] = {
        "x": casadi.vec(points),
        "f": casadi.sum2(fall.map(POINTS)(points[0, :], points[1, :])),
        "g": casadi.vertcat(casadi.sum1(links**2).T - LINK**2, points[0, 0]),
    }
    options: dict[str, Any] = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False}
    solver = casadi.nlpsol("solver", "ipopt", problem, options)
    start = numpy.vstack([LINK * numpy.arange(POINTS), numpy.ones(POINTS)])
    found = solver(x0=start.T.ravel(), lbg=0.0, ubg=0.0)

    chain = numpy.array(found["x"]).reshape(POINTS, 2)
    stretch = numpy.abs(numpy.linalg.norm(numpy.diff(chain, axis=0), axis=1) - LINK).max()
    if not solver.stats()["success"] or stretch > 1e-6 or abs(chain[0, 0]) > 1e-6:
        sys.exit(f"IPOPT ended with {solver.stats()['return_status']}, and links are {stretch:.1e} too long or short.")
    return str(casadi.CasadiMeta.version())


if __name__ == "__main__":
    print("IPOPT works in CasADi", solve(Path(sys.argv[1]).resolve()))
