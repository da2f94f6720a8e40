# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool's operators: from a script, and with the mouse events of a window that is made up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.operators import posture as operators
from poise.addon.operators.posture import POISE_OT_posture_drag
from poise.addon.workflows import pins, posture
from poise.solver import PoiseError

from ..walking import select_bones
from .test_constraints import refused, run

HAND, FOOT = "l_wrist", "r_talocrural"


def channels(armature: bpy.types.Object) -> list[list[float]]:
    return [[*bone.location, *bone.rotation_euler] for bone in armature.pose.bones]


def head(armature: bpy.types.Object, bone: str) -> Any:
    bpy.context.view_layer.update()
    return np.array(armature.matrix_world @ armature.pose.bones[bone].head)


def test_a_script_drags_the_active_bone(armature: bpy.types.Object) -> None:
    select_bones(armature, HAND)
    hand, foot = head(armature, HAND), head(armature, FOOT)
    run("posture_drag", displacement=(0.05, -0.1, 0.1))
    assert np.allclose(head(armature, HAND), hand + np.array([0.05, -0.1, 0.1]), atol=1e-3)
    assert np.allclose(head(armature, FOOT), foot, atol=1e-5)


def test_a_drag_needs_pose_mode_and_a_bone_that_moves(armature: bpy.types.Object) -> None:
    assert "pose mode" in refused("posture_drag")
    select_bones(armature, HAND)
    assert "has no bone 'tail'" in refused("posture_drag", bone="tail")
    armature.data.bones.active = None
    assert "No bone is active" in refused("posture_drag")


def test_selected_bones_are_pinned_and_unpinned(armature: bpy.types.Object) -> None:
    select_bones(armature, FOOT, HAND)
    run("posture_pin")
    assert pins.pinned_bones(armature) == {HAND: "BOTH", FOOT: "BOTH"}
    run("posture_pin", hold="PLACE")
    assert set(pins.pinned_bones(armature).values()) == {"PLACE"}
    run("posture_pin", bone=FOOT, hold="PLACE")
    assert list(pins.pinned_bones(armature)) == [HAND]
    run("posture_unpin_all")
    assert pins.pinned_bones(armature) == {}
    assert "No bone is pinned" in refused("posture_unpin_all")
    select_bones(armature)
    assert "No bone is selected" in refused("posture_pin")


def test_walls_come_and_go(armature: bpy.types.Object) -> None:
    assert "No wall is selected" in refused("posture_wall_add")
    assert "There is no wall" in refused("posture_wall_remove")
    wall = bpy.data.objects.new("Wall", None)
    bpy.context.scene.collection.objects.link(wall)
    wall.select_set(True)
    run("posture_wall_add")
    assert [each.object for each in armature.poise.posture.walls] == [wall]
    assert "There is no wall number 3" in refused("posture_wall_remove", index=3)
    run("posture_wall_remove", index=0)
    assert len(armature.poise.posture.walls) == 0 and wall.name in bpy.data.objects


# As a window plays it -----------------------------------------------------------------------------------------------


class Drag:
    """The operator's methods on a plain object, as it is after `invoke`; pixels are centimetres in x and z."""

    modal, cancel = POISE_OT_posture_drag.modal, POISE_OT_posture_drag.cancel
    _handled, _drag = POISE_OT_posture_drag._handled, POISE_OT_posture_drag._drag
    _failed = POISE_OT_posture_drag._failed
    _show, _end = POISE_OT_posture_drag._show, POISE_OT_posture_drag._end

    def __init__(self, armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reports: list[tuple[set[str], str]] = []
        self.headers: list[str | None] = []
        self.timers, self._timer, self._axis, self.displacement = 1, "timer", "", None
        self._session = posture.begin(armature, HAND)
        self._start = self._session.place
        self._grabbed = self._start
        area = SimpleNamespace(header_text_set=self.headers.append, tag_redraw=lambda: None)
        manager = SimpleNamespace(event_timer_remove=self._no_timer)
        region = SimpleNamespace(x=0, y=0)
        self.context = SimpleNamespace(area=area, region=region, region_data=None, window_manager=manager)

        def on_plane(context: Any, through: Any, mouse: tuple[float, float]) -> Any:
            return through + 0.01 * np.array([mouse[0], 0.0, mouse[1]])

        monkeypatch.setattr(operators, "_on_screen_plane", on_plane)

    def report(self, kind: set[str], sentence: str) -> None:
        self.reports.append((kind, sentence))

    def _no_timer(self, timer: str) -> None:
        self.timers -= 1

    def event(self, kind: str, value: str = "PRESS", x: int = 0, y: int = 0) -> Any:
        return self.modal(self.context, SimpleNamespace(type=kind, value=value, mouse_x=x, mouse_y=y))


class Press:
    """The operator's methods on a plain object, before `invoke`, with those of its properties that a press sets."""

    invoke, _chosen = POISE_OT_posture_drag.invoke, POISE_OT_posture_drag._chosen
    _is_beside_bones, _show = POISE_OT_posture_drag._is_beside_bones, POISE_OT_posture_drag._show
    cancel, _end, _failed = POISE_OT_posture_drag.cancel, POISE_OT_posture_drag._end, POISE_OT_posture_drag._failed
    _session: Any = None
    _timer: Any = None

    def __init__(self, armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
        self.bone, self.share = given.get("bone", ""), given.get("share", 0.0)
        self.properties = SimpleNamespace(is_property_set=lambda name: name in given)
        self.reports: list[str] = []
        self.headers: list[str | None] = []
        self.began: list[str] = []
        area = SimpleNamespace(header_text_set=self.headers.append, tag_redraw=lambda: None)
        manager = SimpleNamespace(
            event_timer_add=lambda *_, **__: self.began.append("timer"),
            modal_handler_add=lambda _: self.began.append("handler"),
        )
        self.context: Any = SimpleNamespace(
            object=armature, area=area, window=None, window_manager=manager, region=None, region_data="a view"
        )
        monkeypatch.setattr(operators, "_in_region", lambda *_: (0.0, 0.0))
        monkeypatch.setattr(operators, "_held_share", lambda *_: 0.0)
        monkeypatch.setattr(operators, "_on_screen_plane", lambda context, through, mouse: through)

    def report(self, kind: set[str], sentence: str) -> None:
        self.reports.append(sentence)

    def press(self) -> Any:
        return self.invoke(self.context, SimpleNamespace(mouse_prev_press_x=0, mouse_prev_press_y=0))


def test_a_press_beside_the_bones_drags_none(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    select_bones(armature, HAND)
    assert Press(armature, monkeypatch).press() == {"RUNNING_MODAL"}
    bridge.select(armature.pose.bones[HAND], False)
    passed = Press(armature, monkeypatch)
    assert passed.press() == {"PASS_THROUGH"}
    assert not passed.began and not passed.headers and not passed.reports
    assert Press(armature, monkeypatch, share=0.0).press() == {"RUNNING_MODAL"}, "the gizmo holds the active bone"
    assert Press(armature, monkeypatch, bone=FOOT).press() == {"RUNNING_MODAL"}


@pytest.mark.parametrize("part", ["_on_screen_plane", "_held_share"])
def test_a_drag_that_cannot_begin_leaves_nothing_behind(
    armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("division by zero")

    select_bones(armature, HAND)
    pressed = Press(armature, monkeypatch)
    monkeypatch.setattr(operators, part, fail)
    assert pressed.press() == {"CANCELLED"}
    assert not pressed.began and pressed._session is None and pressed.headers == [None]
    assert len(pressed.reports) == 1 and "division by zero" in pressed.reports[0]


@pytest.fixture
def drag(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> Drag:
    return Drag(armature, monkeypatch)


def test_the_hand_follows_and_release_ends(armature: bpy.types.Object, drag: Drag) -> None:
    hand = head(armature, HAND)
    for step in range(1, 6):
        assert drag.event("MOUSEMOVE", "NOTHING", 2 * step, step) == {"RUNNING_MODAL"}
    drag.event("TIMER", "NOTHING")
    assert drag.event("LEFTMOUSE", "RELEASE") == {"FINISHED"}
    assert np.allclose(head(armature, HAND), hand + np.array([0.1, 0.0, 0.05]), atol=1e-3)
    assert np.allclose(drag.displacement, (0.1, 0.0, 0.05), atol=1e-3)
    assert drag.timers == 0 and drag.headers[-1] is None and drag.reports[0][0] == {"INFO"}


def test_axes_keep_the_hand_on_a_line(armature: bpy.types.Object, drag: Drag) -> None:
    hand = head(armature, HAND)
    drag.event("MOUSEMOVE", "NOTHING", 8, 8)
    drag.event("Z", x=8, y=8)
    assert np.allclose(head(armature, HAND), hand + np.array([0.0, 0.0, 0.08]), atol=2e-3)
    assert "along Z" in str(drag.headers[-1])
    drag.event("Z", x=8, y=8)
    assert np.allclose(head(armature, HAND), hand + np.array([0.08, 0.0, 0.08]), atol=2e-3)


def test_the_wheel_and_b_change_settings(armature: bpy.types.Object, drag: Drag) -> None:
    settings = armature.poise.posture
    drag.event("MOUSEMOVE", "NOTHING", 5, 5)
    drag.event("WHEELDOWNMOUSE")
    assert not settings.use_all and "l_elbow" in str(drag.headers[-1])
    drag.event("WHEELUPMOUSE")
    assert settings.use_all and "whole body" in str(drag.headers[-1])
    drag.event("B")
    assert settings.balance == "CENTER"
    assert drag.event("MIDDLEMOUSE") == {"PASS_THROUGH"}


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_escape_and_the_right_button_restore(armature: bpy.types.Object, drag: Drag, key: str) -> None:
    before = channels(armature)
    drag.event("MOUSEMOVE", "NOTHING", 30, 30)
    assert channels(armature) != before
    assert drag.event(key) == {"CANCELLED"}
    assert channels(armature) == before and drag.timers == 0 and drag.headers[-1] is None


def test_escape_restores_the_settings_that_keys_have_changed(armature: bpy.types.Object, drag: Drag) -> None:
    settings = armature.poise.posture
    before = settings.use_all, settings.recruit_level, settings.balance
    for key in ("WHEELDOWNMOUSE", "WHEELDOWNMOUSE", "B"):
        drag.event(key)
    changed = settings.use_all, settings.recruit_level, settings.balance
    assert all(now != was for now, was in zip(changed, before, strict=True))
    drag.event("ESC")
    assert (settings.use_all, settings.recruit_level, settings.balance) == before


@pytest.mark.parametrize("error", [PoiseError("It is gone."), ZeroDivisionError("division by zero")])
def test_an_error_restores_and_ends_with_one_sentence(
    armature: bpy.types.Object, drag: Drag, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    before = channels(armature)
    drag.event("MOUSEMOVE", "NOTHING", 30, 30)

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(posture.PostureSession, "move", fail)
    assert drag.event("MOUSEMOVE", "NOTHING", 31, 30) == {"CANCELLED"}
    assert channels(armature) == before and drag.timers == 0
    assert len(drag.reports) == 1 and str(error) in drag.reports[0][1]


def test_a_deleted_armature_ends_the_drag(armature: bpy.types.Object, drag: Drag) -> None:
    bpy.data.objects.remove(armature)
    assert drag.event("MOUSEMOVE", "NOTHING", 5, 5) == {"CANCELLED"}
    assert "has been deleted" in drag.reports[0][1] and drag.timers == 0
