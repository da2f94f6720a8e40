# SPDX-License-Identifier: GPL-3.0-or-later
"""The source is read once, and again only where it has changed."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.addon.overlay import readings

from ..bridge.rigs import random_armature


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    readings.forget()


def test_reading_gives_the_source_with_its_frames(armature: Any) -> None:
    assert readings.known(armature) is None, "a redraw only asks for it"
    read = readings.read_now(armature)
    assert readings.known(armature) is read
    expected = bridge.read(armature)
    assert (read.times == expected.times).all()
    assert read.clip is not None and (read.clip.motion.rotations == expected.clip.motion.rotations).all()


def test_an_unchanged_source_is_not_read_again(armature: Any) -> None:
    read = readings.read_now(armature)
    readings.suspect_all()
    assert readings.known(armature) is read, "until it is compared, the former one is shown"
    assert readings.read_now(armature) is read


def key_moved(armature: Any) -> None:
    curve = next(iter(versions.all_curves_of(armature.animation_data.action)))
    curve.keyframe_points[3].co[1] += 0.1


@pytest.mark.parametrize(
    "change",
    [
        key_moved,
        lambda armature: setattr(armature, "location", (1.0, 0.0, 0.0)),
        lambda armature: setattr(bpy.context.scene, "frame_end", 20),
        lambda armature: setattr(armature.poise, "mass", 55.0),
        lambda armature: setattr(armature.poise, "use_ground", True),
    ],
)
def test_a_changed_source_is_read_again(armature: Any, change: Any) -> None:
    read = readings.read_now(armature)
    change(armature)
    bpy.context.view_layer.update()
    assert readings.read_now(armature) is not read


def test_only_frames_around_the_current_one_are_read_of_a_long_scene(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "FARTHEST", 5)
    bpy.context.scene.frame_set(12)
    times = readings.read_now(armature).times
    assert (times[0], times[-1]) == (7, 17)
    bpy.context.scene.frame_set(18)
    readings.known(armature)
    assert armature.name in readings._wanted
    assert readings.read_now(armature).times[0] == 13


def test_what_cannot_be_read_has_no_clip() -> None:
    still = random_armature(np.random.default_rng(3))
    assert readings.read_now(still).clip is None
    assert readings.known(still) is not None, "it is not tried again and again"


def test_a_rig_that_blender_must_evaluate_is_not_read_by_itself(armature: Any) -> None:
    armature.pose.bones["l_wrist"].constraints.new("LIMIT_ROTATION")
    assert readings.read_now(armature).clip is None
