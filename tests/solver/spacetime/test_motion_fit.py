# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting a physical motion of a simplified character to a clip."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.solver import PoiseError, synthetic
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.detection.footplants import detect_footplants
from poise.solver.files.bvh import read_bvh
from poise.solver.spacetime import PhysicsSettings, fit, fitting
from poise.solver.spacetime.characters.recipe import BIPED
from poise.solver.spacetime.motion_fit import handle_values, known_recipe
from poise.solver.spacetime.problem.mapping import HandleValues

from .captured import JUMP, cut
from .small_fits import COARSE, walk_fit


def test_a_walk_is_fitted_near_its_source() -> None:
    found = walk_fit()
    for each in found.handles:
        assert each.rms <= each.largest
        if each.handle.is_length:
            assert each.rms < 0.05, each.handle.label
    assert "%" in found.quality
    assert found.optimum.violation < 1e-6


@pytest.mark.slow
def test_a_captured_jump_is_fitted_within_five_hundredths_at_every_instant(mocap: Path) -> None:
    """The landing and the leap with forces that bodies bear: the source's own peak is 3 body weights."""
    name, begin, end = JUMP
    whole = read_bvh(mocap / f"{name}.bvh")
    clip = cut(whole, begin, end)
    plants = [plant.later(-begin) for plant in detect_footplants(whole)]
    found = fit(clip, plants, "jumper", PhysicsSettings(seconds=600.0))
    for each in found.handles:
        if each.handle.is_length:
            assert each.largest < 0.05, each.handle.label
    motion = found.motion
    push = sum(force.forces for force in motion.ground_forces(motion.points)) @ motion.character.up
    assert push.max() < 5.0
    assert push[[0, -1]].max() < 1.5, "at both ends it hardly moves"


def test_held_poses_have_their_feet_on_the_footprints() -> None:
    motion = synthetic.jump(fps=30.0)
    found = fit(motion.clip, None, "jumper", COARSE)
    first, last = found.problem.poses
    assert (first.label, last.label) == ("the first pose", "the last pose")
    feet = HandleValues(found.problem.character, [found.problem.handles[0]])
    for pose, stance in ((first, found.problem.stances[0]), (last, found.problem.stances[-1])):
        np.testing.assert_allclose(feet.values(pose.values[None])[0], stance.place, atol=1e-8)


def test_the_distances_of_handles_are_those_of_the_motion() -> None:
    found = walk_fit()
    ball = found.handles[0]
    points = found.motion.points
    source = found.source.position(found.source.skeleton.landmarks.left_ball)
    there = np.stack([np.interp(points, np.arange(len(source)) / found.source.fps, axis) for axis in source.T], axis=1)
    away = np.linalg.norm(found.motion.handle_values((ball.handle,), points) - there, axis=1) / found.units.length
    assert np.isclose(np.sqrt(np.mean(away**2)), ball.rms, rtol=1e-6) and np.isclose(away.max(), ball.largest)


@pytest.mark.slow
def test_size_place_and_heading_change_nothing_but_themselves() -> None:
    clip = synthetic.walk(steps=2, fps=30.0).clip
    turned = synthetic.walk(steps=2, fps=30.0, heading=1.0).clip
    found, again = fit(clip, None, "biped", COARSE), fit(turned, None, "biped", COARSE)
    for one, other in zip(found.handles, again.handles, strict=True):
        assert np.isclose(one.rms, other.rms, atol=5e-3)
    times = np.linspace(0.0, found.motion.duration, 20)
    heights = [each.motion.center_of_mass(times)[:, 1] for each in (found, again)]
    assert np.abs(heights[0] - heights[1]).max() < 0.01 * clip.skeleton.size


def test_an_edit_has_the_time_that_settings_say_or_what_the_fit_took_and_more() -> None:
    found = walk_fit()
    assert found.seconds > 0.0 and found.edit_seconds == COARSE.edit_seconds
    free = replace(found, settings=PhysicsSettings(), seconds=2.0)
    assert free.edit_seconds == 20.0 and replace(free, seconds=40.0).edit_seconds == 120.0


def test_stances_are_those_of_the_feet() -> None:
    found = walk_fit()
    assert {stance.contact for stance in found.stances} == {"left foot", "right foot"}
    for stance in found.stances:
        plant = found.plants[stance.plants[0]]
        assert stance.contact.startswith(plant.foot)
        assert np.isclose(stance.begin * found.source.fps, plant.toe_strike)


def test_a_fit_can_be_cancelled_at_any_time() -> None:
    before = threading.active_count()
    steps = fitting(synthetic.walk(steps=2, fps=30.0).clip, None, "biped", COARSE)
    for _ in range(8):
        progress = next(steps)
        assert 0.0 <= progress.fraction <= 1.0
    steps.close()
    assert threading.active_count() == before


def test_a_clip_without_contacts_is_refused() -> None:
    clip = synthetic.walk(steps=2, fps=30.0).clip
    with pytest.raises(PoiseError, match="no contact with the ground"):
        fit(clip, (), "biped", COARSE)


def test_a_character_without_legs_is_refused() -> None:
    skeleton = synthetic.chain(6)
    clip = Clip(skeleton, Motion.from_root(skeleton, np.tile([1.0, 0.0, 0.0, 0.0], (60, 6, 1)), np.zeros((60, 3))))
    with pytest.raises(PoiseError):
        fit(clip, None, "biped", COARSE)


def test_a_clip_that_is_too_short_is_refused() -> None:
    clip = synthetic.walk(steps=2, fps=30.0).clip
    part = Clip(clip.skeleton, clip.motion.at(np.arange(4)), clip.fps)
    with pytest.raises(PoiseError, match="too short"):
        fit(part, walk_fit().plants, "biped", COARSE)


def test_recipes_are_known_by_name() -> None:
    assert known_recipe("biped") is BIPED and known_recipe(BIPED) is BIPED
    with pytest.raises(PoiseError, match="centipede"):
        known_recipe("centipede")


def test_handle_values_have_a_row_for_each_frame() -> None:
    found = walk_fit()
    values = handle_values(found.source, found.problem.handles)
    assert values.shape == (found.source.frames, sum(each.width for each in found.problem.handles))


def test_settings_say_what_is_wrong_with_them() -> None:
    with pytest.raises(PoiseError, match="rate"):
        PhysicsSettings(rate=0.0)
