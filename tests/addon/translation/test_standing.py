# SPDX-License-Identifier: GPL-3.0-or-later
"""A plant's transform is between heel and ball with the foot's heading, and the origin for a foot that is not known."""

from __future__ import annotations

import numpy as np

from poise import solver
from poise.addon import bridge
from poise.addon.translation import plant_transform


def test_a_plant_stands_between_heel_and_ball(reading: bridge.Reading) -> None:
    clip = reading.clip
    plant = next(each for each in solver.detect_footplants(clip) if each.foot == "left" and len(each.stays) == 2)
    found = plant_transform(clip, plant)
    marks = clip.skeleton.landmarks
    middle = int(np.mean([time for stay in plant.stays.values() for time in stay]))
    heel, ball = clip.position(marks.left_heel)[middle], clip.position(marks.left_ball)[middle]
    assert np.linalg.norm(found.location - 0.5 * (heel + ball)) < 0.1 * clip.skeleton.size
    along = (ball - heel) * (1.0, 1.0, 0.0)
    ahead = found.axes @ np.array([0.0, -1.0, 0.0])
    assert ahead @ along / np.linalg.norm(along) > 0.99 and found.axes[2, 2] == 1.0


def test_a_plant_outside_of_the_clip_uses_its_nearest_frame(reading: bridge.Reading) -> None:
    clip = reading.clip
    late = solver.Footplant(foot="right", heel_strike=500.0, heel_off=510.0)
    heel = clip.position(clip.skeleton.landmarks.right_heel)[-1]
    assert np.allclose(plant_transform(clip, late).location, heel)
