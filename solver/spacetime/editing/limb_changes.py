# SPDX-License-Identifier: GPL-3.0-or-later
"""Other lengths and masses of limbs, of the simplified character and of the full one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...core.errors import ConstraintError
from ..characters.character import MassPart, Place, SimplifiedCharacter
from ..handles.named_points import named_joint
from .edit import LimbEdit


def with_limb(character: SimplifiedCharacter, limb: LimbEdit) -> SimplifiedCharacter:
    """The character with the body of a joint scaled: lengths by `limb.length`, mass by `limb.mass` and by that."""
    if limb.joint not in character.joint_of:
        raise ConstraintError(
            f"The simplified character has no joint {limb.joint!r}; it has {', '.join(character.joint_of)}."
        )
    body = character.joint_of[limb.joint][-1]
    long, heavy = limb.length, limb.length * limb.mass

    def scaled(vector: tuple[float, float, float]) -> tuple[float, float, float]:
        return long * vector[0], long * vector[1], long * vector[2]

    dofs = {
        index: replace(dof, offset=scaled(dof.offset)) for index, dof in enumerate(character.dofs) if dof.parent == body
    }
    masses, centers, inertias = character.masses.copy(), character.centers.copy(), character.inertias.copy()
    masses[body] *= heavy
    centers[body] *= long
    inertias[body] *= heavy * long**2
    return replace(
        character.with_dofs(dofs),
        masses=masses,
        centers=centers,
        inertias=inertias,
        points={
            name: Place(body, scaled(place.offset)) if place.body == body else place
            for name, place in character.points.items()
        },
        regions={
            name: tuple(
                MassPart(body, heavy * part.mass, scaled(part.center)) if part.body == body else part for part in parts
            )
            for name, parts in character.regions.items()
        },
    )


def clip_with_limb(clip: Clip, limb: LimbEdit) -> Clip:
    """The full character with the bones between a joint and the next joints of its limb scaled, and its mass."""
    skeleton = clip.skeleton
    joint = named_joint(skeleton, limb.joint)
    below = [index for index, parent in enumerate(skeleton.parents) if parent == joint]
    offsets, translations = np.array(skeleton.offsets), np.array(clip.motion.translations)
    offsets[below] *= limb.length
    translations[:, below] *= limb.length
    masses = dict(skeleton.set_masses)
    masses[joint] = float(skeleton.masses[joint]) * limb.mass * limb.length
    changed = skeleton.replace(offsets=offsets, set_masses=masses)
    return Clip(changed, Motion(clip.motion.rotations, translations), clip.fps)
