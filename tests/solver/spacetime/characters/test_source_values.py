# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that the joints of a clip have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.character import SimplifiedCharacter
from poise.solver.spacetime.characters.recipe import BIPED, HOPPER, KeptJoint, Recipe
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.characters.source_values import source_values
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState
from poise.solver.synthetic import jump, walk

from ...made_up import placed
from .fused_postures import fused_postures
from .rest_poses import REST_POSES, with_rest

WITH_WAIST = replace(BIPED, joints=(KeptJoint(("spine",), "ball"), *BIPED.joints))


def in_postures(clip: Clip, character: SimplifiedCharacter, values: Array) -> Clip:
    """The full character moving as its simplified one does with values (frames, dofs)."""
    world = fused_postures(clip, character, values)
    parents, has_parent = clip.skeleton.parents, clip.skeleton.tree.has_parent
    above = np.where(has_parent[:, None], world.rotations[:, parents], rotations.IDENTITY)
    origins = np.where(has_parent[:, None], world.positions[:, parents], 0.0)
    back = rotations.conjugate(above)
    motion = Motion(rotations.multiply(back, world.rotations), rotations.rotate(back, world.positions - origins))
    return Clip(clip.skeleton, motion, clip.fps)


def smooth_values(character: SimplifiedCharacter, frames: int = 50) -> Array:
    """(frames, dofs) smooth values with headings all around, and angles up to one radian."""
    times = np.linspace(0.0, 1.0, frames)[:, None]
    phases = np.arange(len(character)) * 1.7
    values = np.sin(3.0 * times + phases)
    values[:, 3] = 5.0 * times[:, 0] + 1.0
    return np.asarray(values)


@pytest.mark.parametrize("recipe", [BIPED, WITH_WAIST], ids=["biped", "waist"])
@pytest.mark.parametrize("rest", [None, *REST_POSES])
def test_values_of_a_motion_that_was_made_from_them_come_back(recipe: Recipe, rest: str | None) -> None:
    clip = walk(steps=2).clip if rest is None else with_rest(walk(steps=2).clip, rest)
    character = simplified(clip, recipe)
    values = smooth_values(character)
    found = source_values(in_postures(clip, character, values), recipe, character)
    np.testing.assert_allclose(found, values, atol=1e-8)
    # In other units only lengths are others.
    unit = clip.skeleton.size
    smaller = source_values(in_postures(clip, character, values), recipe, character.in_units(unit, 70.0))
    np.testing.assert_allclose(smaller[:, :3] * unit, values[:, :3], atol=1e-8)
    np.testing.assert_allclose(smaller[:, 3:], values[:, 3:], atol=1e-8)


def test_headings_and_places_move_along_and_nothing_else_changes() -> None:
    clip = jump().clip
    for recipe in (BIPED, HOPPER):
        character = simplified(clip, recipe)
        turn, shift = rotations.exp((0.0, 1.1, 0.0)), np.array([2.0, 0.0, -1.0])
        before = source_values(clip, recipe, character)
        after = source_values(placed(clip, turn, shift), recipe, character)
        np.testing.assert_allclose(after[:, 3], before[:, 3] + 1.1, atol=1e-9)
        np.testing.assert_allclose(after[:, 4:], before[:, 4:], atol=1e-9)
        np.testing.assert_allclose(after[:, :3], rotations.rotate(turn, before[:, :3]) + shift, atol=1e-9)


def test_a_hopper_stands_on_the_middle_of_both_balls() -> None:
    clip = jump().clip
    character = simplified(clip, HOPPER)
    values = source_values(clip, HOPPER, character)
    state = CharacterState(character, values)
    way = state.point("left_ball") - state.place(5, character.dofs[6].offset)
    marks = clip.skeleton.landmarks
    middles = [
        np.mean([clip.position(getattr(marks, f"{side}_{part}")) for side in ("left", "right")], axis=0)
        for part in ("hip", "ball")
    ]
    np.testing.assert_allclose(way, middles[1] - middles[0], atol=1e-9)
    # And the mass point is where the upper body's centre is, seen from the hips.
    seen = state.origins[:, character.joint_of["spine"][-1]] - state.origins[:, 5]
    upper = clip.world.subtree_center_of_mass(marks.spine[0]) - clip.world.positions[:, marks.hips]
    np.testing.assert_allclose(seen, upper, atol=1e-9)


def test_merged_limbs_have_the_mean_of_both() -> None:
    clip = walk(steps=2).clip
    knees = KeptJoint(("left_knee", "right_knee"), "hinge")
    merged = replace(BIPED, joints=(KeptJoint(("left_hip", "right_hip"), "ball"), knees))
    apart, together = simplified(clip, BIPED), simplified(clip, merged)
    both = source_values(clip, BIPED, apart)
    hips = np.mean([both[:, list(apart.joint_of[f"{side}_hip"])] for side in ("left", "right")], axis=0)
    found = source_values(clip, merged, together)[:, list(together.joint_of["left_hip"])]
    np.testing.assert_allclose(found, hips, atol=0.02)
    assert np.ptp(both[:, apart.index("left hip flexion")]) > 0.5
