# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths are shown in the units of the scene."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.bridge import format_length


@pytest.mark.parametrize(
    ("system", "scale", "value", "text"),
    [
        ("METRIC", 1.0, 0.15, "15 cm"),
        ("METRIC", 0.01, 150.0, "1.5 m"),
        ("IMPERIAL", 1.0, 0.3048, "1'"),
        ("NONE", 1.0, 0.123456, "0.123"),
    ],
)
def test_a_length_has_the_unit_of_the_scene(system: str, scale: float, value: float, text: str) -> None:
    settings = bpy.context.scene.unit_settings
    settings.system, settings.scale_length = system, scale
    assert format_length(value) == text
