# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of any armature: it is read as Blender shows it, results are shown, and undo brings everything back.

The profile `many` of hypothesis (`HYPOTHESIS_PROFILE=many`) draws many more of them.
"""

from __future__ import annotations

import os

import bpy
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise import solver
from poise.addon import bridge
from poise.addon.bridge import posing
from poise.solver.core import rotations

from .odd_rigs import FRAMES, OddRig, build, odd_rigs
from .rigs import blender_pose

MANY = os.environ.get("HYPOTHESIS_PROFILE") == "many"

drawn = settings(
    max_examples=300 if MANY else 6,
    deadline=None,
    derandomize=not MANY,
    # Each example begins with an empty file of its own.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
SHOWN = 2e-5
"""Shares of the size, or sines: Blender keeps channels in single precision."""
PLACED = 4e-6
"""Shares of the distance from the origin, where that is more: so does Blender with places."""


def empty() -> None:
    bpy.ops.wm.read_homefile(use_empty=True)


def read(armature: bpy.types.Object) -> bridge.Reading:
    return bridge.read(armature, FRAMES[0], FRAMES[-1])


def names(armature: bpy.types.Object) -> list[str]:
    return [bone.name for bone in armature.data.bones]


def assert_shown(clip: solver.Clip, armature: bpy.types.Object, times: np.ndarray) -> None:
    """Every joint is where Blender shows its bone, and turned as it shows it."""
    evaluated = blender_pose(armature, clip.skeleton.names, times)
    apart = np.linalg.norm(clip.world.positions - evaluated[..., :3, 3], axis=-1).max()
    farthest = float(np.linalg.norm(evaluated[..., :3, 3], axis=-1).max())
    assert apart <= max(SHOWN * clip.skeleton.size, PLACED * farthest)
    axes, known = posing.orientations(evaluated[..., :3, :3])
    off = np.abs(axes - rotations.to_matrix(clip.world.rotations)).max(axis=(-2, -1)) * known
    assert off.max() <= SHOWN


def pinned(clip: solver.Clip, joint: int, shift: float) -> solver.Clip:
    """The clip in which a joint stays, in the middle frames, a little beside where it was."""
    middle = clip.frames // 2
    place = clip.position(joint)[middle] + shift * clip.skeleton.size * np.array([1.0, 0.5, -0.5])
    pin = solver.ShapeConstraint(joint, 1, clip.frames - 2, [solver.ConstraintPoint(place, middle, middle + 1)])
    return solver.deform(clip, [pin]).clip


@drawn
@given(odd_rigs())
def test_what_is_read_is_what_blender_shows(rig: OddRig) -> None:
    empty()
    armature = build(rig)
    reading = read(armature)
    assert sorted(reading.clip.skeleton.names) == sorted(names(armature))
    assert_shown(reading.clip, armature, reading.times)


@drawn
@given(odd_rigs())
def test_baking_what_was_read_keeps_the_pose(rig: OddRig) -> None:
    empty()
    armature = build(rig)
    bones, reading = names(armature), read(armature)
    before = blender_pose(armature, bones, FRAMES)
    baked = bridge.bake(reading, reading.clip)
    assert baked.bones == ()
    after = blender_pose(armature, bones, FRAMES)
    assert np.abs(after - before).max() <= 1e-6 * max(1.0, float(np.abs(before).max()))


@drawn
@given(odd_rigs(), st.integers(0, 7), st.floats(0.0, 0.4))
def test_a_pinned_bone_is_shown_where_it_was_solved(rig: OddRig, joint: int, shift: float) -> None:
    empty()
    armature = build(rig)
    reading = read(armature)
    result = pinned(reading.clip, joint % len(reading.clip.skeleton), shift)
    assert np.isfinite(result.motion.rotations).all()
    bridge.bake(reading, result)
    assert_shown(result, armature, reading.times)
    bridge.restore_source(armature)
    assert_shown(reading.clip, armature, reading.times)


@drawn
@given(odd_rigs(), st.integers(0, 7))
def test_undo_brings_the_source_back_and_redo_the_result(rig: OddRig, joint: int) -> None:
    empty()
    name = build(rig).name
    window = bpy.context.window_manager.windows[0]

    def shown() -> np.ndarray:
        armature = bpy.data.objects[name]
        return blender_pose(armature, names(armature), FRAMES)

    with bpy.context.temp_override(window=window):
        bpy.ops.ed.undo_push(message="Begin")
    before, actions = shown(), sorted(action.name for action in bpy.data.actions)
    reading = read(bpy.data.objects[name])
    bridge.bake(reading, pinned(reading.clip, joint % len(reading.clip.skeleton), 0.2))
    with bpy.context.temp_override(window=window):
        bpy.ops.ed.undo_push(message="Bake")
        after = shown()
        assert bpy.ops.ed.undo() == {"FINISHED"}
    np.testing.assert_allclose(shown(), before, atol=1e-6 * max(1.0, float(np.abs(before).max())))
    assert sorted(action.name for action in bpy.data.actions) == actions
    with bpy.context.temp_override(window=window):
        assert bpy.ops.ed.redo() == {"FINISHED"}
    np.testing.assert_allclose(shown(), after, atol=1e-6 * max(1.0, float(np.abs(after).max())))
