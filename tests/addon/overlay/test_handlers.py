# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing changes pixels where it must; an error ends it with one sentence; nothing stays behind."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay import handlers, readings, subjects
from poise.addon.overlay.palette import palette_of
from poise.addon.workflows import latest

from .offscreen import HEIGHT, WIDTH, around, from_above, from_front, pixels_of

FRAME = 20


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    yield
    handlers.forget()
    latest.forget()


@pytest.fixture
def worked_on(armature: Any) -> Any:
    """A character with a plant at the current frame, a pin out of reach, a proposal and a result."""
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.constraint_add_pin(bone="l_wrist", frame=FRAME)
    pin = armature.poise.constraints[len(armature.poise.constraints) - 1]
    pin.points[0].object.location.z += 1.5
    pin.recruit, pin.recruit_level = "LEVEL", 2
    bpy.ops.poise.solve()
    bpy.context.scene.frame_set(FRAME)
    bpy.context.view_layer.update()
    only(armature)
    return armature


PARTS = ("footprints", "points", "trajectories", "misses", "proposals", "balance", "ghosts")


def only(armature: Any, *parts: str) -> None:
    """Switch on these parts and no others."""
    for part in PARTS:
        setattr(armature.poise.display, part, part in parts)


def geometry(armature: Any, view: np.ndarray) -> np.ndarray:
    palette = palette_of(bpy.context.preferences)
    return pixels_of(lambda: handlers.draw_geometry(bpy.context, armature, (WIDTH, HEIGHT), palette, 1.0), view)


def texts(armature: Any, view: np.ndarray) -> np.ndarray:
    palette = palette_of(bpy.context.preferences)
    geometry(armature, view)  # texts are drawn right after it
    return pixels_of(lambda: handlers.draw_texts(armature, view, (WIDTH, HEIGHT), palette, 1.0))


def place_of(armature: Any, part: str) -> Any:
    """A place where a part must be drawn at the current frame."""
    character = armature.poise
    subject = subjects.of(armature)
    now = subject.frame_at(FRAME)
    pin = character.constraints[len(character.constraints) - 1].points[0].object
    plant = next(item for item in character.constraints if item.begin <= FRAME <= item.end)
    wrist = subject.result.position("l_wrist")[now]
    return {
        "footprints": lambda: plant.points[0].object.matrix_world.translation,
        "points": lambda: pin.matrix_world.translation,
        "trajectories": lambda: wrist,
        "misses": lambda: pin.matrix_world.translation,
        "proposals": lambda: subjects_outline(armature),
        "balance": lambda: subject.centers[now],
        "ghosts": lambda: subject.source.position("skullbase")[subject.frame_at(FRAME + 5)],
    }[part]()


def subjects_outline(armature: Any) -> Any:
    """A corner of a proposed footprint."""
    from poise.addon.overlay.marks import marks_of
    from poise.addon.overlay.soles import footprints_of

    subject = subjects.of(armature)
    found = [mark for mark in marks_of(armature) if mark.is_proposal]
    return footprints_of(found, subject.body, subject.ground)[0].outline[0]


@pytest.mark.parametrize("part", PARTS)
def test_each_part_changes_the_picture_where_it_must_and_not_when_it_is_off(worked_on: Any, part: str) -> None:
    place = place_of(worked_on, part)
    view = (from_above if part in ("footprints", "proposals") else from_front)(place, 0.5)
    assert not geometry(worked_on, view).any(), "all parts are off"
    only(worked_on, part)
    picture = geometry(worked_on, view)
    assert (around(picture, place, view, 4)[..., 3] > 0.1).any()
    only(worked_on)
    assert not geometry(worked_on, view).any()


def test_a_dragged_handle_moves_its_footprint_in_the_picture(worked_on: Any) -> None:
    place = np.array(place_of(worked_on, "footprints"))
    only(worked_on, "footprints")
    view, elsewhere = from_above(place, 1.0), np.add(place, (0.6, 0.0, 0.0))
    assert not around(geometry(worked_on, view), elsewhere, view).any()
    plant = next(item for item in worked_on.poise.constraints if item.begin <= FRAME <= item.end)
    plant.points[0].object.location.x += 0.6
    bpy.context.view_layer.update()
    picture = geometry(worked_on, view)
    assert around(picture, elsewhere, view).any() and not around(picture, place, view).any()


def test_texts_say_frames_and_distances(worked_on: Any) -> None:
    pin = place_of(worked_on, "points")
    view = from_front(pin, 0.5)
    only(worked_on)
    shown = texts(worked_on, view)
    assert shown[: HEIGHT // 4].any() and not shown[HEIGHT // 4 :].any(), "only the line that says what is shown"
    only(worked_on, "points")
    assert around(texts(worked_on, view), pin, view, 20)[..., 3].max() > 0.5
    worked_on.poise.display.texts = False
    assert not texts(worked_on, view)[HEIGHT // 4 :].any()


# The viewport ---------------------------------------------------------------------------------------------------------


def in_viewport(monkeypatch: pytest.MonkeyPatch, show_overlays: bool = True) -> Any:
    """As if Blender drew a viewport with the active object."""
    space = next(area.spaces.active for area in bpy.data.screens["Layout"].areas if area.type == "VIEW_3D")
    space.overlay.show_overlays = show_overlays
    context = SimpleNamespace(
        object=bpy.context.view_layer.objects.active,
        view_layer=bpy.context.view_layer,
        scene=bpy.context.scene,
        preferences=bpy.context.preferences,
        space_data=space,
        region=SimpleNamespace(width=WIDTH, height=HEIGHT),
        region_data=SimpleNamespace(perspective_matrix=from_front((0.0, 0.0, 1.0), 2.0).tolist()),
    )
    monkeypatch.setattr(handlers, "bpy", SimpleNamespace(context=context, app=bpy.app, types=bpy.types))
    return context


def drawn(is_pixel: bool = False) -> bool:
    view = None if is_pixel else from_front((0.0, 0.0, 1.0), 2.0)
    return bool(pixels_of(lambda: handlers._draw(is_pixel), view).any())


def test_the_active_character_is_drawn_while_overlays_are_shown(
    worked_on: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(worked_on, *PARTS)
    in_viewport(monkeypatch)
    assert drawn() and drawn(is_pixel=True)
    worked_on.poise.display.show = False
    assert not drawn() and not drawn(is_pixel=True)
    worked_on.poise.display.show = True
    in_viewport(monkeypatch, show_overlays=False)
    assert not drawn()


def test_a_hidden_or_other_object_is_not_drawn(worked_on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    only(worked_on, *PARTS)
    in_viewport(monkeypatch).object = None
    bpy.context.view_layer.objects.active = None
    assert not drawn()
    bpy.context.view_layer.objects.active = worked_on
    worked_on.hide_set(True)
    in_viewport(monkeypatch)
    assert not drawn()


def test_an_error_ends_drawing_with_one_sentence_until_it_is_switched_on_again(
    worked_on: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(worked_on, *PARTS)
    in_viewport(monkeypatch)
    calls = []

    def broken(*_: Any) -> None:
        calls.append(1)
        raise ZeroDivisionError("three apples")

    monkeypatch.setattr(handlers, "pictures_of", broken)
    for _ in range(5):
        assert not drawn()
    assert len(calls) == 1 and capsys.readouterr().err.count("ZeroDivisionError: three apples") == 1
    display = worked_on.poise.display
    assert display.show, "nothing is set while a viewport is drawn"
    handlers.store_failures()
    assert not display.show and "three apples" in display.problem and display.problem.count(".") == 1
    monkeypatch.undo()
    in_viewport(monkeypatch)
    display.show = True
    assert not display.problem and drawn()


def test_an_error_of_no_character_ends_drawing_until_another_file_is_loaded(
    worked_on: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(worked_on, *PARTS)
    in_viewport(monkeypatch)
    assert drawn()

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("three apples")

    with monkeypatch.context() as during:
        during.setattr(handlers, "drawn_armature", broken)
        for _ in range(3):
            assert not drawn()
    assert capsys.readouterr().err.count("ZeroDivisionError: three apples") == 1
    assert not drawn() and not drawn(is_pixel=True)
    assert len(handlers._draw_handlers) == 2, "none is removed while Blender calls it"
    handlers._on_load()
    assert drawn()


def test_a_deleted_character_is_forgotten(worked_on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    only(worked_on, *PARTS)
    in_viewport(monkeypatch)
    assert drawn() and handlers._parts and handlers._canvases
    monkeypatch.undo()
    bpy.data.objects.remove(worked_on)
    bpy.context.view_layer.update()
    assert not handlers._parts and not handlers._canvases and not subjects._subjects


def test_loading_another_file_forgets_everything(worked_on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    only(worked_on, *PARTS)
    in_viewport(monkeypatch)
    assert drawn()
    monkeypatch.undo()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not handlers._parts and not readings._reads and not subjects._subjects


def test_edits_make_sources_suspect(armature: Any) -> None:
    readings.read_now(armature)
    assert not readings._suspects
    armature.location.x += 1.0
    bpy.context.view_layer.update()
    assert armature.name in readings._suspects


def test_no_handler_stays_behind() -> None:
    assert len(handlers._draw_handlers) == 2
    handlers.unregister()
    try:
        assert not handlers._draw_handlers
        for name, handler in handlers.HANDLERS:
            assert handler not in getattr(bpy.app.handlers, name)
    finally:
        handlers.register()
