# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments: a part of a motion is cleaned as it is in the whole, and what no plant concerns stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver import Cleaned, Clip, Footplant, Ground
from poise.solver.body.motion import Motion
from poise.solver.cleanup.limbs import TOE_TIP, limbs_of
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
    motion = gait("turn", skate=0.02, fps=30.0)
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


def touching(fps: float = 60.0, longer: int = 4, **moved: float) -> tuple[Clip, list[Footplant]]:
    """A walk that skates, whose feet roll over their toes for some frames after their balls have left the ground."""
    motion = gait("walk", skate=0.02, fps=fps)
    return motion.clip, [
        replace(plant, contact=(0.0, plant.toe_off + longer), **moved)
        for plant in footplants(motion)
        if plant.toe_off is not None
    ]


def tip_paths(found: Cleaned) -> list[tuple[PlantedPoint, np.ndarray]]:
    """The toe tips that are planted, each with its path from the last frame of the ball on."""
    toes = {limb.name: limb.toes for limb in limbs_of(found.clip.skeleton)}
    tips = [plant for plant in found.plants if plant.point == TOE_TIP]
    return [(tip, found.clip.position(toes[tip.limb].tip)[tip.begin - 1 : tip.end + 1]) for tip in tips]  # type: ignore[union-attr]


@pytest.mark.parametrize("ground", [None, Ground(0.0)])
@pytest.mark.parametrize("turn", [0.0, 0.6])
@pytest.mark.parametrize("method_type", METHODS)
def test_a_toe_tip_stands_until_the_contact_of_the_foot_ends(
    method_type: type[Method], turn: float, ground: Ground | None
) -> None:
    """It does not slide or sink, and it begins where it is when the ball leaves the ground, also of a turned plant."""
    clip, plants = touching(turn=turn)
    found = clean_clip(method_type, clip, plants, settings_of(method_type, CleanSettings(ground=ground)), None)
    size, up = clip.skeleton.size, clip.skeleton.up_axis
    paths = tip_paths(found)
    assert len(paths) >= 3 and found.residual < 1e-9
    for _, path in paths:
        assert np.abs(path[1:] - path[1]).max() < 1e-9 * size
        assert np.linalg.norm(path[1] - path[0]) < 0.01 * size
    unknown = [replace(plant, contact=None) for plant in plants]
    without = clean_clip(method_type, clip, unknown, settings_of(method_type), None)
    toes = {limb.name: limb.toes for limb in limbs_of(clip.skeleton)}
    for tip, _ in paths:
        free = without.clip.position(toes[tip.limb].tip)[tip.begin : tip.end + 1]  # type: ignore[union-attr]
        assert np.abs(free - free[0]).max() > 1e-3 * size, "else the tip would stand anyway"
    if ground is not None:
        lowest = [path[:, up].min() - toes[tip.limb].clearance for tip, path in paths]  # type: ignore[union-attr]
        assert min(lowest) > -1e-9 * size


def test_frames_that_no_toe_tip_reaches_keep_their_toes() -> None:
    clip, plants = touching()
    found = clean_clip(StretchMethod, clip, plants[:1], CleanSettings(), None)
    (tip,) = (plant for plant in found.plants if plant.point == TOE_TIP)
    (leg,) = limbs_of(clip.skeleton, only=[tip.limb])
    assert leg.toes is not None
    changed = np.flatnonzero((found.clip.motion.rotations != clip.motion.rotations)[:, leg.toes.joint].any(axis=1))
    window = round(CleanSettings().blending * clip.fps)
    assert changed.size and changed[0] == tip.begin and tip.end < changed[-1] <= tip.end + window


@pytest.mark.parametrize("method_type", METHODS)
def test_a_toe_tip_that_began_before_a_part_of_a_motion_stays_where_it_was(method_type: type[Method]) -> None:
    clip, plants = touching()
    method = method_type(clip.skeleton, limbs_of(clip.skeleton, clip.motion), settings_of(method_type), clip.fps)
    points = planted_points(clip, plants, method.limbs, SETTINGS.ground)
    whole = clean_segment(method, Segment(clip.motion, points))
    tip = next(plant for plant in points if plant.point == TOE_TIP and plant.frames > 1 and plant.begin > 20)
    first = tip.begin + 1
    part = Segment(
        clip.motion.at(np.arange(first, clip.frames)),
        tuple(plant for plant in points if plant.end >= first),
        first,
        {plant: whole.locations[plant] for plant in points if plant.begin < first <= plant.end},
        tuple(each[first] for each in whole.extremities),
        tuple(each[first] for each in whole.held),
    )
    found = clean_segment(method, part)
    residuals = method.residuals(found.motion, [tip], whole.locations, first)
    assert residuals[0].size and residuals[0].max() < 1e-9 * clip.skeleton.size
