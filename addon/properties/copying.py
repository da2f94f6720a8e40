# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying groups of properties with all that is in them."""

from __future__ import annotations

from typing import Any

from bpy.types import PropertyGroup


def copy_properties(source: Any, target: Any) -> None:
    """Make one group of properties say what another of the same kind says; pointers point to the same things."""
    for known in source.bl_rna.properties:
        name = known.identifier
        if name == "rna_type":
            continue
        value = getattr(source, name)
        if known.type == "COLLECTION":
            copies = getattr(target, name)
            copies.clear()
            for item in value:
                copy_properties(item, copies.add())
        elif isinstance(value, PropertyGroup):
            copy_properties(value, getattr(target, name))
        elif not known.is_readonly:
            setattr(target, name, value)
