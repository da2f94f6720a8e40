# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up broad jump: its physics, its contacts, its postures, and its likeness to a captured jump."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.gravity import earth_gravity
from poise.solver.core.errors import MotionError

from .checks import STILL, accelerations, contact_paths, sole_heights
from .physics import (
    accelerations_of_center,
    beyond_soles,
    beyond_table,
    detection_errors,
    forces,
    in_flight,
    knee_bends,
    momentum_ranges,
)

ARGUMENTS: list[dict[str, Any]] = [{}, {"distance": 0.8}, {"distance": 0.0, "height": 0.15}, {"up": "z"}]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_the_center_of_mass_falls_freely_in_flight(arguments: dict[str, Any]) -> None:
    motion = synthetic.jump(fps=240.0, **arguments)
    found, flying = accelerations_of_center(motion), in_flight(motion)
    assert 0.3 < flying.sum() / 240.0 < 0.6
    assert np.abs(found[flying] - (0.0, -1.0, 0.0)).max() < 1e-6


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_the_ground_pushes_smoothly_and_never_pulls(arguments: dict[str, Any]) -> None:
    fine, coarse = (forces(synthetic.jump(fps=fps, **arguments)) for fps in (960.0, 240.0))
    assert fine[:, 1].min() > -1e-5
    assert 2.0 < fine[:, 1].max() < 5.0
    loaded = fine[:, 1] > 0.05
    assert np.abs(fine[loaded][:, 2] / fine[loaded][:, 1]).max() < 0.7, "feet would slip"
    assert np.abs(fine[:, 0]).max() < 1e-6
    changes = [np.abs(np.diff(each, axis=0)).max(axis=0)[1] for each in (coarse, fine)]
    assert changes[1] < 0.3 * changes[0]


def test_it_starts_and_ends_at_rest_with_the_posture_of_rest() -> None:
    motion = synthetic.jump()
    skeleton, clip = motion.clip.skeleton, motion.clip
    _, rest = skeleton.rest
    moved = np.array([0.0, 0.0, 1.4 * skeleton.size])
    assert np.allclose(clip.world.positions[:5], rest, atol=1e-9)
    assert np.allclose(clip.world.positions[-5:], rest + moved, atol=1e-9)
    found = forces(motion)
    assert np.allclose(found[[0, 1, -2, -1]], [0.0, 1.0, 0.0], atol=1e-5)


def test_both_feet_leave_and_land_together() -> None:
    motion = synthetic.jump(distance=1.2)
    assert [contact.foot for contact in motion.contacts] == ["left", "right", "left", "right"]
    for one, other in (motion.contacts[:2], motion.contacts[2:]):
        for event in ("heel_strike", "toe_strike", "heel_off", "toe_off"):
            assert getattr(one, event) == getattr(other, event)
    size = motion.clip.skeleton.size
    assert np.allclose(motion.contacts[2].toe - motion.contacts[0].toe, [0.0, 0.0, 1.2 * size])
    for name, standing, truth in contact_paths(motion):
        assert np.abs(standing - truth).max() < STILL * size, name
    assert sole_heights(motion.clip).min() > -1e-12


def test_angular_momentum_hardly_changes_in_flight() -> None:
    """In a captured jump it changes by 0.05; trunk and arms at rest relative to each other would make it 0.9."""
    assert momentum_ranges(synthetic.jump(fps=240.0)).max() < 0.04


def test_the_ground_need_not_push_outside_the_soles() -> None:
    """With curves that were only fitted in flight it had to, with moments of 1.

    At the instants of leap and landing, at which forces begin and end, a little is left for a few hundredths of a
    second.
    """
    beyond = beyond_soles(synthetic.jump(fps=100.0))
    assert np.sqrt(np.mean(beyond**2)) < 0.015
    assert np.quantile(beyond, 0.97) < 0.02
    assert beyond.max() < 0.2


def test_it_crouches_with_arms_back_and_leaves_with_arms_ahead() -> None:
    motion = synthetic.jump(fps=120.0)
    clip = motion.clip
    leap, landing = motion.contacts[0].toe_off, motion.contacts[2].toe_strike
    ahead = (clip.position("l_wrist") - clip.position("l_shoulder"))[:, 2] / clip.skeleton.size
    knee = knee_bends(clip, "l_")
    crouched = leap - 36
    assert ahead[crouched] < -0.3 and ahead[leap] > 0.2
    assert knee[crouched] > 70.0 > 50.0 > knee[leap + 2]
    assert knee[(leap + landing) // 2] > 60.0, "tucked"
    assert knee[landing : landing + 30].max() > 90.0, "absorbs the landing"


def test_another_gravity_slows_the_same_postures() -> None:
    skeleton = synthetic.human()
    earth = earth_gravity(skeleton)
    usual, slow = synthetic.jump(skeleton, fps=60.0), synthetic.jump(skeleton, fps=30.0, gravity=0.25 * earth)
    assert np.allclose(slow.clip.world.positions, usual.clip.world.positions, atol=1e-10)
    found = accelerations_of_center(slow)[in_flight(slow)]
    assert np.allclose(found, [0.0, -0.25, 0.0], atol=1e-6)


def test_every_frame_rate_has_the_same_motion() -> None:
    coarse, fine = (synthetic.jump(fps=fps).clip for fps in (30.0, 120.0))
    assert np.allclose(coarse.world.positions, fine.world.positions[::4][: coarse.frames], atol=1e-10)


def test_detection_finds_the_contacts() -> None:
    errors = detection_errors(synthetic.jump(fps=60.0))
    assert len(errors) == 8, "two events of each foot when it leaves, two when it lands"
    for foot, event, frames in errors:
        assert frames <= 3, f"{event} of the {foot} foot"


def test_knees_bend_forward_only_and_joints_stay_within_their_ranges() -> None:
    """But for the ankles, which bend further under load than the table has it; the knees of the rest pose have 7°."""
    clip = synthetic.jump(fps=120.0).clip
    for side in ("l_", "r_"):
        assert knee_bends(clip, side).min() > -1e-6
    assert {name for name in beyond_table(clip) if "talocrural" not in name} == set()
    assert max(beyond_table(clip).values()) < 25.0


def test_a_jump_accelerates_like_a_captured_one(mocap: Path) -> None:
    clip = solver.read_bvh(mocap / "13_11.bvh")
    part = solver.Clip(clip.skeleton, clip.motion.at(np.arange(100, 400, 2)), 60.0)
    real, made = accelerations(part).max(), accelerations(synthetic.jump().clip).max()
    assert 0.2 * real < made < 1.5 * real


def test_the_center_of_mass_moves_like_a_captured_one(mocap: Path) -> None:
    """Its heights in standing, crouching, at the top and after the landing, in sizes of the character."""
    clip = solver.read_bvh(mocap / "13_11.bvh")
    real = clip.center_of_mass()[100:400, 1] / clip.skeleton.size
    motion = synthetic.jump(fps=120.0)
    made = motion.clip.center_of_mass()[:, 1] / motion.clip.skeleton.size
    leap, landing = motion.contacts[0].toe_off, motion.contacts[2].toe_strike
    pairs = (
        (real[:136].min() - real[0], made[:leap].min() - made[0]),
        (real.max() - real[0], made.max() - made[0]),
        (real[194:].min() - real[0], made[landing:].min() - made[0]),
    )
    for captured, ours in pairs:
        assert abs(ours - captured) < 0.2
        assert ours * captured > 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"distance": -0.1},
        {"distance": 4.0},
        {"distance": np.nan},
        {"height": 0.0},
        {"height": 2.0},
        {"gravity": -1.0},
        {"gravity": np.inf},
    ],
)
def test_an_impossible_jump_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MotionError):
        synthetic.jump(**wrong)
