# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs have sides, the trunk has none."""

from __future__ import annotations

from poise.addon.overlay.sides import sides_of
from poise.solver import synthetic


def test_limbs_have_sides_down_to_their_ends_and_the_trunk_has_none() -> None:
    skeleton = synthetic.walk(steps=1, fps=30.0).clip.skeleton
    sides = sides_of(skeleton)
    for name in skeleton.names:
        expected = {"l_": "left", "r_": "right"}.get(name[:2])
        assert sides.get(name) == expected, name


def test_without_landmarks_nothing_has_a_side() -> None:
    skeleton = synthetic.walk(steps=1, fps=30.0).clip.skeleton
    unknown = {f"{side}_{limb}": None for side in ("left", "right") for limb in ("clavicle", "shoulder", "hip")}
    assert sides_of(skeleton.with_landmarks(**unknown)) == {}
