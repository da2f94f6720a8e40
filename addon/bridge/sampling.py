# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose as Blender evaluates it, frame by frame."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import bpy
import numpy as np

from . import context, rotation_channels
from .arrays import Array, floats
from .channels import Channels
from .curves import pose_values
from .errors import BridgeError
from .posing import BonePose
from .rig import Rig

SLICE = 0.02
"""Seconds of sampling between two yields. At each of them the scene is as it was, so that a window can be drawn."""

Shown = Callable[[], AbstractContextManager[None]]
"""Makes the context in which frames are sampled."""


@dataclass(eq=False)
class Sample:
    """An evaluated armature at some times."""

    world: Array
    """(frames, 4, 4) the object's matrix."""
    pose: BonePose
    """In armature space."""
    channels: Channels


def sample(
    armature: bpy.types.Object, scene: bpy.types.Scene, rig: Rig, times: Array, shown: Shown = nullcontext
) -> Generator[float, None, Sample]:
    """The armature at frames of the scene, in the context `shown`; a generator that yields the share that is done."""
    frames, bones = len(times), len(rig)
    world = np.empty((frames, 4, 4))
    matrices = np.empty((frames, bones, 4, 4))
    channels = Channels(np.empty((frames, bones, 3)), np.zeros((frames, bones, 4)), np.empty((frames, bones, 3)))

    def store(frame: int, evaluated: bpy.types.Object) -> None:
        _record(evaluated, rig, frame, world, matrices, channels)

    yield from _evaluate(armature, scene, times, shown, store)
    return Sample(world, BonePose(matrices[..., :3, :3], matrices[..., :3, 3]), channels)


def sample_shown(armature: bpy.types.Object, rig: Rig) -> Sample:
    """The armature as it is shown now, as a sample of one frame: a pose without keys counts."""
    context.view_layer().update()
    world, matrices = np.empty((1, 4, 4)), np.empty((1, len(rig), 4, 4))
    channels = Channels(np.empty((1, len(rig), 3)), np.zeros((1, len(rig), 4)), np.empty((1, len(rig), 3)))
    _record(_checked_evaluation(armature), rig, 0, world, matrices, channels)
    return Sample(world, BonePose(matrices[..., :3, :3], matrices[..., :3, 3]), channels)


def _record(
    evaluated: bpy.types.Object, rig: Rig, frame: int, world: Array, matrices: Array, channels: Channels
) -> None:
    """Write an evaluated armature to one frame of the arrays of a sample; `matrices` are (frames, bones, 4, 4)."""
    assert evaluated.pose is not None
    world[frame] = evaluated.matrix_world
    matrices[frame] = floats(evaluated.pose.bones, "matrix", 4, 4)[rig.pose_indices].swapaxes(-1, -2)
    channels.location[frame], rotations, channels.scale[frame] = pose_values(evaluated.pose, rig)
    for mode, members in rig.bones_by_mode.items():
        attribute, width = rotation_channels.property_of(mode)
        channels.rotation[frame, members, :width] = rotations[attribute][members]


def sample_object(
    armature: bpy.types.Object, scene: bpy.types.Scene, times: Array, shown: Shown = nullcontext
) -> Generator[float, None, Array]:
    """The object's matrix (frames, 4, 4) at frames of the scene, in the context `shown`; a generator that yields the
    share that is done."""
    world = np.empty((len(times), 4, 4))

    def store(frame: int, evaluated: bpy.types.Object) -> None:
        world[frame] = evaluated.matrix_world

    yield from _evaluate(armature, scene, times, shown, store)
    return world


def _evaluate(
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    times: Array,
    shown: Shown,
    store: Callable[[int, bpy.types.Object], None],
) -> Generator[float, None, None]:
    """Call `store` with the number of each time and the armature as evaluated then; at each yield the scene is at its
    own frame and the context is left."""
    frame = 0
    while frame < len(times):
        until = clock.perf_counter() + SLICE
        with shown(), frame_restored(scene):
            while True:
                set_frame(scene, float(times[frame]))
                store(frame, _checked_evaluation(armature))
                frame += 1
                if frame == len(times) or clock.perf_counter() >= until:
                    break
        yield frame / len(times)


def _checked_evaluation(armature: bpy.types.Object) -> bpy.types.Object:
    """The evaluated armature; raises where Blender does not evaluate it."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if not evaluated.is_evaluated:
        raise BridgeError(
            f"Blender does not evaluate armature {armature.name!r}, since it is switched off in the viewport: "
            "switch it on in the outliner."
        )
    return evaluated


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
