# SPDX-License-Identifier: GPL-3.0-or-later
"""The active set of limits: gradients against finite differences, and clamping of joints that are outside."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.joints import JointKind
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.body.limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.posture.active_set import ActiveSet, LimitBoundaries
from poise.solver.posture.solve import solve_posture
from poise.solver.tasks import PositionTask

from ..characters import person, random_motion, random_skeleton
from ..jacobian_check import assert_same_derivatives, central_differences, some_dofs


def random_limit(rng: np.random.Generator) -> BallLimit:
    axis = rng.standard_normal(3)
    twist = (float(rng.uniform(-1.5, 0.0)), float(rng.uniform(0.1, 1.5)))
    across = np.cross(axis, rng.standard_normal(3))
    corners = [
        axis / np.linalg.norm(axis)
        + rotations.rotate(rotations.from_axis_angle(axis, turn), across / np.linalg.norm(across))
        for turn in np.linspace(0.0, 2.0 * math.pi, 6)[:-1]
    ]
    swings = [None, SwingCone(*rng.uniform(0.3, 1.2, 2)), SwingPolygon(corners)]
    return BallLimit(axis, twist, swings[int(rng.integers(3))])


def limited(rng: np.random.Generator, joints: int = 14) -> Skeleton:
    """A random character of which every joint that can have a limit has one."""
    skeleton = random_skeleton(rng, joints)
    limits: dict[str | int, HingeLimit | BallLimit | None] = {}
    for joint, kind in enumerate(skeleton.kinds):
        if kind is JointKind.HINGE:
            limits[joint] = HingeLimit(float(rng.uniform(-1.0, 0.0)), float(rng.uniform(0.1, 1.0)))
        elif kind is not JointKind.FIXED:
            limits[joint] = random_limit(rng)
    return skeleton.with_limits(limits)


def near_rest(rng: np.random.Generator, skeleton: Skeleton, frames: int, spread: float = 0.7) -> Motion:
    """Joints turned from their rest by random rotation vectors, so that some are inside their limits and some not."""
    motion = random_motion(rng, skeleton, frames)
    turn = rotations.exp(spread * rng.standard_normal((frames, len(skeleton), 3)))
    return Motion(rotations.multiply(skeleton.rest_rotations, turn), motion.translations)


def dense(active_set: ActiveSet, count: int) -> Array:
    """(frames, boundaries, columns) the gradients as rows of a Jacobian."""
    whole = np.zeros((*active_set.excess.shape, count))
    for boundary, columns in enumerate(active_set.columns):
        for position, column in enumerate(columns):
            whole[:, boundary, column] += active_set.gradients[:, boundary, position]
    return whole


# --- gradients -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_gradients_are_the_derivatives_of_the_excess(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = limited(rng)
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 4))
    for dofs in (skeleton.dofs, some_dofs(rng, state)):
        boundaries, ones = LimitBoundaries(skeleton, dofs), np.ones(dofs.count)
        expected = central_differences(lambda moved, _, b=boundaries, o=ones: b.measured(moved, o).excess, state, dofs)
        found = boundaries.measured(state, ones)
        assert_same_derivatives(dense(found, dofs.count), expected, 1.0, "the gradient of an excess")
        assert not found.active.any()


def test_gradients_are_over_scaled_columns(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    state, dofs = WorldState.of(skeleton, near_rest(rng, skeleton, 3)), skeleton.dofs
    scale = rng.uniform(0.1, 5.0, dofs.count)
    plain = LimitBoundaries(skeleton, dofs).measured(state, np.ones(dofs.count))
    scaled = LimitBoundaries(skeleton, dofs).measured(state, scale)
    np.testing.assert_array_equal(scaled.excess, plain.excess)
    np.testing.assert_allclose(dense(scaled, dofs.count), dense(plain, dofs.count) * scale, rtol=1e-14)


def test_a_knee_is_as_far_outside_as_it_is_bent_too_far() -> None:
    skeleton = person().with_limits({"LeftLeg": HingeLimit(0.0, 2.0)})
    knee = skeleton.index("LeftLeg")
    turned = np.tile(skeleton.rest_rotations, (3, 1, 1))
    turned[:, knee] = rotations.from_axis_angle(skeleton.hinge_axes[knee], [-0.25, 1.0, 2.5])
    motion = Motion(turned, np.tile(skeleton.offsets, (3, 1, 1)))
    active_set = LimitBoundaries(skeleton, skeleton.dofs).measured(
        WorldState.of(skeleton, motion), np.ones(skeleton.dofs.count)
    )
    np.testing.assert_allclose(active_set.excess, [[0.25, -2.25], [-1.0, -1.0], [-2.5, 0.5]], atol=1e-12)


def test_only_those_who_may_move_have_boundaries(rng: np.random.Generator) -> None:
    skeleton = person().with_limits({"LeftLeg": HingeLimit(0.0, 2.0), "Neck": BallLimit((0, 1, 0), twist=(-1.0, 1.0))})
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 2))
    for may_move, count in ((["LeftLeg", "Neck"], 4), (["Neck"], 2), (["LeftLeg"], 2), (["Hips"], 0)):
        dofs = Dofs(skeleton.kinds, skeleton.mask(may_move))
        boundaries = LimitBoundaries(skeleton, dofs)
        assert bool(boundaries) == (count > 0)
        active_set = boundaries.measured(state, np.ones(dofs.count))
        assert active_set.excess.shape == (2, count) and active_set.gradients.shape == (2, count, 3)
        assert active_set.columns.shape == (count, 3)


def test_no_frames(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 0))
    boundaries = LimitBoundaries(skeleton, skeleton.dofs)
    active_set = boundaries.measured(state, np.ones(skeleton.dofs.count))
    assert active_set.excess.shape[0] == 0 and not active_set.any_active
    assert boundaries.clamped(state.motion).frames == 0


# --- switching on --------------------------------------------------------------------------------------------------


def test_what_a_step_would_pass_is_met(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    dofs = skeleton.dofs
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 5))
    active_set = LimitBoundaries(skeleton, dofs).measured(state, np.ones(dofs.count))
    step = 0.3 * rng.standard_normal((5, dofs.count))
    ahead = active_set.excess + np.einsum("fbc,fc->fb", dense(active_set, dofs.count), step)
    met = active_set.violated_by(step, 0.01)
    assert met.any() and not met.all()
    np.testing.assert_array_equal(met, ahead > 0.01)
    active = active_set.activated(met)
    np.testing.assert_array_equal(active.active, met)
    assert active.any_active and not active_set.any_active
    assert not (active.violated_by(step, 0.01) & met).any()


def test_the_rows_of_active_boundaries_has_their_gradients_and_leads_to_them(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    dofs = skeleton.dofs
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 5))
    active_set = LimitBoundaries(skeleton, dofs).measured(state, np.ones(dofs.count))
    active = rng.random(active_set.excess.shape) < 0.3
    active[2] = False
    jacobian, residual = active_set.activated(active).rows()
    whole = dense(active_set, dofs.count)
    assert jacobian.shape == (5, active.sum(axis=1).max(), dofs.count)
    for frame in range(5):
        rows = active[frame].sum()
        np.testing.assert_allclose(jacobian[frame, :rows], whole[frame, active[frame]], atol=1e-15)
        np.testing.assert_array_equal(residual[frame, :rows], -active_set.excess[frame, active[frame]])
        assert not jacobian[frame, rows:].any() and not residual[frame, rows:].any()


def test_some_frames_of_the_locks(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 5))
    active_set = LimitBoundaries(skeleton, skeleton.dofs).measured(state, np.ones(skeleton.dofs.count))
    active_set = active_set.activated(rng.random(active_set.excess.shape) < 0.5)
    some = np.array([4, 1])
    for name in ("excess", "gradients", "active"):
        np.testing.assert_array_equal(getattr(active_set.at(some), name), getattr(active_set, name)[some])


def test_a_skeleton_without_limits_has_none_to_meet(rng: np.random.Generator) -> None:
    skeleton = person()
    state = WorldState.of(skeleton, random_motion(rng, skeleton))
    active_set = LimitBoundaries(skeleton, skeleton.dofs).measured(state, np.ones(skeleton.dofs.count))
    assert not active_set.violated_by(np.ones((4, skeleton.dofs.count)), 0.0).size
    assert active_set.rows()[0].shape == (4, 0, skeleton.dofs.count)


# --- clamping ------------------------------------------------------------------------------------------------------


def test_clamping_leaves_what_is_inside_bit_for_bit_and_puts_the_rest_inside(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    boundaries, ones = LimitBoundaries(skeleton, skeleton.dofs), np.ones(skeleton.dofs.count)
    motion = near_rest(rng, skeleton, 60)
    before = boundaries.measured(WorldState.of(skeleton, motion), ones)
    clamped = boundaries.clamped(motion)
    after = boundaries.measured(WorldState.of(skeleton, clamped), ones)
    assert after.excess.max() < 1e-9
    owners = skeleton.dofs.owners[before.columns[:, 0]]
    inside = np.ones((60, len(skeleton)), dtype=bool)
    for boundary, joint in enumerate(owners):
        inside[:, joint] &= before.excess[:, boundary] <= 0.0
    limited_joints = np.unique(owners)
    assert inside[:, limited_joints].any() and not inside[:, limited_joints].all()
    np.testing.assert_array_equal(clamped.rotations[inside], motion.rotations[inside])
    changed = (clamped.rotations != motion.rotations).any(axis=-1)
    np.testing.assert_array_equal(changed, ~inside)
    np.testing.assert_array_equal(clamped.translations, motion.translations)
    np.testing.assert_allclose(np.linalg.norm(clamped.rotations, axis=-1), 1.0, atol=1e-14)


def test_clamping_twice_changes_nothing_more(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    boundaries = LimitBoundaries(skeleton, skeleton.dofs)
    once = boundaries.clamped(near_rest(rng, skeleton, 60))
    np.testing.assert_array_equal(boundaries.clamped(once).rotations, once.rotations)


def test_clamping_does_not_touch_its_input_nor_joints_that_may_not_move(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    motion = near_rest(rng, skeleton, 20, spread=2.0)
    before = motion.rotations.copy()
    dofs = Dofs(skeleton.kinds, np.arange(len(skeleton)) % 2 == 0)
    clamped = LimitBoundaries(skeleton, dofs).clamped(motion)
    np.testing.assert_array_equal(motion.rotations, before)
    np.testing.assert_array_equal(clamped.rotations[:, 1::2], before[:, 1::2])
    assert not np.array_equal(clamped.rotations, before)


def test_clamping_a_hinge_puts_it_to_the_end_of_its_range() -> None:
    skeleton = person().with_limits({"LeftLeg": HingeLimit(0.0, 2.0)})
    knee = skeleton.index("LeftLeg")
    motion = Motion(np.tile(skeleton.rest_rotations, (3, 1, 1)), np.tile(skeleton.offsets, (3, 1, 1)))
    motion.rotations[:, knee] = rotations.from_axis_angle(skeleton.hinge_axes[knee], [-0.25, 1.0, 2.5])
    clamped = LimitBoundaries(skeleton, skeleton.dofs).clamped(motion)
    angles = rotations.twist_angle(clamped.rotations[:, knee], skeleton.hinge_axes[knee])
    np.testing.assert_allclose(angles, [0.0, 1.0, 2.0], atol=1e-12)


def test_a_step_along_the_gradient_stays_on_the_boundary_to_first_order(rng: np.random.Generator) -> None:
    skeleton = limited(rng)
    dofs = skeleton.dofs
    boundaries, ones = LimitBoundaries(skeleton, dofs), np.ones(dofs.count)
    state = WorldState.of(skeleton, boundaries.clamped(near_rest(rng, skeleton, 8)))
    active_set = boundaries.measured(state, ones)
    touching = np.abs(active_set.excess) < 1e-9
    assert touching.any()
    for length in (1e-3, 1e-4):
        step = length * rng.standard_normal((8, dofs.count))
        along = np.einsum("fbc,fc->fb", dense(active_set, dofs.count), step)
        after = boundaries.measured(WorldState.of(skeleton, integrate(state, step, dofs)), ones)
        off = np.abs(after.excess - active_set.excess - along)[touching]
        assert np.median(off) < 10.0 * length**2


# --- measuring only what a step might reach ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_no_boundary_is_nearer_than_the_room_that_is_surely_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = limited(rng)
    state = WorldState.of(skeleton, near_rest(rng, skeleton, 50))
    boundaries = LimitBoundaries(skeleton, skeleton.dofs)
    active_set = boundaries.measured(state, np.ones(skeleton.dofs.count))
    assert (active_set.room > 0.0).any() and (active_set.room < 0.0).any()
    for position, rows in enumerate(boundaries.stacked.rows):
        left = -active_set.excess[:, rows]
        rate = np.linalg.norm(active_set.gradients[:, rows], axis=2)
        sure = active_set.room[:, position] > 0.0
        assert (left >= active_set.room[:, position, None] * rate - 1e-9)[sure].all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("length", [1e-3, 0.1, 1.0])
def test_what_is_not_measured_for_a_step_is_not_met_by_it(seed: int, length: float) -> None:
    rng = np.random.default_rng(seed)
    skeleton = limited(rng)
    boundaries, scale = LimitBoundaries(skeleton, skeleton.dofs), rng.uniform(0.3, 3.0, skeleton.dofs.count)
    state = WorldState.of(skeleton, boundaries.clamped(near_rest(rng, skeleton, 30, 0.25)))
    step = length * rng.standard_normal((30, skeleton.dofs.count))
    some, every = boundaries.unmeasured(state, scale).measured_for(step), boundaries.measured(state, scale)
    np.testing.assert_array_equal(some.violated_by(step, 1e-9), every.violated_by(step, 1e-9))
    met = some.violated_by(step, 1e-9)
    assert met.any() or length == 1e-3
    wanted = np.linalg.norm((step * scale)[:, boundaries.rotation_columns], axis=2) >= some.room
    assert wanted.mean() < 0.5 or length > 1e-3, "a short step makes nearly all boundaries be measured"
    assert not (wanted & ~some.measured).any() and (length > 1e-3 or not some.measured.all())
    np.testing.assert_allclose(some.activated(met).rows()[0], every.activated(met).rows()[0], atol=1e-15, rtol=0.0)
    assert np.isfinite(some.activated(met).rows()[1]).all()


def test_a_swing_without_a_twist_range_gives_no_warning() -> None:
    limits = {0: BallLimit((0.0, 1.0, 0.0), swing=SwingCone(0.5, 0.5))}
    skeleton = Skeleton(("root", "tip"), [-1, 0], [[0, 0, 0], [0, 1, 0]], kinds=("ball", "fixed"), limits=limits)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solved = solve_posture(skeleton, Pose.rest(skeleton), [PositionTask("tip", (1.0, 0.2, 0.0))])
    assert solved.converged
