# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored metrics are those of the solver."""

from __future__ import annotations

from dataclasses import fields

from poise import solver
from poise.addon.properties import PoiseMetrics


def test_every_metric_of_feet_has_a_property() -> None:
    numbers = {each.name for each in fields(solver.FootMetrics) if each.type in ("float", "int", float, int)}
    others = {"jump_joint", "jump_frame", "worse"}
    assert set(PoiseMetrics.__annotations__) - others <= {each.name for each in fields(solver.FootMetrics)}
    assert numbers <= set(PoiseMetrics.__annotations__), numbers - set(PoiseMetrics.__annotations__)
