# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the physical method."""

from __future__ import annotations

from typing import Any

import pytest

from poise.solver.core.errors import ConstraintError
from poise.solver.spacetime.settings import PhysicsSettings


@pytest.mark.parametrize(
    "given",
    [
        {"rate": 0.0},
        {"rate": float("nan")},
        {"rate": "fast"},
        {"friction": -1.0},
        {"nearness": 0.0},
        {"seconds": float("inf")},
        {"seconds": None},
        {"gravity": 0.0},
        {"gravity": "earth"},
        {"iterations": 0},
        {"iterations": 2.5},
        {"iterations": None},
        {"stages": ()},
        {"stages": (1.0, -1.0)},
        {"stages": "ten"},
        {"stages": None},
        {"objectives": {"jerk": 1.0}},
    ],
)
def test_a_setting_that_cannot_be_is_named_with_its_value(given: dict[str, Any]) -> None:
    (name, value), *_ = given.items()
    with pytest.raises(ConstraintError) as refused:
        PhysicsSettings(**given)
    assert name in str(refused.value) and repr(value) in str(refused.value)
    assert str(refused.value).endswith(".")


def test_stages_may_be_a_list_or_one_number() -> None:
    assert PhysicsSettings(stages=[3.0, 1.0]).stages == (3.0, 1.0)  # type: ignore[arg-type]
    assert PhysicsSettings(stages=2.0).stages == (2.0,)  # type: ignore[arg-type]
    assert PhysicsSettings(gravity=9.81, iterations=10).gravity == 9.81
