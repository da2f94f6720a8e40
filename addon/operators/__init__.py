# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators. Each only collects its input, calls functions of `workflows` and `bridge`, and reports."""

from __future__ import annotations

from types import ModuleType

import bpy

from ..workflows import deleted_handles, physics_memory, watching
from ..workflows import examples as examples_workflow
from . import (
    activate,
    advice,
    bones,
    character,
    clean,
    clicks,
    compare,
    constraints,
    detect,
    drag,
    events,
    example_character,
    examples,
    files,
    ground,
    hands,
    in_steps,
    leftovers,
    live,
    physics,
    points,
    posture,
    quick,
    selected,
    solve,
    sources,
)

MODULES: tuple[ModuleType, ...] = (
    activate,
    advice,
    bones,
    character,
    clean,
    clicks,
    compare,
    constraints,
    detect,
    drag,
    events,
    example_character,
    examples,
    files,
    ground,
    hands,
    leftovers,
    live,
    physics,
    points,
    posture,
    quick,
    selected,
    solve,
    sources,
)
"""Each has a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)


def register() -> None:
    """Watch what long work must stop for, what the animator does to handles, and changes of examples."""
    in_steps.register()
    watching.register()
    deleted_handles.register()
    examples_workflow.register()
    bpy.app.handlers.load_post.append(physics_memory.forget_on_load)


def unregister() -> None:
    """Stop long work, and watch no more."""
    bpy.app.handlers.load_post.remove(physics_memory.forget_on_load)
    physics_memory.forget()
    examples_workflow.unregister()
    deleted_handles.unregister()
    watching.unregister()
    in_steps.unregister()
