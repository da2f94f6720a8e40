# SPDX-License-Identifier: GPL-3.0-or-later
"""The unknowns of a spacetime problem and the states of instants."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.character import ROOT_DOFS, DegreeOfFreedom, SimplifiedCharacter
from poise.solver.spacetime.problem.layout import ForceTrack, Layout, force_tracks
from poise.solver.spacetime.problem.stances import Push, Stance
from poise.solver.spacetime.problem.time_grid import TimeGrid, time_grid

SLOTS = {"left_ball": 0, "left_heel": 1}

DOFS = 8

DRIFT = np.array([0.4, 0.0, -2.0])


def small_character() -> SimplifiedCharacter:
    """Six values of the root, and two joints."""
    kinds = ["translation"] * 3 + ["rotation"] * 5
    dofs = tuple(
        DegreeOfFreedom(f"value {index}", kind, index - 1, (0.0, 1.0, 0.0), (0.0, 0.1, 0.0))  # type: ignore[arg-type]
        for index, kind in enumerate(kinds)
    )
    nothing = np.zeros((DOFS, 3))
    return SimplifiedCharacter(
        dofs, np.ones(DOFS), nothing, np.zeros((DOFS, 3, 3)), {}, {}, {}, np.eye(3), 1.0, {"knee": (6, 7)}
    )


def stance(*pushes: tuple[str, float, float]) -> Stance:
    places = [Push(name, np.zeros(3), begin, end) for name, begin, end in pushes]
    return Stance("left foot", ("left_ball",), places[0].begin, places[0].end, np.zeros(3), tuple(places))


def some_grid(end: float = 3.0) -> TimeGrid:
    return time_grid(0.0, end, [0.52, 1.31, 1.83], 8.0)


def some_layout(is_cyclic: bool, grid: TimeGrid | None = None) -> Layout:
    grid = grid or some_grid()
    stances = (
        stance(("left_ball", 0.52, 1.31), ("left_heel", 0.52, 0.9)),
        stance(("left_ball", 1.83, 3.6 if is_cyclic else 3.0)),
    )
    tracks = force_tracks(stances, grid, SLOTS, is_cyclic)
    return Layout(small_character(), grid, tracks, len(SLOTS), DRIFT if is_cyclic else None)


def states_of(layout: Layout, unknowns: Array, times: Array) -> Array:
    """(times, width)"""
    pytest.importorskip("casadi")
    matrix, constant = layout.states(times)
    assert matrix.shape == (len(times) * layout.width, layout.unknowns) and constant.shape == (layout.width, len(times))
    return np.asarray(matrix @ unknowns).reshape(len(times), layout.width) + constant.T


def inner_times(rng: np.random.Generator, layout: Layout, count: int = 30) -> Array:
    points = layout.grid.points
    times = rng.uniform(points[0], points[-1], count)
    return times[np.abs(times[:, None] - points).min(axis=1) > 1e-3]


@pytest.mark.parametrize("is_cyclic", [False, True])
def test_unknowns_follow_each_other_without_gaps(is_cyclic: bool) -> None:
    layout = some_layout(is_cyclic)
    slices = [*layout.dof_slices, *layout.muscle_slices, *layout.force_slices]
    assert [own.start for own in slices] == [0, *(own.stop for own in slices[:-1])]
    assert layout.duration == slices[-1].stop and layout.unknowns == layout.duration + 1
    intervals = len(layout.grid.spacing)
    cubic = intervals if is_cyclic else intervals + 3
    quintic = 3 * intervals if is_cyclic else 6 + 3 * (intervals - 1)
    assert [own.stop - own.start for own in layout.dof_slices] == 3 * [cubic] + 3 * [quintic] + 2 * [cubic]
    assert [own.stop - own.start for own in layout.muscle_slices] == 2 * [cubic]
    assert [own.stop - own.start for own in layout.force_slices] == [3 * len(track.nodes) for track in layout.tracks]


@pytest.mark.parametrize("is_cyclic", [False, True])
def test_states_are_values_of_the_splines_and_their_derivatives(rng: np.random.Generator, is_cyclic: bool) -> None:
    layout = some_layout(is_cyclic)
    unknowns = rng.standard_normal(layout.unknowns)
    times = inner_times(rng, layout)
    found = states_of(layout, unknowns, times)
    moved = times - layout.grid.points[0]
    for dof in range(DOFS):
        coefficients = unknowns[layout.dof_slices[dof]]
        expected = layout.space_of(dof).basis(times) @ coefficients
        if is_cyclic and dof < 3:
            expected = expected + DRIFT[dof] * moved / 3.0
        np.testing.assert_allclose(found[:, dof], expected, atol=1e-12)
    for joint, own in enumerate(layout.muscle_slices):
        np.testing.assert_allclose(found[:, 3 * DOFS + joint], layout.cubic.basis(times) @ unknowns[own], atol=1e-12)
    np.testing.assert_allclose(found[:, -1], unknowns[layout.duration], atol=1e-15)
    step = 1e-5
    ahead, behind = (states_of(layout, unknowns, times + by) for by in (step, -step))
    slopes = (ahead - behind) / (2.0 * step)
    np.testing.assert_allclose(found[:, DOFS : 2 * DOFS], slopes[:, :DOFS], atol=1e-4)
    np.testing.assert_allclose(found[:, 2 * DOFS : 3 * DOFS], slopes[:, DOFS : 2 * DOFS], atol=5e-3)
    at = 3 * DOFS
    np.testing.assert_allclose(found[:, at + 2 : at + 4], slopes[:, at : at + 2], atol=1e-4)


@pytest.mark.parametrize("is_cyclic", [False, True])
def test_the_centre_of_mass_accelerates_linearly_between_points(rng: np.random.Generator, is_cyclic: bool) -> None:
    layout = some_layout(is_cyclic)
    unknowns = rng.standard_normal(layout.unknowns)
    points = layout.grid.points
    fine = points[:-1, None] + layout.grid.spacing[:, None] * np.linspace(0.01, 0.99, 5)
    found = states_of(layout, unknowns, fine.ravel())
    accelerations = found[:, 2 * DOFS : 3 * DOFS].reshape(*fine.shape, DOFS)
    bends = np.diff(accelerations, n=2, axis=1)
    sizes = np.abs(accelerations).max()
    assert np.abs(bends[..., :3]).max() < 1e-11 * sizes
    assert np.abs(bends[..., ROOT_DOFS:]).max() < 1e-11 * sizes
    # The rotations of the root have another degree.
    assert np.abs(bends[..., 3:ROOT_DOFS]).max() > 1e-3 * sizes


@pytest.mark.parametrize("is_cyclic", [False, True])
def test_forces_are_linear_between_points_and_zero_elsewhere(rng: np.random.Generator, is_cyclic: bool) -> None:
    layout = some_layout(is_cyclic)
    points = layout.grid.points
    unknowns = rng.uniform(1.0, 2.0, layout.unknowns)
    begin = 3 * DOFS + 2 * layout.joints
    at_points = states_of(layout, unknowns, points)[:, begin : begin + 6].reshape(-1, 2, 3)
    expected = np.zeros_like(at_points)
    for track, own in zip(layout.tracks, layout.force_slices, strict=True):
        expected[track.nodes, track.slot] = unknowns[own].reshape(-1, 3)
    if is_cyclic:
        expected[-1] = expected[0]
    np.testing.assert_allclose(at_points, expected, atol=1e-12)
    times = inner_times(rng, layout, 200)
    found = states_of(layout, unknowns, times)[:, begin : begin + 6]
    linear = [np.interp(times, points, column) for column in at_points.reshape(-1, 6).T]
    np.testing.assert_allclose(found, np.transpose(linear), atol=1e-12)
    for track in layout.tracks:
        others = [other for other in layout.tracks if other.slot == track.slot and other is not track]
        acts = layout.pushes_at(track, times)
        acts_at_all = acts | np.any([layout.pushes_at(other, times) for other in others], axis=0)
        pushed = found[:, 3 * track.slot : 3 * track.slot + 3].any(axis=1)
        np.testing.assert_array_equal(pushed, acts_at_all if others else acts)


def test_forces_vanish_in_flight(rng: np.random.Generator) -> None:
    layout = some_layout(False)
    unknowns = rng.uniform(1.0, 2.0, layout.unknowns)
    begin = 3 * DOFS + 2 * layout.joints
    flight = np.concatenate([np.linspace(0.0, 0.52, 20), np.linspace(1.31, 1.83, 20)])
    assert not states_of(layout, unknowns, flight)[:, begin : begin + 6].any()
    assert not states_of(layout, unknowns, np.linspace(0.95, 1.3, 20))[:, begin + 3 : begin + 6].any()
    # The clip ends during the second stance: its force need not vanish there.
    assert states_of(layout, unknowns, np.array([3.0]))[0, begin : begin + 3].all()


def test_a_cyclic_motion_repeats_itself_a_drift_further(rng: np.random.Generator) -> None:
    layout = some_layout(True)
    unknowns = rng.standard_normal(layout.unknowns)
    times = rng.uniform(0.0, 3.0, 40)
    now, later = (states_of(layout, unknowns, times + by) for by in (0.0, 3.0))
    change = np.zeros(layout.width)
    change[:3] = DRIFT
    np.testing.assert_allclose(later, now + change, atol=1e-9)
    # Across the boundary of two cycles values, velocities and accelerations are continuous.
    before, after = states_of(layout, unknowns, np.array([3.0 - 1e-9, 3.0 + 1e-9]))
    np.testing.assert_allclose(before[: 3 * DOFS], after[: 3 * DOFS], atol=1e-4)


def nodes_of(tracks: tuple[ForceTrack, ...]) -> list[list[int]]:
    return [track.nodes.tolist() for track in tracks]


def test_a_force_is_unknown_at_the_points_within_its_push() -> None:
    grid = TimeGrid(np.arange(9.0), np.arange(9.0))
    within = stance(("left_ball", 2.0, 5.0), ("left_heel", 2.5, 3.5))
    tracks = force_tracks([within], grid, SLOTS, False)
    assert nodes_of(tracks) == [[3, 4], [3]] and [track.slot for track in tracks] == [0, 1]
    assert [track.stance for track in force_tracks([within, within], grid, SLOTS, False)] == [0, 0, 1, 1]


def test_a_push_between_two_points_has_no_force() -> None:
    grid = TimeGrid(np.arange(9.0), np.arange(9.0))
    assert force_tracks([stance(("left_ball", 2.1, 2.9))], grid, SLOTS, False) == ()
    assert force_tracks([stance(("left_ball", 2.0, 3.0))], grid, SLOTS, True) == ()


@pytest.mark.parametrize(
    ("begin", "end", "nodes"),
    [
        (-2.0, 2.0, [0, 1]),
        (0.0, 2.0, [0, 1]),
        (6.0, 11.0, [7, 8]),
        (6.0, 8.0, [7, 8]),
        (-1.0, 9.0, list(range(9))),
        (-2.0, 0.0, []),
        (8.0, 9.0, []),
    ],
)
def test_a_push_that_the_clip_cuts_acts_at_the_cut(begin: float, end: float, nodes: list[int]) -> None:
    grid = TimeGrid(np.arange(9.0), np.arange(9.0))
    tracks = force_tracks([stance(("left_ball", begin, end))], grid, SLOTS, False)
    assert nodes_of(tracks) == ([nodes] if nodes else [])


@pytest.mark.parametrize(
    ("begin", "end", "nodes"),
    [
        (2.0, 5.0, [3, 4]),
        (5.0, 10.0, [6, 7, 0, 1]),
        (-3.0, 2.0, [6, 7, 0, 1]),
        (7.5, 8.5, [0]),
        (6.0, 8.0, [7]),
        (0.0, 3.0, [1, 2]),
    ],
)
def test_in_a_cycle_a_push_goes_on_at_the_first_points(begin: float, end: float, nodes: list[int]) -> None:
    grid = TimeGrid(np.arange(9.0), np.arange(9.0))
    assert nodes_of(force_tracks([stance(("left_ball", begin, end))], grid, SLOTS, True)) == [nodes]
