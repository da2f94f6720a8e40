# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up walk: contacts, speed, symmetry, and its likeness to a captured walk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError

from .checks import STILL, accelerations, contact_paths, sole_heights


def captured(mocap: Path) -> solver.Clip:
    """A captured walk at 30 frames a second, without the calibration pose before it."""
    clip = solver.read_bvh(mocap / "02_01.bvh")
    return solver.Clip(clip.skeleton, solver.Motion(clip.motion.rotations[1::4], clip.motion.translations[1::4]), 30.0)


def test_a_walk_accelerates_like_a_captured_one(mocap: Path) -> None:
    real, made = accelerations(captured(mocap)).max(), accelerations(synthetic.walk().clip).max()
    assert 0.25 * real < made < real


def test_a_walk_bends_knees_like_a_captured_one(mocap: Path) -> None:
    """Bent when the heel strikes, more so under load, nearly straight before the other strikes, most in the swing."""

    def knee(clip: solver.Clip) -> Array:
        marks = clip.skeleton.landmarks
        hip, knee, ankle = (clip.position(marks.require(f"left_{joint}")) for joint in ("hip", "knee", "ankle"))
        upper, lower = (bone / np.linalg.norm(bone, axis=1, keepdims=True) for bone in (knee - hip, ankle - knee))
        return np.rad2deg(np.arccos(np.einsum("fi,fi->f", upper, lower)))

    real = knee(solver.read_bvh(mocap / "02_01.bvh"))[138:271]  # from one strike of the left heel to the next
    fps = (len(real) - 1) / (2.0 * 0.72 / 1.3)
    made = knee(synthetic.walk(fps=fps).clip)[33 : 33 + len(real)]
    assert np.sqrt(np.mean((made - real) ** 2)) < 9.0
    assert np.corrcoef(made, real)[0, 1] > 0.9


def test_a_walk_has_a_contact_for_each_step_and_one_more() -> None:
    for steps in (1, 2, 5):
        motion = synthetic.walk(steps=steps)
        assert [contact.foot for contact in motion.contacts] == [("right", "left")[n % 2] for n in range(steps + 1)]
        assert motion.contacts[0].toe_strike == 0
        assert motion.contacts[-1].heel_off == motion.contacts[-1].toe_off == motion.clip.frames - 1


@pytest.mark.parametrize(("step_length", "speed"), [(0.72, 1.3), (0.5, 0.7), (0.35, 0.4), (0.85, 1.8)])
def test_a_walk_is_as_fast_and_as_long_in_step_as_asked(step_length: float, speed: float) -> None:
    motion = synthetic.walk(step_length=step_length, speed=speed, fps=60.0)
    clip, size = motion.clip, motion.clip.skeleton.size
    places = np.array([contact.heel for contact in motion.contacts])
    assert np.diff(places[:, 2]) / size == pytest.approx(step_length)
    travelled = (clip.position(0)[-1, 2] - clip.position(0)[0, 2]) / size
    assert travelled / ((clip.frames - 1) / clip.fps) == pytest.approx(speed, rel=0.02)
    assert sole_heights(clip).min() > -1e-12
    for name, standing, truth in contact_paths(motion):
        assert np.abs(standing - truth).max() < STILL * size, name


def test_both_feet_carry_between_steps_and_never_none() -> None:
    motion = synthetic.walk()
    carrying = np.zeros(motion.clip.frames, dtype=int)
    for contact in motion.contacts:
        carrying[contact.heel_strike : contact.toe_off + 1] += 1
    assert set(carrying) == {1, 2}
    assert 0.1 < (carrying == 2).mean() < 0.35


def test_left_steps_mirror_right_steps() -> None:
    """At a rate with a whole number of frames a step, each step is the mirror image of the one before."""
    clip = synthetic.walk(step_length=0.65, speed=1.3, fps=60.0).clip
    size, frames_per_step = clip.skeleton.size, 30
    positions = clip.world.positions - size * 1.3 * np.arange(clip.frames)[:, None, None] / clip.fps * (0.0, 0.0, 1.0)
    names = clip.skeleton.names
    others = [clip.skeleton.index({"l_": "r_", "r_": "l_"}.get(name[:2], name[:2]) + name[2:]) for name in names]
    assert np.allclose(
        positions[frames_per_step:], positions[:-frames_per_step][:, others] * (-1.0, 1.0, 1.0), atol=1e-9
    )


def test_arms_swing_against_the_legs() -> None:
    clip = synthetic.walk().clip
    for side in ("l_", "r_"):
        wrist, ankle = ((clip.position(side + end) - clip.position(0))[:, 2] for end in ("wrist", "talocrural"))
        assert np.corrcoef(wrist, ankle)[0, 1] < -0.8
        assert np.ptp(wrist) > 0.25 * clip.skeleton.size


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"steps": 2.5}, {"step_length": 2.5}, {"speed": -1.0}, {"skate": 0.5}])
def test_an_impossible_walk_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MotionError):
        synthetic.walk(**wrong)
