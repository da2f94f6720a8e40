# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments: a part of a motion is cleaned as it is in the whole, and what no plant concerns stays."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground
from poise.solver.body.motion import Motion
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.batch import Segment, clean_clip, clean_segment
from poise.solver.cleanup.planting.method import Method
from poise.solver.cleanup.plants import PlantedPoint, planted_points
from poise.solver.cleanup.rigid.method import RigidMethod, rigid_settings
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.method import StretchMethod
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError

from ..gaits import footplants, gait

METHODS = [StretchMethod, RigidMethod]
SETTINGS = CleanSettings(0.1, 0.07, 0.07, 0.03, 0.07, 0.07, ground=Ground(0.0))


def settings_of(method_type: type[Method], settings: CleanSettings = SETTINGS) -> CleanSettings:
    return settings if method_type is StretchMethod else rigid_settings(settings)


@pytest.mark.parametrize("method_type", METHODS)
@pytest.mark.parametrize("first", [30, 41, 47])
def test_a_part_of_a_motion_is_cleaned_as_in_the_whole(method_type: type[Method], first: int) -> None:
    """Plants that begin before the part have known locations, and extremities known rotations."""
    motion = gait("walk", skate=0.02, fps=30.0)
    clip = motion.clip
    method = method_type(clip.skeleton, limbs_of(clip.skeleton, clip.motion), settings_of(method_type), clip.fps)
    plants = planted_points(clip, footplants(motion), method.limbs, SETTINGS.ground)
    whole = clean_segment(method, Segment(clip.motion, plants))
    begun = {plant: whole.locations[plant] for plant in plants if plant.begin < first <= plant.end}
    assert begun, "some plant begins before the part and reaches into it"
    concerned = tuple(plant for plant in plants if plant.end >= first)
    part = Segment(
        clip.motion.at(np.arange(first, clip.frames)),
        concerned,
        first,
        begun,
        tuple(each[first] for each in whole.extremities),
        tuple(each[first] for each in whole.held),
    )
    found = clean_segment(method, part)
    inside = slice(method.look_back, None)
    assert np.abs(found.motion.rotations[inside] - whole.motion.rotations[first:][inside]).max() < 1e-12
    off = found.motion.translations[inside] - whole.motion.translations[first:][inside]
    assert np.abs(off).max() < 1e-12 * clip.skeleton.size
    assert np.abs(found.root[inside] - whole.root[first:][inside]).max() < 1e-12 * clip.skeleton.size
    for plant in concerned:
        assert np.allclose(found.locations[plant], whole.locations[plant], atol=1e-12)


@pytest.mark.parametrize("method_type", METHODS)
def test_without_plants_a_motion_above_the_ground_stays_bit_for_bit(method_type: type[Method]) -> None:
    clip = gait("walk", fps=30.0).clip
    settings = settings_of(method_type, CleanSettings(ground=Ground(-5.0)))
    found = clean_clip(method_type, clip, [], settings, limbs_of(clip.skeleton))
    assert np.array_equal(found.clip.motion.rotations, clip.motion.rotations)
    assert np.array_equal(found.clip.motion.translations, clip.motion.translations)
    assert not found.root.any() and found.largest_stretch == 0.0 and found.residuals == ()


@pytest.mark.parametrize("method_type", METHODS)
def test_a_cleaned_clip_has_locations_and_the_residuals_of_its_motion(method_type: type[Method]) -> None:
    motion = gait("walk", skate=0.02, fps=30.0)
    clip = motion.clip
    found = clean_clip(method_type, clip, footplants(motion), settings_of(method_type, CleanSettings()), None)
    limbs = {limb.name: limb for limb in limbs_of(clip.skeleton)}
    assert [plant.begin for plant in found.plants] == sorted(plant.begin for plant in found.plants)
    for plant, residual in zip(found.plants, found.residuals, strict=True):
        point = found.clip.position(limbs[plant.limb].points[plant.point])[plant.begin : plant.end + 1]
        assert np.allclose(residual, np.linalg.norm(point - plant.location, axis=1), atol=1e-12)
    assert found.residual < 1e-9
    assert not np.shares_memory(found.clip.motion.rotations, clip.motion.rotations)


def test_an_extremity_is_rigid_while_it_is_planted(rng: np.random.Generator) -> None:
    clip = gait("walk", fps=30.0).clip
    (leg,) = limbs_of(clip.skeleton, clip.motion, only=["left leg"])
    method = StretchMethod(clip.skeleton, (leg,), CleanSettings(averaging=0.1), clip.fps)
    joints = list(method.observer.extremities[0].rigid_joints)
    assert joints
    turned = clip.motion.rotations.copy()
    turned[:, joints] = rotations.exp(0.1 * rng.standard_normal((clip.frames, len(joints), 3)))
    plant = PlantedPoint("left leg", "ball", 20, 40)
    found = clean_segment(method, Segment(Motion(turned, clip.motion.translations), (plant,)))
    kept = found.motion.rotations[20:41, joints]
    assert rotations.angle_between(kept, kept[:1]).max() < 1e-7
    mean = rotations.mean(turned[20:23, joints])
    assert rotations.angle_between(kept[0], mean).max() < 1e-2
    assert np.array_equal(found.motion.rotations[60:, joints], turned[60:, joints])


def test_a_plant_outside_the_clip_is_refused() -> None:
    clip = gait("walk", fps=30.0).clip
    with pytest.raises(ConstraintError, match="outside the clip"):
        clean_clip(StretchMethod, clip, [PlantedPoint("left leg", "heel", 0, clip.frames)], CleanSettings(), None)
