# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection does not depend on the heading of a clip about the vertical."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.detection.labels import NAMES
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.detection.footplants import resting_footplants
from poise.solver.synthetic import walk

OTHERS = ("05_01", "13_33", "16_11", "18_13", "23_08", "27_01", "32_02", "35_29", "63_01")


def turned(clip: Clip, degrees: float) -> Clip:
    """The clip with its root turned about the vertical through the origin."""
    axis = np.zeros(3)
    axis[clip.skeleton.up_axis] = np.radians(degrees)
    turn, motion = rotations.exp(axis), clip.motion
    moved_rotations, moved_translations = motion.rotations.copy(), motion.translations.copy()
    moved_rotations[:, 0] = rotations.multiply(turn, motion.rotations[:, 0])
    moved_translations[:, 0] = rotations.rotate(turn, motion.translations[:, 0])
    return clip.with_motion(Motion(moved_rotations, moved_translations))


def found(clip: Clip) -> tuple[object, ...]:
    """All events of feet and hands, and the stays of a wrist."""
    feet = [
        (plant.foot, plant.stays, plant.contact)
        for plants in (resting_footplants, solver.detect_footplants)
        for plant in plants(clip)
    ]
    hands = [(plant.hand, plant.begin, plant.end) for plant in solver.detect_handplants(clip)]
    wrist = clip.skeleton.landmarks.left_wrist
    assert wrist is not None
    return feet, hands, [(stay.begin, stay.end) for stay in solver.detect_stays(clip, wrist)]


@pytest.mark.parametrize("name", ["16_17", "49_06"])
def test_events_are_those_of_the_clip_in_any_heading(mocap: Path, rng: np.random.Generator, name: str) -> None:
    clip = solver.read_bvh(mocap / f"{name}.bvh")
    events = found(clip)
    for degrees in rng.uniform(0.0, 360.0, 3):
        assert found(turned(clip, degrees)) == events, degrees


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_events_of_all_captures_are_those_of_the_clip_in_any_heading(
    mocap: Path, rng: np.random.Generator, name: str
) -> None:
    clip = solver.read_bvh(mocap / f"{name}.bvh")
    events = found(clip)
    for degrees in (7.0, 23.0, 45.0, 90.0, 123.0, *rng.uniform(0.0, 360.0, 2)):
        assert found(turned(clip, degrees)) == events, degrees


def test_a_walk_with_noise_has_the_same_events_in_any_heading(rng: np.random.Generator) -> None:
    clip = walk(fps=120.0, skate=0.02, seed=3).clip
    events = [plant.stays for plant in resting_footplants(clip)]
    for degrees in rng.uniform(0.0, 360.0, 3):
        assert [plant.stays for plant in resting_footplants(turned(clip, degrees))] == events, degrees
