# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Poise" of the sidebar. A panel only draws properties and operators."""

from __future__ import annotations

from types import ModuleType

from . import active, character, clean, constraints, detect, display, ground, menu, pie, solve, timeline

MODULES: tuple[ModuleType, ...] = (
    character,
    ground,
    constraints,
    active,
    detect,
    clean,
    solve,
    display,
    timeline,
    pie,
    menu,
)
"""In the order of the tab; each has a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)

register, unregister = menu.register, menu.unregister
