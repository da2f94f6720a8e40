# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths as text in the units of the scene."""

from __future__ import annotations

import bpy

from . import context


def format_length(value: float) -> str:
    """A length in Blender units as text in the units of the scene, such as "15 cm"; a plain number without units."""
    settings = context.scene().unit_settings
    if settings.system == "NONE":
        return f"{value:.3g}"
    return str(bpy.utils.units.to_string(settings.system, "LENGTH", value * settings.scale_length, precision=3))
