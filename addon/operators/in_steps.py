# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in a window: in time slices between which the view turns, the timeline scrubs and playback goes on."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver import PoiseError, finished
from ..bridge import find_object
from ..properties import armature_in, handles
from ..workflows import progress
from .on_armature import CANCELLED, FINISHED, OnArmature

TIMER_INTERVAL = 0.01
"""Seconds between timer events; Blender draws and handles other events in between."""
SLICE = 0.015
"""Seconds of work at each timer event, after which the step at hand is the last: half of a frame at 30 a second."""

RUNNING = {"RUNNING_MODAL"}
PASSED_ON = {"PASS_THROUGH"}

Steps = Generator[progress.StageShare, None, Any]


@dataclass(eq=False)
class _Work:
    """Work that is running in a window."""

    steps: Steps
    shown: progress.RunningWork
    armature: str
    """The name of the object, which undo replaces by another."""
    session_uid: int
    """Blender's number of the object, by which another object of the same name is told apart."""
    stage: str = progress.READING
    problem: str = ""
    """Why it cannot go on, in one sentence."""
    timer: bpy.types.Timer | None = None
    """What lets it go on in a window."""

    def run(self, seconds: float) -> tuple[bool, Any]:
        """Run steps for some time, at least one; returns whether it is done, and the result."""
        until = time.perf_counter() + seconds
        while True:
            try:
                self.stage, share = next(self.steps)
            except StopIteration as stop:
                return True, stop.value
            self.shown.update(self.stage, share)
            if time.perf_counter() >= until:
                return False, None

    def stop(self) -> None:
        """Close the generator, which changes nothing any more, and remove its progress."""
        self.steps.close()
        progress.end(self.shown)
        if self in _works:
            _works.remove(self)

    def remove_timer(self, manager: bpy.types.WindowManager | None) -> None:
        """Remove its timer, if it has one."""
        if self.timer is not None and manager is not None:
            manager.event_timer_remove(self.timer)
            self.timer = None


_works: list[_Work] = []


class InSteps(OnArmature):
    """Mixed into operators whose work is a generator of progress that changes nothing before its last step.

    A script runs it at once. In a window it runs in slices, and events are passed on; Esc stops it.
    """

    title = "The work"
    """What is running, as the subject of sentences: "Solving"."""
    stages: progress.Stages = progress.SOLVE
    """How its stages are shown."""

    _work: _Work | None = None

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        is_running = progress.of(armature.name) is not None
        return "Work on the armature is running: wait, or press Esc to stop it" if is_running else ""

    def steps(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        """The work as a generator; raises `PoiseError` before anything has changed."""
        raise NotImplementedError

    def finish(self, armature: bpy.types.Object, result: Any) -> str:
        """Report on the result of the generator, and return the last sentence; sets `level`."""
        raise NotImplementedError

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        return self.finish(armature, finished(self.steps(context, armature)))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Begin the work; what is wrong from the start is reported at once."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        armature = armature_in(context)
        assert armature is not None and context.window_manager is not None
        try:
            self._begin(armature, self.steps(context, armature))
            # Before there is a handler: Blender keeps that of an operator which has ended, and crashes.
            state = self._go_on(context, RUNNING)
            if state == RUNNING and self._work is not None:
                self._work.timer = context.window_manager.event_timer_add(TIMER_INTERVAL, window=context.window)
                operator: Any = self
                context.window_manager.modal_handler_add(operator)
            return state
        except BaseException:
            self.cancel(context)
            raise

    def _begin(self, armature: bpy.types.Object, steps: Steps) -> None:
        uid: Any = armature.session_uid
        self._work = _Work(steps, progress.begin(armature.name, self.stages), armature.name, uid)
        _works.append(self._work)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Run a slice at each timer event; Esc stops the work, and all other events are passed on."""
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, f"{self.title} was stopped; nothing has changed.")
            return CANCELLED
        if event.type != "TIMER":
            return PASSED_ON
        try:
            return self._go_on(context, PASSED_ON)
        except BaseException:
            self.cancel(context)
            raise

    def _go_on(self, context: bpy.types.Context, running: set[str]) -> Any:
        """Run a slice; `running` is returned where more is to be done."""
        work = self._work
        assert work is not None
        try:
            armature = find_object(work.armature)
            if armature is None or armature.session_uid != work.session_uid:
                raise PoiseError(f"Armature {work.armature!r} has been deleted or renamed: {self._stopped}")
            if work.problem:
                raise PoiseError(work.problem)
            is_done, result = work.run(SLICE)
        except PoiseError as error:
            self.cancel(context)
            self.report({"ERROR"}, str(error))
            return CANCELLED
        if not is_done:
            self._show(context, work.shown)
            return running
        self.cancel(context)
        if "UNDO" in self.bl_options:
            handles.make_own(armature)
        sentence = self.finish(armature, result)
        self.report({self.level}, sentence)
        return FINISHED

    @property
    def _stopped(self) -> str:
        return f"{self.title[0].lower()}{self.title[1:]} was stopped, and nothing has changed."

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop the work and remove its progress; Blender also calls this when a window or the file is closed."""
        if self._work is not None:
            self._work.stop()
            self._work.remove_timer(context.window_manager)
            self._work = None
        _set_status(None)
        _redraw(context)

    def _show(self, context: bpy.types.Context, shown: progress.RunningWork) -> None:
        _set_status(f"Poise: {shown.label}, {shown.share:.0%} (Esc stops it)")
        _redraw(context)


def _set_status(text: str | None) -> None:
    """Set the text of the status bar in all workspaces: the animator may switch between them."""
    for workspace in bpy.data.workspaces:
        workspace.status_text_set(text)


def _redraw(context: bpy.types.Context) -> None:
    """Redraw the panels of all 3D viewports; the view itself is drawn when it changes."""
    for window in context.window_manager.windows if context.window_manager is not None else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


@persistent  # type: ignore[untyped-decorator]
def _stop_reading(*_: Any) -> None:
    """Stop work that is reading an armature: undo replaces the objects and actions that it holds."""
    for work in list(_works):
        if work.stage == progress.READING:
            work.steps.close()
            work.problem = f"Undo came while armature {work.armature!r} was read: nothing has changed; begin again."


@persistent  # type: ignore[untyped-decorator]
def _stop_all(*_: Any) -> None:
    """Stop all work when another file is loaded; where that fails, the operator ends at its next timer event."""
    for work in list(_works):
        work.problem = "Another file was to be loaded: the work was stopped, and nothing has changed; begin again."
        work.stop()


def register() -> None:
    """Watch undo and the loading of files."""
    handlers = bpy.app.handlers
    handlers.undo_pre.append(_stop_reading)
    handlers.redo_pre.append(_stop_reading)
    handlers.load_pre.append(_stop_all)


def unregister() -> None:
    """Stop what is running, and watch no more."""
    for work in list(_works):
        work.stop()
        work.remove_timer(bpy.context.window_manager)
        _set_status(None)
    handlers = bpy.app.handlers
    handlers.undo_pre.remove(_stop_reading)
    handlers.redo_pre.remove(_stop_reading)
    handlers.load_pre.remove(_stop_all)
