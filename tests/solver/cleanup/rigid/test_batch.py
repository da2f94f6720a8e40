# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid limbs: plants are met exactly, bones keep their lengths, nothing jumps, and standing feet hardly change."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from poise.solver import Clip, Footplant, Ground, Motion, foot_metrics
from poise.solver.cleanup.cleaned import Cleaned
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.cleanup.rigid.batch import clean_rigidly
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError, PoiseError, SkeletonError
from poise.solver.synthetic import SyntheticMotion, human, walk

from ..captures import GLITCH, LABELLED, NO_GLITCH, captured, floor_of
from ..gaits import NAMES, footplants, gait
from ..hands import CARTWHEEL
from ..knees import knee_ratios

HELD = 1e-6
"""Sizes of the character that a planted point may move."""
MOST_KNEE = 1.5
"""Times the source's largest angular acceleration that a knee may have."""

LEVEL = CleanSettings(ground=Ground(0.0))


@lru_cache(maxsize=64)
def skating(name: str, fps: float = 60.0, skate: float = 0.01, seed: int = 0) -> SyntheticMotion:
    return gait(name, skate=skate, fps=fps, seed=seed)


@lru_cache(maxsize=64)
def rigid(name: str, fps: float = 60.0, skate: float = 0.01, seed: int = 0, on_floor: bool = False) -> Cleaned:
    motion = skating(name, fps, skate, seed)
    return clean_rigidly(motion.clip, footplants(motion), LEVEL if on_floor else None)


CASES = [(name, fps, skate, seed) for name in NAMES for fps, skate, seed in ((60.0, 0.01, 0), (30.0, 0.02, 3))]


@pytest.mark.parametrize(("name", "fps", "skate", "seed"), CASES)
def test_feet_stand_and_knees_do_not_pop(name: str, fps: float, skate: float, seed: int) -> None:
    motion, result = skating(name, fps, skate, seed), rigid(name, fps, skate, seed)
    before = foot_metrics(motion.clip, footplants(motion))
    after = foot_metrics(result.clip, footplants(motion), source=motion.clip)
    assert before.extent > 0.5 * skate
    assert after.extent < HELD and result.residual < HELD
    assert after.knee_ratio <= MOST_KNEE and after.knee_pops == 0
    assert after.speed < HELD * fps


@pytest.mark.parametrize("name", NAMES)
def test_bones_keep_their_lengths_bit_for_bit(name: str) -> None:
    source, result = skating(name).clip, rigid(name)
    assert np.array_equal(source.motion.translations[:, 1:], result.clip.motion.translations[:, 1:])
    assert result.largest_stretch == 0.0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "stairs"])
def test_no_point_is_below_the_floor(name: str) -> None:
    motion, result = skating(name), rigid(name, on_floor=True)
    before = foot_metrics(motion.clip, footplants(motion), ground=Ground(0.0))
    after = foot_metrics(result.clip, footplants(motion), source=motion.clip, ground=Ground(0.0))
    assert before.penetration > 1e-3
    assert after.penetration < 1e-9
    assert after.extent < HELD and after.knee_ratio <= MOST_KNEE
    assert after.height < 1e-9, "planted soles lie on the floor"


@pytest.mark.parametrize("on_floor", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_feet_that_stand_still_are_hardly_changed(name: str, on_floor: bool) -> None:
    motion = skating(name, skate=0.0)
    settings = LEVEL if on_floor and name != "stairs" else None
    result = clean_rigidly(motion.clip, footplants(motion), settings)
    size = motion.clip.skeleton.size
    assert np.abs(result.clip.motion.rotations - motion.clip.motion.rotations).max() < 1e-6
    assert np.abs(result.clip.motion.translations - motion.clip.motion.translations).max() < 1e-6 * size
    assert np.abs(result.root).max() < 1e-6 * size


def adjustments(source: Clip, result: Clip) -> dict[str, Array]:
    """(frames, 3) by what the root is moved, in sizes, and joints are turned, in radians."""
    turns = rotations.log(rotations.quotient(result.motion.rotations, source.motion.rotations))
    changed = np.flatnonzero(np.abs(turns).max(axis=(0, 2)) > 1e-9)
    moved = (result.motion.translations[:, 0] - source.motion.translations[:, 0]) / source.skeleton.size
    return {"root": moved} | {source.skeleton.names[joint]: turns[:, joint] for joint in changed}


def largest_step(values: Array) -> float:
    return float(np.linalg.norm(np.diff(values, axis=0), axis=1).max())


@pytest.mark.parametrize(
    ("name", "on_floor"),
    [(name, on_floor) for name in NAMES for on_floor in (False, True) if name != "stairs" or not on_floor],
)
def test_adjustments_are_continuous(name: str, on_floor: bool) -> None:
    """What changes by so much from frame to frame changes by an eighth of it at eight times the rate; a jump would not.

    Events lie on frames, so that not all is the same at both rates; a jump would leave a ratio of one. Toes, which
    leave the floor within a hundredth of a second, are for another test. Where a plant begins, the pelvis begins to
    take up what trembles; that may be a twentieth of a degree.
    """
    coarse, fine = (
        adjustments(
            skating(name, fps).clip,
            rigid(name, fps, on_floor=on_floor).clip,
        )
        for fps in (120.0, 960.0)
    )
    assert len(coarse) >= 7, "root, hips, knees and ankles"
    largest = max(np.abs(values).max() for joint, values in coarse.items() if joint != "root")
    for joint in fine:
        if "metatarsal" not in joint:
            before = largest_step(coarse[joint]) if joint in coarse else 0.0
            assert largest_step(fine[joint]) < max(0.4 * before, 0.01 * largest, np.deg2rad(0.05)), joint


def test_adjustments_jump_where_nothing_is_blended() -> None:
    """So that the test above is one."""
    steps = []
    for fps in (120.0, 960.0):
        motion = skating("walk", fps)
        result = clean_rigidly(motion.clip, footplants(motion), CleanSettings(blending=0.0))
        steps.append(largest_step(adjustments(motion.clip, result.clip)["l_knee"]))
    assert steps[1] > 0.8 * steps[0]


def test_toes_bend_continuously() -> None:
    steps = []
    for fps in (480.0, 1920.0):
        motion = gait("turn", skate=0.01, fps=fps)
        result = clean_rigidly(motion.clip, footplants(motion), LEVEL)
        steps.append(largest_step(adjustments(motion.clip, result.clip)["l_metatarsal"]))
    assert 0.0 < steps[1] < 0.45 * steps[0]


@pytest.mark.parametrize("name", LABELLED)
def test_captured_feet_stand(mocap: Path, name: str) -> None:
    clip, plants = captured(mocap, name)
    result = clean_rigidly(clip, plants)
    after = foot_metrics(result.clip, plants, source=clip)
    assert after.extent < HELD and result.residual < HELD
    assert after.knee_ratio <= MOST_KNEE
    assert np.array_equal(clip.motion.translations[:, 1:], result.clip.motion.translations[:, 1:])


@pytest.mark.parametrize("name", [name for name in LABELLED if name != "13_35"])
def test_captured_feet_stand_on_a_floor(mocap: Path, name: str) -> None:
    """Not the stairs. In the glitch of the turn a knee has twice the acceleration of the source. Where plants of a foot
    follow each other at once, the floor makes them give up a frame more."""
    clip, plants = captured(mocap, name)
    ground = floor_of(clip, plants)
    result = clean_rigidly(clip, plants, CleanSettings(ground=ground))
    after = foot_metrics(result.clip, plants, source=clip, ground=ground)
    assert result.residual < HELD and after.penetration < 1e-9
    assert knee_ratios(clip, result.clip, GLITCH.get(name, NO_GLITCH)).max() <= MOST_KNEE


@pytest.mark.parametrize("on_floor", [False, True])
def test_hands_and_feet_of_a_cartwheel_stand(mocap: Path, on_floor: bool) -> None:
    """A leg and an arm at once, the other two on their way, all of them nearly straight: nothing leaps."""
    clip, plants = captured(mocap, "49_06")
    settings = CleanSettings(ground=floor_of(clip, plants) if on_floor else None)
    result = clean_rigidly(clip, [*plants, *CARTWHEEL], settings)
    assert result.residual < HELD
    assert knee_ratios(clip, result.clip).max() <= MOST_KNEE
    assert largest_step(result.root) < 0.02 * clip.skeleton.size


def test_frames_and_joints_that_no_plant_reaches_come_back_bit_for_bit() -> None:
    motion = skating("walk")
    plants = [plant for plant in footplants(motion) if plant.toe_strike > 80 and plant.foot == "right"]
    result = clean_rigidly(motion.clip, plants)
    first = int(min(plant.heel_strike for plant in plants))
    early = slice(0, first - 60)  # windows of two quarters of a second, and of a twentieth
    assert np.array_equal(result.clip.motion.rotations[early], motion.clip.motion.rotations[early])
    assert np.array_equal(result.clip.motion.translations[early], motion.clip.motion.translations[early])
    changed = (result.clip.motion.rotations != motion.clip.motion.rotations).any(axis=(0, 2))
    hanging = {"HumanoidRoot", "sacroiliac", "l_hip"}  # the pelvis, and what hangs on it
    assert {motion.clip.skeleton.names[joint] for joint in np.flatnonzero(changed)} <= {
        "r_hip",
        "r_knee",
        "r_talocrural",
        *hanging,
    }


def test_knees_that_are_hinges_stay_hinges() -> None:
    motion = walk(human(hinges=True), steps=4, fps=60.0, skate=0.01)
    result = clean_rigidly(motion.clip, footplants(motion))
    assert result.residual < HELD
    for knee in ("l_knee", "r_knee"):
        turned = result.clip.motion.rotations[:, motion.clip.skeleton.index(knee)]
        assert np.abs(turned[:, 2:]).max() < 1e-12, "nothing but a turn about x"


@pytest.mark.parametrize("up", ["y", "z"])
def test_either_axis_may_be_up(up: str) -> None:
    motion = walk(steps=4, fps=60.0, skate=0.01, up=up)  # type: ignore[arg-type]
    result = clean_rigidly(motion.clip, footplants(motion), LEVEL)
    metrics = foot_metrics(result.clip, footplants(motion), source=motion.clip, ground=Ground(0.0))
    assert metrics.extent < HELD and metrics.penetration < 1e-9 and metrics.knee_ratio <= MOST_KNEE


@pytest.mark.parametrize("change", ["scale", "place", "heading"])
def test_scale_position_and_heading_change_nothing(change: str) -> None:
    motion = skating("turn")
    clip, plants = motion.clip, footplants(motion)
    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    skeleton, size = clip.skeleton, clip.skeleton.size
    if change == "scale":
        skeleton, moved = human(stature=175.0), moved * 100.0
    elif change == "place":
        moved[:, 0] += (800.0, 20.0, -600.0)
    else:
        turn = rotations.exp([0.0, 2.0, 0.0])
        turned[:, 0], moved[:, 0] = rotations.multiply(turn, turned[:, 0]), rotations.rotate(turn, moved[:, 0])
    other = clean_rigidly(Clip(skeleton, Motion(turned, moved), clip.fps), plants)
    assert other.residual < 1e-9
    before, after = rigid("turn").clip.motion, other.clip.motion
    assert rotations.angle_between(before.rotations[:, 1:], after.rotations[:, 1:]).max() < 1e-6
    if change != "heading":
        shift = (800.0, 20.0, -600.0) if change == "place" else 0.0
        scale = 100.0 if change == "scale" else 1.0
        assert np.abs((after.translations[:, 0] - shift) / scale - before.translations[:, 0]).max() < 1e-6 * size


def test_a_foot_stands_on_a_plant_that_is_moved_aside() -> None:
    """By a tenth of a leg: the root goes along, and no bone stretches."""
    motion = skating("walk")
    plants = [plant.moved((0.09 * (-1.0) ** number, 0.0, 0.0)) for number, plant in enumerate(footplants(motion))]
    result = clean_rigidly(motion.clip, plants)
    metrics = foot_metrics(result.clip, footplants(motion), source=motion.clip)
    assert result.residual < HELD and metrics.knee_ratio <= MOST_KNEE and result.unmet == ()


def test_unreachable_plants_give_a_sentence() -> None:
    motion = skating("walk")
    plants = footplants(motion)
    apart = [plants[1].moved((3.0, 0.0, 0.0)), plants[2].moved((-3.0, 0.0, 0.0))]
    result = clean_rigidly(motion.clip, apart)
    assert np.isfinite(result.clip.motion.rotations).all() and np.isfinite(result.clip.motion.translations).all()
    assert result.residual > 0.5
    assert any("sizes of the character from where it should stand" in sentence for sentence in result.unmet)
    assert np.array_equal(motion.clip.motion.translations[:, 1:], result.clip.motion.translations[:, 1:])


def test_a_hand_is_planted_without_stretching() -> None:
    """A hand that is held 0.03 from where it is takes root and arm along; the feet stand all the same."""
    motion = skating("jump")
    place = motion.clip.position(motion.clip.skeleton.landmarks.left_wrist)[20] + (0.02, 0.02, 0.01)
    x, y, z = place.tolist()
    hand = PlantedPoint("left arm", "wrist", 15, 30, (x, y, z))
    result = clean_rigidly(motion.clip, [*footplants(motion), hand])
    assert result.residual < HELD
    assert np.array_equal(motion.clip.motion.translations[:, 1:], result.clip.motion.translations[:, 1:])


def test_overlapping_plants_of_one_joint_are_refused() -> None:
    plants = [Footplant(foot="left", heel_strike=b, heel_off=b + 20, toe_strike=b, toe_off=b + 20) for b in (5, 15)]
    with pytest.raises(ConstraintError, match="twice; end the first one before the second"):
        clean_rigidly(skating("jump").clip, plants)


def test_a_leg_without_two_bones_is_refused() -> None:
    clip = skating("walk").clip
    skeleton = clip.skeleton.with_landmarks(left_knee="l_talocrural", left_ankle="l_subtalar")
    flat = skeleton.replace(
        offsets=np.where(np.arange(len(skeleton))[:, None] == skeleton.index("l_subtalar"), 0.0, skeleton.offsets)
    )
    with pytest.raises(SkeletonError, match="has no length from 'l_talocrural' to 'l_subtalar'"):
        clean_rigidly(Clip(flat, clip.motion, clip.fps), footplants(skating("walk")))
    with pytest.raises(SkeletonError, match="not of two bones"):
        limbs_of(clip.skeleton.with_landmarks(left_knee="r_knee"), only=["left leg"])
    lost = clip.skeleton.with_landmarks(left_knee=None)
    with pytest.raises(PoiseError, match="left knee"):
        clean_rigidly(Clip(lost, clip.motion, clip.fps), footplants(skating("walk")))


def test_no_plants_change_nothing() -> None:
    clip = skating("walk").clip
    result = clean_rigidly(clip, [])
    assert np.array_equal(result.clip.motion.rotations, clip.motion.rotations) and result.residual == 0.0
