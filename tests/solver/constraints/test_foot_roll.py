# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand do not bank: turned, raised, on slopes, on made-up and captured characters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.body.skeleton import Up
from poise.solver.constraints import ConstraintPoint, Footplant, Ground, OrientationConstraint, Source
from poise.solver.constraints.effectors import DirectionEffector, RollEffector
from poise.solver.constraints.foot_roll import ground_roll, roll_effector
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, IntArray
from poise.solver.deformation.deform import deform
from poise.solver.detection.footplants import detect_footplants
from poise.solver.files.bvh import read_bvh
from poise.solver.synthetic import walk as made_up_walk

from ...conftest import MOCAP
from ..made_up import placed, plant_of

FLAT = np.radians(1.0)
"""The largest roll of a foot that stands flat."""

CLIPS = ["made-up, y up", "made-up, z up", "rigid feet, y up", "rigid feet, z up", "02_01", "35_29"]
"""Clips: the feet of the made-up human have a joint between heel and ball, unless they are made rigid."""

CONTACT = 2
"""The plant that is turned: in the middle of each clip."""


@cache
def planted(name: str) -> tuple[Clip, tuple[Footplant, ...]]:
    """A clip with its plants; a captured one is skipped where there is none."""
    if name in ("02_01", "35_29"):
        if not MOCAP.is_dir():
            pytest.skip("the captured clips are not there")
        clip = read_bvh(MOCAP / f"{name}.bvh")
        return clip, tuple(detect_footplants(clip))
    up: Up = "z" if name.endswith("z up") else "y"
    made = made_up_walk(steps=4, up=up)
    clip = with_rigid_feet(made.clip) if name.startswith("rigid") else made.clip
    return clip, tuple(plant_of(contact) for contact in made.contacts)


def with_rigid_feet(clip: Clip) -> Clip:
    """The clip of a character whose feet do not bend between heel and ball."""
    skeleton = clip.skeleton
    fixed = {name: JointKind.FIXED for name in ("l_midtarsal", "r_midtarsal")}
    return Clip(skeleton.with_kinds(fixed), clip.motion, clip.fps)


def heel_and_ball(clip: Clip, foot: str) -> tuple[BodyPoint, BodyPoint]:
    marks = clip.skeleton.landmarks
    heel, ball = (clip.skeleton.resolve(marks.require(f"{foot}_{part}")) for part in ("heel", "ball"))
    return heel, ball


def flat_frames(plant: Footplant) -> IntArray:
    """The frames in which heel and ball stand."""
    assert plant.flat is not None
    return np.arange(int(np.ceil(plant.flat[0])), int(np.floor(plant.flat[1])) + 1)


def side_slopes(clip: Clip, foot: str) -> Array:
    """(frames,) radians by which a foot is rolled about the line from heel to ball: how far a side of its sole, which
    is fixed to the joint that carries the heel, is out of the vertical plane through this line."""
    heel, ball = heel_and_ball(clip, foot)
    up, world = np.eye(3)[clip.skeleton.up_axis], clip.world
    line = rotations.unit(world.point(ball) - world.point(heel))
    sole = rotations.rotate(world.rotations[:, int(heel.joint)], rest_normal(clip, heel))
    level, across = rotations.unit(rotations.cross(np.broadcast_to(up, line.shape), line)), rotations.cross(sole, line)
    return np.arctan2(rotations.dot(rotations.cross(level, across), line), rotations.dot(level, across))


def rest_normal(clip: Clip, heel: BodyPoint) -> Array:
    """(3,) the up axis of the rest pose in the frame of the heel's joint."""
    return rotations.rotate(
        rotations.conjugate(clip.skeleton.rest[0][int(heel.joint)]), np.eye(3)[clip.skeleton.up_axis]
    )


def rolls(source: Clip, result: Clip, plant: Footplant) -> Array:
    """(flat frames,) radians by which a planted foot is rolled in a result, from the median of the source."""
    frames = flat_frames(plant)
    before, after = (side_slopes(clip, plant.foot)[frames] for clip in (source, result))
    return np.asarray((after - np.median(before) + np.pi) % (2.0 * np.pi) - np.pi)


def with_turned(plants: Sequence[Footplant], clip: Clip, degrees: float, legs: float) -> list[Footplant]:
    """The plants, one of them turned, and raised by a share of the leg."""
    rise = legs * clip.skeleton.size * np.eye(3)[clip.skeleton.up_axis]
    return [
        plant.turned(np.radians(degrees)).moved(rise) if number == CONTACT else plant
        for number, plant in enumerate(plants)
    ]


# A foot that stands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("legs", [0.0, 1.0 / 6.0, 1.0 / 3.0])
@pytest.mark.parametrize("degrees", [10.0, 40.0, 90.0])
def test_a_turned_and_raised_foot_does_not_bank(name: str, degrees: float, legs: float) -> None:
    clip, plants = planted(name)
    given = with_turned(plants, clip, degrees, legs)
    result = deform(clip, given)
    turned = given[CONTACT]
    assert len(flat_frames(turned)) > 3
    assert np.abs(rolls(clip, result.clip, turned)).max() < FLAT
    residual = result.report.residual(turned)
    assert not residual.misses.any() and residual.angles.max() < 1e-5


@pytest.mark.parametrize("name", ["02_01", "35_29"])
def test_the_feet_of_a_captured_walk_stand_still_without_rocking(name: str) -> None:
    """In the source they rock by some degrees about the line from heel to ball."""
    clip, plants = planted(name)
    result = deform(clip, plants).clip
    rocking = 0.0
    for plant in plants:
        if plant.flat is not None:
            rocking = max(rocking, float(np.ptp(rolls(clip, clip, plant))))
            assert np.ptp(rolls(clip, result, plant)) < 1e-5
    assert rocking > 3.0 * FLAT


@pytest.mark.parametrize("name", CLIPS)
def test_a_walk_that_stands_already_is_not_changed_more_than_its_feet_rock(name: str) -> None:
    clip, plants = planted(name)
    result = deform(clip, plants).clip
    for plant in plants:
        if plant.flat is not None:
            assert np.abs(rolls(clip, result, plant)).max() < FLAT


@pytest.mark.parametrize("name", CLIPS)
def test_after_heel_off_the_ball_stays_and_the_foot_turns_about_it_without_a_jolt(name: str) -> None:
    clip, plants = planted(name)
    given = with_turned(plants, clip, 40.0, 0.0)
    turned = given[CONTACT]
    result = deform(clip, given).clip
    assert turned.heel_off is not None and turned.toe_off is not None
    off, end = int(turned.heel_off), int(turned.toe_off)
    ball = result.world.point(heel_and_ball(clip, turned.foot)[1])[off : end + 1] / clip.skeleton.size
    assert np.ptp(ball, axis=0).max() < 1e-5
    added = np.unwrap(side_slopes(result, turned.foot) - side_slopes(clip, turned.foot))
    # Degrees a frame, at 120 frames a second, which the roll gains or loses at once where its target ends.
    changes = np.degrees(np.abs(np.diff(added, 2))) * (clip.fps / 120.0) ** 2
    assert changes[off - 1 : off + 2].max() < 0.25


# Slopes ---------------------------------------------------------------------------------------------------------------


def sole_slopes(clip: Clip, plant: Footplant, source: Clip, normal: Array) -> Array:
    """(flat frames,) radians between a ground's unit normal and the direction of the foot that is up in the source."""
    frames, joint = flat_frames(plant), int(heel_and_ball(clip, plant.foot)[0].joint)
    up = np.broadcast_to(np.eye(3)[clip.skeleton.up_axis], (len(frames), 3))
    sole = rotations.rotate(rotations.conjugate(source.world.rotations[frames, joint]), up)
    sole = np.median(sole, axis=0)
    found = rotations.rotate(clip.world.rotations[frames, joint], sole / np.linalg.norm(sole))
    return np.asarray(np.arccos(np.clip(found @ normal, -1.0, 1.0)))


def sloping(clip: Clip, degrees: float, heading: float) -> tuple[Array, Array]:
    """The unit normal (3,) of a plane that slopes by some degrees, and the rotation (4,) to it from the level."""
    up = np.eye(3)[clip.skeleton.up_axis]
    aside = rotations.rotate(rotations.exp(np.radians(heading) * up), np.roll(up, 1))
    tilt = rotations.exp(np.radians(degrees) * aside)
    return rotations.rotate(tilt, up), tilt


@pytest.mark.parametrize("heading", [0.0, 50.0, 90.0, 200.0])
@pytest.mark.parametrize("name", ["made-up, y up", "made-up, z up", "rigid feet, y up", "rigid feet, z up"])
def test_on_a_slope_the_sole_lies_on_the_ground(name: str, heading: float) -> None:
    clip, plants = planted(name)
    normal, _ = sloping(clip, 12.0, heading)
    below = -0.4 * clip.skeleton.size * np.eye(3)[clip.skeleton.up_axis]
    result = deform(clip, plants, ground=Ground.plane(below, normal)).clip
    assert np.abs(sole_slopes(result, plants[CONTACT], clip, normal)).max() < FLAT


@pytest.mark.parametrize("name", ["made-up, y up", "rigid feet, z up"])
def test_a_foot_that_stands_on_the_slope_already_keeps_its_roll(name: str) -> None:
    """A captured walk along a hillside, over a ground that was estimated from it."""
    level, plants = planted(name)
    normal, tilt = sloping(level, 12.0, 0.0)
    clip = placed(level, tilt)
    skeleton = clip.skeleton
    sole = skeleton.soles[f"{plants[CONTACT].foot}_heel"]
    heel, _ = heel_and_ball(clip, plants[CONTACT].foot)
    point = clip.world.point(heel)[flat_frames(plants[CONTACT])[0]] - sole * normal
    result = deform(clip, plants, ground=Ground.plane(point, normal)).clip
    assert np.abs(rolls(clip, result, plants[CONTACT])).max() < FLAT
    apart = sole_slopes(clip, plants[CONTACT], clip, normal)
    assert apart.min() > 5.0 * FLAT, "the walk must slope"


def test_the_ground_rolls_a_foot_to_its_side_but_not_along_it() -> None:
    ends = np.array([[0.1, 0.0, -0.1], [0.1, -0.05, 0.1]])
    slope = np.tan(np.radians(15.0))
    to_the_left = Ground(lambda x, z: slope * x)  # a foot that faces z has x to its left
    along = Ground(lambda x, z: slope * z)
    edge = Ground(lambda x, z: np.where(x > 0.1, 0.3, 0.0))
    level_ends = ends * [1.0, 0.0, 1.0]
    np.testing.assert_allclose(ground_roll(to_the_left, level_ends, 1), np.radians(15.0))
    np.testing.assert_allclose(ground_roll(to_the_left, level_ends[::-1], 1), np.radians(-15.0))
    for ground in (along, edge, Ground(0.3)):
        np.testing.assert_allclose(ground_roll(ground, ends, 1), 0.0, atol=1e-12)
    np.testing.assert_allclose(ground_roll(to_the_left, ends * [1.0, 3.0, 0.0] + [0.0, 1.0, 0.0], 1), 0.0, atol=0.3)
    assert np.isfinite(ground_roll(to_the_left, np.array([[0.0, 0.1, 0.0], [0.0, 0.0, 0.0]]), 1))


# What it is made of ---------------------------------------------------------------------------------------------------


def test_a_plant_holds_the_roll_while_heel_and_ball_stand() -> None:
    clip, plants = planted("rigid feet, y up")
    source, plant = Source(clip), plants[CONTACT]
    (track,) = plant.roll_tracks(source)
    assert isinstance(track.effector, RollEffector)
    assert plant.flat is not None and track.hold_intervals == (plant.flat,)
    assert track.outranks_partner is not None and (track.outranks_partner == -1.0).all()
    assert [each.effector for each in plant.tracks(source)][:2] == [
        each.effector for each in plant.point_tracks(source)
    ]
    alone = Footplant(foot=plant.foot, toe_strike=plant.toe_strike, toe_off=plant.toe_off)
    assert alone.flat is None and not alone.roll_tracks(source) and len(alone.tracks(source)) == 1


def test_a_foot_with_a_joint_in_it_is_held_across() -> None:
    """Heel and ball alone would let its rear part turn about the vertical, and bend at the joint."""
    clip, _ = planted("made-up, y up")
    heel, ball = heel_and_ball(clip, "left")
    effector = roll_effector(Source(clip), heel, ball)
    assert isinstance(effector, DirectionEffector) and effector.joint == heel.joint
    np.testing.assert_allclose(np.abs(np.array(effector.axis)), [1.0, 0.0, 0.0], atol=0.1)


def test_the_joint_that_carries_heel_and_ball_is_held() -> None:
    """The heel may have a bone of its own beside the toes."""
    clip, _ = planted("made-up, y up")
    skeleton = clip.skeleton
    one, other = (BodyPoint(skeleton.index(f"{side}_metatarsal"), (0.0, 0.0, 0.1)) for side in "lr")
    shared = set(skeleton.tree.chain(int(one.joint))) & set(skeleton.tree.chain(int(other.joint)))
    found = roll_effector(Source(clip), one, other)
    assert isinstance(found, DirectionEffector) and found.joint == max(shared)


# The report ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rigid feet, y up", "02_01"])
def test_the_report_says_by_how_many_degrees_the_roll_does_not_hold(name: str) -> None:
    """A more important constraint banks the foot about the line from heel to ball, which both stay in their places."""
    clip, plants = planted(name)
    plant = plants[CONTACT]
    heel, ball = heel_and_ball(clip, plant.foot)
    frames = flat_frames(plant)
    stand = deform(clip, plants)
    line = stand.clip.world.point(ball)[frames[0]] - stand.clip.world.point(heel)[frames[0]]
    bank = rotations.exp(np.radians(20.0) * rotations.unit(line))
    standing = stand.clip.world.rotations[frames[0], int(heel.joint)]
    point = ConstraintPoint(rotations.multiply(bank, standing), int(frames[0]), int(frames[-1]))
    joint = clip.skeleton.names[int(heel.joint)]
    around = max(int(frames[0]) - 10, 0), min(int(frames[-1]) + 10, clip.frames - 1)
    banked = OrientationConstraint(joint, *around, [point], mode="condensed", priority=5, name="Bank")
    result = deform(clip, [*plants, banked])
    residual = result.report.residual(plant)
    assert residual.misses.any() and residual.is_angular
    np.testing.assert_allclose(residual.worst, np.radians(20.0), atol=np.radians(0.5))
    assert residual.distances.max() < 1e-3 * clip.skeleton.size, "heel and ball hold"
    (conflict,) = (each for each in result.report.conflicts if each.constraint is plant)
    assert conflict.is_angular and conflict.conflicting == (banked,)
    assert "20" in str(conflict) and "°" in str(conflict)
    assert not result.report.residual(banked).misses.any()
