# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator can do. An operator only calls: what it does stands in the modules that it calls."""

from __future__ import annotations

from types import ModuleType

MODULES: tuple[ModuleType, ...] = ()
"""Each with a tuple `classes`."""

classes = tuple(found for module in MODULES for found in module.classes)
