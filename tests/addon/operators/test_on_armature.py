# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators run on the armature of the context, and report a sentence or an error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import bpy
import pytest

from poise import solver
from poise.addon.operators.on_armature import OnArmature


class Example(OnArmature):
    """An operator that is not registered, whose reports are kept."""

    messages: ClassVar[list[str]] = []
    reason = ""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome
        self.reports: list[tuple[set[str], str]] = []
        self.report = lambda kind, sentence: self.reports.append((kind, sentence))

    @classmethod
    def poll_message_set(cls, message: str) -> None:
        cls.messages.append(message)

    @classmethod
    def unavailable_reason(cls, armature: bpy.types.Object) -> str:
        return cls.reason

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> str:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return f"{armature.name}: {self.outcome}"


def test_the_sentence_of_run_is_reported(armature: bpy.types.Object) -> None:
    operator = Example("done.")
    assert operator.execute(bpy.context) == {"FINISHED"} and operator.reports == [({"INFO"}, "Walker: done.")]
    operator = Example("but.")
    operator.level = "WARNING"
    operator.execute(bpy.context)
    assert operator.reports == [({"WARNING"}, "Walker: but.")]


def test_an_error_of_poise_is_reported_and_others_are_raised(armature: bpy.types.Object) -> None:
    operator = Example(solver.PoiseError("Do this."))
    assert operator.execute(bpy.context) == {"CANCELLED"} and operator.reports == [({"ERROR"}, "Do this.")]
    with pytest.raises(ZeroDivisionError):
        Example(ZeroDivisionError()).execute(bpy.context)


def test_the_tooltip_says_why_it_cannot_run(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    Example.messages.clear()
    assert Example.poll(bpy.context) and not Example.messages
    monkeypatch.setattr(Example, "reason", "Not now")
    assert not Example.poll(bpy.context) and Example.messages == ["Not now"]
    nothing: Any = SimpleNamespace(object=None, view_layer=None, scene=None)
    assert not Example.poll(nothing) and Example.messages[-1].startswith("Select an armature")
