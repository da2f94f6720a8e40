# SPDX-License-Identifier: GPL-3.0-or-later
"""A live edit: every change is noticed, solved and shown; at rest the result is that of Solve, with keys and report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.live import watching
from poise.addon.properties import character_of
from poise.addon.workflows import create, latest, solve

from .edits import edited, head, session_of, until_settled, until_solved

FRAME = 30
BONE = "l_wrist"
NEAR = 1e-3
"""Metres within which a pinned hand is at its handle."""


@pytest.fixture
def live(armature: bpy.types.Object) -> Any:
    """A walk with a pin, in live mode."""
    (pin,) = create.add_pins(armature, [BONE], FRAME)
    pin.points[0].object.location.z += 0.1
    bpy.ops.poise.live_toggle()
    assert character_of(armature).live
    until_settled(armature)
    return armature


def pin_of(armature: bpy.types.Object) -> Any:
    return character_of(armature).constraints[0]


def handle_of(armature: bpy.types.Object) -> Any:
    return pin_of(armature).points[0].object


def everything(armature: Any) -> Any:
    """Where all bones are in some frames."""
    return np.array([head(armature, bone.name, frame) for frame in (1, 20, 30, 36, 60) for bone in armature.pose.bones])


def test_it_begins_with_a_result(live: Any) -> None:
    assert bridge.has_result(live) and not bridge.has_samples(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
    assert not latest.is_stale(live)
    assert session_of(live).is_settled


def test_a_moved_handle_is_followed_while_it_moves(live: Any) -> None:
    beside = head(live, BONE, FRAME + 4)
    for _ in range(3):
        handle_of(live).location.x += 0.03
        edited()
        until_solved(live)
        assert bridge.has_samples(live), "it is still being edited"
        np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)
    assert np.abs(head(live, BONE, FRAME + 4) - beside).max() > 0.02, "other frames go along"
    assert latest.of(live).shown.position(BONE)[FRAME - 1] == pytest.approx(handle_of(live).location, abs=NEAR)


def test_previews_are_drawn_too(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shared: list[latest.Latest] = []
    show = latest.show_edit
    monkeypatch.setattr(latest, "show_edit", lambda armature, edit: (shared.append(edit), show(armature, edit)))
    before = latest.of(live).shown.position(BONE)[FRAME - 1]
    for _ in range(2):
        handle_of(live).location.x += 0.03
        edited()
        until_solved(live)
    previews = [each for each in shared if each is not None and each.is_preview]
    assert previews and not shared[-1].is_preview, "and the solve at last"
    assert np.abs(previews[-1].shown.position(BONE)[FRAME - 1] - before).max() > 0.02


def test_at_rest_it_is_the_result_of_solve(live: Any) -> None:
    for _ in range(3):
        handle_of(live).location.x += 0.03
        edited()
        until_solved(live)
    until_settled(live)
    shown = everything(live)
    assert not bridge.has_samples(live) and not latest.is_stale(live)
    assert "every constraint holds" in character_of(live).last_solve
    latest.forget()
    solve.solve(live)
    np.testing.assert_allclose(everything(live), shown, atol=1e-5)


def _value(armature: Any) -> None:
    pin_of(armature).points[0].end += 6.0


def _off(armature: Any) -> None:
    pin_of(armature).enabled = False


def _delete(armature: Any) -> None:
    character_of(armature).constraints.remove(0)


def _add(armature: Any) -> None:
    (pin,) = create.add_pins(armature, ["r_wrist"], FRAME)
    pin.points[0].object.location.z += 0.2


def _plant(armature: Any) -> None:
    bpy.ops.poise.constraint_add_footplant(foot="LEFT", begin=20, end=28)
    character_of(armature).constraints[-1].points[0].object.location.x += 0.05


def _range(armature: Any) -> None:
    bpy.context.scene.frame_end = 55


def _fps(armature: Any) -> None:
    bpy.context.scene.render.fps = 60


def _ground(armature: Any) -> None:
    character_of(armature).use_ground, character_of(armature).ground_height = True, 0.01


def _thinning(armature: Any) -> None:
    character_of(armature).tolerance = 0.002


EDITS = (_value, _off, _delete, _add, _plant, _range, _fps, _ground, _thinning)


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_of_constraints_and_settings_counts(edit: Callable[[Any], None], live: Any) -> None:
    edit(live)
    edited()
    until_settled(live)
    assert character_of(live).live, character_of(live).live_state.problem
    assert not latest.is_stale(live)
    shown = everything(live)
    latest.forget()
    solve.solve(live, solve.SolveOptions(tolerance=character_of(live).tolerance))
    np.testing.assert_allclose(everything(live), shown, atol=1e-5)


def test_a_constraint_that_is_switched_off_leaves_the_source(live: Any) -> None:
    pin_of(live).enabled = False
    until_settled(live)
    shown = everything(live)
    with bridge.source_shown(live):
        np.testing.assert_allclose(shown, everything(live), atol=1e-5)


def test_a_changed_source_is_read_again(live: Any) -> None:
    animation = bridge.animation_of(live)
    for curve in versions.curves_of(animation.source, animation.slot):
        if curve.data_path.endswith("location") and curve.array_index == 0:
            for key in curve.keyframe_points:
                key.co[1] += 0.5
            curve.update()
            break
    reading = session_of(live)._solved.reading
    watching.on_edit(bpy.context.scene, Suspect())
    until_settled(live)
    assert session_of(live)._solved.reading is not reading
    assert not latest.is_stale(live)


class Suspect:
    """A depsgraph of the viewport in which an action has changed."""

    mode = "VIEWPORT"
    updates = ()

    @staticmethod
    def id_type_updated(kind: str) -> bool:
        return kind == "ACTION"


def test_a_source_that_changes_during_the_last_solve_is_read_again(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    handle_of(live).location.x += 0.05
    edited()
    until_solved(live)
    with monkeypatch.context() as slow:
        slow.setattr(watching, "SLICE", 0.0)
        session_of(live).last_edit -= 1.0
        watching.on_timer()
        assert session_of(live).is_working and not session_of(live).is_following
        live.pose.bones["r_wrist"].lock_rotation = (True, True, True)
    until_settled(live)
    until_settled(live)
    assert character_of(live).live, character_of(live).live_state.problem
    assert not latest.is_stale(live) and not bridge.has_samples(live)


def test_a_source_that_never_stays_ends_it_with_a_sentence(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*_: Any) -> None:
        raise bridge.SourceChangedError("It was changed.")

    monkeypatch.setattr(solve, "check_unchanged", changed)
    handle_of(live).location.x += 0.05
    for _ in range(6):
        until_settled(live)
    assert not character_of(live).live and character_of(live).live_state.problem == "It was changed."
    assert not bridge.has_samples(live)


def test_an_armature_that_is_moved_is_solved_there(live: Any) -> None:
    live.location.x += 0.1
    edited()
    assert session_of(live).is_working
    until_settled(live)
    assert not latest.is_stale(live)
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def test_an_armature_object_that_is_animated_is_not_solved_at_each_frame(armature: Any) -> None:
    for frame in (1, 60):
        armature.location.x = frame / 100.0
        armature.keyframe_insert("location", frame=frame)
    create.add_pins(armature, [BONE], FRAME)
    bpy.ops.poise.live_toggle()
    until_settled(armature)
    for frame in (5, 20, 40):
        bpy.context.scene.frame_set(frame)
        watching.on_timer()
        assert session_of(armature).is_settled
    assert not latest.is_stale(armature)


def test_a_changed_source_is_noticed_at_rest_in_any_case(live: Any) -> None:
    live.pose.bones["r_wrist"].lock_rotation = (True, True, True)
    handle_of(live).location.x += 0.05
    edited()
    until_settled(live)
    until_settled(live)
    assert not latest.is_stale(live)


def test_a_handle_that_moves_with_an_object_is_followed_by_the_timer(live: Any) -> None:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    handle_of(live).parent = parent
    edited()
    until_settled(live)
    parent.location.z += 0.05
    edited()
    assert not session_of(live).is_working, "frames cannot be set while Blender evaluates"
    until_solved(live)
    place = np.array(handle_of(live).matrix_world.translation)
    np.testing.assert_allclose(head(live, BONE, FRAME), place, atol=NEAR)


def test_only_the_newest_goal_is_solved(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "AT_ONCE", 0.0)
    monkeypatch.setattr(watching, "LONGEST_AT_ONCE", 0.0)
    monkeypatch.setattr(watching, "SLICE", 0.0)
    session, before = session_of(live), len(session_of(live).results)
    for _ in range(20):
        handle_of(live).location.x += 0.005
        edited()
    until_solved(live)
    assert len(session.results) - before < 10
    np.testing.assert_allclose(head(live, BONE, FRAME), handle_of(live).location, atol=NEAR)


def test_frames_out_of_reach_are_reported_at_rest(live: Any) -> None:
    handle_of(live).location.z += 5.0
    edited()
    until_settled(live)
    (residual,) = character_of(live).residuals
    assert residual.misses and len(character_of(live).advice)


def test_thinned_results_have_fewer_keys_at_rest(live: Any) -> None:
    character_of(live).tolerance = 0.01
    until_settled(live)
    animation = bridge.animation_of(live)
    counts = [len(curve.keyframe_points) for curve in versions.curves_of(animation.result, animation.slot)]
    assert 0 < min(counts) < 40


def test_a_layer_is_refused_with_a_sentence(armature: bpy.types.Object, capsys: pytest.CaptureFixture[str]) -> None:
    create.add_pins(armature, [BONE], FRAME)
    character_of(armature).target = "REPLACE"
    with pytest.raises(RuntimeError, match="choose New Action as the target"):
        bpy.ops.poise.live_toggle()
    assert not character_of(armature).live


def test_a_long_clip_is_solved_near_the_current_frame_first(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    focuses: list[int | None] = []
    following = solver.LiveDeformation.follow

    def noted(self: Any, constraints: Any, focus: int | None = None) -> Any:
        focuses.append(focus)
        return following(self, constraints, focus)

    monkeypatch.setattr(solver.LiveDeformation, "follow", noted)
    bpy.context.scene.frame_set(41)
    handle_of(live).location.x += 0.05
    edited()
    until_solved(live)
    assert focuses == [40]


# Preparing ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def unprepared(live: Any) -> Any:
    """The same with nothing prepared yet."""
    session_of(live)._take(session_of(live)._solved)
    return live


def prepare(armature: Any) -> None:
    """Let the timer prepare for the first move of the active constraint."""
    watching.on_timer()
    while session_of(armature).is_preparing:
        assert watching.on_timer() is not None


@pytest.fixture
def preparations(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What has been asked to be prepared."""
    found: list[tuple[Any, ...]] = []
    preparing = solver.LiveDeformation.preparing

    def noted(self: Any, *given: Any) -> Any:
        found.append(given)
        return preparing(self, *given)

    monkeypatch.setattr(solver.LiveDeformation, "preparing", noted)
    return found


def test_the_active_constraint_is_prepared_once_and_nothing_changes(unprepared: Any, preparations: list[Any]) -> None:
    shown, session = everything(unprepared), session_of(unprepared)
    before = session._solved, len(session.answers), len(session.results), session.last_edit
    prepare(unprepared)
    prepare(unprepared)
    assert preparations == [(0, FRAME - 1, bpy.context.scene.frame_current - 1)]
    assert session.is_settled and not session.is_working and not bridge.has_samples(unprepared)
    assert (session._solved, len(session.answers), len(session.results), session.last_edit) == before
    np.testing.assert_array_equal(everything(unprepared), shown)
    assert not latest.is_stale(unprepared)
    create.add_pins(unprepared, ["r_wrist"], FRAME)
    until_settled(unprepared)
    character_of(unprepared).active_constraint = 1
    prepare(unprepared)
    assert preparations[-1][0] == 1


def test_an_edit_ends_a_preparation_at_once(unprepared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SLICE", 1e-6)
    session = session_of(unprepared)
    watching.on_timer()
    watching.on_timer()
    assert session.is_preparing and session.is_settled
    handle_of(unprepared).location.x += 0.02
    edited()
    assert not session.is_preparing
    until_solved(unprepared)
    np.testing.assert_allclose(head(unprepared, BONE, FRAME), handle_of(unprepared).location, atol=NEAR)
    until_settled(unprepared)
    assert not latest.is_stale(unprepared)


@pytest.mark.parametrize("occupied", ["_is_hand_moving", "_is_playing"])
def test_nothing_is_prepared_while_the_animator_drags_or_plays(
    occupied: str, unprepared: Any, preparations: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "SLICE", 1e-6)
    watching.on_timer()
    assert session_of(unprepared).is_preparing
    with monkeypatch.context() as busy:
        busy.setattr(watching, occupied, lambda: True)
        assert watching.on_timer() == watching.WATCH
        assert not session_of(unprepared).is_preparing
    monkeypatch.setattr(watching, "SLICE", 0.01)
    prepare(unprepared)
    assert len(preparations) == 2, "it begins again"


def test_a_constraint_that_cannot_be_prepared_does_not_end_live_mode(
    unprepared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> Any:
        raise solver.PoiseError("It cannot be moved.")
        yield

    monkeypatch.setattr(solver.LiveDeformation, "preparing", refused)
    prepare(unprepared)
    assert character_of(unprepared).live and not session_of(unprepared).is_preparing
    pin_of(unprepared).enabled = False
    until_settled(unprepared)
    prepare(unprepared)
    assert character_of(unprepared).live
