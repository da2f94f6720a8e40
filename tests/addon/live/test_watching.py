# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode over undo, files and errors: nothing is lost, and nothing is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.live import session, watching
from poise.addon.properties import character_of
from poise.addon.workflows import latest

from .edits import edited, head, session_of, until_settled, until_solved
from .test_session import BONE, FRAME, NEAR, everything, handle_of, live, pin_of

__all__ = ["live"]


def move(armature: Any, by: float = 0.05) -> None:
    handle_of(armature).location.x += by
    edited()
    until_solved(armature)


# Undo ---------------------------------------------------------------------------------------------------------------


def test_what_is_undone_shows_its_own_result(live: Any) -> None:
    """As Blender does it: the data are those of the step before, and then the handler is called."""
    first, keys = everything(live), handle_of(live).location.copy()
    move(live)
    until_settled(live)
    second = everything(live)
    handle_of(live).location = keys
    watching.on_undo()
    np.testing.assert_allclose(everything(live), first, atol=1e-5)
    assert not bridge.has_samples(live) and session_of(live).is_settled
    handle_of(live).location.x += 0.05
    watching.on_undo()
    np.testing.assert_allclose(everything(live), second, atol=1e-5)
    assert not latest.is_stale(live)


def test_undo_in_the_middle_of_an_edit_shows_keys(live: Any) -> None:
    first, place = everything(live), handle_of(live).location.copy()
    move(live)
    assert bridge.has_samples(live)
    handle_of(live).location = place
    watching.on_undo()
    np.testing.assert_allclose(everything(live), first, atol=1e-5)
    assert not bridge.has_samples(live)


def test_what_is_not_known_any_more_is_solved_after_undo(live: Any) -> None:
    latest.forget()
    handle_of(live).location.x -= 0.07
    watching.on_undo()
    until_settled(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
    assert not latest.is_stale(live)


@pytest.fixture
def bakes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is baked."""
    found: list[Any] = []
    bake = session.solve.bake_in_steps

    def noted(solved: Any, options: Any) -> Any:
        found.append(solved)
        return bake(solved, options)

    monkeypatch.setattr(session.solve, "bake_in_steps", noted)
    return found


def test_undo_of_something_else_bakes_nothing_and_leaves_poses_without_keys(live: Any, bakes: list[Any]) -> None:
    curve = versions.curves_of(live.animation_data.action, versions.slot_of(live.animation_data))[0]
    live.path_resolve(curve.data_path)[curve.array_index] = 0.25
    shown, keys = session_of(live)._solved, bridge.animation_of(live).result
    watching.on_undo()
    edited()
    assert not bakes and bridge.animation_of(live).result == keys
    assert live.path_resolve(curve.data_path)[curve.array_index] == 0.25
    assert session_of(live)._solved is shown and session_of(live).is_settled
    until_settled(live)
    assert not bakes
    move(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def test_keys_that_undo_brings_back_are_not_baked_again(live: Any, bakes: list[Any]) -> None:
    """As Blender does it: the handle and the signature of the step before come back, together with its keys."""
    first, place = session_of(live)._solved, handle_of(live).location.copy()
    signature = character_of(live).live_state.solved
    move(live)
    until_settled(live)
    assert len(bakes) == 1 and session_of(live)._solved is not first
    handle_of(live).location = place
    character_of(live).live_state.solved = signature
    watching.on_undo()
    edited()
    assert len(bakes) == 1 and session_of(live)._solved is first and session_of(live).is_settled
    assert not latest.is_stale(live)


@pytest.mark.parametrize("dropped", ["source_restore", "clean"])
def test_undo_to_where_no_solve_was_shown_switches_it_off(dropped: str, live: Any, bakes: list[Any]) -> None:
    getattr(bpy.ops.poise, dropped)()
    if dropped == "source_restore":
        character_of(live).live_state.solved = "of a solve that is still in memory"
    character_of(live).live = True
    shown = everything(live)
    watching.on_undo()
    watching.on_timer()
    assert not character_of(live).live and not watching.sessions() and not bakes
    np.testing.assert_array_equal(everything(live), shown)


# Files --------------------------------------------------------------------------------------------------------------


def test_a_file_that_is_saved_has_keys_and_goes_on_when_it_is_opened(live: Any, tmp_path: Path) -> None:
    move(live)
    assert bridge.has_samples(live)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert not bridge.has_samples(live) and not latest.is_stale(live)
    shown = everything(live)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened: Any = bpy.data.objects["Walker"]
    np.testing.assert_allclose(everything(opened), shown, atol=1e-6)
    assert character_of(opened).live and list(watching.sessions()) == ["Walker"]
    until_settled(opened)
    np.testing.assert_allclose(everything(opened), shown, atol=1e-4)
    move(opened)
    np.testing.assert_allclose(head(opened, BONE, FRAME), handle_of(opened).location, atol=NEAR)


def test_a_file_without_samples_is_saved_without_a_solve(
    live: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished: list[Any] = []
    monkeypatch.setattr(session.Session, "finish", finished.append)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert not finished


def test_another_file_ends_it(live: Any) -> None:
    move(live)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not watching.sessions() and watching.on_timer() is None


# The end ------------------------------------------------------------------------------------------------------------


def test_leaving_it_makes_keys(live: Any) -> None:
    move(live)
    bpy.ops.poise.live_toggle()
    assert not character_of(live).live and not watching.sessions()
    assert not bridge.has_samples(live) and not latest.is_stale(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
    handle_of(live).location.x += 0.1
    edited()
    assert latest.is_stale(live) and not watching.sessions()


def test_disabling_the_addon_makes_keys_and_solves_nothing(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    move(live)
    finished: list[Any] = []
    monkeypatch.setattr(session.Session, "finish", finished.append)
    watching.unregister()
    try:
        assert not bridge.has_samples(live) and not watching.sessions() and not finished
        np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
        assert not bpy.app.timers.is_registered(watching.on_timer)
    finally:
        watching.register()


def test_a_deleted_armature_ends_it(live: Any) -> None:
    move(live)
    bpy.data.objects.remove(live)
    edited()
    watching.on_timer()
    assert not watching.sessions()
    assert not any("Walker" in held for held in (latest._kept, latest._edited, latest._checked))


def test_a_renamed_armature_is_followed_by_its_new_name(live: Any) -> None:
    live.name = "Other"
    watching.on_timer()
    assert list(watching.sessions()) == ["Other"]
    until_settled(live)
    move(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


@pytest.mark.parametrize("is_edited", [False, True])
def test_restoring_the_source_switches_it_off(is_edited: bool, live: Any) -> None:
    source = bridge.animation_of(live).source
    if is_edited:
        move(live)
    bpy.ops.poise.source_restore()
    assert not character_of(live).live and not watching.sessions()
    assert not bridge.has_result(live) and live.animation_data.action == source
    assert watching.on_timer() is None and not character_of(live).live_state.problem


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_result_that_is_applied_in_the_middle_of_an_edit_has_keys(is_hidden: bool, live: Any) -> None:
    move(live)
    assert bridge.has_samples(live)
    if is_hidden:
        bpy.ops.poise.compare_toggle()
    bpy.ops.poise.result_apply()
    assert not character_of(live).live and not watching.sessions()
    assert not bridge.has_result(live)
    curves = versions.curves_of(live.animation_data.action, versions.slot_of(live.animation_data))
    assert curves and all(len(curve.keyframe_points) > 0 and not len(curve.sampled_points) for curve in curves)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def test_what_is_cleaned_is_not_replaced_by_a_solve(live: Any) -> None:
    move(live)
    bpy.ops.poise.clean()
    assert not character_of(live).live and not watching.sessions()
    cleaned = everything(live)
    edited()
    assert watching.on_timer() is None and not bridge.has_samples(live)
    np.testing.assert_array_equal(everything(live), cleaned)


def test_while_the_source_is_compared_nothing_is_solved(live: Any) -> None:
    bpy.ops.poise.compare_toggle()
    handle_of(live).location.x += 0.05
    edited()
    watching.on_timer()
    assert not session_of(live).is_working
    bpy.ops.poise.compare_toggle()
    until_settled(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def test_a_result_that_is_hidden_in_the_middle_of_an_edit_is_saved_with_keys(live: Any, tmp_path: Path) -> None:
    move(live)
    assert bridge.has_samples(live)
    bpy.ops.poise.compare_toggle()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert not bridge.has_samples(live)
    bpy.ops.poise.compare_toggle()
    until_settled(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
    assert not latest.is_stale(live)


# Pauses -------------------------------------------------------------------------------------------------------------


def test_while_a_render_runs_nothing_changes(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = everything(live)
    with monkeypatch.context() as rendering:
        rendering.setattr(watching, "_is_rendering", lambda: True)
        handle_of(live).location.x += 0.05
        edited()
        assert watching.on_timer() == watching.WATCH
        assert not session_of(live).is_working and not bridge.has_samples(live)
        np.testing.assert_array_equal(everything(live), shown)
    until_settled(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def _in_edit_mode(armature: Any) -> Any:
    bpy.ops.object.mode_set(mode="EDIT")
    yield
    bpy.ops.object.mode_set(mode="OBJECT")


def _in_another_scene(armature: Any) -> Any:
    collection = bpy.context.scene.collection
    collection.objects.unlink(armature)
    yield
    collection.objects.link(armature)


def _compared(armature: Any) -> Any:
    bpy.ops.poise.compare_toggle()
    yield
    bpy.ops.poise.compare_toggle()


@pytest.mark.parametrize("away", [_in_edit_mode, _in_another_scene, _compared])
def test_it_waits_for_an_armature_that_is_not_at_hand(away: Any, live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as slow:
        for name in ("AT_ONCE", "LONGEST_AT_ONCE", "SLICE"):
            slow.setattr(watching, name, 0.0)
        handle_of(live).location.x += 0.05
        edited()
        assert session_of(live).is_working, "with steps left"
        steps = session_of(live)._steps
        meanwhile = away(live)
        next(meanwhile)
        edited()
        assert watching.on_timer() == watching.WATCH, "it does not keep a processor busy"
        assert session_of(live)._steps is steps and character_of(live).live
        next(meanwhile, None)
        edited()
    until_settled(live)
    assert character_of(live).live, character_of(live).live_state.problem
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def test_results_are_not_refined_while_something_is_dragged(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    move(live)
    with monkeypatch.context() as slow:
        slow.setattr(watching, "SLICE", 0.0)
        session_of(live).last_edit -= session.REST
        watching.on_timer()
        assert session_of(live).is_working and not session_of(live).is_following
        steps = session_of(live)._steps
        slow.setattr(watching, "_is_hand_moving", lambda: True)
        ran: list[float] = []
        slow.setattr(session.Session, "run", lambda self, seconds, longest=0.0: ran.append(seconds))
        assert watching.on_timer() == watching.WATCH
        assert not ran and session_of(live)._steps is steps
    until_settled(live)
    assert not latest.is_stale(live) and not bridge.has_samples(live)


# Errors -------------------------------------------------------------------------------------------------------------


def test_an_error_switches_it_off_with_one_sentence(live: Any) -> None:
    move(live)
    pin_of(live).points[0].begin = 40.0
    pin_of(live).points[0].end = 35.0
    edited()
    until_settled(live)
    problem = character_of(live).live_state.problem
    assert not character_of(live).live and not watching.sessions()
    assert "begins at frame 40" in problem and problem.count("\n") == 0
    assert not bridge.has_samples(live), "the keys of the last result are there"
    edited()
    assert watching.on_timer() is None, "it is not tried again"


def test_a_defect_switches_it_off_once(
    live: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def defect(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(session.translation, "translate", defect)
    handle_of(live).location.x += 0.05
    edited()
    for frame in range(1, 5):
        bpy.context.scene.frame_set(frame)
    watching.on_timer()
    assert capsys.readouterr().err.count("Traceback") == 1
    assert not character_of(live).live
    assert "defect" in character_of(live).live_state.problem
    monkeypatch.undo()
    bpy.ops.poise.live_toggle()
    assert character_of(live).live and not character_of(live).live_state.problem


def test_what_it_does_itself_is_no_edit(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    depth: list[int] = []
    notice = session.Session.notice

    def counted(self: Any, *given: Any) -> bool:
        depth.append(len(depth))
        return notice(self, *given)

    monkeypatch.setattr(session.Session, "notice", counted)
    handle_of(live).location.x += 0.05
    edited()
    assert len(depth) == 1


def test_a_toggle_in_the_panel_begins_it_too(live: Any) -> None:
    bpy.ops.poise.live_toggle()
    assert not watching.sessions()
    character_of(live).live = True
    live.update_tag()
    edited()
    assert list(watching.sessions()) == ["Walker"]
    until_settled(live)
    move(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
