# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be grabbed with the mouse in Blender's editors."""

from __future__ import annotations

from types import ModuleType

from . import bar_view, bars, physics, plants, points

MODULES: tuple[ModuleType, ...] = (bars, plants, points, physics)
"""Each has a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)

register, unregister = bar_view.register, bar_view.unregister
