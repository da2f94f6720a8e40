# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan holds the changed properties with keys within the tolerance, and values that baking overwrites."""

from __future__ import annotations

import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge.edits import edits_for
from poise.addon.bridge.plan import planned_changes, unkeyed

from .rigs import changed, straight_chain, swing

FRAMES = range(1, 41)


@pytest.fixture
def reading() -> bridge.Reading:
    armature = straight_chain(["a", "b", "c"])
    swing(armature, FRAMES, ["b", "c"])
    return bridge.read(armature, FRAMES[0], FRAMES[-1])


def test_only_changed_properties_are_planned(reading: bridge.Reading) -> None:
    result = changed(reading.clip, np.random.default_rng(2), ["b"], ["a"])
    plan = planned_changes(reading, edits_for(reading, result, may_leave_parent=True), tolerance=0.0)
    assert [(each.name, each.attribute) for each in plan] == [("a", "location"), ("b", "rotation_quaternion")]
    rotation = plan[1]
    assert rotation.path == 'pose.bones["b"].rotation_quaternion' and rotation.width == 4
    assert rotation.fit.keyed.all() and rotation.keys(0).times.tolist() == list(FRAMES)
    assert rotation.differs_from_source(20) and not rotation.differs_from_source(0)


def test_a_tolerance_leaves_out_keys(reading: bridge.Reading) -> None:
    edits = edits_for(reading, changed(reading.clip, np.random.default_rng(2), ["b"]), may_leave_parent=True)
    (thinned,) = planned_changes(reading, edits, tolerance=0.02)
    assert len(thinned.keys(0).times) < 0.5 * len(FRAMES)
    assert np.abs(thinned.fit.curve_values - thinned.values).max() <= 0.01 + 1e-6, "half an angle in a quaternion"


def test_values_of_properties_without_keys_are_listed(reading: bridge.Reading) -> None:
    edits = edits_for(reading, changed(reading.clip, np.random.default_rng(2), ["a", "b"]), may_leave_parent=True)
    plan = planned_changes(reading, edits, tolerance=0.0)
    assert unkeyed(reading, plan) == {'pose.bones["a"].rotation_quaternion': [1.0, 0.0, 0.0, 0.0]}


def test_strained_frames_get_tighter_tolerances_or_keys(reading: bridge.Reading) -> None:
    edits = edits_for(reading, changed(reading.clip, np.random.default_rng(2), ["b"]), may_leave_parent=True)
    (plain,) = planned_changes(reading, edits, tolerance=0.02)
    assert plain.with_strains(np.ones(len(FRAMES))) is plain
    strains = np.where(np.arange(len(FRAMES)) == 12, 50.0, 1.0)
    off = np.abs(plain.with_strains(strains).fit.curve_values - plain.values).max(axis=1)
    assert off[12] <= 0.01 / 50.0 + 1e-6 < off.max()
    keyed = plain.with_keys(np.array([12, 13]))
    assert keyed.fit.keyed[[12, 13]].all() and keyed.with_keys(np.array([12])) is keyed
    assert keyed.with_values(plain.values + 1.0).fit.keyed[[12, 13]].all(), "other values keep the keys"
    (every,) = planned_changes(reading, edits, tolerance=0.0)
    assert every.with_keys(np.array([12])) is every and every.with_strains(strains) is every
