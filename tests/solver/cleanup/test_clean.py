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
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.rigid.batch import clean_rigidly
from poise.solver.cleanup.stretch.batch import clean_stretching
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
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


# Plants on objects that move -----------------------------------------------------------------------------------------


def ship(frames: int, fps: float, size: float, turns: bool = True) -> solver.MovingObject:
    """A deck that heaves and drifts, and with `turns` also rolls and yaws."""
    seconds = np.arange(frames) / fps
    ways = [0.3 * seconds, 0.1 * np.sin(2.0 * seconds), -0.2 * seconds**2]
    angles = 0.3 * np.stack([np.sin(1.5 * seconds), seconds, 0.0 * seconds], axis=1)
    return solver.MovingObject(size * np.stack(ways, axis=1), rotations.exp(angles if turns else 0.0 * angles))


def aboard(clip: Clip, deck: solver.MovingObject) -> Clip:
    """A clip as it is seen from the shore, given as it is seen on deck."""
    motion = Motion(clip.motion.rotations.copy(), clip.motion.translations.copy())
    motion.rotations[:, 0] = rotations.multiply(deck.rotations, motion.rotations[:, 0])
    motion.translations[:, 0] = deck.in_world(motion.translations[:, 0])
    return clip.with_motion(motion)


def walk_on_deck(turns: bool = True) -> tuple[Clip, Clip, list[solver.PlantedPoint], list[solver.PlantedPoint]]:
    """A walk that slides, on deck and from the shore, with its plants on the still deck and on the moving one."""
    motion = gait("walk", skate=0.01, fps=60.0)
    clip = motion.clip
    deck = ship(clip.frames, clip.fps, clip.skeleton.size, turns)
    still = list(solver.planted_points(clip, footplants(motion), limbs_of(clip.skeleton, clip.motion)))
    return clip, aboard(clip, deck), still, [replace(plant, reference=deck) for plant in still]


@pytest.mark.parametrize("method", METHODS)
def test_plants_move_with_the_object_that_they_stand_on(method: solver.CleanMethod) -> None:
    """A walk on a ship: planted points rest on deck, where they would rest if the ship did not move."""
    clip, seen, still, moving = walk_on_deck()
    if method == "prioritized":  # heel and ball have places of their own there, in which no rigid foot fits exactly
        still, moving = ([plant for plant in each if plant.point == "ball"] for each in (still, moving))
    size = clip.skeleton.size
    result, on_deck = solver.cleaned(seen, moving, method), solver.cleaned(clip, still, method)
    assert result.residual < 1e-6 and len(result.plants) == len(still)
    limbs = {limb.name: limb for limb in limbs_of(seen.skeleton)}
    for plant, twin in zip(result.plants, on_deck.plants, strict=True):
        assert plant.reference is not None and plant.location is not None
        np.testing.assert_allclose(plant.location, twin.location, atol=1e-9 * size)
        points = result.clip.position(limbs[plant.limb].points[plant.point])
        seen_on_deck = plant.reference.seen_from(points)[plant.begin : plant.end + 1]
        assert np.abs(seen_on_deck - plant.location).max() < 1e-6 * size
        assert np.ptp(points[plant.begin : plant.end + 1], axis=0).max() > 1e-3 * size, "the deck moves"


@pytest.mark.parametrize("method", ["stretch", "rigid"])
def test_a_walk_on_a_ship_that_drifts_is_cleaned_as_on_land(method: solver.CleanMethod) -> None:
    clip, seen, still, moving = walk_on_deck(turns=False)
    found, expected = solver.clean(seen, moving, method), solver.clean(clip, still, method)
    assert rotations.angle_between(found.motion.rotations, expected.motion.rotations).max() < 1e-6
    drift = seen.motion.translations[:, 0] - clip.motion.translations[:, 0]
    there = found.motion.translations[:, 0] - drift
    np.testing.assert_allclose(there, expected.motion.translations[:, 0], atol=1e-6 * clip.skeleton.size)


@pytest.mark.parametrize("method", METHODS)
def test_hands_hold_a_box_that_is_carried(method: solver.CleanMethod) -> None:
    """The hand slides on the box in the source; then it rests there, also at a given place."""
    motion = gait("walk", fps=60.0)
    clip, size = motion.clip, motion.clip.skeleton.size
    wrist = clip.skeleton.landmarks.require("left_wrist")
    path = clip.position(wrist)
    smooth = np.stack([np.convolve(np.pad(each, 10, "edge"), np.ones(21) / 21, "valid") for each in path.T], axis=1)
    box = solver.MovingObject(smooth, ship(clip.frames, clip.fps, size).rotations)
    plants = [
        solver.PlantedPoint("left arm", "wrist", 20, 50, reference=box),
        solver.PlantedPoint("left arm", "wrist", 60, 80, (0.01 * size, 0.0, 0.02 * size), reference=box),
    ]
    assert np.ptp(box.seen_from(path)[20:51], axis=0).max() > 1e-3 * size, "it slides in the source"
    result = solver.cleaned(clip, plants, method)
    assert result.residual < 1e-6
    held = box.seen_from(result.clip.position(wrist))
    assert np.ptp(held[20:51], axis=0).max() < 1e-6 * size
    np.testing.assert_allclose(held[60:81], np.tile([0.01 * size, 0.0, 0.02 * size], (21, 1)), atol=1e-6 * size)


def test_plants_on_objects_are_refused_where_they_make_no_sense() -> None:
    clip, seen, _, moving = walk_on_deck()
    deck = moving[0].reference
    assert deck is not None
    with pytest.raises(ConstraintError, match="no floor"):
        solver.PlantedPoint("left arm", "wrist", 0, 5, floor=0.0, reference=deck)
    with pytest.raises(ConstraintError, match="MovingObject"):
        solver.PlantedPoint("left arm", "wrist", 0, 5, reference="box")  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match=r"shape \(\d+, 3\)"):
        short = solver.MovingObject(deck.positions[:5], deck.rotations[:5])
        solver.clean(seen, [replace(moving[0], reference=short)])
    both = [replace(plant, begin=10, end=20) for plant in moving[:1]]
    other = "ball" if both[0].point == "heel" else "heel"
    with pytest.raises(ConstraintError, match="different objects"):
        solver.clean(seen, [*both, replace(both[0], point=other, reference=None)])
    with pytest.raises(ConstraintError, match="no loop"):
        solver.clean(seen, moving, cyclic=True)
    stream = solver.CleanStream(clip.skeleton, clip.fps)
    with pytest.raises(ConstraintError, match="only a whole clip"):
        stream.announce(moving[0])


# Slopes --------------------------------------------------------------------------------------------------------------


def on_slope(clip: Clip, tilt: Array) -> Clip:
    """A clip rotated as a whole about the origin by a rotation vector (3,)."""
    still = solver.MovingObject(np.zeros((clip.frames, 3)), np.tile(rotations.exp(tilt), (clip.frames, 1)))
    return aboard(clip, still)


def gaps_on_slope(clip: Clip, normal: Array) -> dict[tuple[str, str], Array]:
    """(frames,) how far each point of each leg is above where it stands on a plane through the origin."""
    found = {}
    for limb in limbs_of(clip.skeleton, only=["left leg", "right leg"]):
        assert limb.toes is not None
        for name, point in limb.points.items():
            found[limb.name, name] = clip.position(point) @ normal - limb.clearance(name)
        found[limb.name, "toe tip"] = clip.position(limb.toes.tip) @ normal - limb.toes.clearance
    return found


TWENTY = np.deg2rad(20.0)
TILTS = {"uphill": (-TWENTY, 0.0, 0.0), "downhill": (TWENTY, 0.0, 0.0), "across": (0.0, 0.0, TWENTY)}


@pytest.mark.parametrize("given", ["plane", "function"])
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("method", ["stretch", "rigid"])
def test_feet_stand_on_a_slope_and_stay_above_it(method: solver.CleanMethod, tilt: str, given: str) -> None:
    """Their clearance is that along the normal of the slope."""
    motion = gait("walk", skate=0.01, fps=60.0)
    clip = on_slope(motion.clip, np.array(TILTS[tilt]))
    size, normal = clip.skeleton.size, rotations.rotate(rotations.exp(TILTS[tilt]), np.array([0.0, 1.0, 0.0]))
    ground = solver.Ground.plane((0.0, 0.0, 0.0), normal)
    if given == "function":
        ground = solver.Ground(lambda x, z: -(normal[0] * x + normal[2] * z) / normal[1])
    result = solver.cleaned(clip, footplants(motion), method, ground=ground)
    assert result.residual < 1e-6 and result.unmet == ()
    gaps = gaps_on_slope(result.clip, normal)
    for plant in result.plants:
        during = gaps[plant.limb, plant.point][plant.begin : plant.end + 1]
        assert np.abs(during).max() < 1e-6 * size, f"{plant.label} does not stand on the slope"
    lowest = min(each.min() for each in gaps.values())
    assert lowest > -1e-6 * size, f"a foot is {lowest / size} sizes in the slope"


@pytest.mark.parametrize("method", METHODS)
def test_a_hand_is_planted_on_a_wall(method: solver.CleanMethod) -> None:
    motion = gait("walk", fps=60.0)
    clip, size = motion.clip, motion.clip.skeleton.size
    wrist = clip.skeleton.landmarks.require("left_wrist")
    mean = clip.position(wrist)[20:31].mean(axis=0)
    wall = solver.Plane((mean[0] + 0.02 * size, 5.0, 7.0), (-2.0, 0.0, 0.0))
    result = solver.cleaned(clip, [solver.PlantedPoint("left arm", "wrist", 20, 30, floor=wall)], method)
    assert result.residual < 1e-6
    assert np.abs(result.clip.position(wrist)[20:31, 0] - mean[0] - 0.02 * size).max() < 1e-6 * size


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
