# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose as Blender evaluates it, frame by frame."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from . import rotation_channels
from .arrays import Array, floats
from .channels import Channels
from .curves import pose_values
from .errors import BridgeError
from .posing import BonePose
from .rig import Rig


@dataclass(eq=False)
class Sample:
    """An evaluated armature at some times."""

    world: Array
    """(frames, 4, 4) the object's matrix."""
    pose: BonePose
    """In armature space."""
    channels: Channels


def sample(
    armature: bpy.types.Object, scene: bpy.types.Scene, rig: Rig, times: Array
) -> Generator[float, None, Sample]:
    """The armature at frames of the scene; a generator that yields the share that is done."""
    frames, bones = len(times), len(rig)
    world = np.empty((frames, 4, 4))
    matrices = np.empty((frames, bones, 4, 4))
    channels = Channels(np.empty((frames, bones, 3)), np.zeros((frames, bones, 4)), np.empty((frames, bones, 3)))
    for frame, evaluated in enumerate(_evaluated(armature, scene, times)):
        assert evaluated.pose is not None
        world[frame] = evaluated.matrix_world
        matrices[frame] = floats(evaluated.pose.bones, "matrix", 4, 4)[rig.pose_indices].swapaxes(-1, -2)
        channels.location[frame], rotations, channels.scale[frame] = pose_values(evaluated.pose, rig)
        for mode, members in rig.bones_by_mode.items():
            attribute, width = rotation_channels.property_of(mode)
            channels.rotation[frame, members, :width] = rotations[attribute][members]
        yield (frame + 1) / frames
    return Sample(world, BonePose(matrices[..., :3, :3], matrices[..., :3, 3]), channels)


def sample_object(armature: bpy.types.Object, scene: bpy.types.Scene, times: Array) -> Generator[float, None, Array]:
    """The object's matrix (frames, 4, 4) at frames of the scene; a generator that yields the share that is done."""
    world = np.empty((len(times), 4, 4))
    for frame, evaluated in enumerate(_evaluated(armature, scene, times)):
        world[frame] = evaluated.matrix_world
        yield (frame + 1) / len(times)
    return world


def _evaluated(armature: bpy.types.Object, scene: bpy.types.Scene, times: Array) -> Iterator[bpy.types.Object]:
    """The evaluated armature at each of the times; the scene then returns to its frame."""
    with frame_restored(scene):
        for time in times.tolist():
            set_frame(scene, time)
            evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
            if not evaluated.is_evaluated:
                raise BridgeError(
                    f"Blender does not evaluate armature {armature.name!r}, since it is switched off in the viewport: "
                    "switch it on in the outliner."
                )
            yield evaluated


def set_frame(scene: bpy.types.Scene, time: float) -> None:
    """Set the current frame, which may lie between two whole frames."""
    whole = int(np.floor(time))
    scene.frame_set(whole, subframe=time - whole)


@contextmanager
def frame_restored(scene: bpy.types.Scene) -> Iterator[None]:
    """Return to the current frame on leaving the context."""
    whole, part = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(whole, subframe=part)
