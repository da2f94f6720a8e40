# SPDX-License-Identifier: GPL-3.0-or-later
"""Only channels that must change do, they give the result, and what cannot be baked is refused."""

from __future__ import annotations

import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge.edits import check_result, edits_for
from poise.addon.bridge.posing import pose_of

from .rigs import animate, changed, random_armature, straight_chain, swing

FRAMES = range(1, 12)


def test_an_unchanged_clip_changes_no_channel() -> None:
    armature = straight_chain(["a", "b", "c"])
    swing(armature, FRAMES)
    reading = bridge.read(armature, 1, 11)
    edits = edits_for(reading, reading.clip, may_leave_parent=True)
    assert not edits.rotation_changed.any() and not edits.location_changed.any()
    assert np.array_equal(edits.channels.rotation, reading.channels.rotation)


@pytest.mark.parametrize("seed", range(3))
def test_edited_channels_give_the_result(seed: int) -> None:
    rng = np.random.default_rng(seed)
    armature = random_armature(rng)
    animate(armature, rng, FRAMES)
    reading = bridge.read(armature, 1, 11)
    result = changed(reading.clip, rng, ["bone.2", "bone.5"], ["bone.0"])
    edits = edits_for(reading, result, may_leave_parent=True)
    heads = edits.pose.transformed(reading.world).heads[:, reading.joints.bones]
    assert np.abs(heads - result.world.positions).max() < 1e-5 * result.skeleton.size
    assert not edits.rotation_changed[[0, -1]].any(), "the ends are as they were"


def test_connected_bones_stay_where_they_may_not_leave_their_parents() -> None:
    armature = straight_chain(["a", "b", "c"])
    swing(armature, FRAMES)
    reading = bridge.read(armature, 1, 11)
    result = changed(reading.clip, np.random.default_rng(1), [], ["b"])
    assert edits_for(reading, result, may_leave_parent=True).moved_bones.tolist() == [1]
    kept = edits_for(reading, result, may_leave_parent=False)
    assert not kept.location_changed.any()
    assert np.allclose(kept.pose.heads, pose_of(reading.rig, reading.channels).heads)


def test_a_bone_that_a_constraint_moves_is_refused() -> None:
    armature = straight_chain(["a", "b", "c"], connected=False)
    swing(armature, FRAMES)
    armature.pose.bones["b"].constraints.new("LIMIT_DISTANCE").target = armature
    reading = bridge.read(armature, 1, 11)
    with pytest.raises(bridge.BridgeError, match="Bone 'b' cannot be baked"):
        edits_for(reading, changed(reading.clip, np.random.default_rng(1), ["b"]), may_leave_parent=True)


def test_a_clip_of_other_frames_or_joints_is_refused() -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, FRAMES)
    reading, shorter = bridge.read(armature, 1, 11), bridge.read(armature, 1, 5)
    with pytest.raises(bridge.BridgeError, match="5 frames, but 11 were read"):
        check_result(reading, shorter.clip)
    with pytest.raises(bridge.BridgeError, match="solve again"):
        check_result(reading, bridge.read(armature, 1, 11, bones=["a"]).clip)
