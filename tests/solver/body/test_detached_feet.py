# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are children of the root, recognised as belonging to legs by their motion."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Clip, Motion, Skeleton, feet_beside_legs
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

PLACES = {
    "Root": (None, (0.0, 0.0, 0.0)),
    "Body": ("Root", (0.0, 0.95, 0.0)),
    "Torso": ("Body", (0.0, 1.2, 0.0)),
    "Neck": ("Torso", (0.0, 1.5, 0.0)),
    "Head": ("Neck", (0.0, 1.6, 0.0)),
    "UpperLeg.L": ("Body", (0.1, 0.9, 0.0)),
    "LowerLeg.L": ("UpperLeg.L", (0.1, 0.5, 0.02)),
    "UpperLeg.R": ("Body", (-0.1, 0.9, 0.0)),
    "LowerLeg.R": ("UpperLeg.R", (-0.1, 0.5, 0.02)),
    "Foot.L": ("Root", (0.1, 0.08, 0.0)),
    "Foot.R": ("Root", (-0.1, 0.08, 0.0)),
}
FRAMES = 40


def robot(parent_of_feet: dict[str, str] | None = None) -> Skeleton:
    """A body whose feet hang on the root."""
    names = list(PLACES)
    parents = {name: parent for name, (parent, _) in PLACES.items()} | (parent_of_feet or {})
    above = [-1 if parents[name] is None else names.index(str(parents[name])) for name in names]
    places = np.array([place for _, place in PLACES.values()])
    offsets = [place - (places[parent] if parent >= 0 else 0.0) for place, parent in zip(places, above, strict=True)]
    return Skeleton(tuple(names), above, offsets)


def walking(skeleton: Skeleton, off: Array | None = None) -> Clip:
    """Legs that swing, with each foot where its lower leg ends; `off` (frames, 3) is added to the left foot's place."""
    swing = 0.6 * np.sin(2.0 * np.pi * np.arange(FRAMES) / 20.0)
    turned = np.tile(rotations.IDENTITY, (FRAMES, len(skeleton), 1))
    placed = np.tile(skeleton.offsets, (FRAMES, 1, 1))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        turned[:, skeleton.index(f"UpperLeg.{side}")] = rotations.exp(np.outer(sign * swing, [1.0, 0.0, 0.0]))
        turned[:, skeleton.index(f"LowerLeg.{side}")] = rotations.exp(np.outer(0.5 + sign * swing / 2, [1.0, 0, 0]))
    world = Clip(skeleton, Motion(turned, placed), 24.0).world
    for side in "LR":
        knee, foot = skeleton.index(f"LowerLeg.{side}"), skeleton.index(f"Foot.{side}")
        way = np.subtract(PLACES[f"Foot.{side}"][1], PLACES[f"LowerLeg.{side}"][1])
        placed[:, foot] = world.positions[:, knee] + rotations.rotate(world.rotations[:, knee], way)
    if off is not None:
        placed[:, skeleton.index("Foot.L")] += off
    return Clip(skeleton, Motion(turned, placed), 24.0)


def test_feet_that_move_along_with_their_legs_belong_to_them() -> None:
    skeleton = robot()
    assert feet_beside_legs(walking(skeleton)) == {
        skeleton.index("Foot.L"): skeleton.index("LowerLeg.L"),
        skeleton.index("Foot.R"): skeleton.index("LowerLeg.R"),
    }


def test_a_leg_that_sometimes_does_not_reach_its_foot_still_has_it() -> None:
    skeleton = robot()
    off = np.zeros((FRAMES, 3))
    off[5:15] = (0.0, 0.0, 0.3)
    assert skeleton.index("Foot.L") in feet_beside_legs(walking(skeleton, off))


def test_a_foot_that_goes_its_own_way_belongs_to_no_leg() -> None:
    skeleton = robot()
    off = 0.3 * np.random.default_rng(1).standard_normal((FRAMES, 3))
    assert list(feet_beside_legs(walking(skeleton, off))) == [skeleton.index("Foot.R")]


def test_legs_that_have_their_feet_are_left_alone() -> None:
    skeleton = robot({"Foot.L": "LowerLeg.L", "Foot.R": "LowerLeg.R"})
    motion = Motion(np.tile(rotations.IDENTITY, (3, len(skeleton), 1)), np.tile(skeleton.offsets, (3, 1, 1)))
    assert feet_beside_legs(Clip(skeleton, motion, 24.0)) == {}


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_it_does_not_depend_on_the_scale(scale: float) -> None:
    clip = walking(robot())
    scaled = Clip(
        clip.skeleton.scaled(scale), Motion(clip.motion.rotations, scale * clip.motion.translations), clip.fps
    )
    assert feet_beside_legs(scaled) == feet_beside_legs(clip)
