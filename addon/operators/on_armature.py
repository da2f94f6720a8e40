# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of all operators: they work on the armature of the context, and report errors as sentences."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver import PoiseError
from ..properties import armature_in, handles
from ..workflows import activate

FINISHED = {"FINISHED"}
CANCELLED = {"CANCELLED"}


class OnArmature:
    """Mixed into operators, which implement `run`."""

    report: Any
    bl_options: Any = frozenset()
    level = "INFO"
    """The type of report for the sentence of `run`, which sets it to "WARNING" where there is a problem."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the operator can run; where not, the tooltip says why."""
        armature = armature_in(context)
        reason = (
            cls.unavailable_reason(armature)
            if armature
            else "Select an armature, or one of the points of its constraints"
        )
        if reason:
            operator: Any = cls
            operator.poll_message_set(reason)
        return not reason

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        """Why it cannot run on an armature, where that is quick to find; else empty, and `run` raises."""
        return ""

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        """Do the work and return a sentence about it, or "" to report nothing; raises `PoiseError` before anything has
        changed."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Any:
        """Call `run`, and report its sentence or its error.

        A duplicated character first gets empties of its own. This is done here and not when Blender duplicates it:
        while the copy is being moved, no object may be added, and here the change belongs to the operator's undo step.
        """
        armature = armature_in(context)
        assert armature is not None
        if "UNDO" in self.bl_options:
            handles.make_own(armature)
        try:
            sentence = self.run(context, armature)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        if sentence:
            self.report({self.level}, sentence)
        return FINISHED


class SelectsHandle(OnArmature):
    """Mixed into operators that add a constraint: in object mode its handle is then selected.

    A script that calls such an operator keeps its selection.
    """

    options: Any

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        """Run as a button or a menu does."""
        done = self.execute(context)
        self._select(context, done)
        return done

    def execute(self, context: bpy.types.Context) -> Any:
        """Run; after a change of the operator's settings the handle is selected again."""
        done = super().execute(context)
        if self.options.is_repeat:
            self._select(context, done)
        return done

    def _select(self, context: bpy.types.Context, done: Any) -> None:
        armature = armature_in(context)
        if done == FINISHED and armature is not None:
            activate.select_active(context, armature)
