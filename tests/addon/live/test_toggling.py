# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode begins with a solve where the result is not that of the constraints, and with none where it is."""

from __future__ import annotations

import bpy
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.live import toggling, watching
from poise.addon.properties import character_of
from poise.addon.workflows import create, latest, solve


def test_it_solves_only_where_it_must(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 30.0)
    solve.solve(armature)
    pin.points[0].object.location.z += 0.1
    assert latest.is_stale(armature)
    assert "is on" in solver.finished(toggling.toggle_in_steps(armature))
    assert not latest.is_stale(armature) and watching.sessions()
    assert "is off" in solver.finished(toggling.toggle_in_steps(armature))

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(solve, "solve_in_steps", never)
    solver.finished(toggling.toggle_in_steps(armature))
    assert character_of(armature).live


def test_a_begin_that_is_stopped_changes_nothing(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_wrist"], 30.0)
    steps = toggling.toggle_in_steps(armature)
    next(steps)
    steps.close()
    assert not character_of(armature).live and not watching.sessions() and not bridge.has_result(armature)
