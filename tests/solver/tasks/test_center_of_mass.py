# SPDX-License-Identifier: GPL-3.0-or-later
"""Centre of mass: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import TaskError
from poise.solver.tasks import CenterOfMassTask

from ..characters import person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs
from ..rounding import assert_equal_to_rounding


@pytest.mark.parametrize("axes", [None, "x", "zy", "xyz"])
def test_jacobian(character: Skeleton, rng: np.random.Generator, axes: str | None) -> None:
    state = random_state(rng, character, 3)
    task = CenterOfMassTask(rng.standard_normal((3, 3)), axes=axes)
    assert_jacobian(task, state)
    assert_jacobian(task, state, some_dofs(rng, state))


def test_error_is_along_the_horizontal_axes_unless_told_otherwise(rng: np.random.Generator) -> None:
    for up, horizontal in (("y", [0, 2]), ("z", [0, 1])):
        state = random_state(rng, random_skeleton(rng).replace(up=up))
        target = rng.standard_normal((4, 3))
        missing = target - state.center_of_mass()
        assert_equal_to_rounding(CenterOfMassTask(target).error(state), missing[:, horizontal])
        assert_equal_to_rounding(CenterOfMassTask(target, axes="yx").error(state), missing[:, [1, 0]])


def test_everyone_serves() -> None:
    skeleton = person()
    assert CenterOfMassTask((0.0, 0.0, 0.0)).influencing_joints(skeleton).all()
    assert CenterOfMassTask((0.0, 0.0, 0.0)).recruited(skeleton).all()


def test_a_body_without_mass_cannot_be_moved_by_its_centre(rng: np.random.Generator) -> None:
    weightless = person().replace(total_mass=0.0)
    state = random_state(rng, weightless)
    task = CenterOfMassTask(rng.standard_normal(3))
    assert np.isfinite(task.error(state)).all()
    assert not task.jacobian(state, weightless.dofs).any()


@pytest.mark.parametrize("target", [(1.0, 2.0), np.zeros((2, 2)), 1.0])
def test_a_target_of_the_wrong_shape_is_refused(target: object) -> None:
    with pytest.raises(TaskError, match="Centre of mass: the target must be 3 numbers"):
        CenterOfMassTask(target)


def test_a_target_that_is_not_finite_is_refused() -> None:
    with pytest.raises(TaskError, match="balance: the target is not finite"):
        CenterOfMassTask((np.nan, 0.0, 0.0), name="balance")


@pytest.mark.parametrize("axes", ["", "xx", "q"])
def test_axes_are_letters_each_once(axes: str) -> None:
    with pytest.raises(TaskError, match="Centre of mass: axes"):
        CenterOfMassTask((0.0, 0.0, 0.0), axes=axes)


def test_a_recruiting_level_has_nothing_to_count_from() -> None:
    with pytest.raises(TaskError, match="Centre of mass has no joint to count"):
        CenterOfMassTask((0.0, 0.0, 0.0), recruit=2).check(person(), 1)


def test_targets_for_another_number_of_frames_are_refused() -> None:
    with pytest.raises(TaskError, match="Centre of mass: there are targets for 3 frames, but the motion has 5"):
        CenterOfMassTask(np.zeros((3, 3))).check(person(), 5)
