# SPDX-License-Identifier: GPL-3.0-or-later
"""What is baked is what Blender shows, only where something changed, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise.addon import bridge
from poise.addon.bridge import posing, versions
from poise.solver import Clip, Motion
from poise.solver.core import rotations

from .importing import import_bvh
from .rigs import (
    EULER_ORDERS,
    MODES,
    action_values,
    animate,
    assert_blender_shows,
    blender_pose,
    changed,
    key,
    new_armature,
    random_armature,
    rotation_path,
    set_action,
    straight_chain,
    swing,
)

FRAMES = range(3, 24)
NAMES = ("a", "b", "c", "d")


def read(armature: bpy.types.Object, **settings: object) -> bridge.Reading:
    return bridge.read(armature, FRAMES[0], FRAMES[-1], **settings)


def curves(armature: bpy.types.Object) -> dict[tuple[str, int], list[tuple[float, float]]]:
    animation = armature.animation_data
    return action_values(animation.action, versions.slot_of(animation))


# --- exact on every rig -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize("method", ["curves", "evaluated"])
@pytest.mark.parametrize("seed", range(3))
def test_any_rig_shows_the_result(seed: int, method: bridge.Method, target: bridge.Target) -> None:
    """All channels and ways to inherit, scales that shear, connected bones, an uneven object."""
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, bones=16)
    animate(armature, rng, FRAMES)
    armature.location, armature.scale, armature.rotation_euler = (1.0, 2.0, 3.0), (2.0, 1.0, 0.5), (1.0, 2.0, 3.0)
    reading = read(armature, method=method)
    result = changed(reading.clip, rng, ["bone.0", "bone.3", "bone.5", "bone.8"], ["bone.0", "bone.4"])
    baked = bridge.bake(reading, result, target=target)
    # What is combined has been rounded twice.
    within = 2e-5 if target == "combine" else 1e-5
    assert_blender_shows(result, armature, reading.times, within)
    assert baked.gap < within * result.skeleton.size


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode_shows_the_result(mode: str, target: bridge.Target) -> None:
    rng = np.random.default_rng(4)
    armature = random_armature(rng, varied=False)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    animate(armature, rng, FRAMES, scale=0.0)
    reading = read(armature)
    result = changed(reading.clip, rng, ["bone.0", "bone.2", "bone.4"], ["bone.0"])
    baked = bridge.bake(reading, result, target=target)
    assert set(baked.bones) == {"bone.0", "bone.2", "bone.4"}
    assert_blender_shows(result, armature, reading.times)


def test_a_captured_walk(mocap: Path) -> None:
    armature = import_bvh(mocap / "02_01.bvh")
    reading = bridge.read(armature, 1, 344)
    result = changed(reading.clip, np.random.default_rng(5), ["Hips", "LeftUpLeg", "LeftLeg", "Neck"], ["Hips"])
    baked = bridge.bake(reading, result)
    assert set(baked.bones) == {"Hips", "LeftUpLeg", "LeftLeg", "Neck"}
    assert not baked.disconnected
    some = np.arange(0, 344, 43)
    assert_blender_shows(_at(result, some), armature, reading.times[some])


def _at(clip: Clip, frames: np.ndarray) -> Clip:
    return clip.with_motion(clip.motion.at(frames))


def test_moving_objects_and_parents() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    armature.parent, parent.scale = parent, (2.0, 2.0, 2.0)
    set_action(parent, "Moving")
    key(parent, "location", 0, [3, 23], [0.0, 5.0])
    key(parent, "rotation_euler", 2, [3, 23], [0.0, 2.0])
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(6), ["a", "c"], ["a"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)


@pytest.mark.parametrize("target", ["action", "combine"])
def test_mirrored_objects_and_bones(target: bridge.Target) -> None:
    rng = np.random.default_rng(35)
    armature = random_armature(rng, connected_share=0.0)
    animate(armature, rng, FRAMES)
    armature.scale = (-1.5, 1.5, 1.5)
    for name in ("bone.1", "bone.2"):
        for curve in versions.all_curves_of(armature.animation_data.action):
            if curve.data_path == f'pose.bones["{name}"].scale' and curve.array_index == 0:
                for point in curve.keyframe_points:
                    point.co[1] *= -1.0
    reading = read(armature)
    assert_blender_shows(reading.clip, armature, reading.times)
    result = changed(reading.clip, rng, ["bone.0", "bone.1", "bone.3", "bone.5"], ["bone.0", "bone.2"])
    bridge.bake(reading, result, target=target)
    assert_blender_shows(result, armature, reading.times, within=1e-5)


@pytest.mark.parametrize("distance", [1e3, 1e5])
def test_a_scene_far_away_is_baked_as_exactly(distance: float) -> None:
    """Blender places the object in single precision; its bones must not feel that."""
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    near = read(armature)
    bridge.bake(near, changed(near.clip, np.random.default_rng(36), ["a", "b"], ["a"]))
    expected = curves(armature)
    bridge.restore_source(armature)
    armature.location = (distance, -distance, 0.0)
    far = read(armature)
    bridge.bake(far, changed(far.clip, np.random.default_rng(36), ["a", "b"], ["a"]))
    for channel, keys in curves(armature).items():
        np.testing.assert_allclose(np.array(keys), np.array(expected[channel]), atol=1e-6)


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize(("begin", "keyed"), [(3.0, FRAMES), (4.25, np.arange(2.5, 24.0)), (-0.75, FRAMES)])
def test_frames_between_frames(target: bridge.Target, begin: float, keyed: list[float]) -> None:
    armature = straight_chain(NAMES)
    swing(armature, keyed)
    reading = bridge.read(armature, begin, 21, step=0.5)
    result = changed(reading.clip, np.random.default_rng(7), ["b"])
    bridge.bake(reading, result, target=target)
    assert_blender_shows(result, armature, reading.times)


def test_a_scene_whose_time_is_stretched() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    bpy.context.scene.render.frame_map_old, bpy.context.scene.render.frame_map_new = 100, 200
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(8), ["b"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)


def test_bones_that_were_scaled_to_nothing_are_left_alone() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    for index in range(3):
        key(armature, 'pose.bones["c"].scale', index, [3, 10, 12], [1.0, 0.0, 1.0], "CONSTANT")
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(9), ["a", "b", "d"])
    bridge.bake(reading, result, stretch=False)
    shown = blender_pose(armature, NAMES, reading.times)
    assert np.isfinite(shown).all()
    np.testing.assert_allclose(shown[:, :3, :3, 3], result.world.positions[:, :3], atol=1e-5)


# --- only what changed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["curves", "evaluated"])
def test_nothing_changed_gives_the_same_action(method: bridge.Method) -> None:
    rng = np.random.default_rng(10)
    armature = random_armature(rng, bones=16)
    animate(armature, rng, FRAMES)
    before, shown = curves(armature), blender_pose(armature, [bone.name for bone in armature.data.bones], FRAMES)
    baked = bridge.bake(reading := read(armature, method=method), reading.clip)
    assert (baked.bones, baked.curves, baked.keys) == ((), 0, 0)
    assert armature.animation_data.action.name == "Motion.poise"
    assert curves(armature) == before
    after = blender_pose(armature, [bone.name for bone in armature.data.bones], FRAMES)
    assert np.abs(after - shown).max() <= 1e-6


def test_only_changed_channels_are_written() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES, names=("a", "b", "c"))
    source = curves(armature)
    reading = read(armature)
    baked = bridge.bake(reading, changed(reading.clip, np.random.default_rng(11), ["b", "d"]))
    assert baked.bones == ("b", "d")
    after = curves(armature)
    touched = {path for path, _ in after if after[path, _] != source.get((path, _))}
    assert touched == {'pose.bones["b"].rotation_quaternion', 'pose.bones["d"].rotation_quaternion'}
    assert set(after) - set(source) == {('pose.bones["d"].rotation_quaternion', index) for index in range(4)}
    assert baked.curves == 8
    assert baked.keys == 8 * len(FRAMES)


def test_frames_that_did_not_change_keep_their_values() -> None:
    armature = straight_chain(NAMES)
    for bone in armature.pose.bones:
        bone.rotation_mode = "YZX"
    swing(armature, FRAMES)
    source = curves(armature)
    reading = read(armature)
    turns = changed(reading.clip, np.random.default_rng(12), ["b"]).motion.rotations.copy()
    turns[:8], turns[14:] = reading.clip.motion.rotations[:8], reading.clip.motion.rotations[14:]
    result = reading.clip.with_motion(Motion(turns, reading.clip.motion.translations))
    bridge.bake(reading, result)
    for index in range(3):
        before, after = (held['pose.bones["b"].rotation_euler', index] for held in (source, curves(armature)))
        assert before[:8] == after[:8] and before[14:] == after[14:]
        assert before[8:14] != after[8:14]


def test_everything_else_is_copied_as_it_is() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    armature["lamp"] = 0.0
    action = armature.animation_data.action
    action["note"] = "kept"
    action.pose_markers.new("step").frame = 12
    lamp = key(armature, '["lamp"]', 0, [3, 9], [0.0, 1.0], "BEZIER", group="Lamp")
    lamp.modifiers.new("CYCLES")
    reading = read(armature)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(13), ["b"]))
    result = armature.animation_data.action
    assert result is not action and result["note"] == "kept" and result.pose_markers["step"].frame == 12
    held = next(
        curve
        for curve in versions.curves_of(result, versions.slot_of(armature.animation_data))
        if curve.data_path == '["lamp"]'
    )
    assert held.group.name == "Lamp" and [modifier.type for modifier in held.modifiers] == ["CYCLES"]
    assert [point.interpolation for point in held.keyframe_points] == ["BEZIER", "BEZIER"]


def test_new_curves_go_into_the_group_of_their_bone() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES, names=("a",))
    reading = read(armature)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(14), ["d"]))
    animation = armature.animation_data
    groups = {
        curve.group.name
        for curve in versions.curves_of(animation.action, versions.slot_of(animation))
        if '"d"' in curve.data_path
    }
    assert groups == {"d"}


def test_the_source_is_never_changed() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    action, source = armature.animation_data.action, curves(armature)
    slot = versions.slot_of(armature.animation_data)
    for target in ("action", "replace", "combine", "action"):
        reading = read(armature)
        bridge.bake(reading, changed(reading.clip, np.random.default_rng(15), ["b"], ["a"]), target=target)
        assert action_values(action, slot) == source
        assert action.use_fake_user


# --- within a larger action ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT", "ELASTIC"])
def test_a_part_of_an_action_leaves_the_rest(interpolation: str) -> None:
    rng = np.random.default_rng(16)
    armature = straight_chain(NAMES)
    animate(armature, rng, [-4, 1, 8, 11, 20, 30, 37], scale=0.0, interpolation=interpolation)
    outside = [*range(-8, 10), *range(17, 45)]
    before = blender_pose(armature, NAMES, outside)
    reading = bridge.read(armature, 10, 16)
    result = changed(reading.clip, rng, ["b"], ["a"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-5)


def test_curves_between_frames_keep_their_way_outside() -> None:
    """Beside the baked part, smooth curves become straight lines from frame to frame, and nothing wilder."""
    rng = np.random.default_rng(38)
    armature = straight_chain(NAMES)
    animate(armature, rng, [-14, 1, 8, 25, 40], scale=0.0, interpolation="BEZIER")
    outside = np.arange(-14.0, 40.0, 0.25)
    outside = outside[(outside < 10) | (outside > 16)]
    before = blender_pose(armature, NAMES, outside)
    reading = bridge.read(armature, 10, 16)
    bridge.bake(reading, changed(reading.clip, rng, ["a", "b"], ["a"]))
    assert np.abs(blender_pose(armature, NAMES, outside) - before).max() < 0.01


@pytest.mark.parametrize(("kind", "outer"), [("STEPPED", (-4, 30)), ("NOISE", (-4, 30)), ("CYCLES", (3, 22))])
def test_modifiers_on_changed_curves_are_baked_or_harmless(kind: str, outer: tuple[int, int]) -> None:
    rng = np.random.default_rng(17)
    armature = straight_chain(NAMES)
    animate(armature, rng, [outer[0], 10, outer[1]], scale=0.0)
    for curve in versions.all_curves_of(armature.animation_data.action):
        curve.modifiers.new(kind)
    outside = [*range(outer[0], 3), *range(24, outer[1])]
    before = blender_pose(armature, NAMES, outside) if outside else None
    reading = read(armature)
    result = changed(reading.clip, rng, ["b", "c"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)
    if before is not None:
        np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-5)


def off_at_its_ends(clip: Clip, rng: np.random.Generator, names: Sequence[str]) -> Clip:
    """The clip with joints turned by as much in every frame."""
    turns = clip.motion.rotations.copy()
    for name in names:
        joint = clip.skeleton.index(name)
        turns[:, joint] = rotations.multiply(turns[:, joint], rotations.exp(0.3 * rng.normal(size=3)))
    return clip.with_motion(Motion(turns, clip.motion.translations))


PARTS = [(10, 16), (1, 8), (4, 9), (6, 8), (10, 19), (12, 30), (1, 30), (25, 30), (-5, 2), (9, 9)]
"""Frames that lie in every way about keys at 5, 9 and 20."""


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT", "BOUNCE"])
@pytest.mark.parametrize(("extrapolation", "tolerance"), [("LINEAR", 0.0), ("CONSTANT", 0.0), ("LINEAR", 0.003)])
def test_what_goes_on_beyond_its_keys_goes_on_as_before(
    extrapolation: str, interpolation: str, tolerance: float
) -> None:
    for begin, end in PARTS:
        bpy.ops.wm.read_homefile(use_empty=True)
        rng = np.random.default_rng(40)
        armature = straight_chain(NAMES)
        for bone in armature.pose.bones:
            bone.rotation_mode = "XYZ"
        animate(armature, rng, [5, 9, 20], scale=0.0, interpolation=interpolation)
        for curve in versions.all_curves_of(armature.animation_data.action):
            curve.extrapolation = extrapolation
        outside = [frame for frame in range(-20, 61) if not begin <= frame <= end]
        before = blender_pose(armature, NAMES, outside)
        reading = bridge.read(armature, begin, end)
        result = changed(reading.clip, rng, ["b"], ["a"])
        bridge.bake(reading, result, tolerance=tolerance)
        assert_blender_shows(result, armature, reading.times, within=1e-5 + 4.0 * tolerance)
        apart = np.abs(blender_pose(armature, NAMES, outside) - before).max()
        assert apart < 3e-5, f"baked from {begin} to {end}: {apart:.3g} off outside"


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize("extrapolation", ["LINEAR", "CONSTANT"])
@pytest.mark.parametrize("keyed", [None, [5, 9, 20], [12], range(-30, 71)])
def test_a_part_that_ends_elsewhere_leaves_the_rest(
    keyed: list[int] | None, extrapolation: str, target: bridge.Target
) -> None:
    """Whether a changed bone has keys or none: the source goes on in others, so that it goes on in all."""
    rng = np.random.default_rng(41)
    armature = straight_chain(NAMES)
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION" if bone.name == "d" else "YXZ"
    armature.pose.bones["b"].rotation_euler = (0.3, -0.2, 0.5)
    armature.pose.bones["d"].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    swing(armature, range(-30, 71), names=("a",))
    if keyed is not None:
        for index in range(3):
            curve = key(armature, 'pose.bones["b"].rotation_euler', index, keyed, 0.05 * np.arange(len(keyed)))
            curve.extrapolation = extrapolation
    outside = [*range(-25, 10), *range(17, 66)]
    before = blender_pose(armature, NAMES, outside)
    reading = bridge.read(armature, 10, 16)
    result = off_at_its_ends(reading.clip, rng, ["b", "d"])
    bridge.bake(reading, result, target=target)
    assert_blender_shows(result, armature, reading.times)
    for frames in (slice(None, None, -1), slice(None)):
        np.testing.assert_allclose(blender_pose(armature, NAMES, outside[frames]), before[frames], atol=1e-5)
    again = bridge.read(armature, 10, 16)
    np.testing.assert_allclose(again.clip.motion.rotations, reading.clip.motion.rotations, atol=1e-7)
    bridge.bake(again, result, target=target)
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-5)
    assert_blender_shows(result, armature, reading.times)
    bridge.restore_source(armature)
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-6)


def test_a_whole_source_gets_no_keys_beyond_it() -> None:
    """What ends elsewhere than the source then stays there."""
    armature = straight_chain(NAMES)
    swing(armature, FRAMES, names=("a", "b"))
    reading = read(armature)
    result = off_at_its_ends(reading.clip, np.random.default_rng(42), ["b", "d"])
    bridge.bake(reading, result)
    assert tuple(armature.animation_data.action.frame_range) == (FRAMES[0], FRAMES[-1])
    np.testing.assert_allclose(
        blender_pose(armature, NAMES, [FRAMES[-1] + 5]), blender_pose(armature, NAMES, [FRAMES[-1]]), atol=1e-6
    )


@pytest.mark.parametrize(("begin", "end"), [(3, 20), (8, 40), (-9, 1), (3, 13), (5, 9)])
def test_cycles_are_kept_where_the_cycle_itself_is_changed(begin: int, end: int) -> None:
    """And where a part is changed that is none of the keyed cycle's own, all else stays."""
    armature = straight_chain(NAMES)
    swing(armature, [3, 6, 10, 13])
    for curve in versions.all_curves_of(armature.animation_data.action):
        curve.modifiers.new("CYCLES")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 60
    outside = [frame for frame in range(61) if not begin <= frame <= end]
    before = blender_pose(armature, NAMES, outside)
    reading = bridge.read(armature, begin, end)
    result = changed(reading.clip, np.random.default_rng(43), ["b"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)
    after = blender_pose(armature, NAMES, outside)
    if (begin, end) not in ((3, 13), (5, 9)):
        np.testing.assert_allclose(after, before, atol=1e-5)
        return
    assert np.abs(after - before).max() > 0.01
    np.testing.assert_allclose(
        blender_pose(armature, NAMES, np.arange(begin + 1.0, end) + 20.0),
        blender_pose(armature, NAMES, np.arange(begin + 1.0, end)),
        atol=1e-5,
    )


def test_a_formula_without_keys_is_kept_wherever_the_scene_plays() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES, names=("a",))
    armature.pose.bones["b"].rotation_mode = "XYZ"
    formula = key(armature, 'pose.bones["b"].rotation_euler', 1, [], []).modifiers.new("GENERATOR")
    formula.coefficients = (0.1, 0.02)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 60
    reading = read(armature)
    assert_blender_shows(reading.clip, armature, reading.times)
    result = changed(reading.clip, np.random.default_rng(45), ["b"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)
    keys = np.array(curves(armature)['pose.bones["b"].rotation_euler', 1])
    outside = (keys[:, 0] < FRAMES[0]) | (keys[:, 0] > FRAMES[-1])
    assert np.array_equal(keys[:, 0], np.arange(61.0))
    np.testing.assert_allclose(keys[outside, 1], 0.1 + 0.02 * keys[outside, 0], atol=1e-6)


def test_a_curve_whose_path_once_led_nowhere_is_heard_again() -> None:
    """Blender without slots skips such curves until their path is set again."""
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    for curve in versions.all_curves_of(armature.animation_data.action):
        curve.is_valid = '"b"' not in curve.data_path
    reading = read(armature)
    assert_blender_shows(reading.clip, armature, reading.times)
    result = changed(reading.clip, np.random.default_rng(33), ["b"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)


def test_a_curve_that_was_muted_is_heard_again() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    for curve in versions.all_curves_of(armature.animation_data.action):
        curve.mute = '"b"' in curve.data_path
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(18), ["b"])
    bridge.bake(reading, result)
    assert_blender_shows(result, armature, reading.times)


# --- keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_euler_curves_do_not_flip(order: str) -> None:
    """A somersault, over every angle at which a computed one would wrap."""
    armature = straight_chain(NAMES)
    armature.pose.bones["a"].rotation_mode = order
    frames = range(1, 61)
    far = [0.4, 0.4, 0.4]
    far["XYZ".index(order[0])] = 7.0
    set_action(armature)
    for index in range(3):
        key(armature, 'pose.bones["a"].rotation_euler', index, frames, np.linspace(0.0, far[index], 60))
    reading = bridge.read(armature, 1, 60)
    result = changed(reading.clip, np.random.default_rng(19), ["a"], most=0.3)
    bridge.bake(reading, result)
    values = np.array([[value for _, value in curves(armature)['pose.bones["a"].rotation_euler', i]] for i in range(3)])
    assert np.abs(np.diff(values, axis=1)).max() < 1.0
    between = np.arange(1.5, 60.0)
    axes, _ = posing.orientations(blender_pose(armature, ["a"], between)[..., :3, :3])
    steps = np.linalg.norm(axes[1:] - axes[:-1], axis=(-2, -1))
    assert steps.max() < 0.6, "the bone spins between two frames"


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize("mode", MODES)
def test_thinned_keys_stay_within_the_tolerance(mode: str, target: bridge.Target) -> None:
    armature = straight_chain(NAMES)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    swing(armature, range(1, 101))
    reading = bridge.read(armature, 1, 100)
    result = changed(reading.clip, np.random.default_rng(20), ["b"], ["a"])
    every = bridge.bake(reading, result, target=target)
    thinned = bridge.bake(reading, result, target=target, tolerance=0.01)
    assert every.keys == 100 * every.curves and thinned.keys < 0.25 * every.keys
    evaluated = blender_pose(armature, NAMES, reading.times)
    apart = np.linalg.norm(evaluated[..., :3, 3] - result.world.positions, axis=-1)
    # Each of up to four channels is within the tolerance, seen over the length of three bones.
    assert apart.max() < 0.01 * result.skeleton.size * 3.0
    assert thinned.gap == pytest.approx(apart.max(), rel=0.02)


def test_thinned_keys_are_smooth_between_frames() -> None:
    armature = straight_chain(NAMES)
    swing(armature, range(1, 101))
    reading = bridge.read(armature, 1, 100)
    result = changed(reading.clip, np.random.default_rng(20), ["b"], ["a"])
    bridge.bake(reading, result)
    often = np.arange(1.0, 100.0, 0.25)
    exact = blender_pose(armature, NAMES, often)
    bridge.bake(reading, result, tolerance=0.01)
    thinned = blender_pose(armature, NAMES, often)
    assert np.abs(thinned - exact).max() < 0.05

    def jerk(poses: np.ndarray) -> float:
        return float(np.abs(np.diff(poses[:, 2, :3, 3], n=3, axis=0)).max())

    assert jerk(thinned) < jerk(exact), "fewer keys are rougher than a key at every frame"


# --- connected bones ----------------------------------------------------------------------------------------------


def stretched(clip: Clip, name: str) -> Clip:
    return changed(clip, np.random.default_rng(21), ["b"], [name], most=0.2)


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
def test_stretched_bones_leave_their_parents_and_come_back(target: bridge.Target) -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    # Keys that Blender ignores while the bone is connected must not be heard when it no longer is.
    key(armature, 'pose.bones["c"].location', 0, FRAMES, np.linspace(0.0, 3.0, len(FRAMES)))
    before = blender_pose(armature, NAMES, FRAMES)
    bpy.ops.object.mode_set(mode="POSE")
    reading = read(armature)
    result = stretched(reading.clip, "c")
    baked = bridge.bake(reading, result, target=target)
    assert baked.disconnected == ("c",) and "disconnected" in baked.notes[0]
    assert armature.mode == "POSE"
    assert_blender_shows(result, armature, reading.times)
    again = read(armature)
    assert np.array_equal(again.clip.motion.translations, reading.clip.motion.translations)
    again = read(armature, method="evaluated" if target == "action" else None)
    np.testing.assert_allclose(again.clip.motion.translations, reading.clip.motion.translations, atol=1e-6)
    bridge.bake(again, changed(again.clip, np.random.default_rng(22), ["b"]), target=target)
    assert armature.data.bones["c"].use_connect, "a bone that is no longer stretched stays disconnected"
    bridge.bake(again, result, target=target)
    bridge.restore_source(armature)
    assert [bone.use_connect for bone in armature.data.bones] == [False, True, True, True]
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), before, atol=1e-6)


def test_without_stretch_connected_bones_stay() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    reading = read(armature)
    result = stretched(reading.clip, "c")
    baked = bridge.bake(reading, result, stretch=False)
    assert baked.disconnected == () and armature.data.bones["c"].use_connect
    shown = blender_pose(armature, NAMES, reading.times)
    apart = np.linalg.norm(shown[..., :3, 3] - result.world.positions, axis=-1).max()
    assert apart > 0.01 and baked.gap == pytest.approx(apart, rel=1e-4)
    assert baked.notes[0].startswith("Connected bones are up to")


def test_bones_that_only_rotate_stay_connected() -> None:
    armature = straight_chain([f"bone{index}" for index in range(30)])
    swing(armature, FRAMES)
    armature.location, armature.rotation_euler, armature.scale = (300.0, -200.0, 5.0), (0.3, 0.2, 0.1), (0.1, 0.1, 0.1)
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(23), reading.clip.skeleton.names, most=0.2)
    baked = bridge.bake(reading, result)
    assert not baked.disconnected
    assert baked.curves == 4 * 30


def test_bones_that_only_rotate_get_no_locations() -> None:
    """Rest axes in single precision are not quite square: through a long chain, that must not look like moving."""
    rng = np.random.default_rng(37)

    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        parent = None
        for index in range(60):
            bone = edit_bones.new(f"bone.{index}")
            bone.head = parent.tail if parent else (0.0, 0.0, 0.0)
            bone.tail, bone.roll = bone.head + Vector(rng.normal(size=3)), float(rng.uniform(-3.0, 3.0))
            bone.parent, parent = parent, bone

    armature = new_armature("Long", build)
    swing(armature, FRAMES)
    reading = read(armature)
    baked = bridge.bake(reading, changed(reading.clip, rng, reading.clip.skeleton.names, most=0.2))
    assert baked.curves == 4 * 60


# --- what stays ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
@pytest.mark.parametrize("target", ["action", "combine"])
@pytest.mark.parametrize("moved", [(), ("c",)])
def test_mode_frame_and_selection_stay(mode: str, target: bridge.Target, moved: tuple[str, ...]) -> None:
    other = straight_chain(["x"])
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    other.select_set(True)
    armature.select_set(False)
    for bone in armature.pose.bones:
        versions.select(bone, bone.name in ("b", "d"))
    armature.data.bones.active = armature.data.bones["d"]
    bpy.ops.object.mode_set(mode=mode)
    scene = bpy.context.scene
    scene.frame_set(7, subframe=0.25)
    reading = read(armature)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(24), ["b"], moved), target=target)
    assert (armature.mode, bpy.context.view_layer.objects.active) == (mode, armature)
    assert (scene.frame_current, scene.frame_subframe) == (7, 0.25)
    assert [found.name for found in bpy.context.view_layer.objects if found.select_get()] == [other.name]
    assert [bone.name for bone in armature.pose.bones if versions.is_selected(bone)] == ["b", "d"]
    assert armature.data.bones.active.name == "d"


def test_the_present_frame_shows_the_result_at_once() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    bpy.context.scene.frame_set(12)
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(25), ["a", "b"])
    bridge.bake(reading, result)
    heads = [armature.matrix_world @ armature.pose.bones[name].head for name in NAMES]
    np.testing.assert_allclose(heads, result.world.positions[reading.frame_of(12)], atol=1e-5)


def test_an_action_shared_by_two_objects_stays_with_the_other() -> None:
    first, second = straight_chain(NAMES), straight_chain(NAMES)
    swing(first, FRAMES)
    action, slot = first.animation_data.action, versions.slot_of(first.animation_data)
    versions.assign(second.animation_data_create(), action, slot)
    results = {}
    for seed, armature in enumerate((first, second)):
        reading = read(armature)
        results[armature] = changed(reading.clip, np.random.default_rng(seed), ["b"])
        bridge.bake(reading, results[armature])
        if armature is first:
            assert second.animation_data.action is action
    assert first.animation_data.action is not second.animation_data.action
    for armature, result in results.items():
        assert_blender_shows(result, armature, list(FRAMES))


# --- over NLA strips ----------------------------------------------------------------------------------------------


def lay_below(armature: bpy.types.Object) -> None:
    """A strip that moves the first bone, under the assigned action."""
    action = bpy.data.actions.new("Below")
    slot = versions.ensure_slot(action, armature)
    for index in range(3):
        curve = versions.new_curve(action, slot, 'pose.bones["a"].location', index, "a")
        curve.keyframe_points.add(2)
        curve.keyframe_points.foreach_set("co", [1.0, 0.0, 30.0, 3.0])
        curve.update()
    strip = armature.animation_data.nla_tracks.new().strips.new("Below", 1, action)
    versions.assign(strip, action, slot)


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize("has_action", [True, False])
def test_nla_strips_stay_below_the_result(target: bridge.Target, has_action: bool) -> None:
    armature = straight_chain(NAMES)
    if has_action:
        swing(armature, FRAMES)
    armature.animation_data_create()
    lay_below(armature)
    before = blender_pose(armature, NAMES, FRAMES)
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(26), ["b"], ["a"])
    bridge.bake(reading, result, target=target)
    assert_blender_shows(result, armature, reading.times)
    again = read(armature)
    np.testing.assert_allclose(again.clip.world.positions, reading.clip.world.positions, atol=1e-5)
    bridge.restore_source(armature)
    assert [track.name for track in armature.animation_data.nla_tracks] == ["NlaTrack"]
    np.testing.assert_allclose(blender_pose(armature, NAMES, FRAMES), before, atol=1e-6)


@pytest.mark.parametrize("target", ["replace", "combine"])
def test_a_layer_ends_where_the_result_ends(target: bridge.Target) -> None:
    armature = straight_chain(NAMES)
    swing(armature, range(-10, 60))
    outside = [*range(-10, 3), *range(24, 60)]
    before = blender_pose(armature, NAMES, outside)
    reading = read(armature)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(27), ["b"]), target=target)
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-6)
    tracks = armature.animation_data.nla_tracks
    assert [track.name for track in tracks] == ["Poise source", "Poise"]
    assert armature.animation_data.action is None
    assert tracks[1].strips[0].blend_type == target.upper()


@pytest.mark.parametrize("target", ["replace", "combine"])
def test_what_repeats_beyond_its_keys_goes_on_under_a_layer(target: bridge.Target) -> None:
    armature = straight_chain(NAMES)
    swing(armature, [3, 8, 13])
    for curve in versions.all_curves_of(armature.animation_data.action):
        curve.modifiers.new("CYCLES")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
    outside = [1, 2, *range(24, 61)]
    before = blender_pose(armature, NAMES, outside)
    reading = read(armature)
    bridge.bake(reading, changed(reading.clip, np.random.default_rng(34), ["b"]), target=target)
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-6)


def test_small_turns_are_combined_coarsely_and_that_is_reported() -> None:
    """Blender raises quaternions to a power through the angle of a cosine near 1, in single precision."""
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(39), ["a"], most=1e-3)
    baked = bridge.bake(reading, result, target="combine")
    assert_blender_shows(result, armature, reading.times, within=1e-3)
    shown = blender_pose(armature, NAMES, reading.times)
    apart = np.linalg.norm(shown[..., :3, 3] - result.world.positions, axis=-1).max()
    assert baked.gap == pytest.approx(apart, rel=1e-3)
    assert baked.notes[0].startswith("Blender combines quaternions coarsely")
    for target in ("replace", "action"):
        baked = bridge.bake(reading, result, target=target)
        assert_blender_shows(result, armature, reading.times, within=1e-6)
        assert not baked.notes


def test_combining_with_bones_that_have_no_keys() -> None:
    """A strip is combined with defaults, and not with the pose in which such a bone was left."""
    armature = straight_chain(NAMES)
    armature.pose.bones["d"].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    swing(armature, FRAMES, names=("a",))
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(28), ["d"])
    bridge.bake(reading, result, target="combine")
    assert_blender_shows(result, armature, reading.times)


@pytest.mark.parametrize("target", ["action", "replace", "combine"])
@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ"])
@pytest.mark.parametrize("turned", ["b", "d"])
def test_rotations_that_are_keyed_in_part_stay_whole_in_strips(turned: str, mode: str, target: bridge.Target) -> None:
    """Blender takes the default for what a strip does not say about a quaternion, and not what the bone holds."""
    armature = straight_chain(NAMES)
    swing(armature, range(-5, 41), names=("a", "b"))
    bone = armature.pose.bones["d"]
    bone.rotation_mode = mode
    for attribute in ("rotation_quaternion", "rotation_axis_angle"):
        setattr(bone, attribute, (0.9, 0.1, 0.3, 0.2))
    bone.rotation_euler = (0.4, -0.3, 0.6)
    path = rotation_path(bone)[0]
    key(armature, path, 1, [1, 12, 40], [0.1, 0.6, -0.2], "BEZIER").extrapolation = "LINEAR"
    key(armature, path, 2, [1, 7], [0.3, 0.1]).modifiers.new("CYCLES")
    source = curves(armature)
    outside = [*range(-5, 3), *range(24, 60)]
    before = blender_pose(armature, NAMES, outside)
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(44), [turned])
    bridge.bake(reading, result, target=target)
    assert_blender_shows(result, armature, reading.times)
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-5)
    again = read(armature)
    np.testing.assert_allclose(again.clip.motion.rotations, reading.clip.motion.rotations, atol=1e-7)
    bridge.restore_source(armature)
    assert [action.name for action in bpy.data.actions] == ["Motion"] and curves(armature) == source
    np.testing.assert_allclose(blender_pose(armature, NAMES, outside), before, atol=1e-6)


# --- control rigs -------------------------------------------------------------------------------------------------


def add_ik(armature: bpy.types.Object) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (1.5, 0.5, 1.0)
    constraint = armature.pose.bones["d"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 2


def test_bones_that_constraints_move_cannot_be_baked() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    add_ik(armature)
    action, reading = armature.animation_data.action, read(armature)
    assert set(reading.unbakeable) == {"c", "d"}
    with pytest.raises(bridge.BridgeError, match=r"Bone 'd' cannot be baked, since its constraint 'IK' moves it: .*\."):
        bridge.bake(reading, changed(reading.clip, np.random.default_rng(29), ["d"]))
    assert armature.animation_data.action is action and len(bpy.data.actions) == 1


def test_free_bones_of_a_constrained_rig_are_baked_and_the_rest_is_reported() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    add_ik(armature)
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(30), ["a"])
    baked = bridge.bake(reading, result)
    assert baked.bones == ("a",)
    shown = blender_pose(armature, NAMES, reading.times)
    np.testing.assert_allclose(shown[:, :2, :3, 3], result.world.positions[:, :2], atol=1e-5)
    apart = np.linalg.norm(shown[..., :3, 3] - result.world.positions, axis=-1).max()
    assert baked.gap == pytest.approx(apart, rel=1e-3)
    message = f"Bone 'd' is up to {bridge.format_length(baked.gap)} away from where the result has it, since its "
    assert baked.rig_conflict == baked.notes[0] == f"{message}constraint 'IK' decides where it is."
    assert "Make Bakeable Copy" in baked.notes[1]
    assert baked.distances.max() == baked.gap
    np.testing.assert_allclose(baked.angles[:, :2], 0.0, atol=1e-5)
    assert baked.angles[:, 2:].max() > 0.1


def test_what_cannot_be_baked_is_reported_without_advice_that_destroys_the_rig() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    add_ik(armature)
    reading = read(armature)
    assert "constraint 'IK' of bone 'd' moves it" in reading.unbakeable["c"]
    for sentence in reading.unbakeable.values():
        assert "Clear Constraints" not in sentence and "Make Bakeable Copy" in sentence


# --- refusals -----------------------------------------------------------------------------------------------------


def refused(reading: bridge.Reading, result: Clip, message: str, **settings: object) -> None:
    """Baking raises one sentence and changes nothing."""
    armature = reading.armature
    before = (
        armature.animation_data.action,
        curves(armature),
        len(bpy.data.actions),
        len(armature.animation_data.nla_tracks),
        [bone.use_connect for bone in armature.data.bones],
    )
    with pytest.raises(bridge.BridgeError, match=message) as caught:
        bridge.bake(reading, result, **settings)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
    assert before == (
        armature.animation_data.action,
        curves(armature),
        len(bpy.data.actions),
        len(armature.animation_data.nla_tracks),
        [bone.use_connect for bone in armature.data.bones],
    )


def test_what_cannot_be_baked_is_refused() -> None:
    rng = np.random.default_rng(31)
    armature = straight_chain(NAMES)
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    swing(armature, FRAMES)
    reading = read(armature)
    result = changed(reading.clip, rng, ["b"], ["a"])
    refused(reading, _at(result, np.arange(5)), "has 5 frames, but 21 were read")
    refused(reading, read(armature, bones=["a", "b"]).clip, "solve again")
    refused(reading, result, "not to 'nothing'", target="nothing")
    refused(reading, result, "tolerance", tolerance=-1.0)
    armature.pose.bones["b"].lock_rotation[1] = True
    refused(reading, result, "The rotation of bone 'b' is locked, but the result would rotate it")
    armature.pose.bones["b"].lock_rotation[1] = False
    armature.pose.bones["a"].lock_location[2] = True
    refused(reading, result, "The location of bone 'a' is locked, but the result would move it")
    armature.pose.bones["a"].lock_location[2] = False
    group = next(versions.all_curves_of(armature.animation_data.action)).group
    group.mute = True
    refused(reading, changed(reading.clip, rng, ["a"]), f"The group {group.name!r} of action 'Motion' is muted")
    group.mute = False
    armature.pose.bones["b"].rotation_mode = "QUATERNION"
    refused(reading, result, "have changed since it was read")
    armature.pose.bones["b"].rotation_mode = "XYZ"
    armature.data.bones["b"].name = "renamed"
    refused(reading, result, "have changed since it was read")


def test_a_layer_where_the_nla_stack_is_off_is_refused() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    lay_below(armature)
    armature.animation_data.use_nla = False
    reading = read(armature)
    assert reading.method == "curves"
    refused(reading, reading.clip, "is off, and a layer would switch its tracks on", target="combine")
    bridge.bake(reading, reading.clip)


def test_bones_cannot_be_disconnected_while_another_object_is_in_a_mode() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    reading = read(armature)
    straight_chain(["x"])
    bpy.ops.object.mode_set(mode="EDIT")
    refused(reading, stretched(reading.clip, "c"), r"Leave edit mode of 'Chain\.001' first")


def test_a_layer_under_a_solo_is_refused() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    lay_below(armature)
    reading = read(armature)
    armature.animation_data.nla_tracks[0].is_solo = True
    refused(reading, reading.clip, "soloed", target="replace")


def test_an_action_that_is_blended_is_refused_but_for_a_layer() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    lay_below(armature)
    armature.animation_data.action_blend_type = "ADD"
    reading = read(armature)
    result = changed(reading.clip, np.random.default_rng(32), ["b"])
    refused(reading, result, "blended over NLA strips")
    bridge.bake(reading, result, target="replace")
    assert_blender_shows(result, armature, reading.times)


def test_another_source_than_was_read_is_refused() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    reading = read(armature)
    bridge.bake(reading, reading.clip)
    bridge.bake(reading, reading.clip)
    swing(armature, FRAMES)
    refused(reading, reading.clip, "has another source action than when it was read: solve again")


def test_a_deleted_armature_is_refused() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    reading = read(armature)
    bpy.data.objects.remove(armature)
    with pytest.raises(bridge.BridgeError, match="has been deleted or renamed"):
        bridge.bake(reading, reading.clip)
