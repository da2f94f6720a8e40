# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns and their owners."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.joints import JointKind

COLUMNS_OF = {JointKind.FREE: 6, JointKind.BALL: 3, JointKind.HINGE: 1, JointKind.FIXED: 0}


@pytest.fixture
def kinds(rng: np.random.Generator) -> list[JointKind]:
    return [list(JointKind)[int(number)] for number in rng.integers(4, size=30)]


def test_each_joint_owns_as_many_columns_as_its_kind_says(kinds: list[JointKind]) -> None:
    dofs = Dofs(kinds)
    assert dofs.count == sum(COLUMNS_OF[kind] for kind in kinds)
    for joint, kind in enumerate(kinds):
        assert (dofs.owners == joint).sum() == COLUMNS_OF[kind]


def test_groups_cover_all_columns_in_order(kinds: list[JointKind]) -> None:
    dofs = Dofs(kinds)
    groups = [dofs.translation_columns, dofs.rotation_columns, dofs.hinge_columns]
    columns = [column for group in groups for column in range(group.start, group.stop)]
    assert columns == list(range(dofs.count))
    np.testing.assert_array_equal(dofs.owners[dofs.translation_columns], np.repeat(dofs.translating, 3))
    np.testing.assert_array_equal(dofs.owners[dofs.rotation_columns], np.repeat(dofs.rotating, 3))
    np.testing.assert_array_equal(dofs.owners[dofs.hinge_columns], dofs.hinged)


def test_only_those_who_may_move_own_columns(kinds: list[JointKind], rng: np.random.Generator) -> None:
    enabled = rng.random(30) < 0.5
    some = Dofs(kinds, enabled)
    assert enabled[some.owners].all()
    movable = np.array([kind is not JointKind.FIXED for kind in kinds])
    np.testing.assert_array_equal(some.moving, np.flatnonzero(enabled & movable))
    assert some.joints == 30


def test_joints_that_may_not_move_have_no_columns(kinds: list[JointKind]) -> None:
    for none in (Dofs(kinds, np.zeros(30, dtype=bool)), Dofs([JointKind.FIXED] * 5)):
        assert none.count == 0 and none.owners.shape == (0,) and none.moving.shape == (0,)
        assert none.spread(np.ones(none.joints)).shape == (0,)


def test_spreading_gives_each_column_the_value_of_its_owner(kinds: list[JointKind], rng: np.random.Generator) -> None:
    dofs = Dofs(kinds)
    per_joint = rng.standard_normal((2, 3, 30))
    spread = dofs.spread(per_joint)
    assert spread.shape == (2, 3, dofs.count)
    for column, owner in enumerate(dofs.owners):
        np.testing.assert_array_equal(spread[..., column], per_joint[..., owner])
    assert dofs.spread(per_joint[0, 0] > 0.0).dtype == np.bool_
