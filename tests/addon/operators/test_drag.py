# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag follows made-up events of the mouse, as Blender without a window gives none."""

from __future__ import annotations

from types import MethodType, SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Matrix, Vector

from poise.addon.bridge.placing import Placer
from poise.addon.operators.drag import POISE_OT_handle_drag, POISE_OT_physics_handle_drag
from poise.addon.properties import character_of, constraint_of_point
from poise.addon.workflows import create, dragging, physics_handles
from poise.solver import PoiseError

from ..walking import select_bones
from ..workflows.test_dragging import ABOVE, view_from
from .test_constraints import LEFT, items, run


class Header:
    """An area that keeps the text of its header."""

    text: str | None = ""

    def header_text_set(self, text: str | None) -> None:
        self.text = text

    def tag_redraw(self) -> None:
        """Nothing is drawn without a window."""


class Dragging:
    """The operator's functions with fields of its own: Blender makes operators only when it runs them."""

    modal, cancel = POISE_OT_handle_drag.modal, POISE_OT_handle_drag.cancel
    _confirm, _end = POISE_OT_handle_drag._confirm, POISE_OT_handle_drag._end
    _failed = POISE_OT_handle_drag._failed
    _tell, _switch, _begin = POISE_OT_handle_drag._tell, POISE_OT_handle_drag._switch, POISE_OT_handle_drag._begin
    _keys, _handle = POISE_OT_handle_drag._keys, POISE_OT_handle_drag._handle

    def __init__(self, handle: Any, part: str = "FREE") -> None:
        self.part = part
        self.reports: list[str] = []
        owner = constraint_of_point(bpy.context.scene, handle)
        if owner is not None:
            self._armature, self._item = owner[0], character_of(owner[0]).constraints[owner[1]]
        view = view_from(ABOVE, target=Vector(handle.location))
        self._drag: Any = dragging.Drag(view, Placer(handle), part, (400.0, 300.0), 2.0)
        self.context: Any = SimpleNamespace(area=Header())

    def report(self, kind: set[str], sentence: str) -> None:
        self.reports.append(sentence)

    def send(self, kind: str, value: str = "PRESS", at: tuple[int, int] = (400, 300), **modifiers: bool) -> Any:
        given = {"ctrl": False, "shift": False, **modifiers}
        event: Any = SimpleNamespace(type=kind, value=value, mouse_region_x=at[0], mouse_region_y=at[1], **given)
        return self.modal(self.context, event)  # type: ignore[arg-type]


@pytest.fixture
def handle(armature: bpy.types.Object) -> Any:
    create.add_pins(armature, [LEFT], 20.0)
    bpy.context.view_layer.update()
    return items(armature)[0].points[0].object


def test_the_handle_follows_until_the_button_is_released(handle: Any) -> None:
    drag = Dragging(handle)
    places = []
    for across in (10, 40, 80):
        assert drag.send("MOUSEMOVE", "NOTHING", (400 + across, 300)) == {"RUNNING_MODAL"}
        places.append(handle.location.copy())
        assert "l_wrist 20: Move X" in drag.context.area.text and "Esc" in drag.context.area.text
    assert (places[2] - places[1]).length > 1e-3 < (places[1] - places[0]).length
    assert drag.send("LEFTMOUSE", "PRESS") == {"RUNNING_MODAL"}, "only its release ends the drag"
    assert drag.send("LEFTMOUSE", "RELEASE") == {"FINISHED"}
    assert handle.location == places[2] and drag.context.area.text is None


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_it_is_put_back(handle: Any, key: str) -> None:
    before = handle.matrix_basis.copy()
    for part in ("FREE", "TURN"):
        drag = Dragging(handle, part)
        drag.send("MOUSEMOVE", "NOTHING", (470, 350))
        drag.send("MOUSEMOVE", "NOTHING", (440, 390))
        assert handle.matrix_basis != before
        assert drag.send(key) == {"CANCELLED"}
        assert handle.matrix_basis == before and drag.context.area.text is None


def test_a_click_moves_nothing(handle: Any) -> None:
    before = handle.location.copy()
    drag = Dragging(handle)
    drag.send("MOUSEMOVE", "NOTHING", (402, 299))
    assert drag.send("LEFTMOUSE", "RELEASE", (402, 299)) == {"FINISHED"}
    assert handle.location == before


def test_ctrl_and_shift_are_used(handle: Any) -> None:
    before = handle.location.copy()
    drag = Dragging(handle)
    drag.send("MOUSEMOVE", "NOTHING", (480, 300), shift=True)
    fine = (handle.location - before).length
    drag.send("ESC")
    drag = Dragging(handle)
    drag.send("MOUSEMOVE", "NOTHING", (480, 300))
    assert fine == pytest.approx(0.1 * (handle.location - before).length, rel=1e-3)
    drag.send("MOUSEMOVE", "NOTHING", (481, 300), ctrl=True)
    step = dragging.length_step(2.0)
    assert all(abs(away / step - round(away / step)) < 1e-3 for away in handle.location - before)


def test_a_handle_that_is_gone_ends_it(handle: Any) -> None:
    drag = Dragging(handle)
    bpy.data.objects.remove(handle)
    assert drag.send("MOUSEMOVE", "NOTHING", (480, 300)) == {"CANCELLED"}
    drag = Dragging(bpy.data.objects.new("Other", None))
    bpy.data.objects.remove(drag._drag.placer.object)
    drag.cancel(drag.context)
    assert drag._drag is None


@pytest.mark.parametrize("error", [PoiseError("It is gone."), ZeroDivisionError("division by zero")])
def test_an_error_puts_it_back_with_one_sentence(
    handle: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any) -> None:
        raise error

    before = handle.matrix_basis.copy()
    drag = Dragging(handle)
    drag.send("MOUSEMOVE", "NOTHING", (470, 350))
    assert handle.matrix_basis != before
    monkeypatch.setattr(dragging.Drag, "to", fail)
    assert drag.send("MOUSEMOVE", "NOTHING", (480, 350)) == {"CANCELLED"}
    assert handle.matrix_basis == before and drag.context.area.text is None and drag._drag is None
    assert len(drag.reports) == 1 and str(error) in drag.reports[0]


def test_where_blender_ends_it_the_handle_is_put_back(handle: Any) -> None:
    before = handle.location.copy()
    drag = Dragging(handle)
    drag.send("MOUSEMOVE", "NOTHING", (480, 300))
    drag.cancel(drag.context)
    assert handle.location == before


def test_the_keys_of_a_moving_handle_go_with_it(handle: Any) -> None:
    for frame, height in ((10, 1.0), (30, 2.0)):
        handle.location.z = height
        handle.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(10)
    drag = Dragging(handle, "Z")
    drag.send("MOUSEMOVE", "NOTHING", (400, 380))
    up = handle.location.z - 1.0
    assert up > 0.1
    drag.send("LEFTMOUSE", "RELEASE", (400, 380))
    for frame, height in ((10, 1.0), (30, 2.0)):
        bpy.context.scene.frame_set(frame)
        assert handle.location.z == pytest.approx(height + up, abs=1e-5)


def test_it_says_why_it_cannot_begin(armature: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="no constraint yet"):
        bpy.ops.poise.handle_drag()
    run("constraint_add_pose", bone=LEFT)
    select_bones(armature, LEFT)
    reports: list[str] = []
    operator: Any = SimpleNamespace(uid="", point=-1, part="FREE", report=lambda kind, text: reports.append(text))
    for name in ("_begin", "_choose", "_handle"):
        setattr(operator, name, MethodType(getattr(POISE_OT_handle_drag, name), operator))
    now = bpy.context
    region, view = SimpleNamespace(width=10, height=10), SimpleNamespace(perspective_matrix=Matrix.Identity(4))
    context: Any = SimpleNamespace(
        object=armature, scene=now.scene, view_layer=now.view_layer, mode="POSE", region=region, region_data=view
    )
    event: Any = SimpleNamespace(mouse_region_x=10, mouse_region_y=10)
    assert POISE_OT_handle_drag.invoke(operator, context, event) == {"CANCELLED"}
    context.region_data = None
    assert POISE_OT_handle_drag.invoke(operator, context, event) == {"CANCELLED"}
    assert "no handle" in reports[0] and "3D view" in reports[1]


def test_t_slides_in_time_and_back(handle: Any, armature: bpy.types.Object) -> None:
    item = items(armature)[0]
    before = handle.location.copy()
    drag = Dragging(handle)
    drag.send("MOUSEMOVE", "NOTHING", (450, 300))
    assert drag.send("T", "PRESS", (450, 300)) == {"RUNNING_MODAL"}
    assert handle.location == before, "what was moved is put back"
    assert "T: move" in drag.context.area.text
    for across in (20, 60, 120, 200):
        drag.send("MOUSEMOVE", "NOTHING", (450 + across, 300 - across // 4))
    assert item.points[0].begin != 20.0 and f"Frame {item.points[0].begin:g}" in drag.context.area.text
    drag.send("T", "PRESS", (450, 300))
    assert item.points[0].begin == 20.0 and "slide in time" in drag.context.area.text
    drag.send("ESC")
    assert handle.location == before


def test_a_plant_does_not_slide(armature: bpy.types.Object) -> None:
    plant = create.add_footplant(armature, "left", 10.0, 25.0)
    bpy.context.view_layer.update()
    drag = Dragging(plant.points[0].object, "GROUND")
    first = drag._drag
    drag.send("T")
    assert drag._drag is first and "slide" not in drag.context.area.text


def test_a_footprint_of_the_physics_is_dragged(armature: bpy.types.Object) -> None:
    stance = character_of(armature).physics.stances.add()
    stance.contact, stance.begin, stance.end, stance.home = "left foot", 10.0, 25.0, (0.2, 0.1, 0.0)
    physics_handles.add_footprints(armature)
    bpy.context.view_layer.update()
    reports: list[str] = []
    windows: list[Any] = []
    operator: Any = SimpleNamespace(handle=stance.object.name, part="GROUND")
    operator.report = lambda kind, text: reports.append(text)
    for name in ("_begin", "_choose", "_handle", "_keys", "_tell", "_confirm", "_end", "_switch", "modal"):
        setattr(operator, name, MethodType(getattr(POISE_OT_physics_handle_drag, name), operator))
    now = bpy.context
    seen = view_from(ABOVE, target=Vector(stance.home))
    region, view = SimpleNamespace(width=800, height=600), SimpleNamespace(perspective_matrix=seen.perspective)
    context: Any = SimpleNamespace(
        object=armature, scene=now.scene, view_layer=now.view_layer, mode="POSE", region=region, region_data=view
    )
    context.area, context.window_manager = Header(), SimpleNamespace(modal_handler_add=windows.append)
    event: Any = SimpleNamespace(mouse_region_x=400, mouse_region_y=300, type="LEFTMOUSE", value="PRESS")
    event.ctrl = event.shift = False
    assert POISE_OT_physics_handle_drag.invoke(operator, context, event) == {"RUNNING_MODAL"} and windows
    event.type, event.mouse_region_x = "MOUSEMOVE", 440
    operator.modal(context, event)
    event.type, event.value = "LEFTMOUSE", "RELEASE"
    assert operator.modal(context, event) == {"FINISHED"} and not reports
    away = stance.object.location - Vector(stance.home)
    assert away.xy.length > 0.01 and abs(away.z) < 1e-6, "it stays on its ground"
    operator.handle = "gone"
    assert POISE_OT_physics_handle_drag.invoke(operator, context, event) == {"CANCELLED"}
    assert "'gone'" in reports[0]
