# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientations over time: exact where they are held, eased at both ends, and never a jump however far anyone turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.constraints import ConstraintPoint, OrientationConstraint, Source
from poise.solver.constraints.effectors import OrientationEffector
from poise.solver.constraints.paths import MODES, Mode
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError

from ..made_up import moving_human, placed, smooth_way, turning_clip

RUNS = 10
BEGIN, END = 8, 52


def turning(rng: np.random.Generator, fine: int = 1, turns: float = 0.3) -> Array:
    """(frames, 4) the rotations of a body that sways and turns, sampled `fine` times as finely."""
    times = np.arange(60 * fine + 1) / fine
    spin = np.zeros((len(times), 3))
    spin[:, 1] = 2.0 * np.pi * turns * times / 60.0
    return rotations.multiply(rotations.exp(spin), rotations.exp(smooth_way(rng, 0.1)(times)))


def way_of(turns: Array, points: list[ConstraintPoint], mode: Mode, fine: int = 1) -> Array:
    """(frames, 4) how the joint should be turned; outside the constraint, how it is."""
    later = [
        ConstraintPoint(p.location, p.begin * fine, p.stay[1] * fine, p.tension, p.continuity, p.bias) for p in points
    ]
    source = Source(turning_clip(turns, 30.0 * fine))
    (track,) = OrientationConstraint("point", BEGIN * fine, END * fine, later, mode).tracks(source)
    path = source.values(track.effector).copy()
    path[track.frames] = track.effector.displaced(path[track.frames], track.displacement)
    return path


def angles(one: Array, other: Array) -> Array:
    """Between rotations, exact for small ones too."""
    return np.linalg.norm(rotations.log(rotations.multiply(one, rotations.conjugate(other))), axis=-1)


def velocities(path: Array) -> Array:
    """(frames - 1, 3) angular, in radians a frame."""
    return rotations.log(rotations.multiply(path[1:], rotations.conjugate(path[:-1])))


def near(rng: np.random.Generator, turn: Array, by: float = 0.5) -> Array:
    return rotations.multiply(rotations.exp(by * rng.standard_normal(3)), turn)


def test_a_track_turns_its_joint(rng: np.random.Generator) -> None:
    clip: Clip = moving_human(rng)
    constraint = OrientationConstraint("skullbase", BEGIN, END, [ConstraintPoint((1, 0, 0, 0), 20, 25)])
    (track,) = constraint.tracks(Source(clip))
    assert track.effector == OrientationEffector(clip.skeleton.index("skullbase"))
    assert (track.begin, track.end, track.hold_intervals) == (BEGIN, END, ((20, 25),))
    assert track.displacement.shape == (END - BEGIN + 1, 3)


@pytest.mark.parametrize("turns", [0.0, 0.3, 0.8, 2.0])
@pytest.mark.parametrize("mode", MODES)
def test_it_is_turned_as_it_should_be_when_it_should(mode: Mode, turns: float, rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        was = turning(rng, turns=turns)
        wanted = np.stack([near(rng, was[18]), near(rng, was[40])])
        path = way_of(was, [ConstraintPoint(wanted[0], 18, 27), ConstraintPoint(wanted[1], 40)], mode)
        np.testing.assert_allclose(np.linalg.norm(path, axis=1), 1.0, atol=1e-14)
        assert angles(path[[18, 40]], wanted).max() < 1e-7
        assert angles(path[[BEGIN, END]], was[[BEGIN, END]]).max() < 1e-7
        if mode == "relative":
            turned = rotations.multiply(path[18:28], rotations.conjugate(was[18:28]))
            assert angles(turned, turned[0]).max() < 1e-7, "the displacement must be the same rotation all along"
        else:
            assert angles(path[18:28], wanted[0]).max() < 1e-7


@pytest.mark.parametrize("turns", [0.3, 0.8, 2.0])
@pytest.mark.parametrize("mode", MODES)
def test_its_velocity_never_jumps(mode: Mode, turns: float) -> None:
    def corner(seed: int, fine: int) -> float:
        rng = np.random.default_rng(seed)
        was = turning(rng, fine, turns)
        wanted = [near(rng, was[18 * fine], 0.3), near(rng, was[40 * fine], 0.3)]
        path = way_of(was, [ConstraintPoint(wanted[0], 18, 27), ConstraintPoint(wanted[1], 40)], mode, fine)
        return float(np.abs(np.diff(velocities(path), axis=0)).max() * fine)

    for seed in range(4):
        assert corner(seed, 128) < 0.3 * corner(seed, 32)


@pytest.mark.parametrize("mode", MODES)
def test_turning_about_many_times_is_never_unwound(mode: Mode) -> None:
    """Half a radian of displacement, taken up in ten frames, adds half a radian in ten frames: no more than that."""
    for turns in (0.5, 0.8, 1.0, 1.3, 2.0, 3.0):
        for begin in (18, 27, 40):
            rng = np.random.default_rng(begin)
            was = turning(rng, turns=turns)
            wanted = rotations.multiply(rotations.exp(np.array([0.2, 0.4, -0.2])), was[begin])
            path = way_of(was, [ConstraintPoint(wanted, begin, begin + 2)], mode)
            fastest = np.linalg.norm(velocities(path), axis=1).max()
            own = np.linalg.norm(velocities(was), axis=1).max()
            # In 8 frames or more the way back makes up for what was missed in 2, and 0.49: at most 1.5 times the mean.
            bound = 1.5 * (own + (0.49 + 3.0 * own) / 8.0)
            assert fastest < bound, f"{fastest:.3f} a frame after {turns} turns with a point at {begin}"


@pytest.mark.parametrize("mode", MODES)
def test_displacements_of_about_half_a_turn_go_on_the_same_way_round(mode: Mode) -> None:
    """From 170 to 190 degrees are 20, not 340."""
    still = np.tile([1.0, 0.0, 0.0, 0.0], (61, 1))
    wanted = rotations.exp(np.outer(np.deg2rad([170.0, 190.0, 170.0]), [0.0, 0.6, 0.8]))
    path = way_of(still, [ConstraintPoint(q, at, at + 4) for q, at in zip(wanted, (20, 30, 40), strict=True)], mode)
    assert angles(path[20:45], rotations.exp(np.pi * np.array([0.0, 0.6, 0.8]))).max() < np.deg2rad(10.0) + 1e-7


@pytest.mark.parametrize("mode", MODES)
def test_signs_and_lengths_of_quaternions_do_not_matter(mode: Mode, rng: np.random.Generator) -> None:
    was = turning(rng)
    first, second = near(rng, was[18]), near(rng, was[40])
    signs = np.where(rng.random(61) < 0.5, -1.0, 1.0)[:, None]
    one = way_of(was, [ConstraintPoint(first, 18, 27), ConstraintPoint(second, 40)], mode)
    same = way_of(signs * was, [ConstraintPoint(-3.0 * first, 18, 27), ConstraintPoint(0.1 * second, 40)], mode)
    assert angles(one, same).max() < 1e-7


def test_the_source_s_own_orientations_displace_nothing_in_relative_mode(rng: np.random.Generator) -> None:
    was = turning(rng, turns=1.3)
    path = way_of(was, [ConstraintPoint(was[18], 18, 27), ConstraintPoint(was[40], 40)], "relative")
    assert angles(path, was).max() < 1e-7


@pytest.mark.parametrize("mode", MODES)
def test_the_heading_of_the_scene_changes_nothing(mode: Mode, rng: np.random.Generator) -> None:
    was, turn = turning(rng, turns=0.8), rotations.random(rng)
    wanted = near(rng, was[25])
    here = way_of(was, [ConstraintPoint(wanted, 25, 30)], mode)
    there = placed(turning_clip(was), turn).orientation(0)
    path = way_of(there, [ConstraintPoint(rotations.multiply(turn, wanted), 25, 30)], mode)
    assert angles(path, rotations.multiply(turn, here)).max() < 1e-7


@pytest.mark.parametrize("mode", MODES)
def test_about_one_axis_it_is_the_way_of_a_number(mode: Mode) -> None:
    """Rotations about one axis add up as numbers do: the way must be the one that a place on a line goes."""
    from poise.solver.constraints.paths import Knot, path_through

    angle = 0.02 * np.arange(61) + 0.3 * np.sin(np.arange(61) / 9.0)
    stays = [(0.9, 18, 24), (0.2, 31, 31), (1.4, 40, 44)]
    shape = {"tension": 0.2, "continuity": -0.3, "bias": 0.4}
    source, frames = np.outer(angle, [0.0, 0.0, 1.0]), np.arange(BEGIN, END + 1)
    knots = [Knot(np.array([0.0, 0.0, to]), float(begin), float(end), **shape) for to, begin, end in stays]
    expected = path_through(mode, source, BEGIN, END, knots, frames, 7.5)
    points = [ConstraintPoint(rotations.exp([0.0, 0.0, to]), begin, end, **shape) for to, begin, end in stays]
    path = way_of(rotations.exp(source), points, mode)[frames]
    assert angles(path, rotations.exp(expected)).max() < 1e-7


@pytest.mark.parametrize("mode", MODES)
def test_points_at_the_very_begin_and_end_and_a_stay_all_along(mode: Mode, rng: np.random.Generator) -> None:
    was = turning(rng)
    first, last = near(rng, was[BEGIN]), near(rng, was[END])
    path = way_of(was, [ConstraintPoint(first, BEGIN), ConstraintPoint(last, END)], mode)
    assert angles(path[[BEGIN, END]], np.stack([first, last])).max() < 1e-7
    np.testing.assert_array_equal(path[:BEGIN], was[:BEGIN])
    stayed = way_of(was, [ConstraintPoint(first, BEGIN, END)], mode)[BEGIN : END + 1]
    if mode == "relative":
        stayed = rotations.multiply(stayed, rotations.conjugate(was[BEGIN : END + 1]))
    assert angles(stayed, stayed[0]).max() < 1e-7


def test_times_between_frames(rng: np.random.Generator) -> None:
    """A source that turns evenly is the same in fine frames, and so must the way be."""
    rate = 0.05 * rng.standard_normal(3)
    coarse, fine = rotations.exp(np.outer(np.arange(61), rate)), rotations.exp(np.outer(np.arange(241) / 4.0, rate))
    points = [ConstraintPoint(near(rng, fine[82], 0.2), 20.5, 27.25), ConstraintPoint(near(rng, fine[159], 0.2), 39.75)]
    for mode in MODES:
        path, finer = way_of(coarse, points, mode), way_of(fine, points, mode, fine=4)
        # Between frames the source is read along chords of rotation vectors: they sag by the square of a frame's turn.
        assert angles(path, finer[::4]).max() < 1e-3, mode
        assert angles(finer[[82, 159]], np.stack([point.location for point in points])).max() < 1e-7


def test_one_frame(rng: np.random.Generator) -> None:
    wanted = rotations.random(rng)
    for mode in MODES:
        source = Source(moving_human(rng, 1))
        (track,) = OrientationConstraint("l_wrist", 0, 0, [ConstraintPoint(wanted, 0)], mode).tracks(source)
        reached = track.effector.displaced(source.values(track.effector), track.displacement)
        assert angles(reached, wanted).max() < 1e-7


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"points": [ConstraintPoint((0, 0, 0, 0), 20)]}, "must be a quaternion"),
        ({"points": [ConstraintPoint((1, 0, 0), 20)]}, "must be a quaternion"),
        ({"points": [ConstraintPoint((1, 0, 0, np.nan), 20)]}, "must be a quaternion"),
        ({"points": [ConstraintPoint("up", 20)]}, "must be four numbers"),
        ({"joint": "pint"}, "'pint'"),
        ({"points": []}, "has no points"),
        ({"begin": 52, "end": 8}, "begins at frame 52, after its end"),
        ({"end": 90}, "outside the clip"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(
    rng: np.random.Generator, wrong: dict[str, Any], sentence: str
) -> None:
    good = {"joint": "point", "begin": BEGIN, "end": END, "points": [ConstraintPoint((1, 0, 0, 0), 20)], "name": "tray"}
    source = Source(turning_clip(turning(rng)))
    OrientationConstraint(**good).tracks(source)  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match=f"^tray: .*{sentence}"):
        OrientationConstraint(**{**good, **wrong}).tracks(source)  # type: ignore[arg-type]
