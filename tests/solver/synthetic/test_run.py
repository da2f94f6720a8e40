# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up run: its physics, its contacts, its symmetry, and its likeness to a captured run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.gravity import earth_gravity
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError

from .checks import STILL, accelerations, contact_paths, in_drawing_axes, sole_heights
from .physics import (
    accelerations_of_center,
    beyond_table,
    detection_errors,
    forces,
    in_flight,
    knee_bends,
    momentum_ranges,
    spans,
)

SPEED, STEP = 3.0, 1.0 / 3.0
"""Sizes a second and seconds a step: the usual run."""


def seconds_of_flights_and_stances(motion: synthetic.SyntheticMotion) -> tuple[Array, Array]:
    inner, fps = motion.contacts[1:-1], motion.clip.fps
    stances = np.array([contact.toe_off - contact.heel_strike for contact in inner]) / fps
    flights = np.array([b.heel_strike - a.toe_off for a, b in pairwise(inner)]) / fps
    return flights, stances


# Physics -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{}, {"speed": 3.9, "step_length": 1.3, "stance": 0.58}, {"up": "z"}])
def test_the_center_of_mass_falls_freely_in_flight(arguments: dict[str, Any]) -> None:
    motion = synthetic.run(fps=240.0, **arguments)
    found, flying = accelerations_of_center(motion), in_flight(motion)
    assert flying.sum() > 50
    assert np.abs(found[flying] - (0.0, -1.0, 0.0)).max() < 1e-6


def test_a_flight_deviates_from_its_parabola_by_less_than_a_hundredth_of_its_rise() -> None:
    motion = synthetic.run()
    path = in_drawing_axes(motion.clip.skeleton, motion.clip.center_of_mass())
    for flight in spans(in_flight(motion)):
        frames = np.arange(flight[0], flight[-1] + 3)
        times = (frames - frames.mean()) / motion.clip.fps
        heights = path[frames, 1] + 0.5 * earth_gravity(motion.clip.skeleton) * times**2
        assert np.ptp(heights - np.polyval(np.polyfit(times, heights, 1), times)) < 0.01 * np.ptp(path[frames, 1])


def test_the_ground_pushes_smoothly_and_never_pulls() -> None:
    fine = forces(synthetic.run(fps=960.0))
    assert fine[:, 1].min() > -1e-5
    assert 2.0 < fine[:, 1].max() < 3.0
    loaded = fine[:, 1] > 0.05
    for axis in (0, 2):
        assert np.abs(fine[loaded][:, axis] / fine[loaded][:, 1]).max() < 0.5, "feet would slip"
    coarse = forces(synthetic.run(fps=240.0))
    changes = [np.abs(np.diff(each, axis=0)).max(axis=0) for each in (coarse, fine)]
    assert (changes[1] < 0.3 * changes[0]).all(), "a force that jumps changes as much in a shorter frame"


def test_the_mean_force_over_a_cycle_is_the_weight() -> None:
    motion = synthetic.run(fps=240.0, steps=4)
    cycle = round(2.0 * STEP * 240.0)
    mean = forces(motion)[:cycle].mean(axis=0)
    assert np.allclose(mean, [0.0, 1.0, 0.0], atol=1e-6)


def test_gravity_is_that_which_was_asked_for() -> None:
    skeleton = synthetic.human()
    for share in (0.165, 1.5):
        motion = synthetic.run(skeleton, fps=240.0, gravity=share * earth_gravity(skeleton))
        found = accelerations_of_center(motion)[in_flight(motion)]
        assert np.allclose(found, [0.0, -share, 0.0], atol=1e-6)
        assert forces(motion, share)[:, 1].min() > -1e-5


def test_angular_momentum_hardly_changes_in_flight() -> None:
    """In captured runs it changes by 0.06; without the nods of the trunk it would change by 0.3."""
    assert momentum_ranges(synthetic.run(fps=240.0)).max() < 0.012


# Contacts ------------------------------------------------------------------------------------------------------------


def test_stances_and_flights_are_those_of_a_run() -> None:
    flights, stances = seconds_of_flights_and_stances(synthetic.run(fps=480.0))
    assert ((stances > 0.22) & (stances < 0.28)).all()
    assert ((flights > 0.08) & (flights < 0.15)).all()


def test_a_run_has_a_contact_for_each_step_and_one_more() -> None:
    for steps in (1, 2, 5):
        motion = synthetic.run(steps=steps)
        assert [contact.foot for contact in motion.contacts] == [("right", "left")[n % 2] for n in range(steps + 1)]
        assert motion.contacts[0].toe_strike == 0
        assert motion.contacts[-1].heel_off == motion.contacts[-1].toe_off == motion.clip.frames - 1


def test_one_foot_stands_at_a_time() -> None:
    motion = synthetic.run()
    carrying = np.zeros(motion.clip.frames, dtype=int)
    for contact in motion.contacts:
        carrying[contact.heel_strike : contact.toe_off + 1] += 1
    assert set(carrying) == {0, 1}


@pytest.mark.parametrize(
    ("step_length", "speed", "stance"), [(1.0, 3.0, 0.68), (0.65, 2.0, 0.7), (1.35, 3.95, 0.56), (0.3, 1.0, 0.6)]
)
def test_a_run_is_as_fast_and_as_long_in_step_as_asked(step_length: float, speed: float, stance: float) -> None:
    motion = synthetic.run(step_length=step_length, speed=speed, stance=stance)
    clip, size = motion.clip, motion.clip.skeleton.size
    places = np.array([contact.toe for contact in motion.contacts])
    assert np.diff(places[:, 2]) / size == pytest.approx(step_length)
    travelled = (clip.center_of_mass()[-1, 2] - clip.center_of_mass()[0, 2]) / size
    assert travelled / ((clip.frames - 1) / clip.fps) == pytest.approx(speed, rel=0.03)
    assert sole_heights(clip).min() > -1e-12
    for name, standing, truth in contact_paths(motion):
        assert np.abs(standing - truth).max() < STILL * size, name


def test_detection_finds_the_contacts() -> None:
    for foot, event, frames in detection_errors(synthetic.run(fps=60.0)):
        assert frames <= 3, f"{event} of the {foot} foot"


# Postures ------------------------------------------------------------------------------------------------------------


def test_cycles_are_alike_and_left_steps_mirror_right_steps() -> None:
    clip = synthetic.run(steps=6, fps=60.0).clip
    size, frames = clip.skeleton.size, 20
    along = SPEED * size * np.arange(clip.frames)[:, None, None] / clip.fps * (0.0, 0.0, 1.0)
    positions = clip.world.positions - along
    assert np.allclose(positions[2 * frames :], positions[: -2 * frames], atol=1e-9)
    names = clip.skeleton.names
    others = [clip.skeleton.index({"l_": "r_", "r_": "l_"}.get(name[:2], name[:2]) + name[2:]) for name in names]
    assert np.allclose(positions[frames:], positions[:-frames][:, others] * (-1.0, 1.0, 1.0), atol=1e-9)


def test_every_frame_rate_has_the_same_motion() -> None:
    coarse, fine = (synthetic.run(fps=fps).clip for fps in (30.0, 120.0))
    assert np.allclose(coarse.world.positions, fine.world.positions[::4], atol=1e-10)


def test_knees_bend_forward_only_and_joints_stay_within_their_ranges() -> None:
    """But for the ankles, which bend further under load than the table has it."""
    clip = synthetic.run(fps=120.0).clip
    for side in ("l_", "r_"):
        assert knee_bends(clip, side).min() > 5.0
    assert {name for name in beyond_table(clip) if "talocrural" not in name} == set()
    assert max(beyond_table(clip).values()) < 20.0


def test_a_run_accelerates_like_a_captured_one(mocap: Path) -> None:
    clip = solver.read_bvh(mocap / "09_01.bvh")
    frames = np.arange(1, clip.frames, 2)
    real = accelerations(solver.Clip(clip.skeleton, clip.motion.at(frames), 60.0)).max()
    assert 0.25 * real < accelerations(synthetic.run(fps=60.0).clip).max() < real


def test_a_run_bends_its_knees_like_a_captured_one(mocap: Path) -> None:
    """Over the cycle of the right leg, from strike to strike. The captured run is faster, so its heel rises higher."""

    def knee(clip: solver.Clip) -> Array:
        marks = clip.skeleton.landmarks
        hip, knee, ankle = (clip.position(marks.require(f"right_{joint}")) for joint in ("hip", "knee", "ankle"))
        upper, lower = (bone / np.linalg.norm(bone, axis=1, keepdims=True) for bone in (knee - hip, ankle - knee))
        return np.asarray(np.rad2deg(np.arccos(np.einsum("fi,fi->f", upper, lower))))

    real = knee(solver.read_bvh(mocap / "09_01.bvh"))[41:133]
    motion = synthetic.run(fps=(len(real) - 1) / (2.0 * STEP))
    strike = motion.contacts[2].toe_strike
    made = knee(motion.clip)[strike : strike + len(real)]
    assert np.corrcoef(made, real)[0, 1] > 0.88
    assert abs(made.max() - real.max()) < 15.0
    assert abs(made[0] - real[0]) < 10.0, "as bent when the foot strikes"


def test_arms_swing_against_the_legs_with_bent_elbows() -> None:
    clip = synthetic.run().clip
    marks = clip.skeleton.landmarks
    for side, name in (("l_", "left"), ("r_", "right")):
        wrist, knee = ((clip.position(side + end) - clip.position(0))[:, 2] for end in ("wrist", "knee"))
        assert np.corrcoef(wrist, knee)[0, 1] < -0.7
        shoulder, elbow, hand = (
            clip.position(marks.require(f"{name}_{end}")) for end in ("shoulder", "elbow", "wrist")
        )
        upper, lower = (bone / np.linalg.norm(bone, axis=1, keepdims=True) for bone in (elbow - shoulder, hand - elbow))
        bends = np.rad2deg(np.arccos(np.einsum("fi,fi->f", upper, lower)))
        assert 80.0 < bends.min() < bends.max() < 130.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"steps": 2.5},
        {"steps": True},
        {"step_length": 2.5},
        {"speed": -1.0},
        {"speed": 0.5},
        {"stance": 0.0},
        {"stance": 1.0},
        {"stance": np.nan},
        {"gravity": 0.0},
        {"gravity": 200.0},
    ],
)
def test_an_impossible_run_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MotionError):
        synthetic.run(**wrong)
