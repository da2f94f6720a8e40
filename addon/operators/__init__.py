# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators. Each only collects its input, calls functions of `workflows` and `bridge`, and reports."""

from __future__ import annotations

from types import ModuleType

from ..workflows import watching
from . import (
    activate,
    bones,
    character,
    clean,
    compare,
    constraints,
    detect,
    examples,
    files,
    ground,
    in_steps,
    leftovers,
    points,
    posture,
    solve,
    sources,
)

MODULES: tuple[ModuleType, ...] = (
    activate,
    bones,
    character,
    clean,
    compare,
    constraints,
    detect,
    examples,
    files,
    ground,
    leftovers,
    points,
    posture,
    solve,
    sources,
)
"""Each has a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)


def register() -> None:
    """Watch what long work must stop for, and what the animator does to handles."""
    in_steps.register()
    watching.register()


def unregister() -> None:
    """Stop long work, and watch no more."""
    watching.unregister()
    in_steps.unregister()
