# SPDX-License-Identifier: GPL-3.0-or-later
"""What the full character's handles are to be after an edit of the simplified one."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import HandleError
from poise.solver.spacetime.handles.handle import (
    AxisHandle,
    CenterOfMassHandle,
    DirectionHandle,
    DistanceHandle,
    PointHandle,
)
from poise.solver.spacetime.handles.handle_tracks import (
    HandleTrack,
    common_displacement,
    headings_of,
    moved_rigidly,
    trunk_rotation,
)

from ...made_up import moving_human

FRAMES, UP = 6, 1
NONE = np.tile(rotations.IDENTITY, (FRAMES, 1))


def directions(rng: np.random.Generator) -> Array:
    return rotations.unit(rng.standard_normal((FRAMES, 3)))


# --- values ----------------------------------------------------------------------------------------------------------


def test_places_and_numbers_are_displaced_by_the_edit(rng: np.random.Generator) -> None:
    """Equation 5.1."""
    for handle in (CenterOfMassHandle(), DistanceHandle("a", "b"), AxisHandle("a", "up") * 2.0):
        fitted, edited, values = rng.standard_normal((3, FRAMES, handle.width))
        found = HandleTrack(handle, fitted, edited).displaced(values, NONE, NONE)
        np.testing.assert_allclose(found, values + (edited - fitted), atol=1e-14)


def test_what_the_fit_is_off_turns_with_the_heading(rng: np.random.Generator) -> None:
    fitted, edited, values = rng.standard_normal((3, FRAMES, 3))
    headings = rotations.exp(rng.uniform(-3.0, 3.0, FRAMES)[:, None] * np.eye(3)[UP])
    found = HandleTrack(PointHandle("a"), fitted, edited).displaced(values, headings, headings)
    np.testing.assert_allclose(found - edited, rotations.rotate(headings, values - fitted), atol=1e-14)


def test_directions_are_turned(rng: np.random.Generator) -> None:
    """They stay unit vectors; where the fit is exact they are the edited ones, and a turn of everything turns them."""
    fitted, edited, values = (directions(rng) for _ in range(3))
    handle = DirectionHandle("a", "b")
    turns = rotations.random(rng, FRAMES)
    for trunk in (NONE, turns):
        track = HandleTrack(handle, fitted, edited)
        np.testing.assert_allclose(track.displaced(fitted, trunk, trunk), edited, atol=1e-12)
        found = track.displaced(values, trunk, trunk)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-12)
        angle_before, angle_after = (np.einsum("fk,fk->f", *each) for each in ((fitted, values), (edited, found)))
        np.testing.assert_allclose(angle_after, angle_before, atol=1e-12)
    turned = HandleTrack(handle, fitted, rotations.rotate(turns, fitted)).displaced(values, turns, turns)
    np.testing.assert_allclose(turned, rotations.rotate(turns, values), atol=1e-12)


def test_one_axis_is_turned_by_the_least_rotation(rng: np.random.Generator) -> None:
    fitted, edited, values = (directions(rng) for _ in range(3))
    found = HandleTrack(DirectionHandle("a", "b"), fitted, edited).displaced(values, NONE, NONE)
    expected = rotations.rotate(rotations.between(fitted, edited), values)
    np.testing.assert_allclose(found, expected, atol=1e-12)


# --- the trunk -------------------------------------------------------------------------------------------------------


def axes_of(rng: np.random.Generator, turns: Array, *names: str) -> list[HandleTrack]:
    """Tracks of some axes of a trunk that the edit has turned."""
    trunk = rotations.random(rng, FRAMES)
    at_rest = dict(zip(("left", "up", "forward"), np.eye(3), strict=True))
    fitted = {name: rotations.rotate(trunk, at_rest[name]) for name in names}
    return [
        HandleTrack(AxisHandle("hips", name), value, rotations.rotate(turns, value)) for name, value in fitted.items()
    ]  # type: ignore[arg-type]


def test_two_axes_show_the_rotation_of_the_trunk(rng: np.random.Generator) -> None:
    turns = rotations.random(rng, FRAMES)
    other = HandleTrack(AxisHandle("neck", "up"), directions(rng), directions(rng))
    for names in (("up", "left"), ("forward", "left")):
        found = trunk_rotation([other, *axes_of(rng, turns, *names)], UP, FRAMES)
        assert rotations.angle_between(found, turns).max() < 1e-7


def test_axes_of_different_joints_are_no_pair(rng: np.random.Generator) -> None:
    first = HandleTrack(AxisHandle("hips", "up"), directions(rng), directions(rng))
    second = HandleTrack(AxisHandle("neck", "left"), directions(rng), directions(rng))
    found = trunk_rotation([first, second], UP, FRAMES)
    np.testing.assert_allclose(rotations.rotate(found, first.fitted), first.edited, atol=1e-12)


def test_a_level_axis_that_is_turned_about_the_vertical_does_not_tilt() -> None:
    """Also not by half a turn, where the least rotation would be about any axis."""
    tilted = rotations.unit(np.tile([1.0, 0.3, 0.2], (FRAMES, 1)))
    turns = rotations.exp(np.linspace(0.0, np.pi, FRAMES)[:, None] * np.eye(3)[UP])
    track = HandleTrack(AxisHandle("hips", "left"), tilted, rotations.rotate(turns, tilted))
    assert rotations.angle_between(trunk_rotation([track], UP, FRAMES), turns).max() < 1e-7


def test_one_upright_axis_is_turned_by_the_least_rotation(rng: np.random.Generator) -> None:
    fitted = rotations.unit(np.eye(3)[UP] + 0.1 * rng.standard_normal((FRAMES, 3)))
    edited = rotations.unit(np.eye(3)[UP] + 0.1 * rng.standard_normal((FRAMES, 3)))
    found = trunk_rotation([HandleTrack(AxisHandle("hips", "up"), fitted, edited)], UP, FRAMES)
    assert rotations.angle_between(found, rotations.between(fitted, edited)).max() < 1e-7


def test_a_trunk_that_is_not_turned_is_exactly_so(rng: np.random.Generator) -> None:
    for names in (("up",), ("left",), ("up", "left")):
        found = trunk_rotation(axes_of(rng, NONE, *names), UP, FRAMES)
        tracks = [HandleTrack(track.handle, track.fitted, track.fitted) for track in axes_of(rng, NONE, *names)]
        assert rotations.angle_between(found, NONE).max() < 1e-7
        np.testing.assert_array_equal(trunk_rotation(tracks, UP, FRAMES), NONE)
    np.testing.assert_array_equal(trunk_rotation([], UP, FRAMES), NONE)


def test_headings_are_the_part_about_the_vertical() -> None:
    heading = rotations.exp([0.0, 0.8, 0.0])
    lean = rotations.exp([0.2, 0.0, -0.1])
    for up in (1, 2):
        own = rotations.exp(0.8 * np.eye(3)[up])
        level = rotations.exp([0.3, 0.0, 0.0])
        found = headings_of(rotations.multiply(level, own)[None], up)[0]
        assert rotations.angle_between(found, own) < 1e-12
    assert rotations.angle_between(headings_of(rotations.multiply(lean, heading)[None], 1)[0], heading) < 1e-12


# --- the whole body --------------------------------------------------------------------------------------------------


def test_the_body_goes_with_its_centre_of_mass_else_with_the_mean_of_places(rng: np.random.Generator) -> None:
    first, second, third = rng.standard_normal((3, FRAMES, 3))
    point = HandleTrack(PointHandle("a"), np.zeros((FRAMES, 3)), first)
    other = HandleTrack(PointHandle("b"), np.zeros((FRAMES, 3)), second)
    center = HandleTrack(CenterOfMassHandle(), np.zeros((FRAMES, 3)), third)
    axis = HandleTrack(AxisHandle("hips", "up"), directions(rng), directions(rng))
    np.testing.assert_array_equal(common_displacement([point, axis, center], FRAMES), third)
    np.testing.assert_allclose(common_displacement([point, axis, other], FRAMES), 0.5 * (first + second))
    assert not common_displacement([axis], FRAMES).any()


def test_a_clip_is_moved_as_a_rigid_body(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES)
    moved, turns = rng.standard_normal((FRAMES, 3)), rotations.random(rng, FRAMES)
    moved[0], turns[0] = 0.0, rotations.IDENTITY
    found = moved_rigidly(clip, moved, turns)
    center = clip.center_of_mass()[:, None]
    expected = center + moved[:, None] + rotations.rotate(turns[:, None], clip.world.positions - center)
    np.testing.assert_allclose(found.world.positions, expected, atol=1e-12)
    np.testing.assert_array_equal(found.motion.rotations[0], clip.motion.rotations[0])
    np.testing.assert_array_equal(found.motion.translations[0], clip.motion.translations[0])
    np.testing.assert_array_equal(found.motion.rotations[:, 1:], clip.motion.rotations[:, 1:])


def test_bad_tracks_are_refused() -> None:
    three = np.zeros((FRAMES, 3))
    with pytest.raises(HandleError, match="not of 'left_ball'"):
        HandleTrack("left_ball", three, three)  # type: ignore[arg-type]
    with pytest.raises(HandleError, match=r"Left ball: its edited values must have the shape \(frames, 3\)"):
        HandleTrack(PointHandle("left_ball"), three, three[:, :2])
    with pytest.raises(HandleError, match="Left ball: its fitted values are not finite"):
        HandleTrack(PointHandle("left_ball"), three + np.nan, three)
    with pytest.raises(HandleError, match="its weight must be"):
        HandleTrack(PointHandle("left_ball"), three, three, weight=0.0)
    with pytest.raises(HandleError, match="it has edited values for 2 frames, but the result has 6"):
        HandleTrack(PointHandle("left_ball"), three, three[:2]).check(FRAMES)
