# SPDX-License-Identifier: GPL-3.0-or-later
"""Other lengths and masses of limbs, of the full character and of the simplified one.

Both have the same limbs: they are changed on the full character, and the simplified one is made anew from that. Feet
keep their size, since they stand on footprints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...body.clip import Clip
from ...body.joints import SIDES
from ...body.motion import Motion
from ...core.arrays import Array, BoolArray, triple
from ...core.errors import ConstraintError
from ..characters.character import ROOT_TRANSLATIONS, SimplifiedCharacter
from ..characters.recipe import Recipe
from ..characters.recipe_joints import RecipeJoints
from ..characters.simplification import simplified_alike
from ..optimiser_package import require
from ..problem.symbolic_body import SymbolicBody
from ..problem.units import Units
from .edit import LimbEdit


def clip_with_limbs(clip: Clip, recipe: Recipe, limbs: Sequence[LimbEdit]) -> Clip:
    """The clip on a character with other limbs: the bones of each are scaled by its length, the masses by its mass and
    by its length. The hips stay where they are, and all rotations are kept.

    A limb is what the recipe fuses into the body below a joint, without the foot: "left_knee" of the biped is the shin,
    "left_shoulder" is the whole arm. Merged joints are changed together.
    """
    for limb in limbs:
        clip = _with_limb(clip, recipe, limb)
    return clip


def character_with_limbs(
    character: SimplifiedCharacter, clip: Clip, recipe: Recipe, units: Units, limbs: Sequence[LimbEdit]
) -> SimplifiedCharacter:
    """The simplified character, which is that of a clip in some units, with other limbs; its values mean the same."""
    if not limbs:
        return character
    made = simplified_alike(clip_with_limbs(clip, recipe, limbs), recipe, clip, character)
    made = made.in_units(units.length, units.mass)
    ranges = {
        index: replace(dof, lower=known.lower, upper=known.upper)
        for index, (dof, known) in enumerate(zip(made.dofs, character.dofs, strict=True))
    }
    return replace(made.with_dofs(ranges), size=character.size)


def values_with_limbs(before: SimplifiedCharacter, after: SimplifiedCharacter, values: Array) -> Array:
    """(times, dofs) values of a character with other limbs in the posture that `values` (times, dofs) give the one
    before, with the hips in the same place: the centre of mass, which the first three values are, is another one."""
    if after is before:
        return values
    moved = values.copy()
    moved[:, ROOT_TRANSLATIONS] += _centers_from_hips(after, values) - _centers_from_hips(before, values)
    return moved


def _centers_from_hips(character: SimplifiedCharacter, values: Array) -> Array:
    """(times, 3) from the origin of the root body to the centre of mass."""
    ca = require()
    symbols: Any = ca.SX.sym("values", len(character))
    center = ca.Function("center", [symbols], [ca.densify(SymbolicBody(character, symbols).relative_center)])
    return np.asarray(center.map(len(values))(values.T)).T


def _with_limb(clip: Clip, recipe: Recipe, limb: LimbEdit) -> Clip:
    skeleton, motion = clip.skeleton, clip.motion
    members = _members(clip, recipe, limb.joint)
    below = np.isin(skeleton.parents, np.flatnonzero(members))
    lengths = np.where(below, limb.length, 1.0)[:, None]
    # Loads are what the character carries, and stay what they are.
    own = skeleton.masses.copy()
    for load in skeleton.loads:
        own[skeleton.index(load.point.joint)] -= load.mass
    own *= limb.mass * limb.length
    changed = skeleton.replace(
        offsets=lengths * skeleton.offsets,
        set_masses={**skeleton.set_masses, **{int(joint): float(own[joint]) for joint in np.flatnonzero(members)}},
        tips=tuple(
            replace(tip, offset=triple(limb.length * tip.local)) if members[skeleton.index(tip.joint)] else tip
            for tip in skeleton.tips
        ),
    )
    return Clip(changed, Motion(motion.rotations, lengths * motion.translations), clip.fps)


def _members(clip: Clip, recipe: Recipe, name: str) -> BoolArray:
    """(joints,) the joints of the full character that belong to the limb below a joint of the recipe."""
    named = RecipeJoints(clip, recipe)
    for joint, bases in zip(recipe.joints, named.kept, strict=True):
        if name in joint.joints:
            replaces_all = joint.form in ("telescope", "mass point")
            members = named.subtree(bases) if replaces_all else np.isin(named.owners, bases)
            return np.asarray(members & ~_feet(clip))
    known = [each for joint in recipe.joints for each in joint.joints]
    raise ConstraintError(f"The simplified character has no joint {name!r}; it has {', '.join(known)}.")


def _feet(clip: Clip) -> BoolArray:
    """(joints,) those of feet, from the ankles on."""
    skeleton = clip.skeleton
    ankles = [getattr(skeleton.landmarks, f"{side}_ankle") for side in SIDES]
    feet = np.zeros(len(skeleton), dtype=bool)
    for ankle in ankles:
        if ankle is not None:
            feet |= skeleton.tree.ancestry[:, skeleton.index(ankle)]
    return feet
