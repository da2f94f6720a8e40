# SPDX-License-Identifier: GPL-3.0-or-later
"""What a collective solve minimizes: its gradient and curvature against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import JointKind
from poise.solver.body.limits import BallLimit, SwingCone
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.progress import finished
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import AxisHandle, CenterOfMassHandle, DirectionHandle, PointHandle
from poise.solver.spacetime.handles.handle_task import HandleTask
from poise.solver.spacetime.reconstruction.collective_problem import (
    FIRM,
    SOFT,
    CollectiveProblem,
    WeightedTask,
    moving_joints,
)
from poise.solver.synthetic import human
from poise.solver.tasks import OrientationTask, PositionTask

from ...made_up import moving_human

STEP = 1e-5


def clip_of(rng: np.random.Generator, frames: int, hinges: bool = False) -> Clip:
    clip = moving_human(rng, frames)
    if not hinges:
        return clip
    skeleton = human(hinges=True)
    local = clip.motion.rotations.copy()
    own = skeleton.dofs.hinged
    bent = rotations.from_axis_angle(skeleton.hinge_axes[own], rng.uniform(-0.5, 0.5, (frames, len(own))))
    local[:, own] = rotations.multiply(skeleton.rest_rotations[own], bent)
    return Clip(skeleton, Motion(local, clip.motion.translations), clip.fps)


def tasks_of(rng: np.random.Generator, clip: Clip, off: float) -> list[WeightedTask]:
    """Tasks of several kinds whose targets are off by so much."""
    body, frames = FullBody(clip.world), clip.frames
    handles = [CenterOfMassHandle("left_shoulder"), AxisHandle("hips", "up"), DirectionHandle("head", "left_wrist")]
    weighted = [
        WeightedTask(
            HandleTask(handle, handle.value(body) + off * rng.standard_normal((frames, handle.width))), np.zeros(frames)
        )
        for handle in handles
    ]
    ball = clip.skeleton.landmarks.require("left_ball")
    target = body.point("left_ball") + off * rng.standard_normal((frames, 3))
    weighted.append(WeightedTask(PositionTask(ball.joint, target, offset=ball.offset), rng.random(frames)))
    turned = rotations.multiply(rotations.exp(off * rng.standard_normal((frames, 3))), clip.world.rotations[:, 11])
    return [*weighted, WeightedTask(OrientationTask(11, turned), np.zeros(frames), 0.01, is_exact=False)]


@pytest.mark.parametrize("hinges", [False, True])
@pytest.mark.parametrize("frames", [1, 2, 4])
def test_the_pull_is_minus_half_the_gradient(rng: np.random.Generator, frames: int, hinges: bool) -> None:
    """Of the whole cost, at displacements that are not small, with limits that are exceeded."""
    clip = clip_of(rng, frames, hinges)
    shoulder = clip.skeleton.landmarks.require("right_shoulder")
    limit = BallLimit((0.0, -1.0, 0.0), swing=SwingCone(0.1, 0.15))
    clip = Clip(clip.skeleton.with_limits({shoulder: limit}), clip.motion, clip.fps)
    problem = CollectiveProblem(clip, tasks_of(rng, clip, 0.05), 0.1)
    problem = problem.with_leads(0.01 * rng.standard_normal(problem.leads.shape))
    values = 0.4 * rng.standard_normal((frames, problem.columns.count))
    here = problem.at(values)
    assert here.excess.any()
    linear = finished(problem.linearizing(here, np.zeros_like(problem.weights)))
    for frame in range(frames):
        for column in range(0, problem.columns.count, 3):
            costs = []
            for sign in (1.0, -1.0):
                moved = values.copy()
                moved[frame, column] += sign * STEP
                costs.append(problem.at(moved).cost)
            slope = (costs[0] - costs[1]) / (2.0 * STEP)
            assert -2.0 * linear.pull[frame, column] == pytest.approx(
                slope, rel=1e-4, abs=1e-4 * np.abs(linear.pull).max()
            )


def test_the_curvature_of_met_tasks_is_that_of_the_cost(rng: np.random.Generator) -> None:
    """Where nothing is displaced, Gauss and Newton leave nothing out."""
    clip = clip_of(rng, 5)
    problem = CollectiveProblem(clip, tasks_of(rng, clip, 0.0), 0.1)
    zero = np.zeros((clip.frames, problem.columns.count))
    linear = finished(problem.linearizing(problem.at(zero), np.zeros_like(problem.weights)))
    system = finished(linear.factoring(np.zeros(clip.frames)))
    assert np.abs(linear.pull).max() < 1e-6
    for _ in range(3):
        direction = rng.standard_normal(zero.shape)
        bent = [problem.at(sign * 1e-4 * direction).cost for sign in (1.0, -1.0)]
        curvature = (bent[0] + bent[1] - 2.0 * problem.at(zero).cost) / 1e-8
        # cost = x' A x, and the factor solves A x = b.
        right = applied(system, direction, linear)
        assert 2.0 * float(np.sum(direction * right)) == pytest.approx(curvature, rel=1e-3)


def applied(system: object, direction: Array, linear: object) -> Array:
    """(frames, columns) the matrix of a linearization times a vector."""
    blocks, following, after = linear._blocks, linear._following, linear._after  # type: ignore[attr-defined]
    right = np.einsum("fij,fj->fi", blocks, direction)
    right[:-1] += np.einsum("fij,fj->fi", following[:-1], direction[1:])
    right[1:] += np.einsum("fji,fj->fi", following[:-1], direction[:-1])
    right[:-2] += np.einsum("fij,fj->fi", after[:-2], direction[2:])
    right[2:] += np.einsum("fji,fj->fi", after[:-2], direction[:-2])
    np.testing.assert_allclose(system.solve(right), direction, atol=1e-5)  # type: ignore[attr-defined]
    return right


def test_errors_after_a_step_are_those_to_first_order(rng: np.random.Generator) -> None:
    clip = clip_of(rng, 3, hinges=True)
    problem = CollectiveProblem(clip, tasks_of(rng, clip, 0.05), 0.1)
    values = 0.3 * rng.standard_normal((3, problem.columns.count))
    here = problem.at(values)
    linear = finished(problem.linearizing(here, np.zeros_like(problem.weights)))
    step = 1e-5 * rng.standard_normal(values.shape)
    np.testing.assert_allclose(problem.at(values + step).errors, linear.errors_after(step), atol=1e-8)
    np.testing.assert_allclose(linear.forces(step), problem.weights * linear.errors_after(step))


def test_a_displacement_comes_back_from_its_motion(rng: np.random.Generator) -> None:
    clip = clip_of(rng, 6, hinges=True)
    problem = CollectiveProblem(clip, tasks_of(rng, clip, 0.0), 0.1)
    values = 0.5 * rng.standard_normal((6, problem.columns.count))
    np.testing.assert_allclose(problem.values(problem.motion(values)), values, atol=1e-10)
    still = problem.motion(np.zeros_like(values))
    np.testing.assert_array_equal(still.rotations, clip.motion.rotations)
    np.testing.assert_array_equal(still.translations, clip.motion.translations)


@pytest.mark.parametrize(("frames", "stride"), [(13, 3), (14, 3), (2, 4), (9, 1)])
def test_a_displacement_through_knots(rng: np.random.Generator, frames: int, stride: int) -> None:
    """It passes through them, and between them it is smooth."""
    clip = clip_of(rng, frames)
    problem = CollectiveProblem(clip, tasks_of(rng, clip, 0.0), 0.1)
    knots = np.arange(0, frames, stride)
    shape = 0.1 * rng.standard_normal(problem.columns.count)
    values = np.sin(0.1 * np.arange(frames))[:, None] * shape
    found = problem.through(problem.motion(values).at(knots), knots)
    np.testing.assert_allclose(found[knots], values[knots], atol=1e-10)
    inside = slice(0, int(knots[-1]) + 1)
    np.testing.assert_allclose(found[inside], values[inside], atol=0.02 * np.abs(values).max() + 1e-12)


def test_weights_rise_with_firmness() -> None:
    task = HandleTask(CenterOfMassHandle(), np.zeros(3))
    weights = WeightedTask(task, np.array([0.0, 0.5, 1.0]), share=0.1).weights()
    np.testing.assert_allclose(weights, [0.1 * SOFT, np.sqrt(0.1 * SOFT * FIRM), FIRM])


def test_light_ends_of_limbs_are_moved_only_for_what_is_on_them() -> None:
    skeleton = human()

    def moved(*tasks: object) -> set[str]:
        return {skeleton.names[joint] for joint in np.flatnonzero(moving_joints(skeleton, tasks))}  # type: ignore[arg-type]

    heavy = moved()
    assert {"HumanoidRoot", "l_knee", "l_elbow", "skullbase"} <= heavy
    assert not {"l_wrist", "l_middle1", "l_metatarsal", "l_midtarsal"} & heavy
    assert moved(HandleTask(CenterOfMassHandle("left_shoulder"), np.zeros(3))) == heavy
    assert moved(HandleTask(PointHandle("l_middle1"), np.zeros(3))) == heavy | {"l_wrist"}
    assert moved(HandleTask(AxisHandle("l_wrist", "up") + AxisHandle("hips", "up"), np.ones(3))) == heavy | {"l_wrist"}
    assert moved(PositionTask("l_wrist", np.zeros(3))) == heavy
    assert moved(PositionTask("l_wrist", np.zeros(3), offset=(0.0, 0.1, 0.0))) == heavy | {"l_wrist"}
    assert moved(OrientationTask("l_wrist", (1.0, 0.0, 0.0, 0.0))) == heavy | {"l_wrist"}
    fixed = skeleton.with_kinds({"l_wrist": JointKind.FIXED})
    assert moving_joints(fixed, []).sum() == len(heavy)
