# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Poise" of the sidebar, in the order of the work. A panel only draws properties and operators."""

from __future__ import annotations

from types import ModuleType

from ..workflows import leftovers
from . import (
    active,
    character,
    clean,
    constraints,
    detect,
    display,
    ground,
    menu,
    physics,
    pie,
    proposals,
    solve,
    timeline,
    work,
)

MODULES: tuple[ModuleType, ...] = (
    work,
    proposals,
    constraints,
    active,
    detect,
    clean,
    physics,
    solve,
    display,
    timeline,
    pie,
    character,
    ground,
    menu,
)
"""In the order of the tab; each has a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)


def register() -> None:
    """Add the menu to those of the 3D viewport, and notice when what panels remember is out of date."""
    menu.register()
    leftovers.register()


def unregister() -> None:
    """Remove the menu and the handlers."""
    leftovers.unregister()
    menu.unregister()
