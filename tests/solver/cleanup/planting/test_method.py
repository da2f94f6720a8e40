# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a method: windows, dependence on frames around, locations on floors, blending and lifting."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.batch import Segment, clean_segment
from poise.solver.cleanup.planting.method import Method, Windows
from poise.solver.cleanup.planting.observing import Adjustment
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.cleanup.rigid.method import RigidMethod, rigid_settings
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.method import StretchMethod
from poise.solver.core import rotations
from poise.solver.synthetic import human

from ..gaits import gait

FRAMES = 40


def stretch_method(settings: CleanSettings | None = None) -> StretchMethod:
    skeleton = human()
    return StretchMethod(skeleton, limbs_of(skeleton), settings or CleanSettings(), 30.0)


def test_windows_are_as_long_at_every_frame_rate() -> None:
    windows = [Windows.of(CleanSettings(), fps) for fps in (24.0, 30.0, 60.0, 120.0)]
    assert [each.averaging for each in windows] == [6, 8, 15, 30]
    assert all(each.lifting == 0 for each in windows), "without a ground no limb is lifted"
    assert Windows.of(CleanSettings(ground=Ground(0.0)), 120.0).lifting == 12
    assert Windows.of(CleanSettings(), 120.0).smoothing == 7
    assert [each.slopes for each in windows] == [1, 1, 1, 3]


@pytest.mark.parametrize("ground", [None, Ground(0.02)])
@pytest.mark.parametrize("method_type", [StretchMethod, RigidMethod])
def test_a_cleaned_frame_depends_on_the_frames_that_the_method_says(
    method_type: type[Method], ground: Ground | None
) -> None:
    short = CleanSettings(0.1, 0.1, 0.1, 0.05, 0.1, 0.1, ground=ground)
    clip: Clip = gait("walk", skate=0.01, fps=30.0).clip
    settings = short if method_type is StretchMethod else rigid_settings(short)
    method = method_type(clip.skeleton, limbs_of(clip.skeleton, clip.motion), settings, clip.fps)
    heel, ball = (clip.position(method.limbs[0].points[point]) for point in ("heel", "ball"))
    plants = (
        PlantedPoint("left leg", "heel", 10, 40, tuple((heel[20] + 0.02).tolist())),
        PlantedPoint("left leg", "ball", 20, 50, tuple((ball[20] + 0.02).tolist())),
    )
    changed = 30
    turned = clip.motion.rotations.copy()
    turned[changed] = rotations.multiply(turned[changed], rotations.exp([0.05, 0.02, -0.03]))
    other = Motion(turned, clip.motion.translations)
    one, two = (clean_segment(method, Segment(motion, plants)).motion for motion in (clip.motion, other))
    off = np.abs(one.rotations - two.rotations).max(axis=(1, 2)) > 0.0
    off |= np.abs(one.translations - two.translations).max(axis=(1, 2)) > 0.0
    frames = np.flatnonzero(off)
    assert frames.min() >= changed - method.look_ahead and frames.max() <= changed + method.look_back
    assert frames.size > 1, "frames around depend on it"


@pytest.mark.parametrize(
    ("floor", "ground", "height"),
    [
        (0.3, None, "floor"),
        (0.3, Ground(0.7), "floor"),
        ("own", Ground(0.7), "own"),
        (None, Ground(0.7), "ground"),
        (None, Ground(-0.7), "own"),
        ("ground", Ground(0.7), "ground"),
        ("ground", Ground(-0.7), "ground"),
        ("ground", None, "own"),
    ],
)
def test_a_plant_is_located_on_its_floor(floor: object, ground: Ground | None, height: str) -> None:
    method = stretch_method(CleanSettings(ground=ground))
    plant = PlantedPoint("left leg", "ball", 2, 9, floor=floor)  # type: ignore[arg-type]
    points = np.tile([0.1, 0.2, 0.3], (8, 1))
    found = method.location(plant, None, points, points, np.tile(rotations.IDENTITY, (8, 1)), np.zeros(8, dtype=bool))
    clearance = method.clearances[0][1]
    assert clearance > 0.0
    level = 0.0 if ground is None or ground.level is None else ground.level
    wanted = {"floor": 0.3 + clearance, "own": 0.2, "ground": level + clearance}[height]
    assert np.allclose(found, [0.1, wanted, 0.3], atol=1e-15)


def test_a_location_is_averaged_over_the_frames_of_the_plant_only(rng: np.random.Generator) -> None:
    method = stretch_method(CleanSettings(averaging=0.2))
    points, others = rng.standard_normal((2, 20, 3))
    identity = np.tile(rotations.IDENTITY, (20, 1))

    def located(end: int, beside: tuple[PlantedPoint, np.ndarray] | None = None) -> np.ndarray:
        return method.location(
            PlantedPoint("left leg", "heel", 5, end), beside, points, others, identity, np.zeros(20, dtype=bool)
        )

    assert np.allclose(located(20), points[:6].mean(axis=0))
    assert np.allclose(located(7), points[:3].mean(axis=0))
    beside = PlantedPoint("left leg", "ball", 0, 6), np.array([1.0, 2.0, 3.0])
    assert np.allclose(located(20, beside), beside[1] + (points - others)[:2].mean(axis=0))
    given = PlantedPoint("left leg", "heel", 5, 9, (4.0, 5.0, 6.0))
    assert np.array_equal(
        method.location(given, beside, points, others, identity, np.zeros(20, dtype=bool)), [4.0, 5.0, 6.0]
    )


def test_a_limb_without_adjustment_keeps_its_rotations_and_its_state(rng: np.random.Generator) -> None:
    method = stretch_method()
    skeleton = method.skeleton
    motion = Motion(rotations.random(rng, (FRAMES, len(skeleton))), np.tile(skeleton.offsets, (FRAMES, 1, 1)))
    for limb, state in enumerate(method.observer.states(motion)):
        by = Adjustment.none(FRAMES, method.rigid_joints(limb))
        joints = method.adjusted_joints(limb)
        assert np.allclose(method.local_rotations(limb, state, by), motion.rotations[:, joints], atol=1e-15)
        shown = method.adjusted(limb, state, np.zeros((FRAMES, 3)), by)
        assert np.allclose(shown.points, state.points, atol=1e-12)


def test_an_extremity_is_rotated_to_the_local_rotations_that_it_should_have(rng: np.random.Generator) -> None:
    method = stretch_method()
    skeleton = method.skeleton
    motion = Motion(rotations.random(rng, (FRAMES, len(skeleton))), np.tile(skeleton.offsets, (FRAMES, 1, 1)))
    state = method.observer.states(motion)[0]
    wanted = rotations.random(rng, (FRAMES, method.rigid_joints(0)))
    by = Adjustment.none(FRAMES, method.rigid_joints(0))
    by = by._replace(extremity_rotations=method.extremity_change(0, state, wanted))
    found = method.local_rotations(0, state, by)[:, 3:]
    assert rotations.angle_between(found, wanted).max() < 1e-7
    assert np.allclose(
        method.adjusted(0, state, np.zeros((FRAMES, 3)), by).points, method.posed(0, state, wanted).points
    )


def test_a_limb_rises_at_least_by_its_depth_and_by_no_more_beside_planted_frames() -> None:
    method = stretch_method(CleanSettings(ground=Ground(0.0), lifting=0.4))
    deep, smooth = np.array([0.0, 0.02, 0.05]), np.array([0.03, 0.04, 0.05])
    far = np.zeros(3, dtype=np.int64)
    assert np.allclose(method.rise(deep, smooth, (far, far)), smooth)
    ahead = np.array([1, 1, 1])
    beside = method.rise(deep, smooth, (ahead, far))
    assert (beside >= deep).all() and (beside <= smooth).all() and beside[0] < 0.2 * smooth[0]
    assert np.allclose(method.rise(deep, smooth, (ahead, ahead)), deep), "between two planted frames"


def test_residuals_are_distances_from_locations_in_the_frames_of_a_plant() -> None:
    clip = gait("walk", fps=30.0).clip
    method = StretchMethod(clip.skeleton, limbs_of(clip.skeleton), CleanSettings(), clip.fps)
    plants = [PlantedPoint("left leg", "heel", 3, 9), PlantedPoint("right arm", "wrist", 8, 20)]
    locations = {plants[0]: np.array([1.0, 0.0, 0.0]), plants[1]: np.array([0.0, 2.0, 0.0])}
    found = method.residuals(clip.motion, plants, locations)
    wrist = clip.position(method.limbs[3].points["wrist"])
    assert [len(each) for each in found] == [7, 13]
    assert np.allclose(found[1], np.linalg.norm(wrist[8:21] - [0.0, 2.0, 0.0], axis=1))
    part = clip.motion.at(np.arange(5, 15))
    later = method.residuals(part, plants, locations, first=5)
    assert np.allclose(later[0], found[0][2:]) and np.allclose(later[1], found[1][:7])
