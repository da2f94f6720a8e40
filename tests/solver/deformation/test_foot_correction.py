# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that already stand are held still by the legs; edits are shared by the whole body."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.solver.core.errors import ConstraintError
from poise.solver.deformation.foot_correction import in_place, is_in_place
from poise.solver.synthetic import walk

from ..grounds import climber, largest_hip_move
from ..made_up import plant_of

STILL = 0.02
"""Sizes of the character by which hips may move where feet already stand."""


@pytest.mark.parametrize("name", ["13_35", "13_01", "02_01"])
@pytest.mark.parametrize("fps", [120.0, 24.0])
def test_hips_stay_where_feet_already_stand(name: str, fps: float, mocap: Path) -> None:
    """Also at the rate of a scene into which the clip was imported without its own."""
    clip = replace(solver.read_bvh(mocap / f"{name}.bvh"), fps=fps)
    plants = solver.detect_footplants(clip)
    done = solver.correct_and_deform(clip, plants)
    assert largest_hip_move(clip, done.clip) < STILL
    assert largest_hip_move(clip, solver.deform(clip, plants).clip) > STILL, "the whole body would share it"


def skater() -> tuple[solver.Clip, list[solver.Footplant]]:
    made = walk(steps=5, fps=60.0, skate=0.02, seed=3)
    return made.clip, [plant_of(contact, priority=3) for contact in made.contacts]


def test_plants_hold_as_they_do_without() -> None:
    clip, plants = skater()
    done = solver.correct_and_deform(clip, plants)
    assert not done.report.conflicts
    assert solver.foot_metrics(done.clip, plants).largest_slide < 1e-3
    assert done.source is clip
    np.testing.assert_array_equal(done.clip.skeleton.stiffness, clip.skeleton.stiffness)


def test_far_from_an_edit_the_hips_stay() -> None:
    clip, plants = skater()
    size = clip.skeleton.size
    moved = [plants[0], plants[1], plants[2].moved((0.3 * size, 0.0, 0.0)), *plants[3:]]
    done = solver.correct_and_deform(clip, moved)
    assert not done.report.conflicts
    hips = clip.skeleton.landmarks.hips
    assert hips is not None
    apart = np.linalg.norm(done.clip.position(hips) - clip.position(hips), axis=1) / size
    times = [time for stay in plants[2].stays.values() for time in stay]
    assert apart.max() > 2.0 * STILL, "the edit is shared by the body"
    assert apart[int(max(times)) + 40 :].max() < STILL


def test_stairs_are_climbed_as_they_were() -> None:
    clip, plants, stairs = climber()
    ground = solver.Ground.of_mesh(*stairs, headroom=0.5 * clip.skeleton.size)
    assert largest_hip_move(clip, solver.correct_and_deform(clip, plants, ground=ground).clip) < STILL
    assert largest_hip_move(clip, solver.correct_and_deform(clip, plants).clip) < STILL
    assert largest_hip_move(clip, solver.correct_and_deform(clip, plants, ground=solver.Ground(0.0)).clip) > 0.1


def test_without_plants_it_is_deform() -> None:
    clip, _ = skater()
    here = clip.position("r_wrist")[60] + np.array([0.0, 0.1, 0.0])
    pin = solver.ShapeConstraint("r_wrist", begin=40, end=80, points=[solver.ConstraintPoint(here, 60, 60)])
    one, other = solver.correct_and_deform(clip, [pin]).clip, solver.deform(clip, [pin]).clip
    np.testing.assert_array_equal(one.motion.rotations, other.motion.rotations)


def test_what_is_wrong_is_said_before_the_first_step() -> None:
    clip, plants = skater()
    late = solver.Footplant(foot="left", toe_strike=1e6, toe_off=1e6 + 1)
    with pytest.raises(ConstraintError, match="outside the clip"):
        solver.correcting_and_deforming(clip, [*plants, late])


def test_in_place_is_who_is_not_moved_and_near_the_ground() -> None:
    clip, plants = skater()
    plant, size = plants[2], clip.skeleton.size
    here, deep = solver.Ground(0.0), solver.Ground(-0.1 * size)
    assert all(is_in_place(plant, clip, ground) for ground in (None, here))
    assert not is_in_place(plant, clip, deep)
    assert is_in_place(replace(plant, own_height=True), clip, deep)
    for moved in (
        plant.moved((0.1, 0, 0)),
        plant.turned(0.1),
        replace(plant, height=1.0),
        replace(plant, heading=0.0),
        replace(plant, position=(0.0, 0.0, 0.0)),
    ):
        assert not is_in_place(moved, clip, None)
        assert is_in_place(in_place(moved, clip, deep), clip, deep)
    assert not is_in_place(solver.Balance(), clip, None)
