# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of Blender's collections come as arrays of the right shape and type."""

from __future__ import annotations

import bpy
import numpy as np

from poise.addon.bridge.arrays import enum_identifiers, enum_values, flags, floats

from .rigs import straight_chain


def test_numbers_flags_and_enums_of_all_bones_are_read() -> None:
    armature = straight_chain(["a", "b", "c"])
    armature.pose.bones["b"].location = (1.0, 2.0, 3.0)
    armature.pose.bones["c"].rotation_mode = "XZY"
    locations = floats(armature.pose.bones, "location", 3)
    assert locations.dtype == np.float64
    assert locations.tolist() == [[0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3]
    assert flags(armature.data.bones, "use_connect").tolist() == [False, True, True]
    names = enum_identifiers(bpy.types.PoseBone, "rotation_mode")
    assert {"QUATERNION", "AXIS_ANGLE", "XZY"} <= set(names.values())
    assert enum_values(armature.pose.bones, "rotation_mode", names) == ("QUATERNION", "QUATERNION", "XZY")


def test_matrices_come_column_by_column() -> None:
    bones = straight_chain(["a", "b"]).data.bones
    matrices = floats(bones, "matrix_local", 4, 4)
    assert matrices.shape == (2, 4, 4)
    assert np.allclose(matrices[1].T, np.array(bones["b"].matrix_local))
