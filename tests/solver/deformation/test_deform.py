# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming a clip: other frames and joints stay the same, targets are met, solving again agrees with solving anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from poise.examples.kick import kick
from poise.solver.body.anatomical_limits import with_anatomical_limits
from poise.solver.body.clip import Clip
from poise.solver.body.limits import BallLimit
from poise.solver.body.motion import Motion
from poise.solver.body.moving_ground import over_ground
from poise.solver.body.skeleton import Skeleton
from poise.solver.cleanup.metrics import joint_jumps
from poise.solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    Footplant,
    OrientationConstraint,
    ShapeConstraint,
)
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError, PoiseError
from poise.solver.core.progress import Stage
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.deform import REACHED, Deformation, deform, deforming
from poise.solver.deformation.limit_rows import Limits
from poise.solver.deformation.passes.draft import LONGEST_TRANSITION
from poise.solver.deformation.settings import DeformSettings, Tolerances
from poise.solver.synthetic import SyntheticMotion, human, walk

from ..in_place import Ends, InPlace, walk_in_place
from ..made_up import placed, plant_of
from .test_loops import swaying


@pytest.fixture(scope="module")
def steps() -> SyntheticMotion:
    """A walk at a rate at which a coarse solution comes first."""
    return walk(steps=4, fps=60.0, skate=0.01)


@pytest.fixture(scope="module")
def plants(steps: SyntheticMotion) -> list[Footplant]:
    return [plant_of(contact, priority=10, name=f"step {n}") for n, contact in enumerate(steps.contacts)]


@pytest.fixture(scope="module")
def enforced(steps: SyntheticMotion, plants: list[Footplant]) -> Deformation:
    return deform(steps.clip, [*plants, Balance(priority=5)])


def reach(clip: Clip, frame: int, by: Sequence[float], **rest: object) -> ShapeConstraint:
    """The left wrist passes some sizes away from where it was at a frame, eased over 12 frames."""
    wrist = clip.skeleton.names[clip.skeleton.landmarks.left_wrist]  # type: ignore[index]
    place = clip.position(wrist)[frame] + clip.skeleton.size * np.asarray(by)
    points = [ConstraintPoint(place, frame, frame + 6)]
    settings = {"mode": "condensed", "name": "reach", **rest}
    return ShapeConstraint(wrist, frame - 12, frame + 18, points, **settings)  # type: ignore[arg-type]


def same_frames(one: Clip, other: Clip) -> Array:
    """(frames,) where two motions are bit for bit the same."""
    return (one.motion.rotations == other.motion.rotations).all(axis=(1, 2)) & (
        one.motion.translations == other.motion.translations
    ).all(axis=(1, 2))


def farthest(one: Clip, other: Clip) -> float:
    """How far apart two motions are: the largest distance of any joint, in sizes of the character."""
    return float(np.abs(one.world.positions - other.world.positions).max() / one.skeleton.size)


# What no constraint moves -----------------------------------------------------------------------------------------


def test_without_constraints_the_result_is_the_source(steps: SyntheticMotion) -> None:
    result = deform(steps.clip, [])
    assert same_frames(result.clip, steps.clip).all()
    assert not result.solved.any()
    assert not result.report.conflicts


def test_frames_out_of_reach_and_joints_that_are_not_recruited_stay_bit_for_bit(steps: SyntheticMotion) -> None:
    clip = steps.clip
    result = deform(clip, [reach(clip, 40, (0.1, 0.2, 0.1), recruit=2)]).clip
    same = same_frames(result, clip)
    assert same[:28].all() and same[59:].all(), "frames that no constraint reaches were changed"
    assert not same[40:47].any(), "the constraint did nothing"
    skeleton = clip.skeleton
    chain = skeleton.tree.chain(skeleton.landmarks.left_wrist)[:3]  # type: ignore[arg-type]
    others = np.setdiff1d(np.arange(len(skeleton)), chain)
    np.testing.assert_array_equal(result.motion.rotations[:, others], clip.motion.rotations[:, others])
    np.testing.assert_array_equal(result.motion.translations, clip.motion.translations)


def test_the_source_is_not_touched(steps: SyntheticMotion, plants: list[Footplant]) -> None:
    before = steps.clip.motion.rotations.copy()
    deform(steps.clip, plants)
    np.testing.assert_array_equal(steps.clip.motion.rotations, before)


# What constraints require -----------------------------------------------------------------------------------------


def test_plants_stand_still(steps: SyntheticMotion, plants: list[Footplant], enforced: Deformation) -> None:
    clip, size = enforced.clip, enforced.clip.skeleton.size
    for plant in plants:
        for part, (begin, end) in plant.stays.items():
            path = clip.position(getattr(clip.skeleton.landmarks, f"{plant.foot}_{part}"))[int(begin) : int(end) + 1]
            strays = float(np.linalg.norm(path - path[0], axis=1).max() / size)
            assert strays < 1e-5, f"the {part} of {plant.label} moves by {strays:.1e} sizes while it stands"
    assert enforced.converged.all()
    assert max(residual.worst for residual in enforced.report.residuals) < 1e-5 * size


def test_the_balance_is_kept_where_plants_move(steps: SyntheticMotion, plants: list[Footplant]) -> None:
    size = steps.clip.skeleton.size
    moved = [plant.moved((0.05 * size, 0.0, 0.0)) if number == 2 else plant for number, plant in enumerate(plants)]
    balance = Balance(priority=5)
    result = deform(steps.clip, [*moved, balance])
    marks = steps.clip.skeleton.landmarks
    points = [marks.left_heel, marks.left_toe, marks.right_heel, marks.right_toe]

    def over_the_feet(clip: Clip) -> Array:
        return clip.center_of_mass() - np.mean([clip.position(point) for point in points], axis=0)  # type: ignore[arg-type]

    strays = np.abs(over_the_feet(result.clip) - over_the_feet(steps.clip))[:, [0, 2]].max() / size
    assert strays < 1e-5, f"the centre of mass strays by {strays:.1e} sizes from its place over the feet"


def test_the_more_important_holds_with_and_without_the_other(steps: SyntheticMotion, plants: list[Footplant]) -> None:
    clip, size = steps.clip, steps.clip.skeleton.size
    away = reach(clip, 40, (0.0, 1.5, 3.0), priority=1)
    for lower in ([], [away]):
        result = deform(clip, [*plants, *lower])
        worst = max(result.report.residual(plant).worst for plant in plants)
        assert worst < 1e-5 * size, f"plants miss by {worst / size:.1e} sizes {'against the reach' if lower else ''}"


def test_a_less_important_constraint_of_earlier_frames_does_not_disturb_a_more_important_one() -> None:
    frames = 17
    time = np.arange(frames) / frames
    body = Skeleton(("root", "b"), [-1, 0], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], set_masses={0: 1.0, 1: 1.0})
    turned = np.tile(rotations.IDENTITY, (frames, 2, 1))
    turned[:, 0] = rotations.from_axis_angle((1.0, 0.0, 0.0), 1.5 * np.sin(2 * np.pi * (2 * time + 0.25)))
    clip = Clip(body, Motion(turned, np.tile(body.offsets, (frames, 1, 1))), 30.0)
    target = ConstraintPoint(rotations.from_axis_angle((1.0, 0.0, 0.0), 2.0), 5, 7)
    lower = OrientationConstraint("b", 4, 8, [target], mode="relative", priority=0)
    higher = Balance(points=["b"], begin=9, end=13, priority=2)
    assert deform(clip, [higher]).report.residual(higher).worst < 1e-6
    assert deform(clip, [higher, lower]).report.residual(higher).worst < 1e-6


@pytest.mark.parametrize(("holding", "pulling"), [(1, 2), (2, 1), (1, 1)])
def test_a_target_out_of_reach_moves_no_joint_that_only_others_recruit(holding: int, pulling: int) -> None:
    """Two arms on a fixed base: one is pulled far out of reach, the other reaches its target as it does alone."""
    arms = {side: [f"{side} {number}" for number in range(4)] for side in ("left", "right")}
    bones = np.array([[0.1, 0.0, 0.0], [0.4, 0.1, 0.0], [0.4, -0.1, 0.1], [0.3, 0.0, 0.0]])
    offsets = np.concatenate([np.zeros((1, 3)), bones, bones * (-1.0, 1.0, 1.0)])
    names, parents = ("base", *arms["left"], *arms["right"]), [-1, 0, 1, 2, 3, 0, 5, 6, 7]
    body = Skeleton(names, parents, offsets, kinds=("fixed", *["ball"] * 8))  # type: ignore[arg-type]
    frames, joints = np.arange(30), np.arange(9)[:, None]
    bends = 0.3 * np.sin(0.2 * frames[:, None, None] + joints + np.arange(3)) * (joints > 0)
    clip = Clip(body, Motion(rotations.exp(bends), np.tile(offsets, (30, 1, 1))), 30.0)

    def reaching(side: str, by: tuple[float, float, float], priority: int) -> ShapeConstraint:
        end = arms[side][-1]
        point = ConstraintPoint(clip.position(end)[10] + np.array(by), 10, 20)
        return ShapeConstraint(end, 5, 25, [point], mode="relative", priority=priority, recruit=arms[side])

    held = reaching("left", (0.02, 0.0, 0.03), holding)
    alone = deform(clip, [held]).clip
    both = deform(clip, [held, reaching("right", (-5.0, 0.0, 0.0), pulling)]).clip
    left = [body.index(joint) for joint in arms["left"]]
    apart = rotations.angle_between(alone.motion.rotations[:, left], both.motion.rotations[:, left]).max()
    # The far target is approached by other steps, which leave the draft at rest by a degree or two elsewhere.
    assert np.rad2deg(apart) < 2.5, f"the left arm turns by {np.rad2deg(apart):.1f} degrees for the right one"


def test_smoothing_keeps_joints_within_their_limits() -> None:
    limit = BallLimit((0.0, 1.0, 0.0), twist=(-0.4, 0.4))
    offsets = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    body = Skeleton(("a", "b"), [-1, 0], offsets, kinds=("fixed", "ball"), limits={1: limit})  # type: ignore[arg-type]
    frames = 40
    turned = np.tile(rotations.IDENTITY, (frames, 2, 1))
    turned[:, 1] = rotations.from_axis_angle((1.0, 0.0, 0.0), 2.0 * np.sin(2 * np.pi * 0.05 * np.arange(frames)))
    clip = Clip(body, Motion(turned, np.tile(body.offsets, (frames, 1, 1))), 30.0)
    target = rotations.from_axis_angle(np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0), 2.0)
    result = deform(clip, [OrientationConstraint("b", 9, 25, [ConstraintPoint(target, 12, 18)])]).clip
    assert limit.excess(result.motion.rotations[:, 1]).max() < 1e-6


@pytest.mark.parametrize("apart", [0.0, 0.04])
def test_plants_that_follow_each_other_at_once_do_not_jump(apart: float) -> None:
    """One plant as two, the second from the frame after the first on, at almost the same place or a little beside."""
    motion = walk(steps=4, fps=120.0, skate=0.01)
    clip = motion.clip
    plants = [plant_of(contact, priority=10) for contact in motion.contacts]
    cut = plants.pop(2)
    middle = (cut.toe_strike + cut.heel_off) // 2  # type: ignore[operator]
    first = replace(cut, heel_off=middle, toe_off=middle)
    second = replace(cut, heel_strike=middle + 1, toe_strike=middle + 1).moved((apart * clip.skeleton.size, 0.0, 0.0))
    jump = joint_jumps(clip, deform(clip, [*plants, first, second, Balance(priority=5)]).clip)
    assert jump.ratio <= 1.5, f"{jump.joint} jumps {jump.ratio:.1f} times as far as in the source at {jump.frame}"


@pytest.mark.slow
def test_joint_limits_do_not_cost_the_more_important() -> None:
    """Out of reach and within limits the kick loses, not the foot that stands nor the balance."""
    motion = kick(human(limits=True)).clip
    part = slice(32, 42)
    clip = motion.with_motion(Motion(motion.motion.rotations[part], motion.motion.translations[part]))
    size = clip.skeleton.size
    stand = Footplant(foot="right", heel_strike=0, toe_strike=0, heel_off=9, toe_off=9, priority=3, name="stand")
    balance = Balance(priority=2)
    goal = clip.position("l_talocrural")[4] + np.array([0.0, 0.3, 0.3]) * size
    reaching = ShapeConstraint("l_talocrural", 0, 9, [ConstraintPoint(goal, 4)], "relative", priority=1, name="kick")
    report = deform(clip, [stand, balance, reaching]).report
    for satisfied in (stand, balance):
        assert report.residual(satisfied).worst < 1e-3 * size, f"{satisfied.label} is missed"
    assert report.residual(reaching).worst > 1e-2 * size, "the kick should be out of reach"


def test_nothing_pops(steps: SyntheticMotion, enforced: Deformation) -> None:
    def largest(clip: Clip) -> Array:
        turned = clip.motion.rotations
        velocities = rotations.log(rotations.multiply(turned[1:], rotations.conjugate(turned[:-1])))
        return np.linalg.norm(np.diff(velocities, axis=0), axis=-1).max(axis=0)

    before, after = largest(steps.clip), largest(enforced.clip)
    assert after.max() < 1.3 * before.max()
    allowed = 1.3 * np.maximum(before, 0.1 * before.max())  # joints that were still may move, if no one can see it
    worst = int(np.argmax(after / allowed))
    name = steps.clip.skeleton.names[worst]
    assert after[worst] < allowed[worst], f"{name} accelerates by {after[worst]} after {before[worst]}"


def test_a_constraint_that_sets_in_on_a_moved_body_does_not_jump(steps: SyntheticMotion) -> None:
    """A reach lifts the whole body; a hold of the other hand that begins and ends meanwhile must not pull it back."""
    clip, size = steps.clip, steps.clip.skeleton.size
    hips, wrist = clip.skeleton.names[0], clip.skeleton.names[clip.skeleton.landmarks.right_wrist]  # type: ignore[index]
    lifted = [ConstraintPoint(clip.position(hips)[30] + 0.05 * size, 30, 80)]
    lift = ShapeConstraint(hips, 10, 100, lifted, "relative", priority=9)
    place = clip.position(wrist)[52] + np.array([0.0, 0.05, 0.1]) * size
    hold = ShapeConstraint(wrist, 40, 70, [ConstraintPoint(place, 52, 56)], "condensed", priority=8)
    result = deform(clip, [lift, hold], settings=DeformSettings()).clip
    steps_of_wrist = np.linalg.norm(np.diff(result.position(wrist) - clip.position(wrist), axis=0), axis=1) / size
    changes = np.abs(np.diff(steps_of_wrist))[[38, 39, 69, 70]]
    assert changes.max() < 4e-3, f"the wrist jumps by {changes} sizes where its hold sets in and ends"
    assert steps_of_wrist.max() < 0.05


# Solving again ------------------------------------------------------------------------------------------------------


def test_solving_again_agrees_with_solving_anew(
    steps: SyntheticMotion, plants: list[Footplant], enforced: Deformation
) -> None:
    size = steps.clip.skeleton.size
    constraints: list[Constraint] = [*plants, Balance(priority=5)]
    constraints[1] = plants[1].moved((0.0, 0.0, 0.04 * size))
    again = enforced.again([*constraints[:-1], enforced.constraints[-1]])
    anew = deform(steps.clip, constraints)
    assert farthest(again.clip, anew.clip) < 2e-3
    assert max(residual.worst for residual in again.report.residuals) < 1e-5 * size


def test_solving_again_touches_only_what_a_change_reaches(plants: list[Footplant], enforced: Deformation) -> None:
    size = enforced.clip.skeleton.size
    changed = list(enforced.constraints)
    changed[1] = plants[1].moved((0.0, 0.0, 0.04 * size))
    again = enforced.again(changed)
    same = same_frames(again.clip, enforced.clip)
    assert (same | again.solved).all(), "a frame was changed that was not solved"
    reached = int(plants[3].toe_strike) + round(REACHED * LONGEST_TRANSITION * enforced.clip.fps)  # type: ignore[arg-type]
    assert not again.solved[reached:].any(), "the change should end some time after the foot stands again"
    assert again.solved.any()


def test_solving_again_without_a_change_solves_nothing(enforced: Deformation) -> None:
    again = enforced.again(enforced.constraints)
    assert not again.solved.any()
    assert same_frames(again.clip, enforced.clip).all()


def test_taking_all_constraints_away_brings_the_source_back(steps: SyntheticMotion, enforced: Deformation) -> None:
    assert same_frames(enforced.again([]).clip, steps.clip).all()


def test_moving_a_plant_away_and_back_is_no_change(plants: list[Footplant], enforced: Deformation) -> None:
    size = enforced.clip.skeleton.size
    changed = list(enforced.constraints)
    changed[2] = plants[2].moved((0.06 * size, 0.0, 0.0))
    back = enforced.again(changed).again(enforced.constraints)
    assert farthest(back.clip, enforced.clip) < 2e-3


# Step by step -------------------------------------------------------------------------------------------------------


def test_progress_is_told_and_a_coarse_result_comes_first(steps: SyntheticMotion, plants: list[Footplant]) -> None:
    stages = []
    solving = deforming(steps.clip, [*plants, Balance(priority=5)])
    coarse: Clip | None = None
    while True:
        try:
            progress = next(solving)
        except StopIteration as stop:
            final: Deformation = stop.value
            break
        assert 0.0 <= progress.share <= 1.0
        if progress.stage == Stage.COARSE and progress.share == 1.0:
            coarse = progress.clip
        stages.append(progress.stage)
    assert stages.index(Stage.COARSE) < stages.index(Stage.SOLVING)
    assert coarse is not None
    assert farthest(coarse, final.clip) < 0.05, "the coarse result should show what is coming"


def test_a_solve_can_be_given_up(steps: SyntheticMotion, plants: list[Footplant]) -> None:
    before = steps.clip.motion.rotations.copy()
    solving = deforming(steps.clip, plants)
    next(solving)
    solving.close()
    np.testing.assert_array_equal(steps.clip.motion.rotations, before)


def test_each_frame_from_the_one_before_comes_to_the_same(steps: SyntheticMotion, plants: list[Footplant]) -> None:
    """Sequential frames, in which feet follow paths in the air too, come near; targets in hold intervals are met."""
    few = walk(steps=1, fps=30.0, skate=0.01)
    constraints = [*(plant_of(contact, priority=10) for contact in few.contacts), Balance(priority=5)]
    together = deform(few.clip, constraints)
    in_turn = deform(few.clip, constraints, settings=DeformSettings(coherence="sequential"))
    assert farthest(together.clip, in_turn.clip) < 1e-2
    assert max(residual.worst for residual in in_turn.report.residuals) < 1e-5 * few.clip.skeleton.size


# Invariance ---------------------------------------------------------------------------------------------------------


def test_scale_place_and_heading_do_not_matter() -> None:
    few = walk(steps=1, fps=30.0, skate=0.01)
    clip, size = few.clip, few.clip.skeleton.size
    constraints: list[Constraint] = [plant_of(contact, priority=10) for contact in few.contacts]
    shift = np.array([0.03, 0.0, 0.05]) * size
    result = deform(clip, [constraints[0], plant_of(few.contacts[1], priority=10).moved(shift), Balance(priority=5)])

    scaled_skeleton = clip.skeleton.scaled(100.0)
    scaled = Clip(scaled_skeleton, Motion(clip.motion.rotations, 100.0 * clip.motion.translations), clip.fps)
    other = deform(
        scaled, [constraints[0], plant_of(few.contacts[1], priority=10).moved(100.0 * shift), Balance(priority=5)]
    )
    assert np.abs(other.clip.world.positions / 100.0 - result.clip.world.positions).max() < 1e-5 * size

    turn, away = rotations.exp(np.array([0.0, 1.1, 0.0])), np.array([1000.0, 0.0, -500.0])
    elsewhere = placed(clip, turn, away)
    moved_plant = plant_of(few.contacts[1], priority=10).moved(rotations.rotate(turn, shift))
    other = deform(elsewhere, [constraints[0], moved_plant, Balance(priority=5)])
    back = rotations.rotate(rotations.conjugate(turn), other.clip.world.positions - away)
    assert np.abs(back - result.clip.world.positions).max() < 1e-4 * size


# Bad input ----------------------------------------------------------------------------------------------------------


def test_errors_come_before_anything_is_solved(steps: SyntheticMotion) -> None:
    clip = steps.clip
    wrong = ShapeConstraint("no such joint", 0, 10, [ConstraintPoint((0, 0, 0), 5)], name="lost")
    with pytest.raises(ConstraintError, match="lost"):
        deforming(clip, [wrong])
    with pytest.raises(PoiseError, match="here"):
        deforming(clip, [Balance(recruit=3, name="here")])
    with pytest.raises(ConstraintError, match="by constraints, not by 'plant'"):
        deforming(clip, ["plant"])  # type: ignore[list-item]


def test_a_clip_without_frames_and_one_of_a_single_frame(steps: SyntheticMotion) -> None:
    clip = steps.clip
    motion = clip.motion
    with pytest.raises(ConstraintError, match="no frames"):
        deform(clip.with_motion(Motion(motion.rotations[:0], motion.translations[:0])), [])
    still = clip.with_motion(Motion(motion.rotations[:1], motion.translations[:1]))
    hips = clip.skeleton.names[0]
    place = still.position(hips)[0] + 0.05 * clip.skeleton.size
    result = deform(still, [ShapeConstraint(hips, 0, 0, [ConstraintPoint(place, 0)])])
    np.testing.assert_allclose(result.clip.position(hips)[0], place, atol=1e-6 * clip.skeleton.size)


# Loops ---------------------------------------------------------------------------------------------------------------

POSE_MEETS = 1e-6
"""Sizes of the character: how far first and last frame of a result may be from meeting as those of the source do."""

BENDS = 1.5
"""How many times as large as elsewhere the second difference of the displacement may be where a loop begins again."""


def carried_plants(made: InPlace, **rest: object) -> list[Footplant]:
    """The true plants of a cycle in place: heel and ball that stand at the same time are one."""
    plants = []
    velocity = tuple(made.velocity.tolist())
    for foot in ("left", "right"):
        for begin, end in made.stands[foot, "toe"]:
            heels = [span for span in made.stands.get((foot, "heel"), []) if span[0] <= end and span[1] >= begin]
            heel = {"heel_strike": heels[0][0], "heel_off": heels[0][1]} if heels else {}
            plants.append(
                Footplant(  # type: ignore[call-overload]
                    foot=foot, toe_strike=begin, toe_off=end, **heel, ground_velocity=velocity, **rest
                )
            )
    return plants


def slides(clip: Clip, made: InPlace) -> float:
    """The longest way, in sizes, that a heel or a ball travels along the ground while it stands."""
    ways = []
    ground = np.arange(clip.frames)[:, None] / clip.fps * made.velocity
    for (foot, part), spans in made.stands.items():
        places = clip.position(getattr(clip.skeleton.landmarks, f"{foot}_{part}")) - ground
        ways += [np.linalg.norm(np.diff(places[begin : end + 1], axis=0), axis=1).sum() for begin, end in spans]
    return float(max(ways) / clip.skeleton.size)


def seam(source: Clip, result: Clip, closes: bool) -> tuple[float, float]:
    """How far the ends of a result are from meeting as those of the source do, in sizes; and how much larger than
    elsewhere the second difference of what was added to the source is there."""
    added = (result.world.positions - source.world.positions) / source.skeleton.size
    once = added[:-1] if closes else added
    bends = np.linalg.norm(np.roll(once, 1, axis=0) - 2.0 * once + np.roll(once, -1, axis=0), axis=-1).max(axis=1)
    pose = float(np.abs(added[-1] - added[0]).max()) if closes else 0.0
    return pose, float(max(bends[0], bends[-1]) / bends[1:-1].max())


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
@pytest.mark.parametrize("ends", ["again", "before", "short"])
def test_a_walk_in_place_stands_on_its_ground_and_stays_a_loop(fps: float, ends: Ends) -> None:
    made = walk_in_place(fps, ends=ends, sway=0.01, first=0.25)
    swayed = made.clip
    result = deform(swayed, [*carried_plants(made), Balance(priority=0)], cyclic=True)
    assert slides(swayed, made) > 0.005
    assert slides(result.clip, made) < 1e-4
    hips = swayed.skeleton.landmarks.hips
    moved = np.linalg.norm(result.clip.world.positions[:, hips] - swayed.world.positions[:, hips], axis=1).max()
    assert moved < 0.03 * swayed.skeleton.size
    pose, bend = seam(swayed, result.clip, ends != "before")
    assert pose < POSE_MEETS
    assert bend < BENDS
    assert not result.report.conflicts


def test_a_loop_that_is_not_solved_as_one_breaks() -> None:
    made = walk_in_place(sway=0.01, first=0.25)
    pose, _ = seam(made.clip, deform(made.clip, carried_plants(made)).clip, closes=True)
    assert pose > 100.0 * POSE_MEETS


def test_an_edit_near_the_end_of_a_loop_reaches_its_begin() -> None:
    clip = swaying()
    wrist = clip.skeleton.names[clip.skeleton.landmarks.left_wrist]  # type: ignore[index]
    place = clip.position(wrist)[-1] + [0.0, 0.05, 0.0]
    last = clip.frames - 1
    held = ShapeConstraint(wrist, last - 15, last, [ConstraintPoint(place, last - 3, last)], mode="condensed")
    result = deform(clip, [held], cyclic=True)
    np.testing.assert_allclose(result.clip.position(wrist)[[0, -1]], [place, place], atol=1e-4)
    assert seam(clip, result.clip, closes=True)[0] < POSE_MEETS


def test_a_loop_without_constraints_is_the_source() -> None:
    clip = walk_in_place().clip
    result = deform(clip, [], cyclic=True)
    assert result.clip is clip and not result.report.residuals


def test_frames_of_a_loop_that_nothing_reaches_stay_bit_for_bit() -> None:
    clip = swaying(301)
    result = deform(clip, [reach(clip, 150, (0.0, 0.1, 0.0))], cyclic=True)
    same = same_frames(result.clip, clip)
    assert same[:135].all() and same[175:].all() and not same[150]
    assert len(result.solved) == len(result.converged) == clip.frames


def test_solving_a_loop_again_agrees_with_solving_it_anew() -> None:
    made = walk_in_place(sway=0.01)
    plants = carried_plants(made)
    moved = [plants[0].moved((0.03, 0.0, 0.0)), *plants[1:]]
    anew = deform(made.clip, moved, cyclic=True)
    again = deform(made.clip, plants, cyclic=True).again(moved)
    assert farthest(again.clip, anew.clip) < 1e-3
    assert again.constraints == tuple(moved)
    assert seam(made.clip, again.clip, closes=True)[0] < POSE_MEETS


def test_progress_of_a_loop_shows_the_loops_own_frames() -> None:
    made = walk_in_place(sway=0.01)
    steps = deforming(made.clip, carried_plants(made), cyclic=True)
    shown = next(steps)
    assert shown.clip.frames == made.clip.frames
    steps.close()


def test_what_is_wrong_with_the_constraints_of_a_loop_is_told_before_the_first_step() -> None:
    with pytest.raises(ConstraintError, match="not by 'nothing'"):
        deforming(walk_in_place().clip, ["nothing"], cyclic=True)  # type: ignore[list-item]


def test_a_loop_that_goes_its_way_stays_one() -> None:
    made = walk_in_place(sway=0.01, first=0.25)
    seconds = np.arange(made.clip.frames) / made.clip.fps
    clip = over_ground(made.clip, made.velocity, seconds)
    plants = [replace(plant, ground_velocity=(0.0, 0.0, 0.0)) for plant in carried_plants(made)]
    result = deform(clip, plants, cyclic=True)
    still = replace(made, clip=clip, velocity=np.zeros(3))
    assert slides(clip, still) > 0.005
    assert slides(result.clip, still) < 1e-4
    pose, bend = seam(clip, result.clip, closes=True)
    assert pose < POSE_MEETS and bend < BENDS
    # What the ground takes away changes nothing else.
    carried = deform(made.clip, carried_plants(made), cyclic=True)
    assert farthest(over_ground(carried.clip, made.velocity, seconds), result.clip) < 1e-4


# Parts of a longer motion, and constraints that need not be exact ----------------------------------------------------


def jump_at_any_frame(source: Clip, result: Clip) -> float:
    """`joint_jumps` with the first frames, which it leaves out: forwards and backwards in time."""

    def backwards(clip: Clip) -> Clip:
        return clip.with_motion(Motion(clip.motion.rotations[::-1].copy(), clip.motion.translations[::-1].copy()))

    return max(joint_jumps(source, result).ratio, joint_jumps(backwards(source), backwards(result)).ratio)


def test_kept_ends_stay_bit_for_bit_and_the_constraint_begins_and_ends_smoothly(steps: SyntheticMotion) -> None:
    clip, size, last = steps.clip, steps.clip.skeleton.size, steps.clip.frames - 1
    wrist = clip.skeleton.names[clip.skeleton.landmarks.left_wrist]  # type: ignore[index]
    by = np.array([0.05, 0.05, 0.0]) * size
    held = ShapeConstraint(wrist, 0, last, [ConstraintPoint(clip.position(wrist)[0] + by, 0, last)], "relative")
    kept, moved = (deform(clip, [held], keep_ends=keep_ends).clip for keep_ends in (True, False))
    same = same_frames(kept, clip)
    assert same[[0, -1]].all() and not same[1:-1].any()
    off = np.linalg.norm(kept.position(wrist) - clip.position(wrist) - by, axis=1) / size
    assert off[15:-15].max() < 1e-5
    left = np.sqrt(3.0) * Tolerances().corrected
    assert (np.diff(off[:15]) < left).all() and (np.diff(off[-15:]) > -left).all(), "it goes to and fro at an end"
    # Frames that are merely put back jump.
    put_back = Motion(moved.motion.rotations.copy(), moved.motion.translations.copy())
    put_back.rotations[[0, -1]], put_back.translations[[0, -1]] = (
        clip.motion.rotations[[0, -1]],
        clip.motion.translations[[0, -1]],
    )
    assert not same_frames(moved, clip)[[0, -1]].any()
    assert jump_at_any_frame(clip, clip.with_motion(put_back)) > 5.0
    assert jump_at_any_frame(clip, kept) <= 1.5


def test_the_ends_are_kept_where_a_foot_stands_and_when_solved_again(
    steps: SyntheticMotion, plants: list[Footplant], enforced: Deformation
) -> None:
    clip, size = steps.clip, steps.clip.skeleton.size
    assert not same_frames(enforced.clip, clip)[[0, -1]].any()
    first = deform(clip, [*plants, Balance(priority=5)], keep_ends=True)
    again = first.again([*plants[:2], plants[2].moved((0.0, 0.0, 0.03 * size)), *plants[3:], first.constraints[-1]])
    for result in (first, again):
        assert same_frames(result.clip, clip)[[0, -1]].all()
        assert jump_at_any_frame(clip, result.clip) <= 1.5
    middle = [plant for plant in first.constraints[:-1] if 20 < first.report.residual(plant).frames[0] < 80]
    assert middle and max(first.report.residual(plant).worst for plant in middle) < 1e-5 * size


def test_the_ends_of_a_loop_cannot_be_kept() -> None:
    with pytest.raises(ConstraintError, match="ends of a loop cannot be kept"):
        deforming(swaying(), [], cyclic=True, keep_ends=True)


def test_what_need_not_be_exact_is_met_nearly_and_as_smooth_as_the_source(
    steps: SyntheticMotion, rng: np.random.Generator
) -> None:
    """A walk that trembles, with one plant moved: who removes the tremor of the feet shakes the rest of the body."""
    size, joints = steps.clip.skeleton.size, len(steps.clip.skeleton)
    tremor = rotations.exp(0.004 * rng.standard_normal((steps.clip.frames, joints, 3)))
    trembling = Motion(rotations.multiply(steps.clip.motion.rotations, tremor), steps.clip.motion.translations)
    clip = steps.clip.with_motion(trembling)
    by = np.array([0.1, 0.0, 0.0]) * size
    jumps, added, missed = {}, {}, {}
    for exact in (True, False):
        plants = [plant_of(contact, priority=10, exact=exact) for contact in steps.contacts]
        plants[2] = plants[2].moved(tuple(by.tolist()))
        result = deform(clip, plants)
        moved = (result.clip.world.positions - clip.world.positions) / size
        added[exact] = float(np.sqrt((np.diff(moved, 2, axis=0) ** 2).mean()))
        jumps[exact] = joint_jumps(clip, result.clip).ratio
        residuals = [result.report.residual(plant).distances for plant in plants]
        missed[exact] = max(float(np.sqrt((each**2).mean())) for each in residuals) / size
        begin, end = (int(time) for time in plants[2].stays["toe"])
        toe = getattr(clip.skeleton.landmarks, f"{plants[2].foot}_toe")
        way = (result.clip.position(toe) - clip.position(toe))[begin : end + 1].mean(axis=0)
        assert np.linalg.norm(way - by) < 0.01 * size, "on the whole, the moved plant does not stand at its place"
    marks = clip.skeleton.landmarks
    points = (marks.left_heel, marks.left_toe, marks.right_heel, marks.right_toe)
    shaking = np.concatenate([clip.position(point) - steps.clip.position(point) for point in points])  # type: ignore[arg-type]
    amplitude = float(np.sqrt((shaking**2).sum(axis=1).mean())) / size
    assert missed[True] < 1e-6 and missed[False] < 1.5 * amplitude, "more is missed than the tremor"
    assert jumps[False] < 1.2 and jumps[True] > 2.0
    assert added[False] < 0.4 * added[True]


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("distance", [1.2, 2.0])
def test_a_hand_out_of_reach_disturbs_neither_plants_nor_limits(limited: bool, distance: float) -> None:
    """The hand of a walking human is held far ahead, below all plants and the balance."""
    motion = walk(steps=4, fps=60.0)
    clip = motion.clip
    if limited:
        clip = replace(clip, skeleton=with_anatomical_limits(clip.skeleton, clip.motion))
    plants = [plant_of(contact, priority=10) for contact in motion.contacts]
    balance = Balance(priority=5)
    middle, size = clip.frames // 2, clip.skeleton.size
    place = clip.position("l_wrist")[middle] + np.array([0.0, 0.0, distance * size])
    hand = ShapeConstraint(
        "l_wrist", middle - 40, middle + 40, [ConstraintPoint(place, middle - 20, middle + 20)], priority=1
    )
    result = deform(clip, [*plants, balance, hand])
    for important in (*plants, balance):
        assert result.report.residual(important).worst < 1e-6 * size
    assert result.report.residual(hand).worst > 0.02 * size
    assert result.converged.all()
    limits = Limits(Columns(clip.skeleton, np.ones(len(clip.skeleton), dtype=bool)))
    before, after = (limits.excess(each.motion) for each in (clip, result.clip))
    assert (after <= np.maximum(before, 1e-6)).all()


# Residuals in other clips --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cyclic", [False, True])
def test_residuals_are_those_of_the_clip_that_is_given(cyclic: bool) -> None:
    made = walk_in_place() if cyclic else None
    clip = made.clip if made is not None else walk(steps=2).clip
    held = reach(clip, 14, (0.0, 0.05, 0.0))
    result = deform(clip, [held], cyclic=cyclic)
    (own,) = result.residuals_in(result.clip)
    expected = result.report.residual(held)
    assert own.constraint is held
    np.testing.assert_array_equal(own.frames, expected.frames)
    np.testing.assert_allclose(own.distances, expected.distances, atol=1e-12)
    moved = result.clip.motion.translations.copy()
    moved[:, 0] += (0.0, 0.0, 0.02)
    (off,) = result.residuals_in(result.clip.with_motion(Motion(result.clip.motion.rotations, moved)))
    np.testing.assert_allclose(off.distances, 0.02, atol=1e-3)
    assert off.misses.all() and off.relative.max() == pytest.approx(off.worst / clip.skeleton.size)
    index = clip.skeleton.index("l_wrist")
    assert set(off.joints.tolist()) == set(clip.skeleton.tree.chain(index))
    with pytest.raises(PoiseError, match="the joints and the frames of the result"):
        result.residuals_in(Clip(clip.skeleton, clip.motion.at(np.arange(5)), clip.fps))
