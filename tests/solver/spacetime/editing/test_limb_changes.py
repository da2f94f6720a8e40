# SPDX-License-Identifier: GPL-3.0-or-later
"""Other lengths and masses of limbs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver import Clip, Motion, PoiseError, rotations, synthetic
from poise.solver.body.joints import Load
from poise.solver.spacetime import BIPED, HOPPER, CenterOfMassHandle, KeptJoint, LimbEdit, PointHandle, Recipe
from poise.solver.spacetime.characters.character import SimplifiedCharacter
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.characters.source_values import source_values
from poise.solver.spacetime.editing.limb_changes import character_with_limbs, clip_with_limbs, values_with_limbs
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.problem.mapping import HandleValues
from poise.solver.spacetime.problem.units import Units

LIMBS = (LimbEdit("left_shoulder", 1.2, 3.0), LimbEdit("right_knee", 0.85), LimbEdit("left_hip", 1.1, 0.8))


BALLS = replace(BIPED, joints=tuple(KeptJoint(joint.joints, "ball") for joint in BIPED.joints))
"""The biped without hinges: its joints can turn as those of the full character do."""


def walk() -> Clip:
    return synthetic.walk(steps=2, fps=30.0).clip


def character(clip: Clip, recipe: Recipe) -> tuple[SimplifiedCharacter, Units]:
    units = Units(clip.skeleton.size, clip.skeleton.mass_unit, 9.81)
    return simplified(clip, recipe).in_units(units.length, units.mass), units


def one_posture(clip: Clip) -> Clip:
    """A clip in which nothing moves: joints that are fused are then exactly where they are on the full character."""
    first = clip.motion.at(np.zeros(8, dtype=np.int64))
    return Clip(clip.skeleton, Motion(first.rotations, first.translations), clip.fps)


def test_the_bones_of_a_limb_are_scaled_up_to_the_foot() -> None:
    clip = walk()
    shorter = clip_with_limbs(clip, BIPED, (LimbEdit("right_knee", 0.8, 1.5),))
    marks = clip.skeleton.landmarks

    def lengths(of: Clip, first: str, second: str) -> np.ndarray:
        return np.linalg.norm(of.position(getattr(marks, second)) - of.position(getattr(marks, first)), axis=1)

    assert np.allclose(lengths(shorter, "right_knee", "right_ankle"), 0.8 * lengths(clip, "right_knee", "right_ankle"))
    for first, second in (("right_hip", "right_knee"), ("right_ankle", "right_ball"), ("left_knee", "left_ankle")):
        assert np.allclose(lengths(shorter, first, second), lengths(clip, first, second))
    knee, ankle = marks.right_knee, marks.right_ankle
    assert knee is not None and ankle is not None
    assert np.isclose(shorter.skeleton.masses[knee], 1.2 * clip.skeleton.masses[knee])
    assert np.isclose(shorter.skeleton.masses[ankle], clip.skeleton.masses[ankle])
    assert np.array_equal(shorter.motion.rotations, clip.motion.rotations)


def test_an_arm_is_heavier_down_to_its_hand_and_carries_the_same_load() -> None:
    clip = walk()
    wrist = clip.skeleton.index("l_wrist")
    loaded = replace(clip, skeleton=clip.skeleton.with_load("l_wrist", 2.0))
    assert loaded.skeleton.loads == (Load(loaded.skeleton.resolve("l_wrist"), 2.0),)
    heavier = clip_with_limbs(loaded, BIPED, (LimbEdit("left_shoulder", mass=3.0),)).skeleton
    for name in ("l_shoulder", "l_elbow"):
        joint = clip.skeleton.index(name)
        assert np.isclose(heavier.masses[joint], 3.0 * clip.skeleton.masses[joint])
    assert np.isclose(heavier.masses[wrist], 3.0 * clip.skeleton.masses[wrist] + 2.0)


def test_merged_legs_are_changed_together() -> None:
    clip = walk()
    shorter = clip_with_limbs(clip, HOPPER, (LimbEdit("left_hip", 0.9),)).skeleton
    marks = clip.skeleton.landmarks
    for joint in (marks.left_knee, marks.right_knee, marks.left_ankle, marks.right_ankle):
        assert joint is not None
        assert np.allclose(shorter.offsets[joint], 0.9 * clip.skeleton.offsets[joint])


@pytest.mark.parametrize("recipe", [BIPED, HOPPER])
def test_limbs_as_they_are_leave_the_simplified_character_as_it_is(recipe: Recipe) -> None:
    clip = walk()
    known, units = character(clip, recipe)
    joint = recipe.joints[0].joints[0]
    made = character_with_limbs(known, clip, recipe, units, (LimbEdit(joint),))
    assert made.names == known.names
    for name in ("masses", "centers", "inertias"):
        assert np.allclose(getattr(made, name), getattr(known, name), atol=1e-12)
    for dof, other in zip(made.dofs, known.dofs, strict=True):
        assert np.allclose(dof.axis, other.axis) and np.allclose(dof.offset, other.offset)
    assert character_with_limbs(known, clip, recipe, units, ()) is known


def test_both_characters_have_the_same_limbs() -> None:
    """Where nothing moves the simplified character is the full one: so it is with other limbs, hips in place."""
    clip = one_posture(walk())
    known, units = character(clip, BALLS)
    made = character_with_limbs(known, clip, BALLS, units, LIMBS)
    values = values_with_limbs(known, made, source_values(clip, BALLS, known))
    handles = (
        CenterOfMassHandle(),
        CenterOfMassHandle("spine"),
        CenterOfMassHandle("left_shoulder"),
        PointHandle("left_ball"),
        PointHandle("right_ball"),
    )
    body = FullBody(clip_with_limbs(clip, BALLS, LIMBS).world)
    full = np.concatenate([handle.value(body) for handle in handles], axis=1)
    found = HandleValues(made, handles).values(values) * units.length
    assert np.abs(found - full).max() < 1e-9 * clip.skeleton.size
    before = np.concatenate([handle.value(FullBody(clip.world)) for handle in handles], axis=1)
    assert np.abs(found - before).max() > 0.02 * clip.skeleton.size, "the limbs differ"


def test_the_same_values_are_the_same_posture() -> None:
    """Axes of hinges and frames of bodies do not follow the masses, which have another centre now."""
    clip = walk()
    known, units = character(clip, BIPED)
    made = character_with_limbs(known, clip, BIPED, units, LIMBS)
    for dof, other in zip(made.dofs, known.dofs, strict=True):
        assert np.allclose(dof.axis, other.axis)
        assert (dof.lower, dof.upper) == (other.lower, other.upper)
    for name, mount in known.mounts.items():
        assert np.allclose(rotations.log(rotations.quotient(made.mounts[name], mount)), 0.0)


def test_an_unknown_joint_is_refused() -> None:
    with pytest.raises(PoiseError, match="no joint 'tail'; it has left_hip"):
        clip_with_limbs(walk(), BIPED, (LimbEdit("tail"),))
