# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches Blender for edits, for undo, files and saving, and lets the sessions of live mode work between redraws."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver import PoiseError
from .. import bridge
from ..bridge.context import redraw_viewports
from ..properties import character_of
from ..workflows import latest
from .session import Session, needs_other_frames

AT_ONCE = 0.015
"""Seconds of solving while Blender handles an edit, before it draws: what is solved by then is drawn with the edit."""

LONGEST_AT_ONCE = 0.03
"""Seconds after which it is drawn in any case: two frames at 60 a second."""

SLICE = 0.01
"""Seconds of solving at a time between two redraws."""

WATCH = 0.1
"""Seconds from one look for edits of which Blender calls no handler, as those of scripts, to the next."""

DRAGGING = (
    "TRANSFORM_OT_",
    "POISE_OT_handle_drag",
    "POISE_OT_physics_handle_drag",
    "POISE_OT_posture_drag",
    "GIZMOGROUP_OT_gizmo_tweak",
)
"""How the names of the operators begin that run while a hand drags something."""

SOURCE_TYPES: tuple[Any, ...] = ("ACTION", "ARMATURE")
"""Types of data-blocks whose change may change a source."""

_sessions: dict[str, Session] = {}
"""By the names of their armature objects."""

_is_busy = False
"""Whether a session is at work: what it changes is no edit."""


@contextmanager
def _busy() -> Iterator[None]:
    global _is_busy
    before, _is_busy = _is_busy, True
    try:
        yield
    finally:
        _is_busy = before


def sessions() -> dict[str, Session]:
    """The sessions that are running."""
    return _sessions


def follow(armature: bpy.types.Object) -> Session:
    """The session of an armature, which is begun where there is none."""
    if armature.name not in _sessions:
        _sessions[armature.name] = Session(armature.name)
        _start_timer()
    return _sessions[armature.name]


def begin(armature: bpy.types.Object) -> None:
    """Begin the session of an armature with the result that it shows."""
    follow(armature)
    _guarded(armature.name, lambda session, found: session.notice(found))


# Errors -----------------------------------------------------------------------------------------------------------


def _guarded(name: str, work: Callable[[Session, bpy.types.Object], Any]) -> bool:
    """Let the session of an armature do some work, but not while Blender renders, which reads what it would change,
    nor while the armature cannot be read; returns whether it could work. An error ends it, and is shown as one sentence
    in the panel."""
    session = _sessions.get(name)
    if session is None or _is_rendering():
        return False
    armature = bridge.find_object(name)
    if armature is None or armature.type != "ARMATURE" or not character_of(armature).live:
        _end(name)
        return False
    if not _is_at_hand(armature):
        session.stop_preparing()
        return False
    if bridge.is_result_hidden(armature):  # the source is looked at; edits are noticed when the result is shown again
        session.stop_preparing()
        bridge.make_keys(armature)
        return False
    try:
        with _busy():
            work(session, armature)
        return True
    except PoiseError as error:
        _switch_off(armature, session, str(error))
    except Exception as error:  # whatever it is, it must not come again with every frame
        traceback.print_exc()
        _switch_off(armature, session, f"Live mode has met a defect of Poise ({type(error).__name__}) and was left.")
    return False


def _is_at_hand(armature: bpy.types.Object) -> bool:
    """Whether an armature can be solved now: it is in the scene of the window, not excluded there, and its bones are
    not edited."""
    layer: Any = bpy.context.view_layer
    return layer is not None and layer.objects.get(armature.name) == armature and armature.mode != "EDIT"


def _switch_off(armature: bpy.types.Object, session: Session, sentence: str) -> None:
    _end(session.name)
    character = character_of(armature)
    character.live, character.live_state.problem = False, sentence
    with _busy():
        bridge.make_keys(armature)
    redraw_viewports()  # with the panels, which show the report


def _end(name: str) -> None:
    """End a session without a change; the solves of an armature that is gone are forgotten."""
    session = _sessions.pop(name, None)
    if session is not None:
        session.close()
    armature = bridge.find_object(name)
    if armature is not None:
        latest.show_edit(armature, None)
    else:
        latest.forget(name)


def leave(armature: bpy.types.Object) -> None:
    """Finish what an armature's session is at, make keys of its result, and end it."""
    _guarded(armature.name, lambda session, _: session.finish())
    _end(armature.name)
    with _busy():
        bridge.make_keys(armature)


def drop(armature: bpy.types.Object) -> None:
    """Switch live mode of an armature off and solve nothing more: where its result is dropped or replaced."""
    _end(armature.name)
    character_of(armature).live = False


# Handlers ---------------------------------------------------------------------------------------------------------


@persistent  # type: ignore[untyped-decorator]
def on_edit(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Notice edits when Blender has evaluated them, and solve at once what is quick."""
    if _is_busy or (depsgraph is not None and depsgraph.mode != "VIEWPORT"):
        return
    for update in depsgraph.updates if depsgraph is not None else ():
        found = _original(update)
        if isinstance(found, bpy.types.Object) and found.type == "ARMATURE" and character_of(found).live:
            follow(found)
    if not _sessions:
        return
    is_suspect = depsgraph is not None and any(depsgraph.id_type_updated(kind) for kind in SOURCE_TYPES)
    for name in list(_sessions):
        _guarded(name, lambda session, armature: _answer(session, armature, is_suspect))


@persistent  # type: ignore[untyped-decorator]
def on_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Notice edits that came with another frame; quick, since it is called at each frame that is played."""
    if _is_busy or not _sessions or (depsgraph is not None and depsgraph.mode != "VIEWPORT"):
        return
    for name in list(_sessions):
        _guarded(name, lambda session, armature: _answer(session, armature, False))


def _original(update: Any) -> Any:
    """The data-block of the file that an update is of."""
    return update.id.original


def _answer(session: Session, armature: bpy.types.Object, is_source_suspect: bool) -> None:
    if needs_other_frames(armature) or not bridge.has_result(armature):
        return  # the timer does it
    session.notice(armature, is_source_suspect)
    if session.is_following:
        session.run(AT_ONCE, LONGEST_AT_ONCE)


@persistent  # type: ignore[untyped-decorator]
def on_undo(*_: Any) -> None:
    """Show the result that belongs to what was undone or redone."""
    _find_new()
    for name, running in list(_sessions.items()):
        running.forget_shown()
        _guarded(name, lambda session, armature: session.restore(armature))


@persistent  # type: ignore[untyped-decorator]
def on_save(*_: Any) -> None:
    """Make keys of what is shown, so that no file has samples."""
    for name in list(_sessions):
        _guarded(name, lambda session, armature: session.finish() if bridge.has_samples(armature) else None)


@persistent  # type: ignore[untyped-decorator]
def on_load(*_: Any) -> None:
    """End the sessions of the file before, and begin those of the new one."""
    for session in _sessions.values():
        session.close()
    _sessions.clear()
    _find_new()


def _find_new() -> None:
    """Begin sessions of armatures that are in live mode."""
    scene: bpy.types.Scene | None = bpy.context.scene
    for found in scene.objects if scene is not None else ():
        if found.type == "ARMATURE" and character_of(found).live:
            follow(found)


# The timer --------------------------------------------------------------------------------------------------------


def _start_timer() -> None:
    if not bpy.app.timers.is_registered(on_timer):
        bpy.app.timers.register(on_timer, persistent=True)


def on_timer() -> float | None:
    """Let the sessions work for a slice; returns the seconds until the next one, None where there is no session."""
    if _is_rendering():
        return WATCH
    before = list(_sessions)
    worked = [name for name in before if _guarded(name, _work)]
    if not _sessions or len(_sessions) < len(before):  # at the begin, or where an armature was renamed
        _find_new()
    if not _sessions:
        return None
    able = [_sessions[name] for name in worked if name in _sessions]
    is_waiting = _is_hand_moving()  # then only edits are solved
    if any(session.is_following or (session.is_working and not is_waiting) for session in able):
        return 0.0
    return SLICE if any(session.is_preparing for session in able) else WATCH


def _work(session: Session, armature: bpy.types.Object) -> None:
    if session.is_settled and not bridge.has_result(armature):
        character_of(armature).live = False  # the animator has restored the source, or made the result the source
        return
    if not session.is_following:
        session.notice(armature)
    if session.rests and not _is_hand_moving():
        session.refine(armature)
    was_settled = session.is_settled
    if session.is_following or not _is_hand_moving():
        session.run(SLICE)
    if session.is_settled and not was_settled:
        redraw_viewports()  # with the panels, which show the report
    elif session.is_settled and not _is_hand_moving() and not _is_playing():
        session.prepare(armature, SLICE)
    else:
        session.stop_preparing()


def _is_hand_moving() -> bool:
    """Whether something is being dragged in one of the windows."""
    manager: Any = bpy.context.window_manager
    running = [each.bl_idname for window in manager.windows for each in window.modal_operators] if manager else []
    return any(name.startswith(DRAGGING) for name in running)


def _is_rendering() -> bool:
    """Whether a render runs, in another thread."""
    app: Any = bpy.app  # its stubs say that nothing is returned
    return bool(app.is_job_running("RENDER"))


def _is_playing() -> bool:
    """Whether the animation is played in one of the windows."""
    manager: Any = bpy.context.window_manager
    return any(window.screen.is_animation_playing for window in manager.windows) if manager else False


# Registration -----------------------------------------------------------------------------------------------------

HANDLERS = (
    ("depsgraph_update_post", on_edit),
    ("frame_change_post", on_frame),
    ("undo_post", on_undo),
    ("redo_post", on_undo),
    ("save_pre", on_save),
    ("load_post", on_load),
)


def register() -> None:
    """Watch Blender."""
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    _start_timer()  # looks for live mode in the open file, which is not at hand while add-ons are enabled


def unregister() -> None:
    """Make keys of what is shown, end all sessions, and watch no more."""
    for name in list(_sessions):
        armature = bridge.find_object(name)
        _end(name)
        if armature is not None:
            with _busy():
                bridge.make_keys(armature)  # a solve could take long
    if bpy.app.timers.is_registered(on_timer):
        bpy.app.timers.unregister(on_timer)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
