# SPDX-License-Identifier: GPL-3.0-or-later
"""A generated control rig; conftest files take the fixture from here."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import addon_utils
import bpy
import numpy as np
import pytest

from .bridge.rigs import key, set_action

FRAMES = range(3, 15)


@pytest.fixture
def rigify() -> Iterator[bpy.types.Object]:
    """A generated control rig that walks on the spot."""
    with contextlib.redirect_stdout(io.StringIO()):
        addon_utils.enable("rigify", default_set=True)
        bpy.ops.object.armature_basic_human_metarig_add()
        bpy.ops.pose.rigify_generate()
    armature = bpy.context.object
    set_action(armature)
    waves = np.sin(np.linspace(0.0, 6.0, len(FRAMES)))
    for name, axis, amount in (("torso", 2, -0.1), ("torso", 0, 0.1), ("foot_ik.L", 1, 0.4), ("hand_ik.R", 0, 0.3)):
        key(armature, f'pose.bones["{name}"].location', axis, FRAMES, amount * waves)
    yield armature
    addon_utils.disable("rigify", default_set=True)
