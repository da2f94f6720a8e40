# SPDX-License-Identifier: GPL-3.0-or-later
"""Postures of a full character in which all joints are fixed that its simplified one does not have."""

from __future__ import annotations

import numpy as np

from poise.solver.body.clip import Clip
from poise.solver.body.inertia import inertia_of, second_moments_of
from poise.solver.body.kinematics import WorldState
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.character import SimplifiedCharacter
from poise.solver.spacetime.characters.fused_joints import fused_rotations
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState
from poise.solver.spacetime.handles.named_points import named_joint


def fused_postures(clip: Clip, character: SimplifiedCharacter, values: Array) -> WorldState:
    """The full character in the postures that its simplified one has with values (frames, dofs): kept joints turn as
    the bodies do, all others are fused. For characters whose joints are balls and hinges."""
    skeleton, state = clip.skeleton, CharacterState(character, values)
    hips = named_joint(skeleton, "hips")
    bodies = {"hips": 5, **{name: dofs[-1] for name, dofs in character.joint_of.items()}}
    turned = {
        named_joint(skeleton, name): rotations.multiply(
            rotations.from_matrix(state.rotations[:, bodies[name]]), character.mounts[name]
        )
        for name in bodies
    }
    local, offsets = fused_rotations(clip, turned), clip.motion.translations.mean(axis=0)
    world_rotations = np.zeros((len(values), len(skeleton), 4))
    positions = np.zeros((len(values), len(skeleton), 3))
    world_rotations[:, hips], positions[:, hips] = turned[hips], state.origins[:, 5]
    for joint in range(len(skeleton)):
        if joint == hips:
            continue
        if not skeleton.tree.ancestry[joint, hips]:
            # Above or beside the hips: as it is on average, seen from them.
            back = rotations.conjugate(clip.world.rotations[:, hips])
            turn = rotations.mean(rotations.multiply(back, clip.world.rotations[:, joint]))
            way = clip.world.positions[:, joint] - clip.world.positions[:, hips]
            world_rotations[:, joint] = rotations.multiply(turned[hips], turn)
            away = rotations.rotate(back, way).mean(axis=0)
            positions[:, joint] = positions[:, hips] + rotations.rotate(turned[hips], away)
            continue
        above = world_rotations[:, skeleton.parents[joint]]
        positions[:, joint] = positions[:, skeleton.parents[joint]] + rotations.rotate(above, offsets[joint])
        fused = rotations.multiply(above, local[joint])
        world_rotations[:, joint] = turned.get(joint, fused)
    return WorldState(skeleton, clip.motion, world_rotations, positions)


def whole_inertia_of(character: SimplifiedCharacter, values: Array) -> Array:
    """(frames, 3, 3) the inertia tensor of the whole simplified character about its centre of mass, in the world."""
    state = CharacterState(character, values)
    turns = state.rotations
    centers = state.origins + np.einsum("fbij,bj->fbi", turns, character.centers)
    away = centers - values[:, None, :3]
    own = turns @ second_moments_of(character.inertias) @ turns.swapaxes(-1, -2)
    masses = character.masses[:, None, None]
    return inertia_of((own + masses * away[..., :, None] * away[..., None, :]).sum(axis=1))
