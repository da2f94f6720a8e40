# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at places over time: from where the joint is in the result, eased at both ends, never through the eye."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver import deform
from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.motion import Motion
from poise.solver.constraints import ConstraintPoint, LookAtConstraint, ShapeConstraint, Source
from poise.solver.constraints.effectors import GazeEffector
from poise.solver.constraints.paths import MODES, Mode
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError

from ..made_up import moving_human, smooth_way, turning_clip

AXIS = np.array([0.0, 0.6, 0.8])
BEGIN, END = 8, 52


def turning(rng: np.random.Generator, fine: int = 1) -> Clip:
    """A body that turns about and moves, sampled `fine` times as finely."""
    times = np.arange(60 * fine + 1) / fine
    clip = turning_clip(rotations.exp(smooth_way(rng, 0.4)(times)), 30.0 * fine)
    way = 0.2 * smooth_way(rng, 1.0)(times)
    return Clip(clip.skeleton, Motion(clip.motion.rotations, clip.motion.translations + way[:, None]), clip.fps)


def places_of(clip: Clip, points: list[ConstraintPoint], mode: Mode, fine: int = 1) -> Array:
    """(frames, 3) the places to look at; outside the constraint, those that the source looks at."""
    later = [ConstraintPoint(p.location, p.begin * fine, p.stay[1] * fine) for p in points]
    source = Source(clip)
    (track,) = LookAtConstraint("point", BEGIN * fine, END * fine, later, mode, axis=3.0 * AXIS).tracks(source)
    values = source.values(track.effector)
    places = values[:, :3] + values[:, 3:]
    places[track.frames] += track.displacement
    return places


@pytest.mark.parametrize("mode", MODES)
def test_it_looks_at_its_places_while_it_stays(mode: Mode, rng: np.random.Generator) -> None:
    for _ in range(10):
        clip = turning(rng)
        source = places_of(clip, [ConstraintPoint((9.0, 9.0, 9.0), 20)], mode)
        wanted = source[[18, 40]] + rng.standard_normal((2, 3))
        places = places_of(clip, [ConstraintPoint(wanted[0], 18, 27), ConstraintPoint(wanted[1], 40)], mode)
        np.testing.assert_allclose(places[[18, 40]], wanted, atol=1e-12)
        np.testing.assert_allclose(places[[BEGIN, END]], source[[BEGIN, END]], atol=1e-12)
        if mode != "relative":
            np.testing.assert_allclose(places[18:28], np.tile(wanted[0], (10, 1)), atol=1e-12)


def test_the_relative_mode_keeps_its_angle(rng: np.random.Generator) -> None:
    clip = turning(rng)
    eyes, axes = clip.position(0), rotations.rotate(clip.orientation(0), AXIS)
    place = eyes[18] + rng.standard_normal(3)
    ways = places_of(clip, [ConstraintPoint(place, 18, 40)], "relative")[18:41] - eyes[18:41]
    along = np.einsum("fk,fk->f", ways, axes[18:41]) / np.linalg.norm(ways, axis=1)
    np.testing.assert_allclose(along, along[0], atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_its_velocity_never_jumps(mode: Mode) -> None:
    def corner(seed: int, fine: int) -> float:
        rng = np.random.default_rng(seed)
        clip = turning(rng, fine)
        wanted = clip.position(0)[[18 * fine, 40 * fine]] + rng.standard_normal((2, 3))
        points = [ConstraintPoint(wanted[0], 18, 27), ConstraintPoint(wanted[1], 40)]
        return float(np.abs(np.diff(places_of(clip, points, mode, fine), 2, axis=0)).max() * fine)

    for seed in range(5):
        assert corner(seed, 128) < 0.3 * corner(seed, 32)


@pytest.mark.parametrize("mode", MODES)
def test_the_place_never_passes_through_the_eye(mode: Mode) -> None:
    still = turning_clip(np.tile([1.0, 0.0, 0.0, 0.0], (61, 1)))
    behind = still.position(0)[30] - 2.0 * AXIS
    away = places_of(still, [ConstraintPoint(behind, 30)], mode) - still.position(0)
    assert np.linalg.norm(away, axis=1).min() > 0.9 * min(still.skeleton.size, 2.0)


def test_it_aims_from_where_another_constraint_has_carried_the_joint(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 40)
    head, eye = "skullbase", BodyPoint("skullbase", (0.0, 0.1, 0.1))
    place = clip.position(head)[20] + np.array([0.3, 0.2, 1.0])
    root = clip.skeleton.names[0]
    aside = ShapeConstraint(
        root, 0, 39, [ConstraintPoint(clip.position(root)[20] + np.array([0.5, 0.1, 0.0]), 10, 30)], priority=2
    )
    gaze = LookAtConstraint(eye, 0, 39, [ConstraintPoint(place, 10, 30)], axis=(0, 0, 1), priority=1, recruit=3)
    deformation = deform(clip, [aside, gaze])
    after = deformation.clip
    assert np.linalg.norm(after.position(head) - clip.position(head), axis=1)[20] > 0.15
    looking = rotations.rotate(after.orientation(head)[10:31], np.array([0.0, 0.0, 1.0]))
    way = place - after.position(eye)[10:31]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    assert np.linalg.norm(way - looking, axis=1).max() < 1e-5
    assert deformation.report.residual(gaze).worst < 1e-3


def test_its_effector_is_the_gaze(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 30))
    constraint = LookAtConstraint("l_wrist", 0, 9, [ConstraintPoint((9.0, 0.0, 5.0), 4)], axis=(0, 0, 2))
    (track,) = constraint.tracks(source)
    assert isinstance(track.effector, GazeEffector) and track.effector.axis == (0.0, 0.0, 1.0)
    assert constraint.label == "Look at of l_wrist"
    values = source.values(track.effector)[track.frames]
    targets = track.effector.displaced(values, track.displacement)
    np.testing.assert_allclose(track.effector.displacement(values, targets), track.displacement, atol=1e-14)
    np.testing.assert_allclose(track.effector.miss(values, values), 0.0, atol=1e-14)
    assert track.effector.task(targets).error(source.clip.world.at(track.frames)).shape == (10, 3)
    np.testing.assert_allclose(
        np.linalg.norm(track.effector.task(targets).error(source.clip.world.at(track.frames)), axis=1),
        track.effector.miss(values, targets),
        atol=1e-14,
    )


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"axis": (0.0, 0.0, 0.0)}, "the axis has no length"),
        ({"points": [ConstraintPoint((0.0, np.inf, 0.0), 20)]}, "the location of a point is not finite"),
        ({"points": []}, "has no points"),
        ({"joint": "pint"}, "'pint'"),
    ],
)
def test_what_cannot_be_is_an_error_with_its_name(
    rng: np.random.Generator, wrong: dict[str, Any], sentence: str
) -> None:
    good = {"joint": "point", "begin": BEGIN, "end": END, "points": [ConstraintPoint((9, 0, 0), 20)], "name": "gaze"}
    source = Source(turning(rng))
    LookAtConstraint(**good).tracks(source)  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match=f"^gaze: .*{sentence}"):
        LookAtConstraint(**{**good, **wrong}).tracks(source)  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match="target is where the joint itself is"):
        at_the_eye = [ConstraintPoint(source.clip.position(0)[20], 20)]
        LookAtConstraint(**{**good, "points": at_the_eye}).tracks(source)  # type: ignore[arg-type]
