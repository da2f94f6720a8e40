# SPDX-License-Identifier: GPL-3.0-or-later
"""Property groups as plain values, to compare them."""

from __future__ import annotations

from typing import Any

import bpy


def property_values(group: Any) -> Any:
    """The values of all properties of a group, by name; objects by their names, since undo replaces them."""
    if isinstance(group, bpy.types.PropertyGroup):
        names = [known.identifier for known in group.bl_rna.properties if known.identifier != "rna_type"]
        return {name: property_values(getattr(group, name)) for name in names}
    if isinstance(group, str | int | float | None):
        return group
    if isinstance(group, bpy.types.ID):
        return group.name
    return sorted(group) if isinstance(group, set) else [property_values(item) for item in group]
