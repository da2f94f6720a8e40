# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving: at once in a script; in a window in steps, with progress and Esc to cancel."""

# Blender reads the annotations of operators.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Operator

from ...solver import PoiseError
from ..properties import armature_in
from ..properties.character import QUALITIES
from ..workflows import progress, solve
from .on_armature import CANCELLED, FINISHED, OnArmature
from .settings import NOT_REMEMBERED, BakesResult, fill_from_panel

TIMER_INTERVAL = 0.01
"""Seconds between timer events; Blender draws and handles other events in between."""
STEPS_TIME = 0.02
"""Seconds of solving at each timer event, after which the step at hand is the last: the window stays responsive."""

RUNNING = {"RUNNING_MODAL"}


class POISE_OT_solve(BakesResult, OnArmature, Operator):  # noqa: N801
    """Change the motion so that its constraints hold"""

    bl_idname = "poise.solve"
    bl_label = "Solve"
    bl_description = "Change the motion so that its constraints hold, the most important first; the source is kept"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    quality: EnumProperty(name="Quality", description="How exact to solve", items=QUALITIES, options=NOT_REMEMBERED)

    _steps: Generator[solve.StageShare, None, solve.SolveResult] | None = None
    _timer: bpy.types.Timer | None = None
    _progress: progress.RunningSolve | None = None

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        is_running = progress.of(armature.name) is not None
        return "The armature is being solved: wait, or press Esc to cancel" if is_running else ""

    # At once -------------------------------------------------------------------------------------------------------

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        result = solve.solve(armature, self._options(armature))
        self.level = _level(result)
        return self._report_notes(result)

    def _options(self, armature: bpy.types.Object) -> solve.SolveOptions:
        fill_from_panel(self, armature)
        return solve.SolveOptions(self.begin, self.end, self.target.lower(), self.tolerance, self.quality.lower())

    def _report_notes(self, result: solve.SolveResult) -> str:
        for sentence in result.notes:
            self.report({"WARNING"}, sentence)
        if result.misses and not result.is_kept_off_by_rig:
            self.report({"WARNING"}, "Not every constraint is satisfied: see the advice in the panel.")
        return result.sentence

    # In a window ---------------------------------------------------------------------------------------------------

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Begin to solve; errors of reading are reported at once."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        armature = armature_in(context)
        assert armature is not None and context.window_manager is not None
        try:
            self._steps = solve.solve_in_steps(armature, self._options(armature))
            next(self._steps)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        self._progress = progress.begin(armature.name)
        self._timer = context.window_manager.event_timer_add(TIMER_INTERVAL, window=context.window)
        context.window_manager.progress_begin(0.0, 1.0)
        context.window_manager.modal_handler_add(self)
        return RUNNING

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Run some steps at each timer event; Esc cancels."""
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, "Solving was cancelled; nothing has changed.")
            return CANCELLED
        if event.type != "TIMER":
            return RUNNING
        try:
            result = self._run_steps()
        except PoiseError as error:
            self.cancel(context)
            self.report({"ERROR"}, str(error))
            return CANCELLED
        except BaseException:
            self.cancel(context)
            raise
        if result is None:
            self._show(context)
            return RUNNING
        self.cancel(context)
        self.report({_level(result)}, self._report_notes(result))
        return FINISHED

    def cancel(self, context: bpy.types.Context) -> None:
        """Close the solve and remove its progress; Blender also calls this when a window or the file is closed."""
        if self._steps is not None:
            self._steps.close()
            self._steps = None
        window_manager = context.window_manager
        if self._timer is not None and window_manager is not None:
            window_manager.event_timer_remove(self._timer)
            window_manager.progress_end()
            self._timer = None
        if self._progress is not None:
            progress.end(self._progress)
            self._progress = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        _redraw(context)

    def _run_steps(self) -> solve.SolveResult | None:
        """Run some steps; returns the result after the last one, else None."""
        assert self._steps is not None and self._progress is not None
        until = time.perf_counter() + STEPS_TIME
        while time.perf_counter() < until:
            try:
                stage, share = next(self._steps)
            except StopIteration as stop:
                result: solve.SolveResult = stop.value
                return result
            self._progress.update(stage, share)
        return None

    def _show(self, context: bpy.types.Context) -> None:
        assert self._progress is not None and context.window_manager is not None
        context.window_manager.progress_update(self._progress.share)
        if context.workspace is not None:
            context.workspace.status_text_set(
                f"Poise: {self._progress.label}, {self._progress.share:.0%} (Esc cancels)"
            )
        _redraw(context)


def _level(result: solve.SolveResult) -> str:
    """The type of report for a result: a warning where the rig keeps bones from it."""
    return "WARNING" if result.is_kept_off_by_rig else "INFO"


def _redraw(context: bpy.types.Context) -> None:
    """Redraw the panels of all 3D viewports."""
    for window in context.window_manager.windows if context.window_manager is not None else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


classes = (POISE_OT_solve,)
