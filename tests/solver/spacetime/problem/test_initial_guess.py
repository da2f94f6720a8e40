# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the first optimisation starts."""

from __future__ import annotations

import numpy as np

from poise.solver.spacetime.problem.initial_guess import (
    muscles_of,
    spline_start,
    torques_needed,
    with_forces,
    with_muscles,
)

from ..small_fits import walk_fit


def test_splines_go_through_smooth_values() -> None:
    fit = walk_fit()
    layout = fit.problem.layout
    times = np.linspace(layout.grid.points[0], layout.grid.points[-1], 200)
    values = np.sin(times[:, None] * np.linspace(0.2, 1.0, len(layout.character)))
    start = spline_start(layout, times, values)
    matrix, constant = layout.states(times)
    found = np.asarray(matrix @ start).reshape(len(times), layout.width) + constant.T
    assert np.abs(found[:, : len(layout.character)] - values).max() < 5e-3
    assert start[layout.duration] == 1.0


def test_forces_carry_the_body_within_friction() -> None:
    fit = walk_fit()
    layout, gravity = fit.problem.layout, fit.problem.gravity
    start = with_forces(layout, fit.optimum.unknowns, gravity)
    for own in layout.force_slices:
        forces = start[own].reshape(-1, 3)
        assert (forces[:, 1] > 0.0).all()
        assert (np.abs(forces[:, 0]) + np.abs(forces[:, 2]) <= 0.5 * forces[:, 1] + 1e-12).all()
    total = np.zeros((len(layout.grid.points), 3))
    for track, own in zip(layout.tracks, layout.force_slices, strict=True):
        total[track.nodes] += start[own].reshape(-1, 3)
    stands = total[:, 1] > 0.0
    assert np.isclose(total[stands, 1].mean(), 1.0, atol=0.2)


def test_muscles_give_the_torques_that_are_needed() -> None:
    fit = walk_fit()
    layout = fit.problem.layout
    torques = torques_needed(fit.problem, fit.functions, fit.optimum.unknowns)
    # At the optimum the muscles give just these.
    assert np.abs(torques - fit.motion.torques(fit.motion.points)).max() < 1e-5
    muscles = muscles_of(torques)
    start = with_muscles(layout, fit.optimum.unknowns, muscles, torques)
    matrix, constant = layout.states(layout.grid.points)
    states = np.asarray(matrix @ start).reshape(len(layout.grid.points), layout.width) + constant.T
    count, joints = len(layout.character), layout.joints
    given = muscles.torques(
        states[:, 6:count],
        states[:, count + 6 : 2 * count],
        states[:, 3 * count : 3 * count + joints],
        states[:, 3 * count + joints : 3 * count + 2 * joints],
    )
    assert np.abs(given - torques).max() < 0.02
