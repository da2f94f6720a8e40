# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator sees: the tab "Poise" of the sidebar. A panel draws properties and operators, and nothing more."""

from __future__ import annotations

from types import ModuleType

from . import active, character, clean, constraints, detect, ground, menu, solve

MODULES: tuple[ModuleType, ...] = (character, ground, constraints, active, detect, clean, solve, menu)
"""In the order in which they stand in the tab, each with a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)

register, unregister = menu.register, menu.unregister
