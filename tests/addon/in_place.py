# SPDX-License-Identifier: GPL-3.0-or-later
"""A synthetic human who walks in place, as games have it: an armature in the scene."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from poise import solver
from poise.addon import bridge

from ..solver.in_place import Ends, InPlace, walk_in_place
from .bridge.importing import import_bvh

FPS = 24


def armature_in_place(folder: Path, ends: Ends = "again") -> tuple[bpy.types.Object, InPlace]:
    """The armature, active and alone in the scene, whose range is one cycle; and what is true of it.

    Its feet slide a little also along the ground.
    """
    made = walk_in_place(float(FPS), 1.05, ends=ends, sway=0.01, up="y", first=0.25)
    path = folder / "Cycle.bvh"
    solver.write_bvh(made.clip, path)
    armature = import_bvh(path)
    scene = bpy.context.scene
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = (int(frame) for frame in armature.animation_data.action.frame_range)
    return armature, made


def shown(armature: bpy.types.Object) -> solver.Clip:
    """The motion that the armature shows, result or source, over the scene's range."""
    names = bridge.read(armature).clip.skeleton.names
    assert armature.animation_data is not None
    result = armature.animation_data.action
    kept = result.copy()
    for key in list(kept.keys()):
        del kept[key]  # no longer known as a result, so that it is read itself
    armature.animation_data.action = kept
    if hasattr(armature.animation_data, "action_slot") and armature.animation_data.action_slot is None:
        armature.animation_data.action_slot = kept.slots[0]
    clip = bridge.read(armature).clip
    armature.animation_data.action = result
    bpy.data.actions.remove(kept)
    assert clip.skeleton.names == names and np.isfinite(clip.world.positions).all()
    return clip
