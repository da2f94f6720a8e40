# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up motions are what they promise: feet that stand still, smooth joints, and truths that hold at any rate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import solver
from poise.examples.golf import golf_swing
from poise.examples.kick import kick
from poise.solver import synthetic
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.synthetic import SyntheticMotion
from poise.solver.synthetic.curves import SmoothCurve

STILL = 1e-9
"""Sizes of the character by which a foot in contact may tremble."""

Make = Callable[..., SyntheticMotion]
MOTIONS: dict[str, Make] = {"walk": synthetic.walk, "kick": kick, "golf swing": golf_swing}
every_motion = pytest.mark.parametrize("make", MOTIONS.values(), ids=MOTIONS.keys())


def held(motion: SyntheticMotion) -> list[tuple[str, Array, Array]]:
    """For each contact, what heel and toe joint do while they should stand: (name, places (frames, 3), truth (3,))."""
    clip, marks = motion.clip, motion.clip.skeleton.landmarks
    parts = []
    for contact in motion.contacts:
        for part, first, last, truth in (
            ("heel", contact.heel_strike, contact.heel_off, contact.heel),
            ("toe", contact.toe_strike, contact.toe_off, contact.toe),
        ):
            places = clip.position(marks.require(f"{contact.foot}_{part}"))[first : last + 1]
            parts.append((f"{contact.foot} {part} from frame {first}", places, truth))
    return parts


def soles(clip: solver.Clip) -> Array:
    """(points, frames) heights of everything that can touch the floor."""
    marks = clip.skeleton.landmarks
    names = [f"{side}_{part}" for side in ("left", "right") for part in ("heel", "toe", "toe_tip")]
    return np.stack([clip.position(marks.require(name))[:, clip.skeleton.up_axis] for name in names])


def angular_accelerations(clip: solver.Clip) -> Array:
    """(frames - 2, joints, 3) of each joint in its parent's frame, radians a second squared."""
    q = clip.motion.rotations
    speed = rotations.log(rotations.multiply(q[1:], rotations.conjugate(q[:-1]))) * clip.fps
    return np.asarray(np.diff(speed, axis=0) * clip.fps)


def accelerations(clip: solver.Clip) -> Array:
    """(frames - 2, joints) how large they are."""
    return np.asarray(np.linalg.norm(angular_accelerations(clip), axis=-1))


def upright(skeleton: Skeleton, vectors: Array) -> Array:
    """World vectors (..., 3) as they are drawn, y up, whichever axis is up."""
    return vectors if skeleton.up == "y" else np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


# What holds for every motion -----------------------------------------------------------------------------------------


@every_motion
@pytest.mark.parametrize("fps", [24.0, 30.0, 59.94, 120.0])
def test_feet_stand_still_in_their_contacts(make: Make, fps: float) -> None:
    motion = make(fps=fps)
    size = motion.clip.skeleton.size
    assert motion.contacts
    for name, places, truth in held(motion):
        assert len(places) > 0, name
        assert np.abs(places - truth).max() < STILL * size, name


@every_motion
def test_contacts_are_as_long_as_they_can_be(make: Make) -> None:
    motion = make(fps=120.0)
    clip, marks = motion.clip, motion.clip.skeleton.landmarks
    last = clip.frames - 1
    for contact in motion.contacts:
        for part, first, final, truth in (
            ("heel", contact.heel_strike, contact.heel_off, contact.heel),
            ("toe", contact.toe_strike, contact.toe_off, contact.toe),
        ):
            places = clip.position(marks.require(f"{contact.foot}_{part}"))
            beyond = [first - 3] * (first > 3) + [final + 3] * (final < last - 3)
            for frame in beyond:
                off = np.abs(places[frame] - truth).max()
                assert off > STILL * clip.skeleton.size, f"{contact.foot} {part} still stands at frame {frame}"


@every_motion
def test_contacts_come_in_order_inside_the_clip(make: Make) -> None:
    motion = make()
    last = motion.clip.frames - 1
    for contact in motion.contacts:
        assert 0 <= contact.heel_strike <= contact.toe_strike <= contact.heel_off <= contact.toe_off <= last
        assert contact.heel[1] == pytest.approx(0.0, abs=1e-12)
    begins = [contact.heel_strike for contact in motion.contacts]
    assert begins == sorted(begins)


@every_motion
@pytest.mark.parametrize("fps", [30.0, 240.0])
def test_nothing_is_below_the_floor(make: Make, fps: float) -> None:
    clip = make(fps=fps).clip
    assert soles(clip).min() > -1e-12


@every_motion
def test_motion_is_smooth(make: Make) -> None:
    """Where position or speed jumped, accelerations would grow with the rate; where they jumped themselves, what they
    change by from frame to frame would not shrink with it."""
    coarse, fine = (angular_accelerations(make(fps=fps).clip) for fps in (300.0, 1200.0))
    sizes = [np.linalg.norm(of_rate, axis=-1).max() for of_rate in (coarse, fine)]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)
    changes = [np.linalg.norm(np.diff(of_rate, axis=0), axis=-1).max(axis=0) for of_rate in (coarse, fine)]
    assert (changes[1] < 0.35 * changes[0] + 1e-3).all(), "a quarter of the time should quarter the change"


@pytest.mark.parametrize("make", [synthetic.walk, kick])
def test_joints_stay_within_anatomical_ranges(make: Make) -> None:
    clip = make().clip
    limited = synthetic.human(limits=True)
    for joint, limit in limited.limits.items():
        assert isinstance(limit, solver.BallLimit)
        excess = limit.excess(clip.motion.rotations[:, joint])
        assert (excess <= 0.0).all(), f"{limited.names[joint]} by {np.rad2deg(excess.max()):.1f} degrees"


@every_motion
def test_bones_keep_their_lengths(make: Make) -> None:
    clip = make().clip
    assert np.array_equal(clip.motion.translations[:, 1:], np.tile(clip.skeleton.offsets[1:], (clip.frames, 1, 1)))


@every_motion
def test_neighbouring_quaternions_have_the_same_sign(make: Make) -> None:
    q = make(heading=3.0).clip.motion.rotations
    assert (np.einsum("fji,fji->fj", q[1:], q[:-1]) > 0.9).all()


@every_motion
@pytest.mark.parametrize("up", ["y", "z"])
def test_heading_turns_the_whole_motion(make: Make, up: Up) -> None:
    straight, turned = make(up=up), make(up=up, heading=2.1)
    skeleton = straight.clip.skeleton
    turn = rotations.exp(2.1 * np.eye(3)[skeleton.up_axis])
    assert np.allclose(turned.clip.world.positions, rotations.rotate(turn, straight.clip.world.positions), atol=1e-12)
    for mine, theirs in zip(turned.contacts, straight.contacts, strict=True):
        assert np.allclose(mine.heel, rotations.rotate(turn, theirs.heel), atol=1e-12)
        assert np.allclose(mine.toe, rotations.rotate(turn, theirs.toe), atol=1e-12)


@every_motion
def test_z_up_is_the_same_motion(make: Make) -> None:
    y_up, z_up = make(), make(up="z")
    assert z_up.clip.up == "z"
    drawn = upright(z_up.clip.skeleton, z_up.clip.world.positions)
    assert np.allclose(drawn, y_up.clip.world.positions, atol=1e-12)


@every_motion
@pytest.mark.parametrize("factor", [0.6, 100.0])
def test_any_stature_moves_alike(make: Make, factor: float) -> None:
    usual, other = make(), make(synthetic.human().scaled(factor))
    assert np.allclose(other.clip.world.positions, factor * usual.clip.world.positions, atol=1e-10 * factor)
    assert np.allclose(np.abs(other.clip.motion.rotations), np.abs(usual.clip.motion.rotations), atol=1e-9)
    assert [contact.toe_off for contact in other.contacts] == [contact.toe_off for contact in usual.contacts]


@every_motion
def test_hinged_knees_and_elbows_only_bend(make: Make) -> None:
    skeleton = synthetic.human(hinges=True)
    motion = make(skeleton)
    for joint, kind in enumerate(skeleton.kinds):
        if kind is solver.JointKind.HINGE:
            swing, _ = rotations.swing_twist(motion.clip.motion.rotations[:, joint], skeleton.hinge_axes[joint])
            assert np.abs(rotations.log(swing)).max() < 1e-9, skeleton.names[joint]
    for name, places, truth in held(motion):
        assert np.abs(places - truth).max() < STILL * skeleton.size, name


@every_motion
def test_the_same_call_gives_the_same_motion(make: Make) -> None:
    one, other = make(), make()
    assert np.array_equal(one.clip.motion.rotations, other.clip.motion.rotations)
    assert np.array_equal(one.clip.motion.translations, other.clip.motion.translations)


@every_motion
@pytest.mark.parametrize("wrong", [{"fps": 0.0}, {"fps": np.nan}, {"heading": np.inf}])
def test_impossible_requests_are_refused(make: Make, wrong: dict[str, float]) -> None:
    with pytest.raises(MotionError):
        make(**wrong)


def test_only_the_made_up_human_moves_so() -> None:
    with pytest.raises(solver.PoiseError):
        synthetic.walk(synthetic.chain(3))


# The walk ------------------------------------------------------------------------------------------------------------


def captured(mocap: Path) -> solver.Clip:
    """A captured walk at 30 frames a second, without the calibration pose before it."""
    clip = solver.read_bvh(mocap / "02_01.bvh")
    return solver.Clip(clip.skeleton, solver.Motion(clip.motion.rotations[1::4], clip.motion.translations[1::4]), 30.0)


def test_a_walk_accelerates_like_a_captured_one(mocap: Path) -> None:
    real, made = accelerations(captured(mocap)).max(), accelerations(synthetic.walk().clip).max()
    assert 0.25 * real < made < real


def test_a_walk_bends_knees_like_a_captured_one(mocap: Path) -> None:
    """Bent when the heel strikes, more so under load, nearly straight before the other strikes, most in the swing."""

    def knee(clip: solver.Clip) -> Array:
        marks = clip.skeleton.landmarks
        hip, knee, ankle = (clip.position(marks.require(f"left_{joint}")) for joint in ("hip", "knee", "ankle"))
        upper, lower = (bone / np.linalg.norm(bone, axis=1, keepdims=True) for bone in (knee - hip, ankle - knee))
        return np.rad2deg(np.arccos(np.einsum("fi,fi->f", upper, lower)))

    real = knee(solver.read_bvh(mocap / "02_01.bvh"))[138:271]  # from one strike of the left heel to the next
    fps = (len(real) - 1) / (2.0 * 0.72 / 1.3)
    made = knee(synthetic.walk(fps=fps).clip)[33 : 33 + len(real)]
    assert np.sqrt(np.mean((made - real) ** 2)) < 9.0
    assert np.corrcoef(made, real)[0, 1] > 0.9


def test_a_walk_has_a_contact_for_each_step_and_one_more() -> None:
    for steps in (1, 2, 5):
        motion = synthetic.walk(steps=steps)
        assert [contact.foot for contact in motion.contacts] == [("right", "left")[n % 2] for n in range(steps + 1)]
        assert motion.contacts[0].toe_strike == 0
        assert motion.contacts[-1].heel_off == motion.contacts[-1].toe_off == motion.clip.frames - 1


@pytest.mark.parametrize(("step_length", "speed"), [(0.72, 1.3), (0.5, 0.7), (0.35, 0.4), (0.85, 1.8)])
def test_a_walk_is_as_fast_and_as_long_in_step_as_asked(step_length: float, speed: float) -> None:
    motion = synthetic.walk(step_length=step_length, speed=speed, fps=60.0)
    clip, size = motion.clip, motion.clip.skeleton.size
    places = np.array([contact.heel for contact in motion.contacts])
    assert np.diff(places[:, 2]) / size == pytest.approx(step_length)
    travelled = (clip.position(0)[-1, 2] - clip.position(0)[0, 2]) / size
    assert travelled / ((clip.frames - 1) / clip.fps) == pytest.approx(speed, rel=0.02)
    assert soles(clip).min() > -1e-12
    for name, standing, truth in held(motion):
        assert np.abs(standing - truth).max() < STILL * size, name


def test_both_feet_carry_between_steps_and_never_none() -> None:
    motion = synthetic.walk()
    carrying = np.zeros(motion.clip.frames, dtype=int)
    for contact in motion.contacts:
        carrying[contact.heel_strike : contact.toe_off + 1] += 1
    assert set(carrying) == {1, 2}
    assert 0.1 < (carrying == 2).mean() < 0.35


def test_left_steps_mirror_right_steps() -> None:
    """At a rate with a whole number of frames a step, each step is the mirror image of the one before."""
    clip = synthetic.walk(step_length=0.65, speed=1.3, fps=60.0).clip
    size, frames_per_step = clip.skeleton.size, 30
    positions = clip.world.positions - size * 1.3 * np.arange(clip.frames)[:, None, None] / clip.fps * (0.0, 0.0, 1.0)
    names = clip.skeleton.names
    others = [clip.skeleton.index({"l_": "r_", "r_": "l_"}.get(name[:2], name[:2]) + name[2:]) for name in names]
    assert np.allclose(
        positions[frames_per_step:], positions[:-frames_per_step][:, others] * (-1.0, 1.0, 1.0), atol=1e-9
    )


def test_toes_clear_the_floor_and_bend_when_they_push_off() -> None:
    motion = synthetic.walk(fps=120.0)
    clip = motion.clip
    contact, following = motion.contacts[1], motion.contacts[3]
    swing = slice(contact.toe_off + 6, following.heel_strike - 6)
    heights = soles(clip)[:3, swing]
    assert heights.min() > 0.004 * clip.skeleton.size
    toes = rotations.log(clip.motion.rotations[:, clip.skeleton.index("l_metatarsal")])
    assert np.rad2deg(toes[contact.toe_off, 0]) < -35.0


def test_arms_swing_against_the_legs() -> None:
    clip = synthetic.walk().clip
    for side in ("l_", "r_"):
        wrist, ankle = ((clip.position(side + end) - clip.position(0))[:, 2] for end in ("wrist", "talocrural"))
        assert np.corrcoef(wrist, ankle)[0, 1] < -0.8
        assert np.ptp(wrist) > 0.25 * clip.skeleton.size


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"steps": 2.5}, {"step_length": 2.5}, {"speed": -1.0}, {"skate": 0.5}])
def test_an_impossible_walk_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MotionError):
        synthetic.walk(**wrong)


# The kick ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
def test_a_kick_reaches_hip_height_when_it_says(fps: float) -> None:
    motion = kick(fps=fps)
    clip = motion.clip
    ankle, hip = (clip.position(joint)[:, 1] for joint in ("l_talocrural", "l_hip"))
    assert abs(int(ankle.argmax()) - motion.kick_frame) <= 0.01 * fps + 0.5
    assert ankle[motion.kick_frame] == pytest.approx(hip[motion.kick_frame], abs=0.05 * clip.skeleton.size)


def test_a_kick_swings_back_first_and_ends_as_it_began() -> None:
    motion = kick()
    clip = motion.clip
    ankle = (clip.position("l_talocrural") - clip.position("l_hip"))[:, 2] / clip.skeleton.size
    back = int(ankle.argmin())
    assert ankle[back] < -0.3
    assert motion.contacts[1].toe_off < back < motion.kick_frame < motion.contacts[2].heel_strike
    assert ankle[motion.kick_frame] > 0.7
    assert np.allclose(clip.world.positions[-1], clip.world.positions[0], atol=1e-12)


def test_a_kicker_stands_on_the_right_foot_and_is_balanced() -> None:
    motion = kick()
    clip, marks = motion.clip, motion.clip.skeleton.landmarks
    right, left, landed = motion.contacts
    assert [contact.foot for contact in motion.contacts] == ["right", "left", "left"]
    assert (right.heel_strike, right.toe_off) == (0, clip.frames - 1)
    alone = slice(left.toe_off + 4, landed.heel_strike - 8)
    center = clip.center_of_mass()[alone]
    foot = 0.5 * (clip.position(marks.require("right_heel")) + clip.position(marks.require("right_toe")))[alone]
    assert np.abs((center - foot)[:, [0, 2]]).max() < 0.07 * clip.skeleton.size


# The golf swing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("fps", [22.0, 30.0])
def test_the_hands_stay_together_on_the_club(up: Up, fps: float) -> None:
    motion = golf_swing(up=up, fps=fps, heading=0.7)
    clip = motion.clip
    left, right = clip.orientation("l_wrist"), clip.orientation("r_wrist")
    apart = rotations.rotate(rotations.conjugate(left), clip.position("r_wrist") - clip.position("l_wrist"))
    assert np.abs(apart - motion.grip).max() < STILL * clip.skeleton.size
    assert 0.05 < np.linalg.norm(motion.grip) / clip.skeleton.size < 0.2
    assert rotations.angle_between(left, right).max() < 1e-7


def test_a_golf_swing_goes_back_down_and_through() -> None:
    motion = golf_swing()
    clip, size = motion.clip, motion.clip.skeleton.size
    assert clip.frames == 66
    hands = clip.position("l_wrist")
    top, impact = int(hands[: motion.impact_frame, 1].argmax()), motion.impact_frame
    assert hands[top, 0] < -0.3 * size, "back is to the player's right"
    assert hands[-1, 0] > 0.3 * size, "through is to the left"
    assert min(hands[top, 1], hands[-1, 1]) > hands[impact, 1] + 0.3 * size
    assert np.linalg.norm(hands[impact] - hands[0]) < 0.15 * size, "the ball is hit where it was addressed"
    assert impact - top < 0.5 * top, "down is quicker than back"


def test_a_golfer_turns_the_trunk() -> None:
    clip = golf_swing().clip
    across = clip.position("l_shoulder") - clip.position("r_shoulder")
    turn = np.rad2deg(np.arctan2(-across[:, 2], across[:, 0]))
    assert turn.min() < -50.0
    assert turn.max() > 50.0
    hips = clip.position("l_hip") - clip.position("r_hip")
    turn_of_hips = np.rad2deg(np.arctan2(-hips[:, 2], hips[:, 0]))
    assert np.abs(turn_of_hips).max() < np.abs(turn).max()


# Skating -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amount", [0.005, 0.02, 0.06])
@pytest.mark.parametrize("seed", [0, 7])
def test_feet_skate_as_much_as_asked_and_the_truth_stays(amount: float, seed: int) -> None:
    clean, spoiled = synthetic.walk(), synthetic.walk(skate=amount, seed=seed)
    for mine, theirs in zip(spoiled.contacts, clean.contacts, strict=True):
        assert np.array_equal(mine.heel, theirs.heel)
        assert np.array_equal(mine.toe, theirs.toe)
    squares = np.concatenate([((places - truth) ** 2).sum(axis=1) for _, places, truth in held(spoiled)])
    size = spoiled.clip.skeleton.size
    assert np.sqrt(squares.mean()) == pytest.approx(amount * size, rel=0.01)
    moved = [np.ptp(places, axis=0).max() for _, places, _ in held(spoiled)]
    assert np.median(moved) > 0.3 * amount * size, "feet must slide during a plant, not only stand elsewhere"


def test_skating_is_smooth_and_of_its_seed() -> None:
    clean, one, other = synthetic.walk(), synthetic.walk(skate=0.02), synthetic.walk(skate=0.02, seed=1)
    assert np.array_equal(one.clip.motion.rotations, synthetic.walk(skate=0.02).clip.motion.rotations)
    assert np.abs(one.clip.motion.rotations - other.clip.motion.rotations).max() > 1e-3
    assert accelerations(one.clip).max() < 1.2 * accelerations(clean.clip).max()
    half = synthetic.walk(skate=0.02, fps=60.0).clip.motion.rotations[::2]
    assert np.abs(half - one.clip.motion.rotations[: len(half)]).max() < 2e-3, "a fault belongs to time, not to frames"


# Curves --------------------------------------------------------------------------------------------------------------


def test_a_curve_passes_its_knots_and_rests_at_its_ends() -> None:
    rng = np.random.default_rng(4)
    knots = np.cumsum(rng.uniform(0.1, 1.0, 7))
    values = rng.normal(size=(7, 3))
    curve = SmoothCurve(knots, values)
    assert np.allclose(curve(knots), values, atol=1e-9)
    for order in (1, 2):
        assert np.abs(curve.derivative(knots[[0, -1]], order)).max() < 1e-7
    assert np.array_equal(curve([knots[0] - 1.0, knots[-1] + 1.0]), values[[0, -1]])
    assert np.array_equal(curve.derivative([knots[0] - 1.0, knots[-1] + 1.0]), np.zeros((2, 3)))


def test_a_curve_has_the_derivatives_that_it_says_and_those_asked_for() -> None:
    rng = np.random.default_rng(5)
    begin, end = rng.normal(size=(2, 2))
    curve = SmoothCurve(np.array([1.0, 1.4, 3.0]), rng.normal(size=3), begin=begin, end=end)
    assert [curve.derivative(np.array([1.0]), order)[0] for order in (1, 2)] == pytest.approx(list(begin))
    assert [curve.derivative(np.array([3.0]), order)[0] for order in (1, 2)] == pytest.approx(list(end))
    times, step = np.linspace(1.1, 2.9, 50), 1e-4
    around = [curve(times + shift) for shift in (-step, 0.0, step)]
    assert np.allclose((around[2] - around[0]) / (2.0 * step), curve.derivative(times), atol=1e-5)
    assert np.allclose((around[2] - 2.0 * around[1] + around[0]) / step**2, curve.derivative(times, 2), atol=1e-4)


@pytest.mark.parametrize(("knots", "values"), [([0.0], [1.0]), ([0.0, 0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0])])
def test_an_impossible_curve_is_refused(knots: list[float], values: list[float]) -> None:
    with pytest.raises(MotionError):
        SmoothCurve(np.array(knots), np.array(values))
