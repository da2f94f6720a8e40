# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints as dictionaries: keys, defaults, and the joints whose local frames they need."""

from __future__ import annotations

from typing import Any

import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.core.errors import FileFormatError
from poise.solver.files.constraint_records import joints_with_local_values, read_constraint, write_constraint
from poise.solver.files.conversion import Conversion

CONVERSION = Conversion(synthetic.human(), 100)


def written(constraint: solver.Constraint) -> dict[str, Any]:
    return write_constraint(constraint, 1, CONVERSION)


def test_only_what_differs_from_the_defaults_is_written() -> None:
    plant = solver.Footplant(foot="left", heel_strike=5, toe_strike=9, heel_off=30, toe_off=40)
    assert written(plant) == {
        "kind": "footplant",
        "foot": "left",
        "heel_strike": 5,
        "toe_strike": 9,
        "heel_off": 30,
        "toe_off": 40,
    }


def test_a_default_in_a_local_frame_is_written() -> None:
    point = solver.ConstraintPoint((0.0, 1.0, 0.0), 4.0)
    assert "axis" in written(solver.DirectionConstraint("l_wrist", 1, 9, [point]))


@pytest.mark.parametrize(
    ("constraint", "joints"),
    [
        (solver.Footplant(foot="left", heel_strike=5, heel_off=30), set()),
        (solver.ShapeConstraint("l_wrist", 1, 9), set()),
        (solver.ShapeConstraint(solver.BodyPoint("l_wrist", (0.0, 0.1, 0.0)), 1, 9), {"l_wrist"}),
        (solver.ShapeConstraint("l_wrist", 1, 9, reference="skullbase"), {"skullbase"}),
        (solver.OrientationConstraint("l_wrist", 1, 9), {"l_wrist"}),
        (solver.Balance(points=[solver.BodyPoint("l_hip", (0.1, 0.0, 0.0)), "r_hip"]), {"l_hip"}),
        (solver.HeldPose({"l_knee": (1.0, 0.0, 0.0, 0.0)}, 1, 9), {"l_knee", "l_hip"}),
    ],
)
def test_joints_with_values_in_their_local_frame_are_listed(constraint: solver.Constraint, joints: set[str]) -> None:
    assert joints_with_local_values(written(constraint), CONVERSION.skeleton) == joints


def test_errors_have_the_name_and_number_of_the_constraint() -> None:
    record = {"kind": "footplant", "name": "Step", "foot": "left", "heel_strike": "soon"}
    with pytest.raises(FileFormatError, match=r'^a.json: constraint 3 \("Step"\): "heel_strike" must be a number'):
        read_constraint(record, 3, "a.json", CONVERSION)


def test_an_error_of_the_class_names_the_constraint_once() -> None:
    record = {"kind": "footplant", "name": "Step", "foot": "left", "heel_strike": 9, "heel_off": 2}
    with pytest.raises(FileFormatError) as error:
        read_constraint(record, 1, "a.json", CONVERSION)
    assert str(error.value).startswith('a.json: constraint 1 ("Step"): ')
    assert str(error.value).count("Step") == 1


def test_an_unknown_kind_gets_a_suggestion() -> None:
    with pytest.raises(FileFormatError, match='did you mean "footplant"'):
        read_constraint({"kind": "footplnt"}, 1, "a.json", CONVERSION)
