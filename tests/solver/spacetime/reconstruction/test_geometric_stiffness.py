# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric stiffness against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.arrays import Array
from poise.solver.spacetime.handles.full_body import FullBodyDerivatives
from poise.solver.spacetime.handles.handle import AxisHandle, CenterOfMassHandle, PointHandle
from poise.solver.spacetime.reconstruction.geometric_stiffness import NEGLIGIBLE, geometric_stiffness, turning_dofs
from poise.solver.synthetic import chain

from ...characters import random_state
from ...jacobian_check import some_dofs

STEP = 1e-4


def along_steps(state: WorldState, steps: Array, values: list[object], forces: list[Array]) -> Array:
    """(steps,) Σ force · value of the first frame of a state after steps (steps, columns) from it."""
    skeleton = state.skeleton
    start = state.at(np.zeros(len(steps), dtype=np.int64))
    moved = WorldState.of(skeleton, integrate(start, steps, skeleton.dofs))
    body = FullBodyDerivatives(moved, skeleton.dofs)
    total = sum(handle.value(body).value @ force[0] for handle, force in zip(values, forces, strict=True))
    return np.asarray(total)


def test_second_derivatives(character: Skeleton, rng: np.random.Generator) -> None:
    """Of steps in single columns: minus the diagonal, where nothing is negative."""
    state = random_state(rng, character, 1)
    handles = [
        PointHandle(character.names[-1]),
        CenterOfMassHandle(),
        CenterOfMassHandle(character.names[len(character) // 2]),
        AxisHandle(character.names[-1], "left"),
    ]
    dofs = character.dofs
    turning = turning_dofs(character, dofs)
    wide = FullBodyDerivatives(state, turning)
    forces = [rng.standard_normal((1, 3)) for _ in handles]
    pulls = [(handle.value(wide).jacobian, force) for handle, force in zip(handles, forces, strict=True)]
    ahead, here, behind = (
        along_steps(state, sign * STEP * np.eye(dofs.count), handles, forces) for sign in (1.0, 0.0, -1.0)
    )
    expected = -(ahead - 2.0 * here + behind) / STEP**2
    found = geometric_stiffness(state, dofs, pulls)[0]
    negative = geometric_stiffness(state, dofs, [(jacobian, -force) for jacobian, force in pulls])[0]
    # The positive parts of a matrix and of its opposite differ by the matrix.
    np.testing.assert_allclose(np.diag(found - negative), expected, atol=2e-5 * max(1.0, np.abs(expected).max()))
    assert np.linalg.eigvalsh(found).min(initial=0.0) > -1e-9 * max(1.0, np.abs(found).max())


def test_mixed_derivatives_of_a_chain(rng: np.random.Generator) -> None:
    """Turning a joint, and then one below it."""
    skeleton = chain(4)
    state = random_state(rng, skeleton, 1)
    force = rng.standard_normal((1, 3))
    handle = PointHandle(skeleton.names[-1])
    jacobian = handle.value(FullBodyDerivatives(state, skeleton.dofs)).jacobian
    found = geometric_stiffness(state, skeleton.dofs, [(jacobian, force)])[0]
    found -= geometric_stiffness(state, skeleton.dofs, [(jacobian, -force)])[0]
    dofs = skeleton.dofs
    columns = np.arange(dofs.rotation_columns.start, dofs.rotation_columns.stop)
    for above, below in ((0, 1), (1, 2), (0, 2)):
        for first in columns[3 * above : 3 * above + 3]:
            for second in columns[3 * below : 3 * below + 3]:
                steps = [STEP * (a * np.eye(dofs.count)[first] + b * np.eye(dofs.count)[second]) for a, b in SIGNS]
                values = along_steps(state, np.stack(steps), [handle], [force])
                mixed = (values[0] - values[1] - values[2] + values[3]) / (4.0 * STEP**2)
                assert found[first, second] == pytest.approx(-mixed, abs=1e-5)


SIGNS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))


def test_a_straight_limb_that_is_pulled_resists_bending() -> None:
    skeleton = chain(3)
    state = WorldState.of(skeleton, Motion(skeleton.rest_rotations[None], skeleton.offsets[None]))
    tip = BodyPoint(2)
    outward = state.point(tip) - state.positions[:, 0]
    jacobian = state.point_jacobian(tip, skeleton.dofs)
    stiff = geometric_stiffness(state, skeleton.dofs, [(jacobian, outward)])
    assert np.abs(stiff).max() > NEGLIGIBLE
    slack = geometric_stiffness(state, skeleton.dofs, [(jacobian, -outward)])
    assert not slack.any() or np.abs(slack).max() < 1e-9


def test_weak_forces_have_none(rng: np.random.Generator) -> None:
    skeleton = chain(3)
    state = random_state(rng, skeleton)
    jacobian = state.point_jacobian(BodyPoint(2), skeleton.dofs)
    assert not geometric_stiffness(state, skeleton.dofs, [(jacobian, np.full((state.frames, 3), 1e-6))]).any()


def test_columns_of_some_joints(rng: np.random.Generator) -> None:
    skeleton = chain(5)
    state = random_state(rng, skeleton)
    some = some_dofs(rng, state)
    jacobian = state.point_jacobian(BodyPoint(4), turning_dofs(skeleton, some))
    assert geometric_stiffness(state, some, [(jacobian, np.ones((state.frames, 3)))]).shape[1:] == (some.count,) * 2
