# SPDX-License-Identifier: GPL-3.0-or-later
"""One call for three methods."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.cleanup.rigid.batch import clean_rigidly
from poise.solver.cleanup.stretch.batch import clean_stretching
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError, PoiseError

from .captures import captured, floor_of
from .gaits import footplants, gait
from .knees import knee_ratios

METHODS = ("stretch", "rigid", "prioritized")


@pytest.mark.parametrize("method", METHODS)
def test_each_method_plants_feet(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.01)
    plants = footplants(motion)
    before = solver.foot_metrics(motion.clip, plants)
    clip = solver.clean(motion.clip, plants, method)
    after = solver.foot_metrics(clip, plants, source=motion.clip)
    assert before.slide > 0.01 and before.speed > 0.05
    assert after.extent < 1e-6 and after.slide < 1e-4 and after.knee_ratio <= 1.5


def test_stretching_is_the_usual_method() -> None:
    motion = gait("walk", skate=0.01)
    usual = solver.cleaned(motion.clip, footplants(motion))
    named = solver.cleaned(motion.clip, footplants(motion), "stretch")
    assert np.array_equal(usual.clip.motion.rotations, named.clip.motion.rotations)
    assert usual.largest_stretch > 0.0


@pytest.mark.parametrize("method", METHODS)
def test_detected_footplants_can_be_cleaned(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.002)
    plants = solver.detect_footplants(motion.clip)
    assert plants
    result = solver.cleaned(motion.clip, plants, method)
    assert result.residual < 1e-6 and result.unmet == ()


@pytest.mark.parametrize("method", ["stretch", "rigid"])
def test_detected_footplants_of_a_captured_jump_do_not_make_knees_pop(mocap: Path, method: solver.CleanMethod) -> None:
    """Its feet are in the floor shortly before they are found to stand on it."""
    clip, labelled = captured(mocap, "13_11")
    ground = floor_of(clip, labelled)
    result = solver.cleaned(clip, solver.detect_footplants(clip), method, ground=ground)
    assert result.residual < 1e-6
    assert knee_ratios(clip, result.clip).max() <= 1.5


@pytest.mark.parametrize("method", METHODS)
def test_the_source_is_left_alone(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.01)
    turned, moved = motion.clip.motion.rotations.copy(), motion.clip.motion.translations.copy()
    solver.clean(motion.clip, footplants(motion), method, ground=solver.Ground(0.0))
    assert np.array_equal(turned, motion.clip.motion.rotations)
    assert np.array_equal(moved, motion.clip.motion.translations)


@pytest.mark.parametrize("method", METHODS)
def test_the_ground_may_be_given_either_way(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.01)
    ground = solver.Ground(0.0)
    one = solver.clean(motion.clip, footplants(motion), method, ground=ground)
    other = solver.clean(motion.clip, footplants(motion), method, settings=solver.CleanSettings(ground=ground))
    assert np.array_equal(one.motion.rotations, other.motion.rotations)
    assert solver.foot_metrics(one, footplants(motion), ground=ground).height < 1e-6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("height", [-0.2, 0.05])
def test_plants_that_keep_their_heights_are_cleaned_where_they_stand(method: solver.CleanMethod, height: float) -> None:
    """Above the ground and below it: feet do not jump out of it between their plants either."""
    motion = gait("walk", skate=0.01)
    own = [replace(plant, own_height=True) for plant in footplants(motion)]
    ground = solver.Ground(height * motion.clip.skeleton.size)
    with_ground = solver.clean(motion.clip, own, method, ground=ground)
    without = solver.clean(motion.clip, own, method)
    up, size = motion.clip.skeleton.up_axis, motion.clip.skeleton.size
    for part in ("left_heel", "left_toe", "right_heel", "right_toe"):
        mark = getattr(motion.clip.skeleton.landmarks, part)
        apart = (with_ground.position(mark) - without.position(mark))[:, up]
        assert np.abs(apart).max() < 0.01 * size


@pytest.mark.parametrize("method", METHODS)
def test_other_plants_stand_on_the_ground_beside_one_that_is_below(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.01)
    plants = footplants(motion)
    mixed = [replace(plants[0], own_height=True), *plants[1:]]
    height = 0.03 * motion.clip.skeleton.size
    result = solver.cleaned(motion.clip, mixed, method, ground=solver.Ground(height))
    measured = solver.foot_metrics(result.clip, plants, ground=solver.Ground(height)).plants
    assert measured[0].height == pytest.approx(-0.03, abs=0.005)
    assert max(abs(plant.height) for plant in measured[1:]) < 0.003


@pytest.mark.parametrize("method", METHODS)
def test_off_a_mesh_cleaning_needs_no_ground(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.01)
    elsewhere = solver.Ground.of_mesh(100.0 * np.eye(3) + 50.0, [[0, 1, 2]])
    one = solver.clean(motion.clip, footplants(motion), method, ground=elsewhere)
    other = solver.clean(motion.clip, footplants(motion), method)
    for part in ("left_heel", "right_toe"):
        mark = getattr(motion.clip.skeleton.landmarks, part)
        np.testing.assert_allclose(one.position(mark), other.position(mark), atol=1e-3 * motion.clip.skeleton.size)
    metrics = solver.foot_metrics(one, footplants(motion), ground=elsewhere)
    numbers = [value for value in metrics.as_dict().values() if isinstance(value, (int, float))]
    assert len(numbers) > 10 and np.isfinite([*numbers, metrics.jump.ratio]).all()


@pytest.mark.parametrize("method", ["stretch", "rigid"])
def test_named_plants_keep_their_names_in_sentences(method: solver.CleanMethod) -> None:
    """The sentence for an unreachable plant names it as its user does, where nothing may stretch."""
    motion = gait("walk", skate=0.01)
    plants = footplants(motion)
    apart = [
        replace(plants[1], name="far left").moved((3.0, 0.0, 0.0)),
        replace(plants[2], name="far right").moved((-3.0, 0.0, 0.0)),
    ]
    settings = solver.CleanSettings(stretch=False)
    result = solver.cleaned(motion.clip, apart, method, settings=settings)
    assert result.unmet and all("far " in sentence for sentence in result.unmet)
    assert np.isfinite(result.clip.motion.rotations).all()


@pytest.mark.parametrize("method", METHODS)
def test_bad_plants_are_refused_before_anything_happens(method: solver.CleanMethod) -> None:
    clip = gait("walk").clip
    twice = [solver.Footplant(foot="left", heel_strike=b, heel_off=b + 9) for b in (20, 25)]
    with pytest.raises(ConstraintError, match="twice"):
        solver.clean(clip, twice, method)
    with pytest.raises(ConstraintError, match="not with 'left'"):
        solver.clean(clip, ["left"], method)  # type: ignore[list-item]
    with pytest.raises(PoiseError, match="outside the clip"):
        solver.clean(clip, [solver.Footplant(foot="left", heel_strike=5, heel_off=5000)], method)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ConstraintError, match="one of stretch, rigid, prioritized"):
        solver.clean(gait("walk").clip, [], "smooth")  # type: ignore[arg-type]


def test_a_clip_without_frames_is_refused() -> None:
    clip = gait("walk").clip
    empty = Clip(clip.skeleton, Motion(clip.motion.rotations[:0], clip.motion.translations[:0]))
    with pytest.raises(ConstraintError, match="no frames"):
        solver.clean(empty, [])


def with_fault(clip: Clip, frame: int, joint: str = "l_hip") -> Clip:
    """The clip with a joint that is turned by six degrees in one frame."""
    turned = clip.motion.rotations.copy()
    index = clip.skeleton.index(joint)
    turned[frame, index] = rotations.multiply(turned[frame, index], rotations.exp([0.1, 0.05, 0.0]))
    return clip.with_motion(Motion(turned, clip.motion.translations))


@pytest.mark.parametrize("method", ["stretch", "rigid"])
def test_a_fault_is_named_and_neither_moves_a_plant_nor_stretches_bones(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.002)
    plants = footplants(motion)
    plant = next(each for each in plants if each.foot == "left" and each.heel_strike > 30)
    frame = int(max(plant.heel_strike, plant.toe_strike)) + 4
    broken = with_fault(motion.clip, frame)
    whole, result = (solver.cleaned(clip, plants, method) for clip in (motion.clip, broken))
    assert whole.faults == () and [(fault.begin, fault.end) for fault in result.faults] == [(frame, frame)]
    for one, other in zip(whole.plants, result.plants, strict=True):
        assert np.allclose(one.location, other.location, atol=1e-4), "the faulty frame does not count in the mean"
    assert result.residual < 1e-9
    assert np.abs(result.stretch["left leg"]).max() < np.abs(whole.stretch["left leg"]).max() + 1e-3
    # Without knowing of the fault, its frame shapes the places.
    unaware = (clean_stretching if method == "stretch" else clean_rigidly)(broken, plants)
    moved = [
        np.abs(np.subtract(one.location, other.location)).max()
        for one, other in zip(whole.plants, unaware.plants, strict=True)
    ]
    assert max(moved) > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_faults_are_repaired_on_request(method: solver.CleanMethod) -> None:
    motion = gait("walk", skate=0.002)
    plants = footplants(motion)
    frame = int(plants[2].heel_strike) + 10
    broken = with_fault(motion.clip, frame, "r_shoulder")
    kept, repaired = (solver.cleaned(broken, plants, method, repair=each) for each in (False, True))
    whole = solver.cleaned(motion.clip, plants, method)
    assert kept.faults == repaired.faults != ()
    wrist = motion.clip.skeleton.index("r_wrist")
    off = [
        np.abs(each.clip.world.positions - whole.clip.world.positions)[frame, wrist].max() for each in (kept, repaired)
    ]
    assert off[0] > 0.02 and off[1] < 0.005
    assert np.array_equal(
        solver.clean(broken, plants, method, repair=True).motion.rotations, repaired.clip.motion.rotations
    )


@pytest.mark.parametrize("method", ["stretch", "rigid"])
@pytest.mark.parametrize("turn", [0.0, 40.0, 90.0])
@pytest.mark.parametrize("rise", [0.0, 1.0 / 6.0, 1.0 / 3.0])
def test_a_turned_and_raised_foot_does_not_bank(
    mocap: Path, method: solver.CleanMethod, turn: float, rise: float
) -> None:
    """Its roll, of a direction across the foot that is level in the mean of the source, stays within a degree."""
    clip, plants = captured(mocap, "02_01")
    plant = plants[3]
    first, last = int(max(plant.heel_strike, plant.toe_strike)), int(min(plant.heel_off, plant.toe_off))
    flat = slice(first, last + 1)
    edited = replace(plant, shift=(0.0, rise * clip.skeleton.size, 0.0), turn=float(np.deg2rad(turn)))
    result = solver.cleaned(clip, [edited if each is plant else each for each in plants], method)
    assert result.residual < 1e-9
    side = "Left" if plant.foot == "left" else "Right"
    foot = clip.skeleton.index(f"{side}Foot")
    line = (clip.position(f"{side}ToeBase") - clip.position(f"{side}Foot"))[flat].mean(axis=0)
    across = rotations.unit(np.cross([0.0, 1.0, 0.0], line))
    on_foot = rotations.rotate(rotations.conjugate(rotations.mean(clip.world.rotations[flat, foot])), across)
    rolls = np.rad2deg(np.arcsin(rotations.rotate(result.clip.world.rotations[flat, foot], on_foot)[:, 1]))
    assert np.abs(rolls).max() < 1.0 and np.ptp(rolls) < 1e-6
