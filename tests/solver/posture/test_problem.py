# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear problem of tasks: moving joints, order of levels, and activation of inequalities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.posture.problem import Course, Problem
from poise.solver.posture.settings import SolveSettings

from ..rounding import assert_equal_to_rounding


@pytest.fixture
def skeleton() -> solver.Skeleton:
    return synthetic.human()


@pytest.fixture
def state(skeleton: solver.Skeleton) -> WorldState:
    return WorldState.of(skeleton, solver.Motion.from_poses([solver.Pose.rest(skeleton)] * 3))


def compiled(skeleton: solver.Skeleton, *tasks: solver.Task) -> Problem:
    return Problem(skeleton, tasks, SolveSettings())


def whole_step(problem: Problem, state: WorldState) -> np.ndarray:
    return problem.step(state, Course.first(problem, state.frames)).whole


def test_only_recruited_joints_have_columns(skeleton):
    problem = compiled(skeleton, solver.PositionTask("r_wrist", [0, 0, 0], recruit=2))
    assert [skeleton.names[joint] for joint in problem.dofs.moving] == ["r_shoulder", "r_elbow", "r_wrist"]


def test_nothing_can_move_without_tasks(skeleton):
    assert not compiled(skeleton).can_move


def test_misses_come_in_the_order_of_importance_and_in_sizes(skeleton, state):
    wrist, ankle = (state.positions[0, skeleton.index(name)] for name in ("r_wrist", "l_talocrural"))
    low = solver.PositionTask("r_wrist", wrist + np.array([skeleton.size, 0, 0]), priority=1)
    high = solver.PositionTask("l_talocrural", ankle + np.array([0, 0.5 * skeleton.size, 0]), priority=9, weight=4.0)
    problem = compiled(skeleton, low, high, solver.PoseTask(solver.Pose.rest(skeleton), priority=0))
    misses = problem.level_errors(state)
    assert np.allclose(misses, [[1.0, 1.0, 0.0]] * 3)
    assert_equal_to_rounding(problem.task_level_errors(state), misses[:, :2])


def test_an_objective_at_the_bottom_needs_no_rows(skeleton, state):
    reach = solver.PositionTask("r_wrist", [0, 0, 0], priority=2)
    mass = solver.DisplacedMassTask(solver.Pose.rest(skeleton), relative=False, weight=4.0, priority=1)
    problem = compiled(skeleton, reach, mass)
    assert problem.has_attraction and problem.has_objective and problem.tasks == [reach]
    moved = WorldState.of(skeleton, solver.Motion(state.motion.rotations, 1.1 * state.motion.translations))
    expected = 2.0 * np.linalg.norm(mass.error(moved), axis=1) / skeleton.size
    assert np.allclose(problem.level_errors(moved)[:, 1], expected) and (expected > 0.0).all()
    pose = solver.PoseTask(solver.Pose.rest(skeleton), priority=1)
    assert not compiled(skeleton, reach, pose).has_objective
    # With another task of its priority it is a level like others.
    shared = compiled(skeleton, reach, mass, solver.CenterOfMassTask([0, 0, 0], priority=1))
    assert not shared.has_attraction and len(shared.tasks) == 3


def test_equal_priorities_make_one_level(skeleton, state):
    tasks = [solver.PositionTask(name, [0, 0, 0], priority=2) for name in ("r_wrist", "l_wrist")]
    assert compiled(skeleton, *tasks).level_errors(state).shape == (3, 1)


def test_a_step_has_no_turn_beyond_its_frames_trust(skeleton, state):
    problem = compiled(skeleton, solver.PositionTask("r_wrist", [2.0, 2.0, 2.0]))
    trust = np.array([0.01, 0.1, 0.5])
    step = problem.step(state, replace(Course.first(problem, 3), trust=trust)).whole
    assert (np.abs(step).max(axis=1) <= trust * (1 + 1e-12)).all()


def test_some_frames_of_a_problem_are_the_problem_of_some_frames(skeleton, state, rng):
    targets = rng.standard_normal((3, 3))
    problem = compiled(skeleton, solver.PositionTask("r_wrist", targets))
    some = np.array([2, 0])
    assert np.allclose(whole_step(problem, state)[some], whole_step(problem.at(some), state.at(some)))


def test_the_jacobian_is_how_what_is_missing_changes(skeleton, state, rng):
    tasks = [
        solver.PositionTask("r_wrist", rng.standard_normal(3), weight=4.0),
        solver.OrientationTask("l_knee", [1, 0, 0, 0]),
    ]
    problem = compiled(skeleton, *tasks)
    jacobian = problem.jacobian(state)
    assert jacobian.shape == (3, 6, problem.dofs.count)
    step = 1e-6 * rng.standard_normal((3, problem.dofs.count))
    there, back = (
        problem.row_errors(WorldState.of(skeleton, integrate(state, problem.velocities(way), problem.dofs)))
        for way in (step, -step)
    )
    assert np.allclose(np.einsum("frc,fc->fr", jacobian, step), 0.5 * (back - there), atol=1e-12)


def test_what_a_state_knows_of_a_task_it_knows_of_some_frames_of_it(skeleton, state, rng):
    task = solver.PositionTask("r_wrist", rng.standard_normal((3, 3)))
    whole = task.cached_error(state)
    some = np.array([2, 0])
    assert_equal_to_rounding(task.at(some).cached_error(state.at(some)), whole[some])
    assert_equal_to_rounding(
        solver.PositionTask("r_wrist", np.zeros(3)).cached_error(state), -state.positions[:, skeleton.index("r_wrist")]
    )


def test_a_plane_ahead_is_met_exactly_and_one_far_away_not_at_all(skeleton, state):
    wrist = state.positions[0, skeleton.index("r_wrist")]
    pull = solver.PositionTask("r_wrist", wrist + np.array([0, 0, 0.2]), priority=1)
    free = whole_step(compiled(skeleton, pull), state)
    for distance in (0.05, 5.0):
        plane = solver.HalfSpaceTask("r_wrist", wrist + np.array([0, 0, distance]), [0, 0, -1], priority=2)
        problem = compiled(skeleton, plane, pull)
        step = whole_step(problem, state)
        if distance == 5.0:
            assert_equal_to_rounding(step, free)
        else:
            moved = WorldState.of(skeleton, integrate(state, problem.velocities(step), problem.dofs))
            depth = plane.depth(moved)
            assert np.abs(depth).max() < 0.02, "the step does not lead to the plane it meets"


def test_a_limit_ahead_is_met_exactly():
    skeleton = synthetic.human(hinges=True).with_limits({"r_knee": solver.HingeLimit(-0.1, 0.1)})
    rest = solver.Pose.rest(skeleton)
    state = WorldState.of(skeleton, rest.motion)
    ankle = state.positions[0, skeleton.index("r_talocrural")]
    task = solver.PositionTask("r_talocrural", ankle + np.array([0, 0.1, -0.3]), recruit=["r_knee"])
    problem = compiled(skeleton, task)
    step = whole_step(problem, state)
    assert step.shape == (1, 1)
    assert abs(step[0, 0]) == pytest.approx(0.1)


def test_the_feasibility_step_leaves_unfinished_levels_where_they_are(skeleton, state):
    wrist, ankle = (state.positions[0, skeleton.index(name)] for name in ("r_wrist", "l_talocrural"))
    near = solver.PositionTask("l_talocrural", ankle + np.array([0.001, 0, 0]), priority=2)
    far = solver.PositionTask("r_wrist", wrist + np.array([0.4, 0.3, 0.2]), priority=1)
    problem = compiled(skeleton, near, far)
    step = problem.feasibility_step(state, np.array([[True, False]] * 3)).whole
    after = WorldState.of(skeleton, integrate(state, problem.velocities(step), problem.dofs))
    before_near, before_far = problem.level_errors(state).T
    after_near, after_far = problem.level_errors(after).T
    assert (after_near < 0.01 * before_near).all()
    assert np.allclose(after_far, before_far, atol=1e-5)


@dataclass(frozen=True, eq=False)
class OutsideSphereTask(solver.Task):
    """A joint stays at least `radius` away from a point: an inequality that the solver does not know."""

    joint: str
    center: np.ndarray
    radius: float

    is_inequality: ClassVar[bool] = True

    def _away(self, state: WorldState) -> np.ndarray:
        return state.positions[:, state.skeleton.index(self.joint)] - self.center

    def depth(self, state: WorldState) -> np.ndarray:
        return self.radius - np.linalg.norm(self._away(state), axis=1)[:, None]

    def error(self, state: WorldState) -> np.ndarray:
        return np.maximum(self.depth(state), 0.0)

    def jacobian(self, state: WorldState, dofs: Dofs) -> np.ndarray:
        away = self._away(state)
        away = away / np.linalg.norm(away, axis=1)[:, None]
        point = state.skeleton.resolve(self.joint)
        return np.einsum("fr,frc->fc", away, state.point_jacobian(point, dofs))[:, None]

    def influencing_joints(self, skeleton: solver.Skeleton) -> np.ndarray:
        return skeleton.tree.carriers(skeleton.index(self.joint))


def test_any_task_that_says_so_is_an_inequality(skeleton, state):
    """A wrist that is pulled stops at a sphere, and moves freely where the sphere is out of its way."""
    wrist = state.positions[0, skeleton.index("r_wrist")]
    pulled = solver.PositionTask("r_wrist", wrist + np.array([0.0, 0.0, 0.05 * skeleton.size]), priority=1)
    near, far = (
        OutsideSphereTask(
            "r_wrist", wrist + np.array([0.0, 0.0, ahead * skeleton.size]), 0.2 * skeleton.size, priority=2
        )
        for ahead in (0.21, 2.0)
    )
    free = whole_step(compiled(skeleton, pulled), state)
    assert_equal_to_rounding(whole_step(compiled(skeleton, pulled, far), state), free)
    for task, stops in ((near, True), (far, False)):
        problem = compiled(skeleton, pulled, task)
        step = whole_step(problem, state)
        moved = (
            task.depth(state)[:, 0]
            - np.einsum("frc,fc->fr", task.jacobian(state, problem.dofs), problem.velocities(step))[:, 0]
        )
        assert (moved < 1e-9 * skeleton.size).all()
        assert (moved > -1e-6 * skeleton.size).all() == stops
    inside = OutsideSphereTask("r_wrist", wrist + np.array([0.0, 0.0, 0.1]), 0.11, priority=2)
    solved = solver.solve_posture(skeleton, solver.Pose.rest(skeleton), [inside])
    assert inside.error(WorldState.of(skeleton, solver.Motion.from_poses([solved.pose]))).max() < 1e-5


def test_only_inequalities_have_a_depth(state):
    with pytest.raises(NotImplementedError, match="is no inequality"):
        solver.PositionTask("r_wrist", [0, 0, 0]).depth(state)
