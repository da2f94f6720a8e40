# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting and solving step by step: what is kept, what is cancelled, and what the result is."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.properties import character_of
from poise.addon.workflows import physics, physics_handles, physics_memory, progress

from ..operators.untouched import state
from ..physical import FIRST, LAST, strider, without_optimiser

__all__ = ["strider", "without_optimiser"]

SLOWER = physics.PhysicsOptions({"duration": 1.3})


def test_a_fit_is_made_once_for_all_edits(strider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = physics.fit(strider)
    assert physics.fit(strider) is fitted

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("it was fitted again")

    monkeypatch.setattr(solver.spacetime, "fitting", refuse)
    result = physics.solve_physics(strider, SLOWER)
    assert result.transformed.fitted is fitted
    assert physics_memory.fit_of(strider) is fitted and physics_memory.result_of(strider) is result.transformed
    state_now = physics_memory.state_of(strider)
    assert not state_now.is_fit_stale and not state_now.is_result_stale


def test_closing_it_at_any_step_changes_nothing(strider: Any) -> None:
    physics.fit(strider)
    before = state()
    steps = physics.solve_in_steps(strider, SLOWER)
    labels = set()
    for stage, share in steps:
        assert 0.0 <= share <= 1.0 and stage in progress.PHYSICS
        assert state() == before
        labels.add(stage)
        if stage == progress.BAKING:
            steps.close()
    assert labels >= {progress.TRANSFORMING, progress.BAKING}
    assert state() == before


def test_the_result_has_the_retimed_motion_in_every_bone(strider: Any) -> None:
    """At each frame of a slower motion, Blender shows what the solver has given."""
    result = physics.solve_physics(strider, SLOWER)
    clip = result.transformed.transformation.clip
    assert clip.frames > LAST - FIRST + 2
    with bridge.frame_restored(bpy.context.scene):
        for index in (0, 7, clip.frames - 1):
            bpy.context.scene.frame_set(FIRST + index)
            for joint in ("l_knee", "r_talocrural", "skullbase"):
                shown = strider.matrix_world @ strider.pose.bones[joint].head
                wanted = clip.world.positions[index, clip.skeleton.index(joint)]
                np.testing.assert_allclose(shown, wanted, atol=1e-4 * clip.skeleton.size)
    assert result.baked.bones and result.baked.gap < 1e-4 * clip.skeleton.size


def test_footplants_of_the_character_are_the_contacts(strider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def watched(clip: Any, plants: Any, recipe: str, settings: Any) -> Any:
        seen.append((plants, recipe, settings.rate))
        raise solver.PoiseError("Enough.")
        yield

    monkeypatch.setattr(solver.spacetime, "fitting", watched)
    with pytest.raises(solver.PoiseError, match="Enough"):
        physics.fit(strider)
    bpy.ops.poise.constraint_add_footplant(foot="LEFT", begin=12, end=20)
    with pytest.raises(solver.PoiseError, match="Enough"):
        physics.fit(strider, {"quality": "FINAL", "recipe": "HOPPER"})
    (found, *first), (own, *second) = seen
    assert len(found) > 1 and first == ["biped", physics.DRAFT_RATE]
    assert [plant.foot for plant in own] == ["left"] and second == ["hopper", solver.spacetime.PhysicsSettings().rate]
    assert character_of(strider).physics.recipe == "BIPED", "what failed is not stored"


def test_a_motion_that_is_changed_meanwhile_is_not_mixed(strider: Any) -> None:
    physics.fit(strider)
    steps = physics.solve_in_steps(strider, SLOWER)
    next(steps)
    data = strider.animation_data
    versions.curves_of(data.action, versions.slot_of(data))[0].keyframe_points[20].co.y += 0.1
    before = state()
    with pytest.raises(bridge.SourceChangedError, match="changed meanwhile"):
        solver.finished(steps)
    assert state() == before


def test_a_moved_footprint_reaches_the_solver(strider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    physics.fit(strider)
    physics_handles.spread_steps(strider, 0.03)
    seen: list[Any] = []

    def watched(fit: Any, edit: Any) -> Any:
        seen.append(edit)
        raise solver.PoiseError("Enough.")
        yield

    monkeypatch.setattr(solver.spacetime, "transforming", watched)
    with pytest.raises(solver.PoiseError, match="Enough"):
        physics.solve_physics(strider)
    (edit,) = seen
    assert [each.stance for each in edit.footprints] == list(range(len(character_of(strider).physics.stances)))


def test_the_sentence_says_how_long_and_what_is_missed(strider: Any) -> None:
    result = physics.solve_physics(strider, SLOWER)
    before = (LAST - FIRST) / 30.0
    assert result.sentence.startswith(f"{1.3 * before:.2f} s instead of {before:.2f} s")


def test_without_the_optimiser_one_sentence_says_so(armature: Any, without_optimiser: None) -> None:
    before = state()
    for work in (physics.fit, physics.solve_physics):
        with pytest.raises(bridge.BridgeError, match="CasADi"):
            work(armature)
    assert state() == before
