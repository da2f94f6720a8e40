# SPDX-License-Identifier: GPL-3.0-or-later
"""Captured clips as Blender's own importer makes them."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path

import bpy


def import_bvh(path: Path) -> bpy.types.Object:
    """The armature that Blender makes of a file."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", ResourceWarning)  # Blender's importer leaves closing the file to Python
        assert bpy.ops.import_anim.bvh(filepath=str(path), update_scene_duration=True) == {"FINISHED"}
    armature = bpy.context.object
    assert armature is not None
    return armature
