# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions over time: exact where they are held, of unit length everywhere, eased at both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import ConstraintPoint, DirectionConstraint, Source
from poise.solver.constraints.effectors import DirectionEffector
from poise.solver.constraints.paths import MODES, Mode
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError

from ..made_up import moving_human, smooth_way, turning_clip

RUNS = 10
AXIS = np.array([0.0, 0.6, 0.8])
BEGIN, END = 8, 52


def turning(rng: np.random.Generator, fine: int = 1) -> Clip:
    """A body that turns about, sampled `fine` times as finely."""
    way = smooth_way(rng, 0.4)
    return turning_clip(rotations.exp(way(np.arange(60 * fine + 1) / fine)), 30.0 * fine)


def way_of(clip: Clip, points: list[ConstraintPoint], mode: Mode, fine: int = 1) -> Array:
    """(frames, 3) where the axis should point; outside the constraint, where it does."""
    later = [ConstraintPoint(p.location, p.begin * fine, p.stay[1] * fine) for p in points]
    source = Source(clip)
    (track,) = DirectionConstraint("point", BEGIN * fine, END * fine, later, mode, axis=3.0 * AXIS).tracks(source)
    path = source.values(track.effector).copy()
    path[track.frames] += track.displacement
    return path


def test_it_moves_the_axis_of_its_joint(rng: np.random.Generator) -> None:
    clip = turning(rng)
    constraint = DirectionConstraint("point", BEGIN, END, [ConstraintPoint((1.0, 0.0, 0.0), 20)], axis=3.0 * AXIS)
    source = Source(clip)
    (track,) = constraint.tracks(source)
    assert isinstance(track.effector, DirectionEffector) and track.effector.joint == 0
    np.testing.assert_allclose(track.effector.axis, AXIS)
    np.testing.assert_allclose(source.values(track.effector), rotations.rotate(clip.orientation(0), AXIS), atol=1e-15)
    assert (track.begin, track.end, track.hold_intervals) == (BEGIN, END, ((20, 20),))


@pytest.mark.parametrize("mode", MODES)
def test_it_points_where_it_should_when_it_should(mode: Mode, rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        clip = turning(rng)
        was = rotations.rotate(clip.orientation(0), AXIS)
        wanted = was[[18, 40]] + 0.5 * rng.standard_normal((2, 3))
        path = way_of(clip, [ConstraintPoint(wanted[0], 18, 27), ConstraintPoint(wanted[1], 40)], mode)
        wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
        np.testing.assert_allclose(np.linalg.norm(path, axis=1), 1.0, atol=1e-14)
        np.testing.assert_allclose(path[[18, 40]], wanted, atol=1e-14)
        np.testing.assert_allclose(path[[BEGIN, END]], was[[BEGIN, END]], atol=1e-14)
        if mode != "relative":
            np.testing.assert_allclose(path[18:28], np.tile(wanted[0], (10, 1)), atol=1e-14)
        else:
            local = rotations.rotate(rotations.conjugate(clip.orientation(0)[18]), wanted[0])
            np.testing.assert_allclose(path[18:28], rotations.rotate(clip.orientation(0)[18:28], local), atol=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_its_velocity_never_jumps(mode: Mode) -> None:
    def corner(seed: int, fine: int) -> float:
        rng = np.random.default_rng(seed)
        clip = turning(rng, fine)
        wanted = rotations.rotate(clip.orientation(0)[[18 * fine, 40 * fine]], AXIS) + 0.4 * rng.standard_normal((2, 3))
        points = [ConstraintPoint(wanted[0], 18, 27), ConstraintPoint(wanted[1], 40)]
        return float(np.abs(np.diff(way_of(clip, points, mode, fine), 2, axis=0)).max() * fine)

    for seed in range(5):
        assert corner(seed, 128) < 0.3 * corner(seed, 32)


def test_the_length_of_what_is_given_does_not_matter(rng: np.random.Generator) -> None:
    clip, direction = turning(rng), rng.standard_normal(3)
    for mode in MODES:
        one, other = (way_of(clip, [ConstraintPoint(s * direction, 18, 27)], mode) for s in (1e-3, 1e3))
        np.testing.assert_allclose(one, other, atol=1e-14)


def test_the_source_s_own_directions_displace_nothing_in_relative_mode(rng: np.random.Generator) -> None:
    clip = turning(rng)
    was = rotations.rotate(clip.orientation(0), AXIS)
    np.testing.assert_allclose(way_of(clip, [ConstraintPoint(was[18], 18, 27)], "relative"), was, atol=1e-15)


def test_the_relative_mode_keeps_its_angle_while_the_source_turns() -> None:
    angles = np.radians(np.interp(np.arange(61), [20, 40], [0.0, 80.0]))
    clip = turning_clip(rotations.exp(angles[:, None] * np.array([1.0, 0.0, 0.0])))
    was = rotations.rotate(clip.orientation(0), AXIS)
    aside = rotations.rotate(rotations.exp(np.radians(60.0) * np.array([1.0, 0.0, 0.0])), was[20])
    path = way_of(clip, [ConstraintPoint(aside, 20, 40)], "relative")
    apart = np.degrees(np.arccos(np.einsum("fk,fk->f", path, was)))
    np.testing.assert_allclose(apart[20:41], 60.0, atol=1e-6)


def test_an_opposite_direction_gives_unit_vectors_all_the_way(rng: np.random.Generator) -> None:
    still = turning_clip(np.tile([1.0, 0.0, 0.0, 0.0], (61, 1)))
    for mode in MODES:
        path = way_of(still, [ConstraintPoint(-AXIS, 30)], mode)
        assert np.isfinite(path).all()
        np.testing.assert_allclose(np.linalg.norm(path, axis=1), 1.0, atol=1e-14)


def test_one_frame(rng: np.random.Generator) -> None:
    for mode in MODES:
        constraint = DirectionConstraint("l_wrist", 0, 0, [ConstraintPoint((0.0, 0.0, 5.0), 0)], mode)
        source = Source(moving_human(rng, 1))
        (track,) = constraint.tracks(source)
        assert isinstance(track.effector, DirectionEffector) and track.effector.axis == (0.0, 1.0, 0.0)
        np.testing.assert_allclose(source.values(track.effector) + track.displacement, [[0.0, 0.0, 1.0]], atol=1e-15)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"axis": (0.0, 0.0, 0.0)}, "the axis has no length"),
        ({"axis": (0.0, 1.0)}, "the axis must be three numbers"),
        ({"axis": (np.nan, 0.0, 0.0)}, "the axis is not finite"),
        ({"points": [ConstraintPoint((0.0, 0.0, 0.0), 20)]}, "the direction of a point has no length"),
        ({"points": [ConstraintPoint((0.0, np.inf, 0.0), 20)]}, "the direction of a point is not finite"),
        ({"joint": "pint"}, "'pint'"),
        ({"points": []}, "has no points"),
        ({"begin": 52, "end": 8}, "begins at frame 52, after its end"),
        ({"end": 90}, "outside the clip"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(
    rng: np.random.Generator, wrong: dict[str, Any], sentence: str
) -> None:
    good = {"joint": "point", "begin": BEGIN, "end": END, "points": [ConstraintPoint((1, 0, 0), 20)], "name": "gaze"}
    source = Source(turning(rng))
    DirectionConstraint(**good).tracks(source)  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match=f"^gaze: .*{sentence}"):
        DirectionConstraint(**{**good, **wrong}).tracks(source)  # type: ignore[arg-type]
