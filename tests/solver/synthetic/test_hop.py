# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up hops: their physics, their contacts, and the leg that does not stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.gravity import earth_gravity
from poise.solver.core.errors import MotionError

from .checks import STILL, contact_paths
from .physics import (
    accelerations_of_center,
    beyond_table,
    detection_errors,
    forces,
    in_flight,
    knee_bends,
    momentum_ranges,
)

ARGUMENTS: list[dict[str, Any]] = [{}, {"distance": 0.0}, {"foot": "right", "distance": 0.7}]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_the_center_of_mass_falls_freely_in_flight(arguments: dict[str, Any]) -> None:
    motion = synthetic.hop(fps=240.0, **arguments)
    found, flying = accelerations_of_center(motion), in_flight(motion)
    assert flying.sum() > 100
    assert np.abs(found[flying] - (0.0, -1.0, 0.0)).max() < 1e-6


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_the_ground_pushes_smoothly_and_never_pulls(arguments: dict[str, Any]) -> None:
    fine, coarse = (forces(synthetic.hop(fps=fps, **arguments)) for fps in (960.0, 240.0))
    assert fine[:, 1].min() > -1e-5
    assert 2.0 < fine[:, 1].max() < 3.5
    assert np.abs(np.diff(fine, axis=0)).max() < 0.3 * np.abs(np.diff(coarse, axis=0)).max()
    period = round(0.4 * 960.0)
    assert np.allclose(fine[:period].mean(axis=0), [0.0, 1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("foot", ["left", "right"])
def test_one_foot_stands_and_the_other_never_touches(foot: Any) -> None:
    motion = synthetic.hop(hops=3, foot=foot, distance=0.5)
    clip, size = motion.clip, motion.clip.skeleton.size
    assert [contact.foot for contact in motion.contacts] == [foot] * 4
    places = np.array([contact.toe for contact in motion.contacts])
    assert np.allclose(np.diff(places, axis=0), [0.0, 0.0, 0.5 * size])
    for name, standing, truth in contact_paths(motion):
        assert np.abs(standing - truth).max() < STILL * size, name
    other = "right" if foot == "left" else "left"
    tip = clip.position(clip.skeleton.landmarks.require(f"{other}_toe_tip"))
    assert tip[:, 1].min() > 0.15 * size


def test_feet_are_mirrored() -> None:
    left, right = (synthetic.hop(foot=foot).clip for foot in ("left", "right"))
    names = left.skeleton.names
    others = [left.skeleton.index({"l_": "r_", "r_": "l_"}.get(name[:2], name[:2]) + name[2:]) for name in names]
    assert np.allclose(right.world.positions, left.world.positions[:, others] * (-1.0, 1.0, 1.0), atol=1e-9)


def test_another_gravity_slows_the_same_postures() -> None:
    skeleton = synthetic.human()
    usual = synthetic.hop(skeleton, fps=60.0)
    slow = synthetic.hop(skeleton, fps=30.0, gravity=0.25 * earth_gravity(skeleton))
    assert np.allclose(slow.clip.world.positions, usual.clip.world.positions, atol=1e-10)


def test_angular_momentum_changes_little_in_flight() -> None:
    """The curves are chosen for hops ahead: it would change by 0.4 with a rigid trunk."""
    assert momentum_ranges(synthetic.hop(fps=240.0)).max() < 0.12
    assert momentum_ranges(synthetic.hop(fps=240.0, distance=0.0)).max() < 0.25


def test_detection_finds_the_contacts() -> None:
    for foot, event, frames in detection_errors(synthetic.hop(fps=60.0)):
        assert frames <= 3, f"{event} of the {foot} foot"


def test_knees_bend_forward_only_and_joints_stay_within_their_ranges() -> None:
    """But for the ankle under load."""
    clip = synthetic.hop(fps=120.0).clip
    for side in ("l_", "r_"):
        assert knee_bends(clip, side).min() > 5.0
    assert {name for name in beyond_table(clip) if "talocrural" not in name} == set()
    assert max(beyond_table(clip).values()) < 20.0


@pytest.mark.parametrize(
    "wrong",
    [{"hops": 0}, {"hops": 1.5}, {"foot": "both"}, {"distance": -1.0}, {"distance": 5.0}, {"gravity": 0.0}],
)
def test_impossible_hops_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MotionError):
        synthetic.hop(**wrong)
