# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying property groups with their collections and nested groups."""

from __future__ import annotations

from typing import Any

from bpy.types import PropertyGroup

from . import selecting


def copy_properties(source: Any, target: Any) -> None:
    """Copy all properties of a group to another of the same type; pointers point to the same data-blocks.

    No handle is selected, although the active constraint may change.
    """
    with selecting.paused():
        _copy(source, target)


def _copy(source: Any, target: Any) -> None:
    for known in source.bl_rna.properties:
        name = known.identifier
        if name == "rna_type":
            continue
        value = getattr(source, name)
        if known.type == "COLLECTION":
            copies = getattr(target, name)
            copies.clear()
            for item in value:
                _copy(item, copies.add())
        elif isinstance(value, PropertyGroup):
            _copy(value, getattr(target, name))
        elif not known.is_readonly:
            setattr(target, name, value)
