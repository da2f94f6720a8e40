# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator can do. An operator only calls: what it does stands in the modules that it calls."""

from __future__ import annotations

from types import ModuleType

from . import bones, character, clean, constraints, detect, files, ground, points, solve, sources

MODULES: tuple[ModuleType, ...] = (bones, character, clean, constraints, detect, files, ground, points, solve, sources)
"""Each with a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)
