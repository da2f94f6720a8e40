# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths in the words of the scene's units."""

from __future__ import annotations

import bpy

from . import context


def length_in_words(value: float) -> str:
    """A length of the scene, in its units: "15 cm"; a plain number where the scene has none."""
    settings = context.scene().unit_settings
    if settings.system == "NONE":
        return f"{value:.3g}"
    return str(bpy.utils.units.to_string(settings.system, "LENGTH", value * settings.scale_length, precision=3))
