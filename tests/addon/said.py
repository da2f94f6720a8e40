# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of properties as plain values, to compare them."""

from __future__ import annotations

from typing import Any

import bpy


def said(group: Any) -> Any:
    """All that a group of properties says; objects by their names, since undo replaces them."""
    if isinstance(group, bpy.types.PropertyGroup):
        names = [known.identifier for known in group.bl_rna.properties if known.identifier != "rna_type"]
        return {name: said(getattr(group, name)) for name in names}
    if isinstance(group, str | int | float | None):
        return group
    if isinstance(group, bpy.types.ID):
        return group.name
    return sorted(group) if isinstance(group, set) else [said(item) for item in group]
