# SPDX-License-Identifier: GPL-3.0-or-later
"""The edited motions of Le Callennec 2006, section 5.5, as numbers, on synthetic motions and on a captured walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples import edits
from poise.examples.accelerations import accelerations
from poise.examples.edits import KICK_HEIGHTS, Edit
from poise.solver.constraints import Source
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.timeline import Timeline

from ..conftest import MOCAP
from ..solver import captured_walk

HOLDS = 1e-3
"""Sizes of the character, or radians."""

MADE_UP: dict[str, Callable[[], Edit]] = {
    "kick, low": lambda: edits.kicking(KICK_HEIGHTS[0]),
    "kick, high": lambda: edits.kicking(KICK_HEIGHTS[1]),
    "kick, higher": lambda: edits.kicking(KICK_HEIGHTS[2]),
    "kick, out of reach": edits.far_kick,
    "kick, unbalanced": lambda: edits.far_kick("no balance"),
    "walk, enforced": edits.enforced_walk,
    "walk, in one line": edits.catwalk,
    "walk, upstairs": edits.climbing,
    "golf swing": edits.amplified_swing,
    "waiter": edits.waiter,
}
CAPTURED: dict[str, Callable[[Path], Edit]] = {
    "captured walk, enforced": captured_walk.enforced,
    "captured walk, in one line": captured_walk.in_one_line,
    "captured walk, upstairs": captured_walk.upstairs,
}
EXAMPLES = [*MADE_UP, *CAPTURED]

KICKS_WITHIN_REACH = ("kick, low", "kick, high", "kick, higher")
SMALL_EDITS = ("walk, enforced", "captured walk, enforced")

every_example = pytest.mark.parametrize("name", EXAMPLES)
every_made_up_example = pytest.mark.parametrize("name", MADE_UP)


@cache
def solved(name: str) -> tuple[Edit, solver.Deformation]:
    """An example and what became of it; one of a captured walk is skipped where there is none."""
    if name in CAPTURED and not MOCAP.is_dir():
        pytest.skip("the captured clips are not there")
    edit = CAPTURED[name](MOCAP) if name in CAPTURED else MADE_UP[name]()
    return edit, edit.deform()


def constraint(edit: Edit, label: str) -> solver.Constraint:
    (found,) = (each for each in edit.constraints if each.label == label)
    return found


def missed(deformation: solver.Deformation, label: str) -> float:
    """By how much a constraint is missed at most, in sizes of the character or radians."""
    size = deformation.clip.skeleton.size
    for residual in deformation.report.residuals:
        if residual.constraint.label == label:
            is_angular = isinstance(residual.constraint, (solver.OrientationConstraint, solver.DirectionConstraint))
            return residual.worst / (1.0 if is_angular else size)
    raise KeyError(label)


def stays(edit: Edit, clip: solver.Clip) -> list[tuple[str, Array]]:
    """For each planted heel and ball, what it is called and its places (frames, 3) while it is planted."""
    marks = clip.skeleton.landmarks
    found = []
    for plant in edit.plants:
        for part, (begin, end) in plant.stays.items():
            places = clip.position(marks.require(f"{plant.foot}_{part}"))
            found.append((f"{part} of {plant.label}", places[int(np.ceil(begin)) : int(np.floor(end)) + 1]))
    return found


def strays(places: Array) -> float:
    """The largest distance between any two of (frames, 3) places."""
    return float(np.linalg.norm(places[:, None] - places, axis=-1).max())


# Feet ----------------------------------------------------------------------------------------------------------------


@every_example
def test_planted_feet_stand_still(name: str) -> None:
    edit, deformation = solved(name)
    size = edit.source.skeleton.size
    for which, places in stays(edit, deformation.clip):
        assert strays(places) < HOLDS * size, f"the {which} strays by {strays(places) / size:.2e} sizes"


@pytest.mark.parametrize("name", ["walk, enforced", "captured walk, enforced"])
def test_in_the_source_they_do_not(name: str) -> None:
    edit, _ = solved(name)
    assert max(strays(places) for _, places in stays(edit, edit.source)) > 10.0 * HOLDS * edit.source.skeleton.size


def clearances(edit: Edit, clip: solver.Clip) -> dict[str, Array]:
    """For each point that can touch the ground, its heights (frames,) above it, in sizes of the character."""
    up, size, marks = clip.skeleton.up_axis, clip.skeleton.size, clip.skeleton.landmarks
    heights = {}
    assert edit.ground is not None
    for name in (f"{side}_{part}" for side in ("left", "right") for part in ("heel", "toe", "toe_tip")):
        places = clip.position(marks.require(name))
        heights[name] = (places[:, up] - edit.ground.heights(places, up)) / size
    return heights


@every_made_up_example
def test_no_foot_goes_below_the_ground(name: str) -> None:
    edit, deformation = solved(name)
    for point, heights in clearances(edit, deformation.clip).items():
        assert heights.min() > -HOLDS, f"the {point} is {-heights.min():.2e} sizes below at frame {heights.argmin()}"


@pytest.mark.parametrize("name", CAPTURED)
def test_no_foot_goes_below_where_it_stands(name: str) -> None:
    """The floor of a captured walk is where its plants are: no part of a foot that stands goes below that."""
    edit, deformation = solved(name)
    clip = deformation.clip
    up, size = clip.skeleton.up_axis, clip.skeleton.size
    for plant in edit.plants:
        first = int(min(begin for begin, _ in plant.stays.values()))
        last = int(max(end for _, end in plant.stays.values()))
        for part, (begin, end) in plant.stays.items():
            heights = clip.position(clip.skeleton.landmarks.require(f"{plant.foot}_{part}"))[:, up]
            standing = float(np.median(heights[int(begin) : int(end) + 1]))
            lowest = first + int(heights[first : last + 1].argmin())
            # A part of the foot that does not stand is free, and may dip by two or three millimetres.
            assert heights[lowest] > standing - 3.0 * HOLDS * size, (
                f"the {part} of {plant.label} is {(standing - heights[lowest]) / size:.2e} sizes below at {lowest}"
            )


# Nothing pops --------------------------------------------------------------------------------------------------------


def most(clip: solver.Clip) -> Array:
    """(joints,) the largest angular acceleration of each, radians a second squared."""
    return np.asarray(np.linalg.norm(accelerations(clip.motion.rotations, clip.fps), axis=-1).max(axis=0))


def legs(skeleton: solver.Skeleton) -> list[int]:
    """The joints of both legs, from the hips to the toes."""
    marks = skeleton.landmarks
    return [int(joint) for side in ("left", "right") for joint in marks.leg(side) if joint is not None]


STRAIGHTENED = {"kick, higher": 3.0}
"""A kick whose own leg is almost straight at its highest place, so that its knee has to be fast; the goal for large
edits is 2, as for all others."""


@every_example
def test_nothing_pops(name: str) -> None:
    edit, deformation = solved(name)
    allowed = 1.3 if name in SMALL_EDITS else STRAIGHTENED.get(name, 2.0)
    before, after = most(edit.source), most(deformation.clip)
    names = edit.source.skeleton.names
    worst = int(after.argmax())
    assert after.max() <= allowed * before.max(), (
        f"{names[worst]} accelerates by {after.max():.0f}, the source by {before.max():.0f} at most"
    )
    # Captured fingers shake more than any edit: the legs, which carry all of these edits, are looked at alone too.
    chosen = legs(edit.source.skeleton)
    worst = chosen[int(after[chosen].argmax())]
    assert after[chosen].max() <= allowed * before[chosen].max(), (
        f"{names[worst]} accelerates by {after[worst]:.0f}, the source's legs by {before[chosen].max():.0f} at most"
    )


def test_each_joint_of_the_enforced_walks_moves_as_smoothly_as_before() -> None:
    """Joint by joint; one that did not move before may do what a quarter of the liveliest one did."""
    for name in SMALL_EDITS:
        if name in CAPTURED and not MOCAP.is_dir():
            continue
        edit, deformation = solved(name)
        before, after = most(edit.source), most(deformation.clip)
        too_lively = np.flatnonzero(after > np.maximum(1.3 * before, 0.25 * before.max()))
        assert not too_lively.size, [
            (edit.source.skeleton.names[joint], before[joint], after[joint]) for joint in too_lively
        ]


def displaced(edit: Edit, clip: solver.Clip) -> Array:
    """(frames - 1, joints) how far the displacement of each joint changes from frame to frame, in sizes."""
    moved = clip.world.positions - edit.source.world.positions
    return np.asarray(np.linalg.norm(np.diff(moved, axis=0), axis=-1) / edit.source.skeleton.size)


LEVERAGE = 3.0
"""By how much more than what it follows a part of the body may move: hands and head are farther from the hips, about
which a body turns, than feet are."""


@every_example
def test_the_displacement_moves_no_faster_than_what_is_asked(name: str) -> None:
    edit, deformation = solved(name)
    size = edit.source.skeleton.size
    fastest = 0.0
    for channel in Timeline.of(Source(edit.source, edit.ground), edit.constraints).channels:
        both = channel.active[1:] & channel.active[:-1]
        steps = np.linalg.norm(np.diff(channel.displacement, axis=0), axis=1) * both
        # What turns by an angle moves its end by at most the length of a leg's worth.
        fastest = max(fastest, float(steps.max()) / (1.0 if channel.effector.is_angular else size))
    steps = displaced(edit, deformation.clip)
    frame, joint = np.unravel_index(int(steps.argmax()), steps.shape)
    assert steps.max() <= LEVERAGE * fastest, (
        f"{edit.source.skeleton.names[joint]} is displaced by {steps.max():.3f} from frame {frame} to the next, what "
        f"is asked by {fastest:.3f} at most"
    )


OVER_EDGES = {
    "walk, upstairs": 3e-3,
    "waiter": 3e-3,
    "walk, in one line": 3e-3,
}
"""Sizes of the character: where feet are lifted over the edge of a step right before they strike, and where plants are
moved aside, more than `HOLDS`."""

HIDDEN = 0.1
"""Of the velocity that the source itself gains or loses there from frame to frame, what is not visible beside it."""


@every_example
def test_nothing_jumps_where_a_constraint_comes_or_goes(name: str) -> None:
    """There the displacement changes hardly more than right before and after, and than what comes or goes asks for.

    A foot that strikes stops at once in the source too: a tenth of that is let pass.
    """
    edit, deformation = solved(name)
    size = edit.source.skeleton.size
    steps = displaced(edit, deformation.clip)
    channels = Timeline.of(Source(edit.source, edit.ground), edit.constraints).channels
    own = np.linalg.norm(np.diff(edit.source.world.positions, n=2, axis=0), axis=-1) / size
    for change in range(1, len(steps) - 1):
        changing = [
            each
            for each in channels
            if each.active[change] != each.active[change + 1] or each.in_hold[change] != each.in_hold[change + 1]
        ]
        if not changing:
            continue
        asked = max(
            float(np.linalg.norm(each.displacement[change + 1] - each.displacement[change]))
            * float(each.active[change] and each.active[change + 1])
            / (1.0 if each.effector.is_angular else size)
            for each in changing
        )
        beside = np.maximum(steps[change - 1], steps[change + 1])
        jump = steps[change] - 1.5 * beside - asked - HIDDEN * own[change - 1 : change + 1].max(axis=0)
        joint = int(jump.argmax())
        assert jump[joint] < OVER_EDGES.get(name, HOLDS), (
            f"{edit.source.skeleton.names[joint]} is displaced by {steps[change, joint]:.4f} from frame {change} to "
            f"the next, beside that by {beside[joint]:.4f}, and {asked:.4f} is asked"
        )


# What stays as it was ------------------------------------------------------------------------------------------------


def identical(one: solver.Clip, other: solver.Clip) -> tuple[Array, Array]:
    """(frames, joints) where rotations, and where translations, are the same bit for bit."""
    return (
        (one.motion.rotations == other.motion.rotations).all(axis=-1),
        (one.motion.translations == other.motion.translations).all(axis=-1),
    )


@every_example
def test_without_constraints_the_result_is_the_source(name: str) -> None:
    edit, _ = solved(name)
    result = replace(edit, constraints=()).deform().clip
    assert np.array_equal(result.motion.rotations, edit.source.motion.rotations)
    assert np.array_equal(result.motion.translations, edit.source.motion.translations)


def test_frames_that_no_constraint_reaches_come_back_bit_for_bit() -> None:
    edit, _ = solved("kick, higher")
    kick = constraint(edit, "Kick")
    assert isinstance(kick, solver.ShapeConstraint)
    alone = replace(edit, constraints=(kick,)).deform().clip
    turned, moved = identical(alone, edit.source)
    frames = np.arange(alone.frames)
    outside = (frames < kick.begin) | (frames > kick.end)
    assert turned[outside].all()
    assert moved[outside].all()
    assert not turned[int(kick.begin) + 1 : int(kick.end)].all(axis=1).any()


def test_one_plant_of_a_captured_walk_leaves_the_rest_of_it_bit_for_bit(mocap: Path) -> None:
    edit, _ = solved("captured walk, enforced")
    plant = edit.plants[3]
    alone = replace(edit, constraints=(plant,)).deform()
    turned, moved = identical(alone.clip, edit.source)
    ease = 0.25 * edit.source.fps
    frames = np.arange(edit.source.frames)
    outside = (frames < plant.heel_strike - ease) | (frames > plant.toe_off + ease)
    assert turned[outside].all()
    assert moved[outside].all()
    assert outside.sum() > 200
    assert not turned[int(plant.heel_strike) : int(plant.toe_off)].all(axis=1).any()


def test_joints_that_no_constraint_recruits_keep_their_rotations() -> None:
    edit, _ = solved("waiter")
    arm = tuple(constraint(edit, label) for label in ("Elbow", "Forearm", "Tray"))
    result = replace(edit, constraints=arm).deform().clip
    turned, moved = identical(result, edit.source)
    recruited = np.isin(edit.source.skeleton.names, ["r_sternoclavicular", "r_shoulder", "r_elbow", "r_wrist"])
    assert turned[:, ~recruited].all()
    assert moved.all()
    assert not turned[:, recruited].any(axis=1).all()


@every_example
def test_the_recruiting_rule_is_kept(name: str) -> None:
    assert solved(name)[1].report.breaches == ()


def test_above_the_pelvis_the_enforced_walk_keeps_its_rotations() -> None:
    edit, deformation = solved("walk, enforced")
    names = edit.source.skeleton.names
    above = [names.index(name) for name in ("vl5", "vt6", "skullbase", "l_shoulder", "r_elbow", "l_wrist")]
    turned, _ = identical(deformation.clip, edit.source)
    assert turned[:, above].all()


# Figures 5.12 and 5.13: kicks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "height"), list(zip(KICKS_WITHIN_REACH, KICK_HEIGHTS, strict=True)))
def test_a_kick_within_reach_is_met_with_everything_else(name: str, height: float) -> None:
    edit, deformation = solved(name)
    ankle = deformation.clip.position("l_talocrural")
    assert ankle[:, 1].max() / edit.source.skeleton.size == pytest.approx(height, abs=0.02)
    assert not deformation.report.conflicts
    for residual in deformation.report.residuals:
        assert missed(deformation, residual.constraint.label) < HOLDS


SUPPORTING = "Footplant of the right foot at frame 0"


def test_out_of_reach_the_kick_is_relaxed_and_the_others_hold() -> None:
    edit, deformation = solved("kick, out of reach")
    assert missed(deformation, "Kick") > 20.0 * HOLDS
    without = replace(edit, constraints=tuple(each for each in edit.constraints if each.label != "Kick")).deform()
    for satisfied in ("Upright", SUPPORTING, "Balance"):
        assert missed(deformation, satisfied) < HOLDS
        assert missed(without, satisfied) < HOLDS


def test_with_weights_alone_nothing_holds() -> None:
    deformation = edits.far_kick("weights").deform()
    assert missed(deformation, SUPPORTING) > 10.0 * HOLDS
    assert missed(deformation, "Kick") > 10.0 * HOLDS


def test_the_other_way_round_the_kick_holds_and_balance_is_lost() -> None:
    edit = edits.far_kick("kick first")
    deformation = edit.deform()
    without = tuple(each for each in edit.constraints if each.label not in ("Balance", SUPPORTING))
    for satisfied in ("Upright", "Kick", SUPPORTING):
        assert missed(deformation, satisfied) < HOLDS
    for satisfied in ("Upright", "Kick"):
        assert missed(replace(edit, constraints=without).deform(), satisfied) < HOLDS
    assert missed(deformation, "Balance") > 20.0 * HOLDS


def test_the_report_names_the_relaxed_constraint_and_its_cause() -> None:
    edit, deformation = solved("kick, out of reach")
    (conflict,) = deformation.report.conflicts
    assert conflict.constraint is constraint(edit, "Kick")
    assert {constraint(edit, SUPPORTING), constraint(edit, "Balance")} <= set(conflict.conflicting)
    assert any(first <= 36 <= last for first, last in conflict.spans)
    assert conflict.advice


def off_balance(clip: solver.Clip) -> Array:
    """(frames,) how far the centre of mass is from above the middle of the right foot, in sizes of the character."""
    marks = clip.skeleton.landmarks
    middle = 0.5 * (clip.position(marks.require("right_heel")) + clip.position(marks.require("right_toe")))
    return np.asarray(np.linalg.norm((clip.center_of_mass() - middle)[:, [0, 2]], axis=1) / clip.skeleton.size)


def test_without_balance_the_kick_is_met_and_the_body_falls() -> None:
    edit, unbalanced = solved("kick, unbalanced")
    _, balanced = solved("kick, out of reach")
    assert missed(unbalanced, "Kick") < HOLDS
    source = off_balance(edit.source)
    assert np.abs(off_balance(balanced.clip) - source).max() < HOLDS
    assert (off_balance(unbalanced.clip) - source).max() > 0.08


# Figure 5.14: footplants ---------------------------------------------------------------------------------------------


def test_in_a_catwalk_all_feet_stand_on_one_line_and_point_ahead() -> None:
    edit, deformation = solved("walk, in one line")
    clip, marks = deformation.clip, deformation.clip.skeleton.landmarks
    for plant in edit.plants:
        flat = slice(int(plant.toe_strike), int(plant.heel_off) + 1)
        heel, toe = (clip.position(marks.require(f"{plant.foot}_{part}"))[flat] for part in ("heel", "toe"))
        assert np.abs(heel[:, 0]).max() < HOLDS * clip.skeleton.size, f"the heel of {plant.label}"
        assert np.abs(toe[:, 0]).max() < HOLDS * clip.skeleton.size, f"the ball of {plant.label}"
        assert (toe[:, 2] > heel[:, 2]).all()


def test_a_catwalk_swings_its_hips_more() -> None:
    edit, deformation = solved("walk, in one line")
    assert missed(deformation, "Hips") < HOLDS
    assert missed(deformation, "Chest") < HOLDS
    before, after = (
        np.ptp(rotations.log(clip.orientation("sacroiliac"))[:, 1:], axis=0) for clip in (edit.source, deformation.clip)
    )
    assert (after > before + 0.05).all()


@pytest.mark.parametrize("name", ["walk, upstairs", "waiter"])
def test_upstairs_every_foot_stands_a_step_higher(name: str) -> None:
    edit, deformation = solved(name)
    clip, size = deformation.clip, deformation.clip.skeleton.size
    for number, plant in enumerate(edit.plants):
        heel = clip.position(clip.skeleton.landmarks.require(f"{plant.foot}_heel"))
        standing = heel[int(plant.heel_strike) : int(plant.heel_off) + 1, 1]
        assert np.abs(standing - edits.RISE * size * max(number - 1, 0)).max() < HOLDS * size, plant.label


# Figure 5.15: a golf swing -------------------------------------------------------------------------------------------


def test_the_swing_is_larger_and_still_hits_the_ball() -> None:
    edit, deformation = solved("golf swing")
    size = edit.source.skeleton.size
    before, after = (clip.position("l_wrist") for clip in (edit.source, deformation.clip))
    assert np.ptp(after[:, 0]) > np.ptp(before[:, 0]) + 0.15 * size
    left = constraint(edit, "Left hand")
    assert isinstance(left, solver.ShapeConstraint)
    impact = int(sorted(point.begin for point in left.points)[1])
    assert np.linalg.norm(after[impact] - before[impact]) < HOLDS * size


def test_the_right_hand_stays_on_the_club() -> None:
    edit, deformation = solved("golf swing")
    clip, size = deformation.clip, deformation.clip.skeleton.size
    apart = clip.position("r_wrist") - clip.position("l_wrist")
    held = rotations.rotate(rotations.conjugate(clip.orientation("l_wrist")), apart)
    right = constraint(edit, "Right hand")
    assert isinstance(right, solver.ShapeConstraint)
    (grip,) = right.points
    assert np.linalg.norm(held - np.asarray(grip.location), axis=1).max() < HOLDS * size
    assert all(missed(deformation, each.label) < HOLDS for each in edit.constraints)


# Figure 5.16: the waiter ---------------------------------------------------------------------------------------------


def test_the_tray_is_level_all_the_way_up() -> None:
    _, deformation = solved("waiter")
    for label in ("Tray", "Forearm", "Elbow"):
        assert missed(deformation, label) < HOLDS
    palm = rotations.rotate(deformation.clip.orientation(edits.TRAY_HAND), np.array((1.0, 0.0, 0.0)))
    assert np.arccos(np.clip(palm[:, 1], -1.0, 1.0)).max() < HOLDS


def test_the_tray_is_carried_beside_the_chest() -> None:
    _, deformation = solved("waiter")
    clip = deformation.clip
    chest = rotations.conjugate(clip.orientation("vt6"))
    elbow = rotations.rotate(chest, clip.position("r_elbow") - clip.position("vt6"))
    assert strays(elbow) < HOLDS * clip.skeleton.size


# Frames solved one after the other ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kick, high", "kick, out of reach", "walk, enforced"])
def test_frame_after_frame_the_same_constraints_hold(name: str) -> None:
    edit, batch = solved(name)
    sequential = edit.deform(solver.DeformSettings(coherence="sequential"))

    def lost(deformation: solver.Deformation) -> set[str]:
        return {residual.constraint.label for residual in deformation.report.residuals if residual.misses.any()}

    assert lost(batch) == lost(sequential)
    for which, places in stays(edit, sequential.clip):
        assert strays(places) < HOLDS * edit.source.skeleton.size, which
