# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to the source, on from the result."""

from __future__ import annotations

import bpy
import pytest

from poise.addon import bridge

from .test_constraints import run
from .untouched import state


def test_they_wait_for_a_result(armature: bpy.types.Object) -> None:
    assert not bpy.ops.poise.source_restore.poll()
    assert not bpy.ops.poise.result_apply.poll()
    with pytest.raises(RuntimeError, match="solve or clean first"):
        run("source_restore")


@pytest.mark.parametrize("target", ["ACTION", "REPLACE", "COMBINE"])
def test_restoring_gives_back_all_that_there_was(target: str, armature: bpy.types.Object) -> None:
    armature.animation_data.action.use_fake_user = True  # solving makes sure that the source is kept
    before = state()
    run("solve", target=target)
    assert bridge.animation_of(armature).result is not None
    run("source_restore")
    after = state()
    for each in (before, after):
        character = each["objects"]["Walker"][-1]
        for told in ("last_solve", "advice", "residuals"):
            character.pop(told)
    assert after == before


def test_an_applied_result_is_the_source_of_the_next_solve(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    run("solve")
    run("result_apply")
    assert bridge.animation_of(armature).result is None
    assert bridge.animation_of(armature).source.name == "Walker.poise"
    assert not bpy.ops.poise.source_restore.poll()
    run("solve")
    assert bridge.animation_of(armature).source.name == "Walker.poise"
