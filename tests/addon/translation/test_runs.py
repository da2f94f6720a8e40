# SPDX-License-Identifier: GPL-3.0-or-later
"""Points at consecutive frames are taken as those of one empty that moves, unless their numbers are known."""

from __future__ import annotations

from poise import solver
from poise.addon.translation.runs import divided, points_of, runs


def points(*times: float) -> list[solver.ConstraintPoint]:
    return [solver.ConstraintPoint((time, 0.0, 0.0), time) for time in times]


def sizes(found: list[list[solver.ConstraintPoint]] | None) -> list[int] | None:
    return None if found is None else [len(run) for run in found]


def test_points_at_consecutive_frames_are_a_run() -> None:
    assert sizes(runs(points(4, 1, 2, 3, 6, 7))) == [4, 1, 1]
    held = [solver.ConstraintPoint((0, 0, 0), 2, 3), *points(4, 5, 6)]
    assert sizes(runs(held)) == [1, 3], "a point that is held is alone"


def test_known_sizes_divide_the_points_where_they_fit() -> None:
    given = points(3, 1, 2, 4)
    found = divided(given, [1, 3])
    assert found is not None and [[point.begin for point in run] for run in found] == [[1], [2, 3, 4]]
    assert divided(given, [1, 2]) is None and divided(given, [4, 0]) is None


def test_the_points_of_a_constraint_are_found() -> None:
    given = points(1, 2)
    assert points_of(solver.ShapeConstraint("l_wrist", 0, 9, given)) == tuple(given)
    assert points_of(solver.Balance(displacement=given)) == tuple(given)
    assert points_of(solver.Balance(displacement=(0.0, 0.0, 1.0))) == ()
    assert points_of(solver.Balance()) == ()
    assert points_of(solver.Footplant(foot="left", toe_strike=1, toe_off=2)) == ()
