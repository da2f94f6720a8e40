# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that work on the armature that is meant: when they can run, and how they tell what is wrong."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver import PoiseError
from ..properties import armature_in

FINISHED = {"FINISHED"}
CANCELLED = {"CANCELLED"}


class OnArmature:
    """Mixed into operators; each says in `run` what it does."""

    report: Any
    level = "INFO"
    """How the sentence of `run` is reported; `run` makes it a warning where something is wrong with what was done."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an armature with all that it needs; where not, the tooltip says why."""
        armature = armature_in(context)
        why = (
            cls.unavailable_reason(armature)
            if armature
            else "Select an armature, or one of the points of its constraints"
        )
        if why:
            operator: Any = cls
            operator.poll_message_set(why)
        return not why

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        """Why it cannot run on an armature, as far as that is known at once; the rest is told when it runs."""
        return ""

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        """Do it; returns what is told of it, and raises a `PoiseError` before anything has changed."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Any:
        """Run, and report either the outcome or what is wrong, in a sentence."""
        armature = armature_in(context)
        assert armature is not None
        try:
            sentence = self.run(context, armature)
        except PoiseError as error:
            self.report({"ERROR"}, str(error))
            return CANCELLED
        self.report({self.level}, sentence)
        return FINISHED
