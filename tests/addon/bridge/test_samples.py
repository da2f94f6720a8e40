# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as samples: it is shown as a baked one is, only what changes is written, and keys come back."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.bridge.samples import SampledResult, has_samples, make_keys

from .rigs import blender_pose, changed, straight_chain, swing

NAMES = ("a", "b", "c")
FRAMES = range(1, 25)


@pytest.fixture
def armature() -> Any:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    return armature


def result_of(reading: bridge.Reading, seed: int, bones: list[str]) -> Any:
    return changed(reading.clip, np.random.default_rng(seed), bones)


def shown(armature: Any) -> Any:
    bpy.context.view_layer.update()
    return blender_pose(armature, NAMES, FRAMES)


def test_samples_show_what_a_bake_shows(armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    first, second = result_of(reading, 1, ["b"]), result_of(reading, 2, ["a", "c"])
    bridge.bake(reading, second)
    wanted = shown(armature)
    bridge.bake(reading, first)
    source = bridge.animation_of(armature).source
    samples = SampledResult(reading)
    assert samples.write(second) > 0
    assert has_samples(armature)
    np.testing.assert_allclose(shown(armature), wanted, atol=1e-5)
    assert bridge.animation_of(armature).source == source
    bridge.bake(reading, second)
    assert not has_samples(armature)
    np.testing.assert_allclose(shown(armature), wanted, atol=1e-5)


def test_only_what_changes_is_written(armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    bridge.bake(reading, result_of(reading, 1, ["b"]))
    samples = SampledResult(reading)
    second = result_of(reading, 2, ["c"])
    assert samples.write(second) >= 8, "what the bake had changed goes back to the source"
    assert samples.write(second) == 0
    assert samples.write(result_of(reading, 3, ["c"])) == 4
    assert samples.write(reading.clip) == 4
    with bridge.source_shown(armature):
        wanted = shown(armature)
    np.testing.assert_allclose(shown(armature), wanted, atol=1e-5)


def test_after_a_bake_and_after_undo_everything_is_written(armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    second = result_of(reading, 2, ["c"])
    bridge.bake(reading, reading.clip)
    samples = SampledResult(reading)
    samples.write(second)
    wanted = shown(armature)
    bridge.bake(reading, result_of(reading, 1, ["b"]))
    samples.write(second)
    np.testing.assert_allclose(shown(armature), wanted, atol=1e-5)
    samples.forget()
    assert samples.write(second) > 4


def test_channels_that_the_source_has_not_are_added_and_restored() -> None:
    armature: Any = straight_chain(NAMES)
    swing(armature, FRAMES)
    animation = bridge.animation_of(armature)
    assert animation.source is not None
    for curve in versions.curves_of(animation.source, animation.slot):
        if '"c"' in curve.data_path:
            versions.remove_curve(animation.source, animation.slot, curve)
    armature.pose.bones["c"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    reading = bridge.read(armature, 1, 24)
    before = shown(armature)
    bridge.bake(reading, result_of(reading, 1, ["b"]))
    second = result_of(reading, 2, ["c"])
    SampledResult(reading).write(second)
    sampled = shown(armature)
    assert np.abs(sampled - before).max() > 0.01
    bridge.restore_source(armature)
    np.testing.assert_allclose(shown(armature), before, atol=1e-5)
    bridge.bake(reading, second)
    np.testing.assert_allclose(shown(armature), sampled, atol=1e-5)


def test_frames_outside_of_the_range_stay(armature: Any) -> None:
    before = shown(armature)
    reading = bridge.read(armature, 8, 16)
    bridge.bake(reading, reading.clip)
    SampledResult(reading).write(result_of(reading, 2, ["c"]))
    after = shown(armature)
    outside = [*range(7), *range(16, 24)]
    np.testing.assert_allclose(after[outside], before[outside], atol=1e-5)
    assert np.abs(after - before)[8:15].max() > 0.01


def test_a_draft_of_every_third_frame_is_sampled_at_all(armature: Any) -> None:
    reading = bridge.read(armature, 1, 22, step=3)
    result = result_of(reading, 2, ["c"])
    bridge.bake(reading, result)
    wanted = shown(armature)[:22:3]
    SampledResult(reading).write(result)
    np.testing.assert_allclose(shown(armature)[:22:3], wanted, atol=1e-5)


def test_samples_become_keys_where_nothing_is_baked(armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    bridge.bake(reading, reading.clip)
    SampledResult(reading).write(result_of(reading, 2, ["c"]))
    wanted = shown(armature)
    make_keys(armature)
    assert not has_samples(armature)
    np.testing.assert_allclose(shown(armature), wanted, atol=1e-5)


@pytest.mark.parametrize("target", ["replace", "combine"])
def test_a_layer_and_a_hidden_result_are_refused(target: bridge.Target, armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    samples = SampledResult(reading)
    with pytest.raises(bridge.BridgeError, match="does not show its result as an action"):
        samples.write(reading.clip)
    bridge.bake(reading, result_of(reading, 1, ["b"]), target=target)
    with pytest.raises(bridge.BridgeError, match="does not show its result as an action"):
        samples.write(reading.clip)
