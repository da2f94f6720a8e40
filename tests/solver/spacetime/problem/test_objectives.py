# SPDX-License-Identifier: GPL-3.0-or-later
"""What a physical motion minimises."""

from __future__ import annotations

from typing import Any

import pytest

from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime.handles.handle import AxisHandle, DistanceHandle, PointHandle
from poise.solver.spacetime.problem.objectives import WEIGHTS, HandleObjective, Objectives

BALL, UP, LEG = PointHandle("left_ball"), AxisHandle("hips", "up"), DistanceHandle("left_hip", "left_ball")


def test_every_weight_has_a_name_and_can_be_replaced() -> None:
    base = Objectives()
    assert len(WEIGHTS) == 9 and "own" not in WEIGHTS
    for name in WEIGHTS:
        changed = base.replace(**{name: 0.25})
        assert getattr(changed, name) == 0.25
        assert all(getattr(changed, other) == getattr(base, other) for other in WEIGHTS if other != name)


@pytest.mark.parametrize("value", [-1e-9, float("nan"), float("inf"), "much", None])
@pytest.mark.parametrize("name", WEIGHTS)
def test_a_weight_that_cannot_be_is_named_with_its_value(name: str, value: object) -> None:
    with pytest.raises(ConstraintError, match=name) as refused:
        Objectives(**{name: value})  # type: ignore[arg-type]
    assert repr(value) in str(refused.value)


def test_an_unknown_weight_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ConstraintError, match=r"no objective 'strength'; there are deviation, .*kinematic_smoothness"):
        Objectives().replace(strength=1.0)


def test_objectives_of_ones_own_may_be_a_list() -> None:
    own = HandleObjective(BALL, target=(0.0, 1.0, 2.0))
    assert Objectives(own=[own]).own == (own,)  # type: ignore[arg-type]
    assert Objectives().replace(own=own).own == (own,)
    with pytest.raises(ConstraintError, match="HandleObjective"):
        Objectives(own=[BALL])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"handle": "left_ball"}, "about a handle"),
        ({"handle": BALL}, "a target, or take one number"),
        ({"handle": BALL, "target": (1.0, 2.0)}, "must be 3 finite numbers"),
        ({"handle": BALL, "target": (1.0, 2.0, float("nan"))}, "must be 3 finite numbers"),
        ({"handle": BALL, "target": ("a", "b", "c")}, "must be 3 finite numbers"),
        ({"handle": LEG, "target": (1.0, 2.0)}, "must be one finite number"),
        ({"handle": BALL, "target": (0.0, 0.0, 0.0), "weight": -1.0}, "positive number"),
        ({"handle": BALL, "target": (0.0, 0.0, 0.0), "weight": 0.0}, "positive number"),
        ({"handle": LEG, "weight": float("inf")}, "weight of the distance"),
        ({"handle": LEG, "begin": "soon"}, "begin of the objective"),
        ({"handle": LEG, "begin": 2.0, "end": 1.0}, "ends at 1 s, before it begins at 2 s"),
    ],
)
def test_an_objective_that_cannot_be_is_refused_with_a_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ConstraintError, match=words) as refused:
        HandleObjective(**given)
    assert str(refused.value).endswith(".")


def test_targets_become_tuples_and_objectives_keys() -> None:
    assert HandleObjective(BALL, target=[1, 2, 3]).target == (1.0, 2.0, 3.0)  # type: ignore[arg-type]
    one = HandleObjective(LEG, target=0.5)  # type: ignore[arg-type]
    assert one.target == (0.5,)
    assert hash(one) == hash(HandleObjective(LEG, target=(0.5,)))
    assert HandleObjective(LEG, weight=-2.0).weight == -2.0


def test_other_units_divide_lengths_and_times_and_leave_directions() -> None:
    own = Objectives(
        own=(
            HandleObjective(BALL, target=(2.0, 4.0, 6.0), begin=1.0, end=3.0),
            HandleObjective(UP, target=(0.0, 1.0, 0.0)),
            HandleObjective(LEG),
        )
    )
    ball, up, leg = own.in_units(length=2.0, time=0.5).own
    assert (ball.target, ball.begin, ball.end) == ((1.0, 2.0, 3.0), 2.0, 6.0)
    assert (up.target, up.begin, up.end) == ((0.0, 1.0, 0.0), None, None)
    assert leg == own.own[2]
