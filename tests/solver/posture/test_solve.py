# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving postures: what must hold for every character, start and conflict."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.kinematics import WorldState
from poise.solver.core import rotations
from poise.solver.core.errors import PoiseError, RecruitingWarning
from poise.solver.posture import solve
from poise.solver.posture.problem import Problem
from poise.solver.posture.solve import TRANSIENT_BOUND

from .random_cases import random_case

FEET, BALANCE, REACH, POSE = 30, 20, 10, 0
"""Priorities."""


class Stage:
    """A character in a posture, with what its tests ask for."""

    def __init__(self, skeleton: solver.Skeleton, pose: solver.Pose) -> None:
        self.skeleton, self.pose = skeleton, pose
        self.state = WorldState.of(skeleton, pose.motion)
        marks = skeleton.landmarks
        self.feet = [marks.require("left_ankle"), marks.require("right_ankle")]
        self.hand = marks.require("right_wrist")
        self.shoulder = marks.require("right_shoulder")

    def place(self, joint: int) -> np.ndarray:
        return self.state.positions[0, joint]

    def held_feet(self) -> list[solver.Task]:
        tasks: list[solver.Task] = []
        for foot in self.feet:
            tasks.append(solver.PositionTask(foot, self.place(foot), priority=FEET))
            tasks.append(solver.OrientationTask(foot, self.state.rotations[0, foot], priority=FEET))
        return tasks

    def balance(self) -> solver.Task:
        return solver.CenterOfMassTask(self.state.center_of_mass()[0], priority=BALANCE)

    def arm_length(self) -> float:
        chain = self.skeleton.tree.chain(self.hand)
        bones = chain[: chain.index(self.shoulder)]
        return float(np.linalg.norm(self.skeleton.offsets[list(bones)], axis=1).sum())

    def reach(self, beyond: float, direction=(-0.5, 0.1, 1.0)) -> solver.Task:
        """The right hand's target, `beyond` sizes further from the shoulder than the arm is long."""
        way = np.array(direction) / np.linalg.norm(direction)
        if self.skeleton.up == "z":
            way = way[[0, 2, 1]] * [1, -1, 1]
        distance = self.arm_length() + beyond * self.skeleton.size
        return solver.PositionTask(self.hand, self.place(self.shoulder) + distance * way, priority=REACH, name="hand")

    def conflict(self) -> list[solver.Task]:
        return [
            *self.held_feet(),
            self.balance(),
            self.reach(1.2 / METRES_PER_SIZE),
            solver.PoseTask(self.pose, priority=POSE),
        ]

    def shaken(self, rng: np.random.Generator, count: int, radians: float = 0.25) -> solver.Motion:
        """Random postures around the stage's own."""
        turns = rotations.exp(radians * rng.standard_normal((count, len(self.skeleton), 3)))
        return solver.Motion(
            rotations.multiply(turns, self.pose.rotations), np.tile(self.pose.translations, (count, 1, 1))
        )

    def relative(self, task: solver.Task, error: np.ndarray) -> np.ndarray:
        """The length of errors in sizes of the character, or radians."""
        return np.linalg.norm(error, axis=-1) / (1.0 if task.is_angular else self.skeleton.size)


METRES_PER_SIZE = 0.9
"""Of a grown person, hip to heel."""


def human(up: str = "y", **options: bool) -> Stage:
    skeleton = synthetic.human(up=up, **options)
    return Stage(skeleton, solver.Pose.rest(skeleton))


@pytest.fixture(scope="module", params=["human", "captured"])
def stage(request: pytest.FixtureRequest) -> Stage:
    """The synthetic human, and the captured one where there is one."""
    if request.param == "human":
        return human()
    walk: solver.Clip = request.getfixturevalue("walk")
    return Stage(walk.skeleton, walk.pose(0))


# What the strict order of priorities promises ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def starts(stage: Stage) -> solver.Motion:
    """Twenty random postures."""
    return stage.shaken(np.random.default_rng(7), 20)


@pytest.fixture(scope="module")
def settled(stage: Stage, starts: solver.Motion) -> solver.Postures:
    """The conflict of feet, balance and a far hand, solved from each of them."""
    return solver.solve_postures(stage.skeleton, starts, stage.conflict())


def test_a_far_hand_moves_neither_feet_nor_balance_from_any_start(stage, starts, settled):
    tasks = stage.conflict()
    misses = {task.label: stage.relative(task, error) for task, error in zip(tasks, settled.errors, strict=True)}
    for task in tasks[:5]:
        assert misses[task.label].max() < 1e-6, f"{task.label} has moved by {misses[task.label].max():.1e}"
    assert settled.converged.all(), f"still moving after 200 iterations: {np.flatnonzero(~settled.converged)}"

    # The nearest that a hand can come when nothing below it counts.
    few = solver.Motion(starts.rotations[:3], starts.translations[:3])
    alone = solver.solve_postures(stage.skeleton, few, tasks[:-1], solver.SolveSettings(iterations=200))
    best = min(misses["hand"].min(), stage.relative(tasks[5], alone.errors[5]).min())
    assert misses["hand"].max() < 1.02 * best, f"a hand ends at {misses['hand'].max():.4f}, the best is {best:.4f}"


def test_a_conflict_ends_in_one_posture_whatever_the_start(settled):
    turns = rotations.angle_between(settled.motion.rotations, settled.motion.rotations[:1])
    assert turns.max() < 1e-2, f"two starts end {turns.max():.3f} radians apart"


def test_important_levels_hold_even_when_the_iterations_run_out(stage, rng):
    tasks = stage.conflict()
    solved = solver.solve_postures(
        stage.skeleton, stage.shaken(rng, 5, 0.05), tasks, solver.SolveSettings(iterations=6)
    )
    assert not solved.converged.any()
    for task, error in zip(tasks[:4], solved.errors[:4], strict=True):
        assert stage.relative(task, error).max() < 1e-6, f"{task.label} was left unfinished"


def test_a_met_level_is_never_lost_from_sight_on_the_way(stage):
    tasks = stage.conflict()
    worst: list[float] = []

    def watch(state: WorldState, _: np.ndarray) -> None:
        worst.append(max(float(stage.relative(task, task.error(state)).max()) for task in tasks[:4]))

    solver.solve_postures(stage.skeleton, stage.pose.motion, tasks, observer=watch)
    assert len(worst) > 10
    assert max(worst) < 2.0 * TRANSIENT_BOUND


def test_a_lower_priority_does_not_move_a_met_one(stage):
    feet_and_balance = [*stage.held_feet(), stage.balance(), stage.reach(-0.1)]
    below = solver.PositionTask(
        stage.skeleton.landmarks.head, stage.place(stage.hand) + 0.3 * stage.skeleton.size, priority=1
    )
    for tasks in (feet_and_balance, [*feet_and_balance, below]):
        solved = solver.solve_posture(stage.skeleton, stage.pose, tasks)
        for task, error in zip(feet_and_balance, solved.errors, strict=False):
            assert stage.relative(task, error) < 1e-6, f"{task.label} misses with {len(tasks)} tasks"


def test_only_the_order_of_priorities_counts(stage):
    tasks = stage.conflict()
    stretched = [replace(task, priority=1000 * task.priority - 7) for task in tasks]
    one, other = (solver.solve_posture(stage.skeleton, stage.pose, some) for some in (tasks, stretched))
    assert np.array_equal(one.pose.rotations, other.pose.rotations)


def test_equal_priorities_share_by_weight():
    stage = human()
    middle = stage.place(stage.hand) + np.array([0.0, 0.2, 0.2])
    apart = np.array([0.1, 0.0, 0.0])
    for weight in (1.0, 4.0):
        tasks = [
            solver.PositionTask(stage.hand, middle + apart, weight=weight),
            solver.PositionTask(stage.hand, middle - apart),
        ]
        solved = solver.solve_posture(stage.skeleton, stage.pose, tasks)
        first, second = (np.linalg.norm(error) for error in solved.errors)
        assert solved.converged
        assert second / first == pytest.approx(weight, rel=1e-4)


# What is left alone ------------------------------------------------------------------------------------------------


def test_without_tasks_the_posture_is_the_source_bit_for_bit(stage, rng):
    motion = stage.shaken(rng, 3).checked(stage.skeleton)
    solved = solver.solve_postures(stage.skeleton, motion, [])
    assert np.array_equal(solved.motion.rotations, motion.rotations)
    assert np.array_equal(solved.motion.translations, motion.translations)
    assert solved.converged.all()


def test_joints_that_no_task_recruits_come_back_bit_for_bit(stage, rng):
    motion = stage.shaken(rng, 4).checked(stage.skeleton)
    task = replace(stage.reach(-0.2), recruit=2)
    moving = task.recruited(stage.skeleton)
    solved = solver.solve_postures(stage.skeleton, motion, [task])
    assert np.array_equal(solved.motion.rotations[:, ~moving], motion.rotations[:, ~moving])
    assert np.array_equal(solved.motion.translations, motion.translations)
    assert (solved.motion.rotations[:, moving] != motion.rotations[:, moving]).any()


def test_tasks_that_already_hold_move_nothing(stage):
    tasks = [*stage.held_feet(), stage.balance(), solver.PoseTask(stage.pose, priority=POSE)]
    solved = solver.solve_posture(stage.skeleton, stage.pose, tasks)
    assert rotations.angle_between(solved.pose.rotations, stage.pose.rotations).max() < 1e-9


def test_the_input_is_not_changed(stage, rng):
    motion = stage.shaken(rng, 2)
    before = motion.rotations.copy(), motion.translations.copy()
    solver.solve_postures(stage.skeleton, motion, stage.conflict(), solver.SolveSettings(iterations=3))
    assert np.array_equal(motion.rotations, before[0])
    assert np.array_equal(motion.translations, before[1])


# Invariance --------------------------------------------------------------------------------------------------------


def moved_along(
    stage: Stage, motion: solver.Motion, turn: np.ndarray, shift: np.ndarray, scale: float
) -> tuple[solver.Skeleton, solver.Motion]:
    """The same character and motion in a scene that is scaled, turned and moved, in this order."""
    turned, moved = motion.rotations.copy(), scale * motion.translations
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    moved[:, 0] = rotations.rotate(turn, moved[:, 0]) + shift
    return stage.skeleton.scaled(scale), solver.Motion(turned, moved)


@pytest.mark.parametrize("beyond", [-0.3, 0.8], ids=["within reach", "out of reach"])
@pytest.mark.parametrize(
    ("scale", "kilometres", "heading"),
    [
        (0.01, -1.0, -0.7),
        # One change at a time, to tell which of them matters where the three together do.
        pytest.param(100.0, 0.0, 0.0, marks=pytest.mark.slow),
        pytest.param(1.0, 1.0, 0.0, marks=pytest.mark.slow),
        pytest.param(1.0, 0.0, 2.0, marks=pytest.mark.slow),
    ],
)
def test_the_scene_does_not_matter(stage, rng, beyond, scale, kilometres, heading):
    up = np.eye(3)[stage.skeleton.up_axis]
    turn = rotations.from_axis_angle(up, np.array(heading))
    shift = kilometres * 1000.0 * stage.skeleton.size * scale * (np.ones(3) - up)
    here = stage.shaken(rng, 3, 0.1)
    skeleton, there = moved_along(stage, here, turn, shift, scale)

    def tasks_of(skeleton: solver.Skeleton, pose: solver.Pose) -> list[solver.Task]:
        again = Stage(skeleton, pose)
        reach = stage.reach(beyond).target
        target = rotations.rotate(turn, scale * reach) + shift if skeleton is not stage.skeleton else reach
        hand = solver.PositionTask(again.hand, target, priority=REACH)
        return [*again.held_feet(), again.balance(), hand, solver.PoseTask(pose, priority=POSE)]

    own = solver.solve_postures(stage.skeleton, here, tasks_of(stage.skeleton, stage.pose))
    _, pose_there = moved_along(stage, stage.pose.motion, turn, shift, scale)
    far = solver.solve_postures(skeleton, there, tasks_of(skeleton, pose_there.pose(0)))
    _, expected = moved_along(stage, own.motion, turn, shift, scale)
    apart = rotations.angle_between(far.motion.rotations, expected.rotations).max()
    assert apart < 1e-4, f"a joint is turned {apart:.1e} radians differently"
    drift = np.abs(far.motion.translations - expected.translations).max() / skeleton.size
    assert drift < 1e-4, f"a joint is {drift:.1e} sizes elsewhere"


def test_z_up_is_y_up_turned():
    y_up, z_up = human("y"), human("z")
    solved = [solver.solve_posture(each.skeleton, each.pose, each.conflict()) for each in (y_up, z_up)]
    balances = [posture.errors[5] for posture in solved]
    assert np.linalg.norm(balances[0]) == pytest.approx(np.linalg.norm(balances[1]), rel=1e-5)


def test_a_batch_is_its_frames_one_by_one(stage, rng):
    tasks = stage.conflict()
    motion = stage.shaken(rng, 4)
    together = solver.solve_postures(stage.skeleton, motion, tasks)
    for frame in range(motion.frames):
        alone = solver.solve_posture(stage.skeleton, motion.pose(frame), tasks)
        assert rotations.angle_between(alone.pose.rotations, together.motion.rotations[frame]).max() < 1e-6


def test_large_batches_are_solved_in_parts_without_a_difference(stage, rng, monkeypatch):
    motion = stage.shaken(rng, 5, 0.1)
    targets = stage.place(stage.hand) + 0.2 * stage.skeleton.size * rng.standard_normal((5, 3))
    tasks = [solver.PositionTask(stage.hand, targets), solver.PoseTask(motion, priority=0)]
    seen: list[int] = []

    def watch(_: WorldState, frames: np.ndarray) -> None:
        seen.extend(frames.tolist())

    whole = solver.solve_postures(stage.skeleton, motion, tasks)
    monkeypatch.setattr(solve, "BATCH", 2)
    parts = solver.solve_postures(stage.skeleton, motion, tasks, observer=watch)
    assert set(seen) == set(range(5))
    # Rounding may decide whether a posture has come to rest one iteration sooner.
    assert np.abs(parts.iterations - whole.iterations).max() <= 1
    assert rotations.angle_between(parts.motion.rotations, whole.motion.rotations).max() < 1e-7
    assert [error.shape for error in parts.errors] == [error.shape for error in whole.errors]


def test_targets_may_differ_from_frame_to_frame(stage):
    frames = 5
    motion = solver.Motion.from_poses([stage.pose] * frames)
    start = stage.place(stage.hand)
    targets = start + stage.skeleton.size * np.linspace([0.0, 0.0, 0.0], [0.1, -0.2, 0.3], frames)
    task = solver.PositionTask(stage.hand, targets)
    solved = solver.solve_postures(stage.skeleton, motion, [task])
    reached = WorldState.of(stage.skeleton, solved.motion).positions[:, stage.hand]
    assert np.abs(reached - targets).max() < 1e-6 * stage.skeleton.size


# Awkward bodies and tasks ------------------------------------------------------------------------------------------


def assert_sound(solved: solver.Posture, skeleton: solver.Skeleton) -> None:
    assert np.isfinite(solved.pose.rotations).all()
    assert np.isfinite(solved.pose.translations).all()
    assert np.allclose(np.linalg.norm(solved.pose.rotations, axis=1), 1.0)
    assert solved.converged, f"still moving after {solved.iterations} iterations"


@pytest.mark.parametrize("pull", [-0.3, -0.05, 0.0, 0.05, 0.5], ids=lambda pull: f"{pull:+}")
def test_a_straight_limb_is_bent_or_stays_straight_and_never_swings(pull):
    skeleton = synthetic.chain(3, 1.0)
    rest = solver.Pose.rest(skeleton)
    state = WorldState.of(skeleton, rest.motion)
    tip = skeleton.tips[0]
    end, base = state.point(tip)[0], state.positions[0, 0]
    target = end + pull * (end - base)
    task = solver.PositionTask(tip.joint, target, offset=tip.offset)
    solved = solver.solve_posture(skeleton, rest, [task])
    assert_sound(solved, skeleton)
    missing = np.linalg.norm(solved.errors[0])
    assert missing == pytest.approx(max(0.0, pull) * np.linalg.norm(end - base), abs=1e-6)


def test_two_tasks_that_contradict_each_other_meet_in_the_middle():
    stage = human()
    here = stage.place(stage.hand)
    tasks = [solver.PositionTask(stage.hand, here + np.array([x, 0.2, 0.2])) for x in (-0.2, 0.2)]
    solved = solver.solve_posture(stage.skeleton, stage.pose, tasks)
    assert_sound(solved, stage.skeleton)
    assert np.linalg.norm(solved.errors[0]) == pytest.approx(0.2, abs=1e-6)
    assert np.linalg.norm(solved.errors[1]) == pytest.approx(0.2, abs=1e-6)


def test_a_task_on_a_fixed_joint_changes_nothing():
    stage = human()
    frozen = stage.skeleton.replace(kinds=("fixed",) * len(stage.skeleton))
    solved = solver.solve_posture(frozen, stage.pose, [stage.reach(-0.2)])
    assert_sound(solved, frozen)
    assert np.array_equal(solved.pose.rotations, stage.pose.rotations)


def test_bones_without_length_and_bodies_without_mass_are_no_trouble(rng):
    names = tuple(f"part {number}" for number in range(6))
    point = solver.Skeleton(names, [-1, 0, 1, 2, 3, 4], np.zeros((6, 3)), total_mass=0.0)
    tasks = [
        solver.PositionTask("part 5", [0.3, 0.2, 0.1], priority=3),
        solver.OrientationTask("part 5", rotations.random(rng, ()), priority=2),
        solver.CenterOfMassTask([1.0, 0.0, 0.0], priority=1),
        solver.PoseTask(solver.Pose.rest(point), priority=0),
    ]
    solved = solver.solve_posture(point, solver.Pose.rest(point), tasks)
    assert np.isfinite(solved.pose.rotations).all()
    assert np.abs(solved.errors[0]).max() < 1e-6
    assert np.abs(solved.errors[1]).max() < 1e-6


def test_turning_right_round_is_no_trouble(stage):
    head = stage.skeleton.landmarks.head
    up = np.eye(3)[stage.skeleton.up_axis]
    for angle in (np.pi - 1e-9, np.pi, 3.0, -3.0):
        target = rotations.multiply(rotations.from_axis_angle(up, np.array(angle)), stage.state.rotations[0, head])
        solved = solver.solve_posture(stage.skeleton, stage.pose, [solver.OrientationTask(head, target)])
        assert_sound(solved, stage.skeleton)
        assert np.linalg.norm(solved.errors[0]) < 1e-6
    opposite = solver.DirectionTask(head, [0.0, 0.0, 1.0], [0.0, 0.0, -1.0])
    solved = solver.solve_posture(stage.skeleton, stage.pose, [opposite])
    assert_sound(solved, stage.skeleton)
    assert np.linalg.norm(solved.errors[0]) < 1e-6


def test_random_characters_and_tasks_end_finite(rng, character):
    joints = rng.integers(len(character), size=4)
    rest = solver.Pose.rest(character)
    tasks = [
        solver.PositionTask(int(joints[0]), 3.0 * character.size * rng.standard_normal(3), priority=4),
        solver.OrientationTask(int(joints[1]), rotations.random(rng, ()), priority=3),
        solver.DirectionTask(int(joints[2]), rng.standard_normal(3), rng.standard_normal(3), priority=2),
        solver.CenterOfMassTask(character.size * rng.standard_normal(3), priority=1),
        solver.HalfSpaceTask(
            int(joints[3]), character.size * rng.standard_normal(3), rng.standard_normal(3), priority=5
        ),
        solver.PoseTask(rest, priority=0),
    ]
    solved = solver.solve_posture(character, rest, tasks, iterations=60)
    assert np.isfinite(solved.pose.rotations).all()
    assert np.isfinite(solved.pose.translations).all()
    assert np.allclose(np.linalg.norm(solved.pose.rotations, axis=1), 1.0)


# Limits and half-spaces --------------------------------------------------------------------------------------------


def test_no_joint_ends_beyond_its_limits(rng):
    stage = human(hinges=True, limits=True)
    skeleton = stage.skeleton
    assert len(skeleton.limits) > 10
    for beyond in (-0.3, 0.5):
        tasks = [*stage.held_feet(), stage.balance(), stage.reach(beyond), solver.PoseTask(stage.pose, priority=POSE)]
        solved = solver.solve_posture(skeleton, stage.pose, tasks, iterations=60)
        for joint, limit in skeleton.limits.items():
            relative = rotations.multiply(
                rotations.conjugate(skeleton.rest_rotations[joint]), solved.pose.rotations[joint]
            )
            if isinstance(limit, solver.HingeLimit):
                excess = limit.bound_to(skeleton.hinge_axes[joint]).excess(relative)
            else:
                excess = limit.excess(relative)
            assert excess.max() < 1e-8, f"{skeleton.names[joint]} is {excess.max():.1e} radians beyond its limit"
        for task, error in zip(tasks[:5], solved.errors, strict=False):
            assert stage.relative(task, error) < 1e-5, f"{task.label} misses"


def test_the_pose_attraction_does_not_move_a_task_at_the_edge_of_a_polygon():
    triangle = solver.SwingPolygon([(0.6, 0, 0.8), (-0.3, 0.5, 0.8), (-0.3, -0.5, 0.8)])
    body = solver.Skeleton(
        names=("r", "a", "b"),
        parents=[-1, 0, 1],
        offsets=[[0, 0, 0], [0, 0, 1], [0, 0, 1]],
        kinds=("free", "ball", "ball"),
        limits={1: solver.BallLimit((0, 0, 1), twist=(-1, 1), swing=triangle)},
    )
    rest = solver.Pose.rest(body)
    top = solver.OrientationTask("b", rotations.normalize([0.243, 0.591, -0.686, 0.347]), priority=2)
    for tasks in ([top], [top, solver.PoseTask(rest, priority=0)]):
        assert np.linalg.norm(solver.solve_posture(body, rest, tasks).errors[0]) < 1e-6


def test_a_cone_without_a_twist_is_computed_without_a_warning():
    body = solver.Skeleton(
        names=("r", "a"),
        parents=[-1, 0],
        offsets=[[0, 0, 0], [0, 1, 0]],
        limits={1: solver.BallLimit((0, 1, 0), swing=solver.SwingCone(0.5, 0.5))},
    )
    rest = solver.Pose.rest(body)
    target = rotations.from_axis_angle((1.0, 0.0, 0.0), 0.3)
    solver.solve_posture(body, rest, [solver.OrientationTask("a", target, recruit=0)])


def test_a_limit_is_used_up_to_its_end():
    # A single hinge that may turn by one radian, asked to turn by two.
    skeleton = solver.Skeleton(
        ("base", "arm"), [-1, 0], [[0, 0, 0], [1, 0, 0]], kinds=("hinge", "fixed"), hinge_axes=[[0, 0, 1], [0, 0, 1]],
        limits={0: solver.HingeLimit(-0.5, 1.0)},
    )  # fmt: skip
    target = [np.cos(2.0), np.sin(2.0), 0.0]
    solved = solver.solve_posture(skeleton, solver.Pose.rest(skeleton), [solver.PositionTask("arm", target)])
    assert_sound(solved, skeleton)
    assert rotations.twist_angle(solved.pose.rotations[0], np.array([0.0, 0.0, 1.0])) == pytest.approx(1.0, abs=1e-9)


def test_a_half_space_acts_only_where_it_must(stage):
    forward = np.array([0.0, 0.0, 1.0])
    here = stage.place(stage.hand)
    size = stage.skeleton.size
    wall = solver.HalfSpaceTask(stage.hand, here + 0.15 * size * forward, -forward, priority=FEET, name="wall")
    near, beyond = (
        solver.PositionTask(stage.hand, here + distance * size * forward, priority=REACH) for distance in (0.1, 0.3)
    )
    free = solver.solve_posture(stage.skeleton, stage.pose, [near])
    walled = solver.solve_posture(stage.skeleton, stage.pose, [wall, near])
    apart = rotations.angle_between(free.pose.rotations, walled.pose.rotations)
    assert apart.max() < 1e-9, "a wall that the hand does not touch has changed something"
    stopped = solver.solve_posture(stage.skeleton, stage.pose, [wall, beyond])
    assert_sound(stopped, stage.skeleton)
    assert stopped.errors[0].max() < 1e-6 * size
    assert np.linalg.norm(stopped.errors[1]) == pytest.approx(0.15 * size, rel=1e-4)


def test_a_point_behind_its_plane_is_brought_in_front(stage):
    forward = np.array([0.0, 0.0, 1.0])
    wall = solver.HalfSpaceTask(stage.hand, stage.place(stage.hand) - 0.2 * stage.skeleton.size * forward, -forward)
    solved = solver.solve_posture(stage.skeleton, stage.pose, [wall])
    assert_sound(solved, stage.skeleton)
    assert solved.errors[0].max() < 1e-6 * stage.skeleton.size


# Settings, history, warnings, errors -------------------------------------------------------------------------------


def test_more_stiffness_moves_less():
    stage = human()
    task = replace(stage.reach(-0.2), recruit=2)
    elbow = stage.skeleton.landmarks.require("right_elbow")
    turns = []
    for stiffness in (1.0, 20.0):
        skeleton = stage.skeleton.with_stiffness({elbow: stiffness})
        solved = solver.solve_posture(skeleton, stage.pose, [task, solver.PoseTask(stage.pose, priority=-1)])
        assert np.linalg.norm(solved.errors[0]) < 1e-6
        turns.append(rotations.angle_between(solved.pose.rotations[elbow], stage.pose.rotations[elbow]))
    assert turns[1] < turns[0]


def test_history_is_the_error_of_every_task_after_every_step(stage):
    tasks = [stage.reach(-0.3), solver.PoseTask(stage.pose, priority=POSE)]
    solved = solver.solve_posture(stage.skeleton, stage.pose, tasks, record=True)
    assert solved.history.shape == (solved.iterations + 1, 2)
    assert solved.history[-1, 0] == pytest.approx(np.linalg.norm(solved.errors[0]), abs=1e-6)
    assert solved.history[0, 1] == 0.0


def test_a_broken_recruiting_rule_is_a_warning_and_the_higher_task_still_holds(stage):
    near = solver.PositionTask(stage.hand, stage.place(stage.hand), priority=2, recruit=2, name="still hand")
    other = stage.skeleton.landmarks.require("left_wrist")
    far = solver.PositionTask(other, stage.place(other) + 0.5 * stage.skeleton.size, priority=1, name="other hand")
    with pytest.warns(RecruitingWarning, match="still hand.*other hand"):
        solved = solver.solve_posture(stage.skeleton, stage.pose, [near, far])
    assert stage.relative(near, solved.errors[0]) < 1e-6


def test_good_tasks_give_no_warning(stage):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solver.solve_posture(stage.skeleton, stage.pose, stage.conflict(), iterations=2)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda stage: [solver.PositionTask("missing", [0, 0, 0])], "no joint 'missing'"),
        (lambda stage: [solver.PositionTask(stage.hand, np.zeros((3, 3)))], "3 frames"),
        (lambda stage: [solver.PoseTask(solver.Pose(np.ones((2, 4)), np.zeros((2, 3))))], "shape"),
        (lambda stage: [solver.CenterOfMassTask([0, 0, 0], recruit=3)], "recruiting level"),
    ],
)
def test_bad_tasks_are_refused_with_a_sentence(broken, sentence):
    stage = human()
    with pytest.raises(PoiseError, match=sentence):
        solver.solve_posture(stage.skeleton, stage.pose, broken(stage))


def test_a_posture_that_is_not_one_is_refused():
    stage = human()
    broken = solver.Pose(np.full_like(stage.pose.rotations, np.nan), stage.pose.translations)
    with pytest.raises(PoiseError, match="not finite"):
        solver.solve_posture(stage.skeleton, broken, [stage.reach(0.0)])


def test_no_frames_are_no_trouble(stage):
    empty = solver.Motion(np.zeros((0, len(stage.skeleton), 4)), np.zeros((0, len(stage.skeleton), 3)))
    solved = solver.solve_postures(stage.skeleton, empty, stage.conflict())
    assert solved.motion.frames == 0
    assert all(len(error) == 0 for error in solved.errors)


# Strictness --------------------------------------------------------------------------------------------------------


def assert_strict(seed: int) -> None:
    """The most important task, if it can be met alone, is met beside the others, and no limit is left."""
    case = random_case(np.random.default_rng(seed))
    top = case.tasks[0]
    solved = case.solve(case.tasks)
    assert case.excess(solved.pose) < 1e-6, (
        f"{seed}: a joint is {case.excess(solved.pose):.1e} radians beyond its limit"
    )
    if case.miss(top, case.solve([top])) < 1e-6:
        assert case.miss(top, solved) < 1e-6, f"{seed}: {top.label} misses by {case.miss(top, solved):.1e}"


@pytest.mark.filterwarnings("ignore::poise.solver.RecruitingWarning")
@pytest.mark.parametrize("seed", range(40))
def test_no_lower_task_defeats_the_most_important_one(seed):
    assert_strict(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::poise.solver.RecruitingWarning")
@pytest.mark.parametrize("seed", range(40, 200))
def test_no_lower_task_defeats_the_most_important_one_in_many_cases(seed):
    assert_strict(seed)


@pytest.mark.filterwarnings("ignore::poise.solver.RecruitingWarning")
@pytest.mark.parametrize("seed", [2, 6, 13, 46, 48, 52, 56, 67, 72, 80, 81, 82, 86])
@pytest.mark.parametrize("is_equal", [False, True], ids=["strict", "equal priorities"])
def test_tasks_that_recruit_different_joints_come_to_rest(seed, is_equal):
    """A joint that moves a task which does not recruit it need not decrease the sum of errors: steps were rejected
    until they were too short, and the others did not come to rest.

    Without restarts: from there case 48, with two unmet levels above a pose, may need 450 iterations."""
    case = random_case(np.random.default_rng(seed))
    tasks = [replace(task, priority=min(task.priority, 1)) for task in case.tasks] if is_equal else case.tasks
    assert case.solve(tasks, solver.SolveSettings(restarts=False)).converged


@pytest.mark.filterwarnings("ignore::poise.solver.RecruitingWarning")
@pytest.mark.parametrize("seed", [73, 84, 120, 182])
def test_a_descent_at_boundaries_ends_where_it_promises_nothing(seed):
    """Levels far below an unreachable one weigh so little that the descent went on in a flat valley."""
    case = random_case(np.random.default_rng(seed))
    assert case.solve(case.tasks).converged


@pytest.mark.filterwarnings("ignore::poise.solver.core.errors.RecruitingWarning")
@pytest.mark.parametrize("seed", [59, 65, 115])
def test_the_correction_at_boundaries_ends_with_the_best_of_its_postures(seed):
    """Its Newton steps led away from tasks that were met, up to 0.5 sizes."""
    case = random_case(np.random.default_rng(seed))
    problem = Problem(case.skeleton, case.tasks, solver.SolveSettings())
    descent = solver.finished(solve._descend(problem, case.start.motion, None))
    before = problem.task_level_errors(descent.world)[0]
    after = problem.task_level_errors(solver.finished(solve._corrected(problem, descent)).world)[0]
    changed = np.flatnonzero(np.abs(after - before) > 1e-6)
    assert not changed.size or after[changed[0]] < before[changed[0]]


def test_a_pose_does_not_defeat_a_task_at_the_edge_of_a_polygon():
    triangle = solver.SwingPolygon([(0.6, 0, 0.8), (-0.3, 0.5, 0.8), (-0.3, -0.5, 0.8)])
    skeleton = solver.Skeleton(
        ("root", "first", "second"), [-1, 0, 1], [[0, 0, 0], [0, 0, 1], [0, 0, 1]], kinds=("free", "ball", "ball"),
        limits={1: solver.BallLimit((0, 0, 1), twist=(-1, 1), swing=triangle)},
    )  # fmt: skip
    rest = solver.Pose.rest(skeleton)
    top = solver.OrientationTask("second", [0.243, 0.591, -0.686, 0.347], priority=2)
    for tasks in ([top], [top, solver.PoseTask(rest, priority=0)]):
        assert np.linalg.norm(solver.solve_posture(skeleton, rest, tasks).errors[0]) < 1e-9


@pytest.mark.parametrize("beyond", [0.002, 0.8])
@pytest.mark.parametrize("priority", [REACH - 1, REACH + 1])
def test_an_unreachable_task_is_served_only_by_what_it_recruits(stage, beyond, priority):
    # The other hand, which the trunk carries too, already has its place: nothing but the arm has a reason to move.
    skeleton = stage.skeleton
    other = skeleton.landmarks.require("left_wrist")
    kept = solver.PositionTask(other, stage.place(other), priority=priority)
    arm = skeleton.tree.chain(stage.hand).index(stage.shoulder)
    reach = replace(stage.reach(beyond), recruit=arm)
    for pose in ([], [solver.PoseTask(stage.pose, priority=POSE)]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", solver.RecruitingWarning)
            solved = solver.solve_posture(skeleton, stage.pose, [reach, kept, *pose])
        assert np.linalg.norm(solved.errors[0]) > 0.9 * beyond * skeleton.size, "the target must be out of reach"
        others = ~reach.recruited(skeleton)
        turns = rotations.angle_between(solved.pose.rotations, stage.pose.rotations)[others]
        assert turns.max() < 1e-4, f"a joint that it does not recruit turns by {turns.max():.1e} radians"


def test_without_restarts_a_blocked_posture_is_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand cannot come through a half-space: with restarts the solve sees whether lower levels are the cause."""
    clip = synthetic.walk(steps=2, fps=30.0).clip
    skeleton, pose = clip.skeleton, clip.pose(0)
    hand = skeleton.landmarks.require("left_wrist")
    place, up = clip.position(hand)[0], skeleton.size * np.eye(3)[skeleton.up_axis]
    tasks = [
        solver.HalfSpaceTask(hand, place - 0.1 * up, up, priority=3),
        solver.PositionTask(hand, place - 2.0 * up, priority=2),
        solver.PoseTask(pose, priority=1),
    ]
    descents: list[int] = []
    descend = solve._descend
    monkeypatch.setattr(solve, "_descend", lambda *given: descents.append(1) or descend(*given))
    for restarts, expected in ((False, 1), (True, 2)):
        descents.clear()
        solver.solve_posture(skeleton, pose, tasks, settings=solver.SolveSettings(iterations=6, restarts=restarts))
        assert len(descents) == expected


@pytest.mark.parametrize("thorough", [False, True])
def test_thorough_restarts_meet_at_the_edge_of_reach_what_is_met_without_the_pose(thorough: bool) -> None:
    """The hand of a person whose feet and balance are held; without restarts the pose costs it some millimetres."""
    skeleton = synthetic.human()
    rest = solver.Pose.rest(skeleton)
    state = WorldState.of(skeleton, rest.motion)
    hand, *feet = (skeleton.landmarks.require(name) for name in ("right_wrist", "left_ankle", "right_ankle"))
    edge = state.positions[0, hand] + np.array([0.0, 0.1, 0.1]) + 39.0 / 59.0 * np.array([-0.9, 0.8, 0.8])
    tasks = [
        *(solver.PositionTask(foot, state.positions[0, foot], priority=3) for foot in feet),
        *(solver.OrientationTask(foot, state.rotations[0, foot], priority=3) for foot in feet),
        solver.CenterOfMassTask(state.center_of_mass()[0], priority=2),
        solver.PositionTask(hand, edge, priority=1),
    ]
    settings = solver.SolveSettings(thorough_restarts=thorough)
    alone = solver.solve_posture(skeleton, rest, tasks, settings=settings)
    assert np.linalg.norm(alone.errors[5]) < 1e-6 * skeleton.size, "it must be within reach"
    posed = solver.solve_posture(skeleton, rest, [*tasks, solver.PoseTask(rest, priority=0)], settings=settings)
    assert (np.linalg.norm(posed.errors[5]) < 1e-6 * skeleton.size) == thorough


def test_joints_that_move_a_task_only_by_rounding_keep_still() -> None:
    """A joint is attached to its parent where it is anyway: the parent's turn moves both, and rounding is no motion."""
    rng = np.random.default_rng(5)
    skeleton = synthetic.human()
    elbow, wrist = (skeleton.landmarks.require(name) for name in ("right_elbow", "right_wrist"))
    names = skeleton.names
    assert skeleton.parents[skeleton.index(wrist)] == skeleton.index(elbow)
    turned = rotations.random(rng, (20, len(skeleton)))
    motion = solver.Motion(turned, np.tile(skeleton.offsets, (20, 1, 1)))
    offset = skeleton.offsets[skeleton.index(wrist)]
    held = solver.AttachmentTask(wrist, elbow, offset, recruit=(names[skeleton.index(elbow)], *names[1:5]))
    state = WorldState.of(skeleton, motion)
    assert 0.0 < np.abs(held.error(state)).max() < 1e-14, "the rounding must be there"
    solved = solver.solve_postures(skeleton, motion, [held])
    np.testing.assert_allclose(solved.motion.rotations, motion.rotations, rtol=0.0, atol=1e-12)
