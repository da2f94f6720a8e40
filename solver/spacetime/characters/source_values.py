# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that the joints of a clip itself have, as far as a simplified character has them too.

Handles hardly determine some values, as the rotation of a straight leg about itself. There the source's own joints say
what is natural, and everywhere they are a good start.
"""

from __future__ import annotations

import numpy as np

from ...body.clip import Clip
from ...core import rotations
from ...core.arrays import Array
from .character import ROOT_ROTATIONS, ROOT_TRANSLATIONS, SimplifiedCharacter
from .recipe import Recipe
from .recipe_joints import RecipeJoints

ROOT_ORDER, BALL_ORDER = "YZX", "XZY"
"""Heading, roll and pitch of the root, and flexion, abduction and twist of a ball, with X the left axis, Y up and Z
forward; the first turn is the outermost."""


def source_values(clip: Clip, recipe: Recipe, character: SimplifiedCharacter) -> Array:
    """(frames, dofs) values of the character that the recipe makes of a clip; it may have been measured in other units.

    Angles are continuous over frames; values may be outside their ranges.
    """
    return _SourceValues(clip, recipe, character).values()


class _SourceValues:
    def __init__(self, clip: Clip, recipe: Recipe, character: SimplifiedCharacter) -> None:
        self.clip, self.character = clip, character
        self.named = RecipeJoints(clip, recipe)
        self.scale = character.size / clip.skeleton.size
        self.to_axes = rotations.from_matrix(character.axes)
        self.mounts = {self.named.hips: character.mounts["hips"]}
        self.mounts |= {base: character.mounts[name] for name, base in self.named.names if name in character.mounts}

    def values(self) -> Array:
        found = np.zeros((self.clip.frames, len(self.character)))
        found[:, ROOT_TRANSLATIONS] = self.clip.center_of_mass() * self.scale
        found[:, ROOT_ROTATIONS] = self._angles(self._frames(self.named.hips), ROOT_ORDER)
        for index, joint in enumerate(self.named.recipe.joints):
            own = list(self.character.joint_of[joint.joints[0]])
            if joint.form == "ball":
                found[:, own] = self._angles(self._turns(index), BALL_ORDER)
            elif joint.form == "hinge":
                angles = rotations.twist_angle(self._turns(index), self.character.dofs[own[0]].axis)
                found[:, own[0]] = np.unwrap(angles)
            elif joint.form == "telescope":
                found[:, own[0]] = np.linalg.norm(self.named.rods(index)[1], axis=1) * self.scale
            else:
                found[:, own] = self._mass_point(index)
        return found

    def _frames(self, owner: int) -> Array:
        """(frames, 4) world rotations of the body of a kept joint as the source moves it."""
        return self.named.frames(owner, self.mounts[owner])

    def _angles(self, turns: Array, order: str) -> Array:
        """(frames, 3) the angles of rotations (frames, 4) about the axes of the character."""
        seen = rotations.multiply(rotations.multiply(self.to_axes, turns), rotations.conjugate(self.to_axes))
        return rotations.continuous_euler(rotations.to_euler(seen, order), order)

    def _turns(self, index: int) -> Array:
        """(frames, 4) how a kept joint turns its body against the body above; of merged ones, the mean."""
        found = []
        for base in self.named.kept[index]:
            above = self._frames(self.named.owner_above(base))
            found.append(rotations.multiply(rotations.conjugate(above), self._frames(base)))
        return rotations.mean(np.stack(found)) if len(found) > 1 else found[0]

    def _mass_point(self, index: int) -> Array:
        """(frames, 3) where the mass of a whole limb is, along the axes of the body above."""
        bases, world = self.named.kept[index], self.clip.world
        owner = self.named.owner_above(bases[0])
        masses = self.clip.skeleton.masses * self.named.subtree(bases)
        center = world.positions[:, 0] + world.moments[:, masses > 0.0].sum(axis=1) / (masses.sum() or 1.0)
        away = rotations.rotate(rotations.conjugate(self._frames(owner)), center - world.positions[:, owner])
        first = self.character.dofs[self.character.joint_of[self.named.recipe.joints[index].joints[0]][0]]
        return np.asarray((away * self.scale - first.offset) @ self.character.axes.T)
