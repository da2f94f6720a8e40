# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands on the floor: those of the captured cartwheel."""

from __future__ import annotations

from poise.solver.cleanup.plants import PlantedPoint

CARTWHEEL = tuple(
    PlantedPoint(arm, point, begin, end)
    for arm, begin, end in (("right arm", 209, 226), ("left arm", 240, 312))
    for point in ("wrist", "fingertips")
)
"""While they carry the body in 49_06, without its first frame. In the capture they slide by half a leg a second."""
