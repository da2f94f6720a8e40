# SPDX-License-Identifier: GPL-3.0-or-later
"""The descent of an objective: its linear algebra, and that as little mass as possible is displaced at the bottom."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.posture.levels import LIMITS, PriorityLevels
from poise.solver.posture.objective_descent import multipliers_of, objective_step, solved_in_null_space
from poise.solver.posture.problem import Problem
from poise.solver.posture.secants import Secants
from poise.solver.posture.settings import SolveSettings

from ..characters import person
from ..rounding import assert_equal_to_rounding

FEET, BALANCE, MASS = 3, 2, 1
"""Priorities."""

BOTH = pytest.mark.parametrize("relative", [True, False])

# --- linear algebra --------------------------------------------------------------------------------------------------


def random_curvature(rng: np.random.Generator, frames: int, columns: int) -> Array:
    roots = rng.standard_normal((frames, columns, columns))
    return np.asarray(roots @ roots.swapaxes(1, 2) + 0.1 * np.eye(columns))


def random_basis(rng: np.random.Generator, frames: int, rows: int, columns: int) -> Array:
    return np.linalg.qr(rng.standard_normal((frames, columns, rows)))[0].swapaxes(1, 2)


def null_space(basis: Array) -> Array:
    """(columns, free) an orthonormal basis of the null space of rows (rows, columns), by the SVD."""
    return np.linalg.svd(basis)[2][np.linalg.matrix_rank(basis) :].T


def test_the_solution_is_that_of_the_reduced_system(rng):
    curvature, basis = random_curvature(rng, 4, 9), random_basis(rng, 4, 3, 9)
    basis[1, 2] = 0.0  # a row that depends on others
    rows = rng.standard_normal((4, 2, 9))
    found = solved_in_null_space(curvature, basis, rows)
    for frame in range(4):
        free = null_space(basis[frame])
        expected = free @ np.linalg.solve(free.T @ curvature[frame] @ free, free.T @ rows[frame].T)
        assert np.allclose(found[frame], expected.T, atol=1e-10)
    assert np.allclose(solved_in_null_space(curvature, basis[:, :0], rows), rows @ np.linalg.inv(curvature), atol=1e-10)


def test_one_step_minimizes_a_quadratic_in_the_null_space(rng):
    curvature, basis = random_curvature(rng, 3, 8), random_basis(rng, 3, 3, 8)
    descent = rng.standard_normal((3, 8))
    step = objective_step(curvature, basis, Secants.none(3, 8), descent, None)
    left = descent - np.einsum("fcd,fd->fc", curvature, step)
    for frame in range(3):
        assert np.allclose(basis[frame] @ step[frame], 0.0, atol=1e-12)
        # The lift of flat directions leaves a little.
        assert np.abs(null_space(basis[frame]).T @ left[frame]).max() < 0.05 * np.abs(descent[frame]).max()


def test_flat_directions_keep_still(rng):
    curvature = np.diag([1.0, 1.0, 0.0])[None]
    step = objective_step(curvature, np.zeros((1, 0, 3)), Secants.none(1, 3), np.array([[0.1, 0.2, 0.0]]), None)
    assert np.allclose(step, [[0.1, 0.2, 0.0]], rtol=1e-3)
    nothing = objective_step(np.zeros((1, 3, 3)), np.zeros((1, 0, 3)), Secants.none(1, 3), np.zeros((1, 3)), None)
    assert not nothing.any()


def test_a_step_beyond_its_trust_is_shortened_where_it_is_flat(rng):
    """Scaling it down as a whole would leave a ninetieth of the steep direction's step."""
    curvature, descent = np.diag([1.0, 1e-3])[None], np.array([[0.1, 0.05]])
    free = np.zeros((1, 0, 2))
    whole = objective_step(curvature, free, Secants.none(1, 2), descent, None)
    short = objective_step(curvature, free, Secants.none(1, 2), descent, np.array([0.5]))
    assert whole[0, 1] > 30.0 and short[0, 1] < 1.0
    assert short[0, 0] > 0.8 * whole[0, 0]


def test_frames_have_their_own_lifts(rng):
    curvature = np.stack([np.diag([1.0, 1e-3])] * 2)
    descent = np.array([[0.1, 0.05], [0.1, 1e-4]])
    both = objective_step(curvature, np.zeros((2, 0, 2)), Secants.none(2, 2), descent, np.full(2, 0.5))
    alone = objective_step(curvature[1:], np.zeros((1, 0, 2)), Secants.none(1, 2), descent[1:], None)
    assert np.allclose(both[1:], alone, rtol=1e-12)


def test_multipliers_combine_strict_rows_to_the_descent(rng):
    frames, columns = 3, 10
    jacobian = rng.standard_normal((frames, 6, columns))
    level_of_row = np.array([LIMITS, 0, 0, 1, 1, 2])
    errors = np.zeros((2, frames, 6))
    levels = PriorityLevels(3, jacobian, *errors, level_of_row, np.array([-1, 0, 0, 1, 1, 2]))
    strict = np.array([3, 2, 0])
    descent = rng.standard_normal((frames, columns))
    found = multipliers_of(levels, strict, descent)
    assert found.shape == (frames, 5), "limits have no errors that could be removed"
    for frame in range(frames):
        rows = level_of_row < strict[frame]
        expected = np.linalg.lstsq(jacobian[frame, rows].T, descent[frame], rcond=None)[0]
        assert np.allclose(found[frame, rows[1:]], expected[1:], atol=1e-6)
        assert np.allclose(found[frame, ~rows[1:]], 0.0, atol=1e-12)


def test_rows_that_depend_on_each_other_share_their_multiplier(rng):
    row = rng.standard_normal((1, 1, 4))
    levels = PriorityLevels(1, np.repeat(row, 2, axis=1), *np.zeros((2, 1, 2)), np.array([0, 0]), np.array([0, 0]))
    found = multipliers_of(levels, np.array([1]), 3.0 * row[:, 0])
    assert np.allclose(found, 1.5, rtol=1e-6)


# --- the least displaced mass ----------------------------------------------------------------------------------------


class Edit:
    """A character that stands with bent limbs; its left foot is to be elsewhere, and it is to stay balanced."""

    def __init__(self, skeleton: solver.Skeleton, distance: float = 0.15, seed: int = 1) -> None:
        self.skeleton, self.size = skeleton, skeleton.size
        rng = np.random.default_rng(seed)
        bend = 0.25 * rng.standard_normal((2, skeleton.dofs.count))
        bend[:, skeleton.dofs.translation_columns] = 0.0
        rest = WorldState.of(skeleton, solver.Motion.from_poses([solver.Pose.rest(skeleton)] * 2))
        self.source = integrate(rest, bend, skeleton.dofs)
        self.state = WorldState.of(skeleton, self.source)
        marks = skeleton.landmarks
        shift = distance * self.size * np.array([0.6, 0.3, -0.5])
        self.tasks: list[solver.Task] = [
            solver.PositionTask(marks.left_ankle, self.state.positions[:, marks.left_ankle] + shift, priority=FEET),
            solver.PositionTask(marks.right_ankle, self.state.positions[:, marks.right_ankle], priority=FEET),
            solver.CenterOfMassTask(self.state.center_of_mass() + 0.3 * shift, priority=BALANCE),
        ]

    def objective(self, relative: bool = True) -> solver.DisplacedMassTask:
        return solver.DisplacedMassTask(self.source, relative=relative, priority=MASS)

    def start(self, amount: float, seed: int = 7) -> solver.Motion:
        """The source with every joint turned by about `amount`, and the whole body moved."""
        turns = amount * np.random.default_rng(seed).standard_normal((2, self.skeleton.dofs.count))
        turns[:, self.skeleton.dofs.translation_columns] *= self.size
        return integrate(self.state, turns, self.skeleton.dofs)

    def solve(self, relative: bool, start: solver.Motion | None = None) -> solver.Postures:
        tasks = [*self.tasks, self.objective(relative)]
        return solver.solve_postures(self.skeleton, self.source if start is None else start, tasks)

    def displaced(self, motion: solver.Motion, relative: bool) -> Array:
        """(frames,) the root mean square displacement, in sizes."""
        error = self.objective(relative).error(WorldState.of(self.skeleton, motion))
        return np.linalg.norm(error, axis=1) / self.size

    def places(self, motion: solver.Motion) -> Array:
        """(frames, joints, 3) in sizes, of the joints whose place displaces mass: those that have some themselves, and
        those whose parent has."""
        state = WorldState.of(self.skeleton, motion)
        return state.positions[:, self.skeleton.masses > 0.0] / self.size


CHARACTERS = {
    "person": person,
    "human": lambda: synthetic.human(up="z", hinges=True),
    "balls": synthetic.human,
    "stiff": lambda: person().with_stiffness({"Spine": 9.0, "LeftArm": 0.2}),
}
every_character = pytest.mark.parametrize("skeleton", [make() for make in CHARACTERS.values()], ids=list(CHARACTERS))


@BOTH
@every_character
def test_no_motion_that_keeps_the_tasks_displaces_less_mass(skeleton, relative):
    """Projected onto the null space of the tasks' rows, the gradient vanishes."""
    edit = Edit(skeleton)
    solved = edit.solve(relative)
    assert solved.converged.all()
    for error in solved.errors[:-1]:
        assert np.abs(error).max() < 1e-9 * edit.size
    state = WorldState.of(skeleton, solved.motion)
    problem = Problem(skeleton, [*edit.tasks, edit.objective(relative)], SolveSettings())
    rows = problem.jacobian(state)
    objective = edit.objective(relative)
    scale = problem.column_scale / edit.size
    for frame in range(2):
        own = (objective.jacobian(state, problem.dofs)[frame] * scale).T @ objective.error(state)[frame] / edit.size
        assert np.linalg.norm(own) > 2e-4, "nothing pulls"
        assert np.linalg.norm(null_space(rows[frame]).T @ own) < 1e-7


@BOTH
@every_character
def test_nearby_postures_that_meet_the_tasks_displace_more_mass(skeleton, relative):
    edit = Edit(skeleton)
    solved = edit.solve(relative)
    least = edit.displaced(solved.motion, relative)
    assert (least > 0.003).all()
    state, rng = WorldState.of(skeleton, solved.motion), np.random.default_rng(3)
    for amount in (0.01, 0.1):
        turns = amount * rng.standard_normal((2, skeleton.dofs.count))
        turns[:, skeleton.dofs.translation_columns] *= edit.size
        # Only the tasks bring it back to them: nothing is minimized.
        other = solver.solve_postures(skeleton, integrate(state, turns, skeleton.dofs), edit.tasks)
        assert all(np.abs(error).max() < 1e-9 * edit.size for error in other.errors)
        assert (edit.displaced(other.motion, relative) > least).all()


@BOTH
@every_character
def test_all_starts_lead_to_one_posture(skeleton, relative):
    edit = Edit(skeleton)
    places = edit.places(edit.solve(relative).motion)
    for amount in (0.05, 0.25):
        solved = edit.solve(relative, edit.start(amount))
        assert solved.converged.all()
        assert np.abs(edit.places(solved.motion) - places).max() < 1e-4


def test_less_mass_is_displaced_than_near_the_source_pose():
    edit = Edit(synthetic.human())
    pose = solver.PoseTask(edit.source, priority=MASS)
    near = solver.solve_postures(edit.skeleton, edit.source, [*edit.tasks, pose]).motion
    least = edit.displaced(edit.solve(relative=True).motion, relative=True)
    assert (least < 0.8 * edit.displaced(near, relative=True)).all()


@BOTH
def test_without_other_tasks_the_body_comes_back_to_the_reference(relative):
    edit = Edit(person())
    solved = solver.solve_postures(edit.skeleton, edit.start(0.2), [edit.objective(relative)])
    assert solved.converged.all()
    assert (edit.displaced(solved.motion, relative) < 1e-6).all()
    if relative:
        assert np.array_equal(solved.motion.translations, edit.start(0.2).translations), (
            "the root has no reason to move"
        )


@BOTH
def test_what_already_holds_is_left_alone(relative):
    edit = Edit(person())
    tasks = [solver.PositionTask("Hips", edit.state.positions[:, 0], priority=FEET), edit.objective(relative)]
    solved = solver.solve_postures(edit.skeleton, edit.source, tasks)
    assert not edit.objective(relative).quadratic_model(edit.state, edit.skeleton.dofs)[0].any()
    assert_equal_to_rounding(solved.motion.rotations, edit.source.rotations)
    assert_equal_to_rounding(solved.motion.translations, edit.source.translations)


@BOTH
def test_scale_and_heading_change_nothing_but_themselves(relative):
    """A hundred times larger, turned about the vertical and a kilometre away."""
    edit = Edit(person())
    solved = edit.solve(relative)
    large = edit.skeleton.scaled(100.0)
    turn, shift = rotations.exp([0.0, 2.0, 0.0]), np.array([1e3, 0.0, -2e3])

    def moved(motion: solver.Motion) -> solver.Motion:
        turned, places = motion.rotations.copy(), 100.0 * motion.translations
        turned[:, 0] = rotations.multiply(turn, turned[:, 0])
        places[:, 0] = rotations.rotate(turn, places[:, 0]) + shift
        return solver.Motion(turned, places)

    tasks: list[solver.Task] = []
    for task in edit.tasks:
        target = rotations.rotate(turn, 100.0 * np.asarray(task.target)) + shift
        make = solver.CenterOfMassTask if isinstance(task, solver.CenterOfMassTask) else solver.PositionTask
        given = (target,) if make is solver.CenterOfMassTask else (task.joint, target)
        tasks.append(make(*given, priority=task.priority))
    tasks.append(solver.DisplacedMassTask(moved(edit.source), relative=relative, priority=MASS))
    there = solver.solve_postures(large, moved(edit.source), tasks)
    found = WorldState.of(large, there.motion).positions / large.size
    expected = WorldState.of(large, moved(solved.motion)).positions / large.size
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_each_frame_has_its_own_reference_in_every_batch():
    """More frames than are solved at once."""
    skeleton, count = person(), 230
    edit = Edit(skeleton)
    source = edit.source.at(np.arange(count) % 2)
    turned = source.rotations.copy()
    turned[:, skeleton.index("LeftArm")] = rotations.exp(np.linspace(0.0, 1.0, count)[:, None] * [0.0, 0.0, 1.0])
    reference = solver.Motion(turned, source.translations)
    hips = solver.PositionTask("Hips", source.translations[:, 0] + np.array([0.0, 0.05, 0.0]), priority=FEET)
    solved = solver.solve_postures(skeleton, source, [hips, solver.DisplacedMassTask(reference, priority=MASS)])
    assert solved.converged.all()
    np.testing.assert_allclose(solved.errors[-1], 0.0, atol=1e-5)
    some = np.array([3, 150, 229])
    alone = solver.solve_postures(
        skeleton, source.at(some), [hips.at(some), solver.DisplacedMassTask(reference.at(some), priority=MASS)]
    )
    np.testing.assert_allclose(alone.motion.rotations, solved.motion.rotations[some], atol=1e-9)


def test_a_target_out_of_reach_stays_above_the_objective():
    """The hand comes as near as it does without anything below it."""
    edit = Edit(person())
    hand = solver.PositionTask("RightHand", edit.state.positions[:, 0] + 3.0 * edit.size, priority=BALANCE)
    tasks = [edit.tasks[0], edit.tasks[1], hand]
    alone = solver.solve_postures(edit.skeleton, edit.source, tasks)
    solved = solver.solve_postures(edit.skeleton, edit.source, [*tasks, edit.objective()])
    for task in (0, 1):
        assert np.abs(solved.errors[task]).max() < 1e-6 * edit.size
    missed, nearest = (np.linalg.norm(each.errors[2], axis=1) for each in (solved, alone))
    assert (missed < 1.005 * nearest).all()
    assert np.isfinite(solved.motion.rotations).all()


def test_limits_hold_above_the_objective():
    edit = Edit(synthetic.human(up="z"))
    limited = solver.with_anatomical_limits(edit.skeleton)
    problem = Problem(limited, edit.tasks, SolveSettings())
    source = problem.start(edit.source).motion
    tasks = [*edit.tasks, solver.DisplacedMassTask(source, priority=MASS)]
    solved = solver.solve_postures(limited, source, tasks)
    assert solved.converged.all()
    assert all(np.abs(error).max() < 1e-9 * edit.size for error in solved.errors[:-1])
    np.testing.assert_allclose(problem.start(solved.motion).motion.rotations, solved.motion.rotations, atol=1e-9)


def test_joints_that_the_objective_does_not_recruit_are_left_to_the_tasks():
    edit = Edit(person())
    arms = [name for name in edit.skeleton.names if "Arm" in name or "Hand" in name]
    task = solver.DisplacedMassTask(solver.Pose.rest(edit.skeleton), recruit=arms, priority=MASS)
    solved = solver.solve_postures(edit.skeleton, edit.source, [task])
    kept = [joint for joint, name in enumerate(edit.skeleton.names) if name not in arms]
    assert np.array_equal(solved.motion.rotations[:, kept], edit.source.rotations[:, kept])
    before, after = (task.error(WorldState.of(edit.skeleton, each)) for each in (edit.source, solved.motion))
    assert (np.linalg.norm(after, axis=1) < np.linalg.norm(before, axis=1)).all()


def test_a_body_without_mass_stays_as_the_tasks_leave_it():
    edit = Edit(person().replace(total_mass=0.0))
    solved = solver.solve_postures(edit.skeleton, edit.source, [edit.tasks[0], edit.objective()])
    assert solved.converged.all() and np.abs(solved.errors[0]).max() < 1e-9 * edit.size


def test_below_it_a_pose_decides_what_displaces_no_mass():
    edit = Edit(person())
    tasks = [*edit.tasks, edit.objective(), solver.PoseTask(edit.source, priority=0)]
    solved = solver.solve_postures(edit.skeleton, edit.source, tasks)
    assert all(np.abs(error).max() < 1e-8 * edit.size for error in solved.errors[:3])
    # A level that cannot be met is minimized together with a small share of those below it.
    assert (edit.displaced(solved.motion, True) < 1.05 * edit.displaced(edit.solve(True).motion, True)).all()


@BOTH
def test_an_edit_of_a_captured_walk_settles_in_few_steps(walk: Clip, relative: bool):
    """By its rows alone, as an unreachable level, it took 50 to 200 steps."""
    skeleton, frames = walk.skeleton, np.arange(10, walk.frames, 40)
    source = walk.motion.at(frames)
    state, size = WorldState.of(skeleton, source), skeleton.size
    tasks: list[solver.Task] = [
        solver.PositionTask(joint, state.positions[:, skeleton.index(joint)] + size * np.array(shift), priority=FEET)
        for joint, shift in (
            ("LeftFoot", (0.05, 0.02, 0.03)),
            ("LeftToeBase", (0.05, 0.02, 0.03)),
            ("RightFoot", (-0.02, 0.0, 0.0)),
            ("RightToeBase", (-0.02, 0.0, 0.0)),
        )
    ]
    tasks.append(solver.CenterOfMassTask(state.center_of_mass() + size * np.array([0.01, 0.0, 0.02]), priority=BALANCE))
    task = solver.DisplacedMassTask(source, relative=relative, priority=MASS)
    solved = solver.solve_postures(skeleton, source, [*tasks, task])
    assert solved.converged.all()
    assert solved.iterations.max() <= 25
    assert all(np.abs(error).max() < 1e-9 * size for error in solved.errors[:-1])


def test_rows_of_the_basis_may_depend_on_each_other() -> None:
    """The Gram matrix of two equal rows is singular to the bit, as in random problem 2142 of twelve postures."""
    rng = np.random.default_rng(3)
    root = rng.standard_normal((1, 4, 4))
    curvature = root @ root.swapaxes(1, 2) + np.eye(4)
    rows = rng.standard_normal((1, 2, 4))
    once = np.array([[[1.0, 0.0, 0.0, 0.0]]])
    twice = np.repeat(once, 2, axis=1) * 0.5
    np.testing.assert_allclose(
        solved_in_null_space(curvature, twice, rows), solved_in_null_space(curvature, once, rows), atol=1e-9
    )


def test_an_objective_that_nothing_changes_is_no_overflow() -> None:
    """Where no joint displaces mass the curvature is only the smallest number, whose inverse is next to the largest."""
    curvature = np.finfo(np.float64).tiny * np.eye(4)[None]
    basis = np.eye(4)[None, :3]
    assert np.abs(solved_in_null_space(curvature, basis, np.zeros((1, 2, 4)))).max() == 0.0
