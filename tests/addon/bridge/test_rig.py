# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as arrays: parents first, rest axes square, each bone at its own place in the pose."""

from __future__ import annotations

import bpy
import numpy as np

from poise.addon.bridge.rig import Rig, made_orthogonal
from poise.solver.core import rotations

from .rigs import new_armature, random_armature


def test_parents_come_first_and_names_lead_to_places() -> None:
    armature = random_armature(np.random.default_rng(1), bones=30)
    rig = Rig.of(armature)
    assert (rig.parents < np.arange(len(rig))).all()
    for name, place in rig.index.items():
        bone = armature.data.bones[name]
        parent = rig.parents[place]
        assert (rig.names[parent] if parent >= 0 else None) == (bone.parent.name if bone.parent else None)
        assert armature.pose.bones[rig.pose_indices[place]].name == name
        assert rig.modes[place] == armature.pose.bones[name].rotation_mode
        assert rig.inherit_scale[place] == bone.inherit_scale
        assert rig.inherits_rotation[place] == bone.use_inherit_rotation
    assert sorted(np.concatenate(rig.generations).tolist()) == list(range(len(rig)))


def test_offsets_chain_to_the_rest_pose() -> None:
    rig = Rig.of(random_armature(np.random.default_rng(2), bones=30))
    for bone, parent in enumerate(rig.parents):
        if parent >= 0:
            axes = rig.rest_axes[parent] @ rig.offset_axes[bone]
            head = rig.rest_heads[parent] + rig.rest_axes[parent] @ rig.offset_heads[bone]
            np.testing.assert_allclose(axes, rig.rest_axes[bone], atol=1e-6)
            np.testing.assert_allclose(head, rig.rest_heads[bone], atol=1e-5)


def test_rest_axes_are_square_in_double_precision() -> None:
    rig = Rig.of(random_armature(np.random.default_rng(3), bones=30))
    for axes in (rig.rest_axes, rig.offset_axes):
        np.testing.assert_allclose(axes @ axes.swapaxes(-1, -2), np.broadcast_to(np.eye(3), axes.shape), atol=1e-14)


def test_a_root_that_touches_nothing_is_not_connected() -> None:
    """Blender keeps the setting of a bone whose parent was taken away."""

    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        for name, parent in (("a", None), ("b", "a"), ("c", "b")):
            bone = edit_bones.new(name)
            bone.head, bone.tail = (0.0, 0.0, len(edit_bones)), (0.0, 0.0, len(edit_bones) + 1.0)
            if parent:
                bone.parent, bone.use_connect = edit_bones[parent], True
        edit_bones["c"].parent = None

    assert Rig.of(new_armature("Loose", build)).connected.tolist() == [False, True, False]


def test_almost_rigid_axes_become_rigid_and_others_stay() -> None:
    rng = np.random.default_rng(4)
    turns = rotations.to_matrix(rotations.random(rng, 50))
    mirrored = turns * (1.0, 1.0, -1.0)
    for exact in (turns, 100.0 * turns, 0.01 * turns, mirrored):
        rounded = exact.astype(np.float32).astype(np.float64)
        found = made_orthogonal(rounded)
        np.testing.assert_allclose(found, exact, rtol=0.0, atol=1e-6 * np.abs(exact).max())
        sizes = np.linalg.svd(found, compute_uv=False)
        np.testing.assert_allclose(sizes, sizes[..., :1] * np.ones(3), rtol=1e-14)
    sheared = rng.normal(size=(50, 3, 3))
    assert np.array_equal(made_orthogonal(sheared), sheared)
