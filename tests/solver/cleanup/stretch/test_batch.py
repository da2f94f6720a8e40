# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole clips: feet and hands stand, limbs hardly stretch, knees do not pop, nothing jumps or goes below the floor."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from poise.solver import Footplant, Ground
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.two_bones import bend_of
from poise.solver.cleanup.cleaned import Cleaned
from poise.solver.cleanup.limbs import Limb, limbs_of
from poise.solver.cleanup.limbs import limb as named_limb
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.cleanup.stretch.batch import clean_stretching
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError, LandmarkError
from poise.solver.files.bvh import format_bvh, parse_bvh
from poise.solver.synthetic import chain, human, walk

from ...rounding import ROUNDING
from ..captures import GLITCH, LABELLED, NO_GLITCH, captured, floor_of
from ..gaits import footplants, gait
from ..hands import CARTWHEEL
from ..knees import knee_ratios

GAITS = ("walk", "run", "turn", "jump", "stairs")
SKATE = 0.01
"""Sizes of the character by which feet are off, root of the mean square: what captured feet slide."""


def moved_by(result: Cleaned) -> float:
    """How far any planted point moves while it is planted, in sizes of the character."""
    limbs = {each.name: each for each in limbs_of(result.clip.skeleton)}
    far = []
    for plant in result.plants:
        point = limbs[plant.limb].points[plant.point]
        path = result.clip.position(point)[plant.begin : plant.end + 1]
        far.append(np.linalg.norm(path - path[0], axis=1).max())
    return max(far) / result.clip.skeleton.size


def check(source: Clip, result: Cleaned, glitch: slice = NO_GLITCH) -> None:
    """What always holds of a clip whose feet slide as in a capture; bones may stretch as they will in a glitch."""
    assert moved_by(result) < 1e-6, "a planted point moves"
    assert result.residual < 1e-6
    stretch = np.delete(np.stack(list(result.stretch.values())), glitch, axis=1)
    assert np.abs(stretch).max() < 0.03, "a limb stretches too far"
    assert np.abs(stretch).mean() < 0.01, "limbs stretch too much on the average"
    ratios = knee_ratios(source, result.clip)
    assert ratios.max() < 1.5, f"a knee pops: {ratios}"


# Made-up motions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [30.0, 120.0])
@pytest.mark.parametrize("name", GAITS)
def test_feet_that_slide_stand(name, fps):
    motion = gait(name, skate=SKATE, fps=fps, seed=2)
    check(motion.clip, clean_stretching(motion.clip, footplants(motion)))


@pytest.mark.parametrize("name", GAITS)
def test_feet_that_stand_stay_as_they_are(name):
    motion = gait(name, fps=60.0)
    ground = None if name == "stairs" else Ground(0.0)
    result = clean_stretching(motion.clip, footplants(motion), CleanSettings(ground=ground)).clip
    assert rotations.angle_between(result.motion.rotations, motion.clip.motion.rotations).max() < 1e-6
    off = np.abs(result.motion.translations - motion.clip.motion.translations).max()
    assert off < 1e-6 * motion.clip.skeleton.size


def adjustments(source: Clip, result: Cleaned, limbs: tuple[Limb, ...]) -> dict[str, Array]:
    """What was changed, (frames, n) each: hips, bends, stretch, ankles, and the root in sizes of the character."""
    changed: dict[str, Array] = {"root": result.root / source.skeleton.size}
    for limb in limbs:
        for what, joint in (("ball", limb.ball), ("end", limb.end)):
            before, after = (clip.motion.rotations[:, joint] for clip in (source, result.clip))
            changed[f"{limb.name} {what}"] = rotations.log(rotations.quotient(after, before))
        bends = []
        for clip in (source, result.clip):
            places = clip.world.positions
            axis = rotations.rotate(clip.world.rotations[:, limb.hinge], np.array(limb.axis))
            bends.append(
                bend_of(places[:, limb.hinge] - places[:, limb.ball], places[:, limb.end] - places[:, limb.hinge], axis)
            )
        changed[f"{limb.name} bend"] = (bends[1] - bends[0])[:, None]
        changed[f"{limb.name} stretch"] = result.stretch[limb.name][:, None]
    return changed


@pytest.mark.parametrize("name", GAITS)
def test_adjustments_are_continuous_where_plants_begin_and_end(name):
    # What jumps does so at every frame rate; what is continuous changes a quarter as much in a quarter of the time.
    steps: list[dict[str, float]] = []
    for fps in (60.0, 240.0):
        motion = gait(name, skate=0.02, fps=fps, seed=4)
        limbs = limbs_of(motion.clip.skeleton, motion.clip.motion, only=["left leg", "right leg"])
        result = clean_stretching(motion.clip, footplants(motion), limbs=limbs)
        changed = adjustments(motion.clip, result, limbs)
        steps.append({what: np.linalg.norm(np.diff(each, axis=0), axis=1).max() for what, each in changed.items()})
    for what, coarse in steps[0].items():
        assert steps[1][what] <= 0.45 * coarse + 1e-6, f"{what} jumps: {coarse} at 60 frames a second, {steps[1][what]}"


@pytest.mark.parametrize("name", ["walk", "run", "turn", "jump"])
def test_no_point_goes_below_the_floor(name):
    motion = gait(name, skate=0.02, fps=60.0, seed=1)
    clip = motion.clip
    lowered = clip.motion.translations.copy()
    lowered[:, 0, clip.skeleton.up_axis] -= 0.01 * clip.skeleton.size
    source = clip.with_motion(Motion(clip.motion.rotations, lowered))
    result = clean_stretching(source, footplants(motion), CleanSettings(ground=Ground(0.0)))
    above_floor(result, Ground(0.0))
    assert moved_by(result) < 1e-6


def above_floor(result: Cleaned, ground: Ground) -> None:
    clip, up = result.clip, result.clip.skeleton.up_axis
    for limb in limbs_of(clip.skeleton):
        marks = [(point, limb.clearance(name)) for name, point in limb.points.items()]
        if limb.toes is not None:
            marks.append((limb.toes.tip, limb.toes.clearance))
        for point, clearance in marks:
            places = clip.position(point)
            lowest = (places[:, up] - ground.heights(places, up) - clearance).min()
            assert lowest > -1e-9 * clip.skeleton.size, f"{point} of the {limb.name} is {lowest} below the floor"


def lifts(fps: float, settings: CleanSettings) -> Array:
    """(frames,) how far the left ankle of one who runs into the ground is lifted, in sizes."""
    clip = gait("run", fps=fps).clip
    ankle = clip.skeleton.landmarks.left_ankle
    after = clean_stretching(clip, [], settings).clip
    return (after.position(ankle) - clip.position(ankle))[:, 1] / clip.skeleton.size


def test_limbs_are_lifted_off_the_floor_without_corners():
    # A corner's second difference shrinks as the time between frames does, that of a smooth curve as its square.
    corners: list[float] = []
    for lifting in (0.0, CleanSettings().lifting):
        coarse, fine = (
            np.abs(np.diff(lifts(fps, CleanSettings(ground=Ground(0.02), lifting=lifting)), n=2)).max()
            for fps in (120.0, 480.0)
        )
        corners.append(fine / coarse)
    assert corners[0] > 1.0 / 6.0, "there would be nothing to smooth"
    assert corners[1] < 1.0 / 8.0


def test_limbs_far_from_frames_below_the_floor_are_not_lifted():
    lifted = lifts(120.0, CleanSettings(ground=Ground(0.02)))
    alone = lifts(120.0, CleanSettings(ground=Ground(0.02), lifting=0.0))
    assert (lifted >= alone - 1e-12).all() and lifted.max() < alone.max() + 1e-12
    window = round(CleanSettings().lifting * 120.0)
    near = np.array([alone[max(0, frame - window) : frame + window + 1].max() > 0.0 for frame in range(len(alone))])
    assert (lifted[~near] == 0.0).all() and not near.all()


def test_free_feet_stay_above_ground_of_any_shape():
    motion = gait("run", fps=60.0)
    ground = Ground(lambda x, z: 0.03 * np.sin(3.0 * z) + 0.02 * np.cos(5.0 * x))
    result = clean_stretching(motion.clip, [], CleanSettings(ground=ground))
    clip = result.clip
    for limb in limbs_of(clip.skeleton, only=["left leg", "right leg"]):
        for name, point in limb.points.items():
            places = clip.position(point)
            assert (places[:, 1] - ground.heights(places, 1) - limb.clearance(name)).min() > -1e-9


# Captured motions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LABELLED)
def test_captured_feet_stand(mocap: Path, name):
    clip, plants = captured(mocap, name)
    check(clip, clean_stretching(clip, plants), GLITCH.get(name, NO_GLITCH))


@pytest.mark.parametrize("name", [name for name in LABELLED if name != "13_35"])
def test_captured_feet_stand_on_the_floor_and_nothing_below_it(mocap: Path, name):
    clip, plants = captured(mocap, name)
    ground = floor_of(clip, plants)
    result = clean_stretching(clip, plants, CleanSettings(ground=ground))
    check(clip, result, GLITCH.get(name, NO_GLITCH))
    above_floor(result, ground)


def test_hands_of_a_cartwheel_stand(mocap: Path):
    clip, plants = captured(mocap, "49_06")
    result = clean_stretching(clip, [*plants, *CARTWHEEL])
    check(clip, result)
    slid = [
        np.linalg.norm(np.ptp(clip.position(limb.points[plant.point])[plant.begin : plant.end + 1], axis=0))
        for plant in CARTWHEEL
        for limb in limbs_of(clip.skeleton, only=[plant.limb])
    ]
    assert min(slid) > 0.02 * clip.skeleton.size, "there would be nothing to clean"
    palms = [dataclasses.replace(plant, floor=1.9) for plant in CARTWHEEL]
    on_floor = clean_stretching(clip, [*plants, *palms], CleanSettings(ground=Ground(0.5)))
    assert moved_by(on_floor) < 1e-6
    above_floor(on_floor, Ground(0.5))


# What a user may ask for ---------------------------------------------------------------------------------------------


def test_a_plant_stands_at_its_given_location():
    motion = gait("walk", fps=60.0)
    plants = [
        PlantedPoint("left leg", "heel", 60, 75, location=(0.1, 0.05, 1.2)),
        PlantedPoint("left leg", "ball", 70, 90, floor=0.02),
        PlantedPoint("right arm", "wrist", 20, 90, location=(-0.3, 1.0, 0.9)),
    ]
    result = clean_stretching(motion.clip, plants, CleanSettings(most_stretch=0.9))
    assert result.residual < 1e-9
    by_point = {plant.point: plant for plant in result.plants}
    assert by_point["heel"].location == (0.1, 0.05, 1.2)
    (leg,) = limbs_of(motion.clip.skeleton, only=["left leg"])
    assert np.isclose(by_point["ball"].location[1], 0.02 + leg.clearance("ball"))


def test_without_stretch_lengths_stay_and_knees_bend_as_far_as_plants_need():
    motion = gait("walk", skate=0.03, fps=60.0, seed=3)
    clip = motion.clip
    result = clean_stretching(clip, footplants(motion), CleanSettings(stretch=False))
    assert np.array_equal(result.clip.motion.translations[:, 1:], clip.motion.translations[:, 1:])
    assert result.largest_stretch == 0.0
    assert result.residual < 1e-9 and not result.unmet


@pytest.mark.parametrize("stretch", [True, False])
def test_unreachable_plants_are_missed_by_the_least(stretch):
    motion = gait("walk", fps=60.0)
    far = [
        PlantedPoint("left leg", "heel", 30, 60, location=(2.0, 0.0, 1.0)),
        PlantedPoint("right leg", "heel", 30, 60, location=(-2.0, 0.0, 1.0)),
        PlantedPoint("left arm", "wrist", 40, 60, location=(0.0, 4.0, 1.0)),
    ]
    result = clean_stretching(motion.clip, far, CleanSettings(stretch=stretch))
    assert np.isfinite(result.clip.motion.rotations).all() and np.isfinite(result.clip.motion.translations).all()
    assert result.residual > 0.3
    assert result.largest_stretch <= 0.1 + 1e-12
    assert len(result.unmet) == 3
    hips = result.clip.position("HumanoidRoot")[45]
    assert abs(hips[0]) < 0.2, "between two feet that pull apart the body stays in the middle"


def test_frames_and_joints_without_plants_come_back_bit_for_bit():
    motion = gait("walk", skate=0.01, fps=60.0)
    clip = motion.clip
    result = clean_stretching(clip, [PlantedPoint("left leg", "heel", 60, 62)], CleanSettings(blending=0.1)).clip
    legs = limbs_of(clip.skeleton, only=["left leg"])[0]
    moving = {legs.ball, legs.hinge, legs.end, *legs.chain(clip.skeleton)}
    moving |= {clip.skeleton.index(name) for name in ("l_subtalar", "l_midtarsal")}
    others = [joint for joint in range(len(clip.skeleton)) if joint not in moving]
    assert np.array_equal(result.motion.rotations[:, others], clip.motion.rotations[:, others])
    assert np.array_equal(result.motion.translations[:, others], clip.motion.translations[:, others])
    for frames in (slice(0, 50), slice(72, None)):
        assert np.array_equal(result.motion.rotations[frames], clip.motion.rotations[frames])
    nothing = clean_stretching(clip, [])
    assert np.array_equal(nothing.clip.motion.rotations, clip.motion.rotations)
    assert nothing.residual == 0.0 and nothing.largest_stretch == 0.0 and nothing.unmet == ()


def test_position_size_and_heading_of_the_scene_change_nothing():
    motion = gait("turn", skate=0.01, fps=30.0)
    clip, plants = motion.clip, footplants(motion)
    usual = clean_stretching(clip, plants)
    turn = rotations.exp([0.0, 2.0, 0.0])
    skeleton = clip.skeleton.replace(
        offsets=100.0 * clip.skeleton.offsets,
        tips=tuple(dataclasses.replace(tip, offset=tuple(100.0 * tip.local)) for tip in clip.skeleton.tips),
    )
    turned, moved = clip.motion.rotations.copy(), 100.0 * clip.motion.translations
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    moved[:, 0] = rotations.rotate(turn, moved[:, 0])
    moved[:, 0] += (1000.0, 20.0, -3000.0)
    other = clean_stretching(Clip(skeleton, Motion(turned, moved), clip.fps), plants)
    assert rotations.angle_between(other.clip.motion.rotations[:, 1:], usual.clip.motion.rotations[:, 1:]).max() < 1e-6
    for limb, stretch in usual.stretch.items():
        assert np.allclose(other.stretch[limb], stretch, atol=1e-9)


def test_z_may_be_up():
    one, other = walk(steps=3, skate=0.01, fps=30.0), walk(steps=3, skate=0.01, fps=30.0, up="z")
    plants = footplants(one)
    settings = CleanSettings(ground=Ground(0.0))
    results = [clean_stretching(each.clip, plants, settings) for each in (one, other)]
    for limb, stretch in results[0].stretch.items():
        assert np.allclose(results[1].stretch[limb], stretch, atol=1e-9)


def test_hinges_stay_hinges():
    motion = walk(human(hinges=True), steps=3, skate=0.01, fps=30.0)
    # The faults of a capture are put on hinges too; here they turn about their axes only.
    result = clean_stretching(motion.clip, footplants(motion)).clip
    for side in ("l_", "r_"):
        knee = result.skeleton.index(side + "knee")
        swing, _ = rotations.swing_twist(result.motion.rotations[:, knee], result.skeleton.hinge_axes[knee])
        assert rotations.angle_between(swing, rotations.IDENTITY).max() < 1e-6


def test_stretched_limbs_survive_a_file():
    motion = gait("walk", skate=0.02, fps=30.0)
    result = clean_stretching(motion.clip, footplants(motion)).clip
    again = parse_bvh(format_bvh(result).encode(), "stretched.bvh")
    order = [again.skeleton.index(name) for name in result.skeleton.names]
    assert np.abs(again.world.positions[:, order] - result.world.positions).max() < 1e-12


def test_of_two_locations_that_do_not_fit_the_foot_the_first_is_met():
    clip = gait("walk", fps=60.0).clip
    (leg,) = limbs_of(clip.skeleton, only=["left leg"])
    heel, ball = (clip.position(point)[80] for point in leg.points.values())
    plants = [
        PlantedPoint("left leg", "heel", 70, 85, location=tuple(heel)),
        PlantedPoint("left leg", "ball", 75, 90, location=tuple(heel + 1.2 * (ball - heel))),
    ]
    result = clean_stretching(clip, plants)
    told = {plant.point: residual for plant, residual in zip(result.plants, result.residuals, strict=True)}
    assert told["heel"].max() < 1e-12
    assert np.allclose(told["ball"][:11], 0.2 * np.linalg.norm(ball - heel)) and told["ball"][11:].max() < 1e-12
    assert len(result.unmet) == 1


def test_a_plant_without_a_location_is_not_located_below_the_ground():
    clip = gait("walk", fps=60.0).clip
    (arm,) = limbs_of(clip.skeleton, only=["left arm"])
    height = float(clip.position(arm.points["wrist"])[30, 1])
    plants = [PlantedPoint("left arm", "wrist", 25, 40), PlantedPoint("left arm", "fingertips", 28, 40)]
    below, above = (
        clean_stretching(clip, plants, CleanSettings(ground=Ground(height + more))) for more in (0.02, -0.5)
    )
    assert all(plant.location[1] >= height + 0.02 - 1e-12 for plant in below.plants)
    assert below.plants[0].location[1] == pytest.approx(height + 0.02, rel=ROUNDING)
    assert abs(above.plants[0].location[1] - height) < 0.05
    assert below.residual < 1e-9 and above.residual < 1e-9


def test_a_character_without_legs_gives_an_error_that_says_how_to_name_them():
    clip = Clip(chain(5, 1.0), Motion.from_poses([Pose.rest(chain(5, 1.0))] * 20))
    with pytest.raises(LandmarkError, match="left hip"):
        clean_stretching(clip, [Footplant(foot="left", toe_strike=3, toe_off=9)])
    with pytest.raises(ConstraintError, match="no limb 'tail'; there is none at all"):
        clean_stretching(clip, [PlantedPoint("tail", "tip", 3, 9)])


def test_any_limb_that_a_user_names_can_be_planted():
    skeleton = chain(5, 1.0)
    rng = np.random.default_rng(8)
    turned = np.tile(skeleton.rest_rotations, (60, 1, 1))
    sway = np.sin(np.linspace(0.0, 3.0, 60))[:, None, None] * 0.2 * rng.standard_normal((1, len(skeleton), 3))
    turned = rotations.multiply(turned, rotations.exp(0.3 + sway))
    clip = Clip(skeleton, Motion(turned, np.tile(skeleton.offsets, (60, 1, 1))), 30.0)
    names = skeleton.names
    tail = named_limb(skeleton, "tail", names[1], names[2], names[4], {"tip": skeleton.tips[0]}, motion=clip.motion)
    result = clean_stretching(clip, [PlantedPoint("tail", "tip", 20, 35)], CleanSettings(most_stretch=0.5), [tail])
    assert result.residual < 1e-9
    path = result.clip.position(skeleton.tips[0])[20:36]
    assert np.ptp(path, axis=0).max() < 1e-9 < np.ptp(clip.position(skeleton.tips[0])[20:36], axis=0).max()


def test_overlapping_footplants_are_refused():
    plant = Footplant(foot="left", heel_strike=3, toe_strike=3, heel_off=9, toe_off=9)
    with pytest.raises(ConstraintError, match="twice"):
        clean_stretching(walk(steps=1).clip, [plant, plant])
