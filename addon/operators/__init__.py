# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators. Each only collects its input, calls functions of `workflows` and `bridge`, and reports."""

from __future__ import annotations

from types import ModuleType

from . import (
    advice,
    bones,
    character,
    clean,
    constraints,
    detect,
    files,
    ground,
    leftovers,
    points,
    selected,
    solve,
    sources,
)

MODULES: tuple[ModuleType, ...] = (
    advice,
    bones,
    character,
    clean,
    constraints,
    detect,
    files,
    ground,
    leftovers,
    points,
    selected,
    solve,
    sources,
)
"""Each has a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)
