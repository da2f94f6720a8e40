# SPDX-License-Identifier: GPL-3.0-or-later
"""Secants of quadratic functions, and the rest of unreachable levels, where first derivatives vanish."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.kinematics import WorldState
from poise.solver.core import rotations
from poise.solver.posture.secants import PAIRS, Secants


def tip_of(skeleton: solver.Skeleton, pose: solver.Pose) -> np.ndarray:
    return WorldState.of(skeleton, pose.motion).point(skeleton.tips[0])[0]


def reach(skeleton: solver.Skeleton, target: np.ndarray, priority: int = 1) -> solver.Task:
    tip = skeleton.tips[0]
    return solver.PositionTask(tip.joint, target, offset=tip.offset, priority=priority)


def learned(rng: np.random.Generator, hessians: np.ndarray, steps: int) -> Secants:
    """Secants of random steps (frames, columns) over quadratic functions with these Hessians."""
    frames, columns, _ = hessians.shape
    secants, place = Secants.none(frames, columns), rng.standard_normal((frames, columns))
    every, nothing = np.ones(frames, dtype=bool), np.zeros((frames, 0, columns))
    for _ in range(steps):
        step = rng.standard_normal((frames, columns))
        secants = secants.after(step, -np.einsum("fcd,fd->fc", hessians, place), every, every)
        place = place + step
        secants = secants.updated(-np.einsum("fcd,fd->fc", hessians, place), nothing)
    return secants


def test_the_last_change_of_a_gradient_is_answered_by_the_last_step(rng):
    root = rng.standard_normal((3, 12, 12))
    hessians = root @ root.swapaxes(1, 2) + np.eye(12)
    for steps in (1, PAIRS - 1, PAIRS + 3):
        secants = learned(rng, hessians, steps)
        assert secants.steps.shape[1] == min(steps, PAIRS)
        answered = secants.direction(secants.changes[:, -1], lambda rows: rows, np.ones(3))
        assert np.allclose(answered, secants.steps[:, -1], atol=1e-9), "the secant equation does not hold"


def test_as_many_pairs_are_remembered_as_asked_for(rng):
    secants, every = Secants.none(2, 5, most=3), np.ones(2, dtype=bool)
    for count in range(5):
        secants = secants.after(rng.standard_normal((2, 5)), rng.standard_normal((2, 5)), every, every)
        secants = secants.updated(rng.standard_normal((2, 5)), np.zeros((2, 0, 5)))
        assert secants.steps.shape[1] == secants.changes.shape[1] == min(count + 1, 3)
    assert secants.at(np.array([1])).most == 3


@pytest.mark.parametrize(("expected", "found"), [(2.0, 1.0), (10.0, 0.1)])
def test_a_pair_needs_a_share_of_the_curvature_that_is_expected_of_it(expected, found):
    """It shows a curvature of 1: half of what is expected corrects it, a tenth does not."""
    curvature, step = np.diag([expected, 4.0])[None], np.array([[[1.0, 0.0]]])
    secants = Secants(step, step, None, np.zeros((1, 2)))

    def inverse(rows):
        return np.linalg.solve(curvature, rows.swapaxes(1, 2)).swapaxes(1, 2)

    answered = secants.direction(np.ones((1, 2)), inverse, np.zeros(1), curvature)
    assert np.allclose(answered, [[found, 0.25]], atol=1e-12)


def test_pairs_without_curvature_and_of_other_frames_are_not_used(rng):
    hessians = np.stack([np.eye(5), -np.eye(5)])
    secants = learned(rng, hessians, 4)
    gradient = rng.standard_normal((2, 5))
    assert np.array_equal(secants.direction(gradient, lambda rows: rows, np.ones(2))[1], gradient[1])
    kept = secants.after(np.zeros((2, 5)), gradient, np.ones(2, dtype=bool), np.array([True, False]))
    assert kept.steps[0].any() and not kept.steps[1].any() and not kept.changes[1].any()


def test_some_frames_are_written_over_others_with_as_many_pairs_or_fewer(rng):
    hessians = np.stack([np.eye(5)] * 3)
    whole, some = learned(rng, hessians, 4), learned(rng, hessians[:2], 2)
    frames = np.array([2, 0])
    whole.put(frames, some)
    assert np.array_equal(whole.steps[frames, 2:], some.steps) and not whole.steps[frames, :2].any()
    assert whole.steps[1].all()


@pytest.mark.parametrize("beyond", [0.01, 0.5, 5.0, 500.0])
def test_a_chain_points_straight_at_what_it_cannot_reach(rng, beyond):
    skeleton = synthetic.chain(6, 1.0)
    direction = rng.standard_normal(3)
    direction /= np.linalg.norm(direction)
    solved = solver.solve_posture(
        skeleton, synthetic.bent(skeleton, 0.3), [reach(skeleton, (1.0 + beyond) * direction)]
    )
    assert solved.converged
    assert np.allclose(tip_of(skeleton, solved.pose), direction, atol=1e-5)


def test_an_unmet_level_settles_in_few_steps():
    # Damped steps alone need hundreds: their rate is that of the residual times the curvature they ignore.
    skeleton = synthetic.chain(6, 1.0)
    solved = solver.solve_posture(skeleton, synthetic.bent(skeleton, 0.3), [reach(skeleton, np.array([2.0, 1.0, 0.5]))])
    assert solved.converged
    assert solved.iterations < 40


def test_the_pose_below_an_unmet_level_gets_what_costs_nothing():
    # Twisting a stretched chain about itself does not move its tip: the pose below must have its way with that.
    skeleton = synthetic.chain(4, 1.0)
    start = solver.Pose.rest(skeleton)
    along = tip_of(skeleton, start)
    twisted = start.rotations.copy()
    twisted[0] = rotations.from_axis_angle(along, np.array(0.8))
    wanted = solver.PoseTask(solver.Pose(twisted, start.translations), priority=0)
    solved = solver.solve_posture(skeleton, start, [reach(skeleton, 2.0 * along), wanted])
    assert solved.converged
    assert np.allclose(tip_of(skeleton, solved.pose), along, atol=1e-6)
    whole_twist = rotations.twist_angle(WorldState.of(skeleton, solved.pose.motion).rotations[0], along)
    assert whole_twist[0] == pytest.approx(0.8, abs=1e-3)


def test_a_pose_cannot_bend_what_an_unmet_level_has_stretched():
    skeleton = synthetic.chain(4, 1.0)
    bent = synthetic.bent(skeleton, 0.6)
    target = 3.0 * tip_of(skeleton, solver.Pose.rest(skeleton))
    free = solver.solve_posture(skeleton, bent, [reach(skeleton, target)])
    held = solver.solve_posture(skeleton, bent, [reach(skeleton, target), solver.PoseTask(bent, priority=0)])
    assert held.converged
    missed = np.linalg.norm(held.errors[0]) / np.linalg.norm(free.errors[0])
    assert 1.0 - 1e-9 <= missed < 1.005, f"the pose costs the tip {missed - 1.0:.1%}"


def test_neighbouring_targets_out_of_reach_give_neighbouring_postures():
    # What makes clips smooth: the best posture depends on its target without jumps, also where it leaves reach.
    skeleton = synthetic.human()
    rest = solver.Pose.rest(skeleton)
    state = WorldState.of(skeleton, rest.motion)
    hand = skeleton.landmarks.require("right_wrist")
    frames = 60
    targets = state.positions[0, hand] + np.linspace([0.0, 0.1, 0.1], [-0.9, 0.9, 0.9], frames)
    feet = [skeleton.landmarks.require("left_ankle"), skeleton.landmarks.require("right_ankle")]
    tasks = [
        *(solver.PositionTask(foot, state.positions[0, foot], priority=3) for foot in feet),
        *(solver.OrientationTask(foot, state.rotations[0, foot], priority=3) for foot in feet),
        solver.CenterOfMassTask(state.center_of_mass()[0], priority=2),
        solver.PositionTask(hand, targets, priority=1),
        solver.PoseTask(rest, priority=0),
    ]
    settings = solver.SolveSettings(thorough_restarts=False)  # as clips are solved
    solved = solver.solve_postures(skeleton, solver.Motion.from_poses([rest] * frames), tasks, settings)
    missed = np.linalg.norm(solved.errors[5], axis=1)
    assert missed[0] < 1e-6 and missed[-1] > 0.1, "the targets must lead from within reach to out of it"
    turns = rotations.angle_between(solved.motion.rotations[1:], solved.motion.rotations[:-1]).max(axis=1)
    moved = np.linalg.norm(np.diff(targets, axis=0), axis=1)
    assert (turns / moved).max() < 40.0, f"a joint jumps by {turns.max():.2f} radians between two frames"


def test_a_straight_limb_bends_the_same_way_every_time():
    skeleton = synthetic.chain(3, 1.0)
    rest = solver.Pose.rest(skeleton)
    target = 0.7 * tip_of(skeleton, rest)
    motion = solver.Motion.from_poses([rest] * 4)
    targets = target + 1e-9 * np.arange(4)[:, None]
    tip = skeleton.tips[0]
    task = solver.PositionTask(tip.joint, targets, offset=tip.offset)
    solved = solver.solve_postures(skeleton, motion, [task])
    assert np.abs(solved.errors[0]).max() < 1e-6
    assert rotations.angle_between(solved.motion.rotations, solved.motion.rotations[:1]).max() < 1e-3
