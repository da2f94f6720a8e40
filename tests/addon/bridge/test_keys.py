# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys are read and written with all of their properties, concatenated, and extrapolated with a given slope."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise.addon.bridge.keys import Keys, concatenated, linear_keys, smooth_keys, write_keys

from .rigs import key, set_action, straight_chain

PATH = 'pose.bones["a"].location'


@pytest.fixture
def armature() -> bpy.types.Object:
    armature = straight_chain(["a"])
    set_action(armature)
    return armature


def evaluated(curve: bpy.types.FCurve, times: np.ndarray) -> np.ndarray:
    return np.array([curve.evaluate(time) for time in times])


def test_keys_are_written_and_read_whole(armature: bpy.types.Object) -> None:
    rng = np.random.default_rng(2)
    source = key(armature, PATH, 0, range(10), rng.normal(size=10), "BEZIER")
    for point in source.keyframe_points:
        point.interpolation = str(rng.choice(["CONSTANT", "LINEAR", "BEZIER", "BACK", "ELASTIC"]))
        point.easing, point.back, point.type = "EASE_OUT", 1.5, "EXTREME"
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left, point.handle_right = point.co + Vector((-0.3, 1.0)), point.co + Vector((0.4, 0.2))
    source.update()
    target = key(armature, PATH, 1, [5], [5.0])
    write_keys(target, Keys.of(source))
    fine = np.arange(-2.0, 12.0, 0.125)
    assert np.array_equal(evaluated(target, fine), evaluated(source, fine))
    assert [point.type for point in target.keyframe_points] == ["EXTREME"] * 10


def test_linear_keys_have_straight_lines_between_them(armature: bpy.types.Object) -> None:
    curve = key(armature, PATH, 0, [1, 2, 3], [9.0, 9.0, 9.0], "BEZIER")
    times, values = np.array([0.0, 4.0, 8.0]), np.array([0.0, 2.0, -2.0])
    write_keys(curve, linear_keys(times, values))
    assert evaluated(curve, np.array([-3.0, 0.0, 1.0, 4.0, 7.0, 20.0])) == pytest.approx([0, 0, 0.5, 2, -1, -2])
    for point in curve.keyframe_points:
        assert point.handle_left[0] < point.co[0] < point.handle_right[0]


def test_smooth_keys_have_the_given_slopes(armature: bpy.types.Object) -> None:
    curve = key(armature, PATH, 0, [1], [0.0])
    times, slopes = np.array([0.0, 10.0, 14.0]), np.array([0.5, -0.25, 1.0])
    write_keys(curve, smooth_keys(times, np.array([0.0, 2.0, 1.0]), slopes))
    near = 0.01
    for time, slope in zip(times[:-1], slopes, strict=False):
        after = (curve.evaluate(time + near) - curve.evaluate(time)) / near
        assert after == pytest.approx(slope, abs=0.01)


def test_runs_of_keys_are_concatenated_and_missing_properties_are_zero(armature: bpy.types.Object) -> None:
    whole = Keys.of(key(armature, PATH, 0, [0, 1], [3.0, 4.0], "BEZIER"))
    keys = concatenated(whole, linear_keys(np.array([2.0, 5.0]), np.array([6.0, 7.0])))
    assert keys.times.tolist() == [0.0, 1.0, 2.0, 5.0]
    assert keys.floats["co"][:, 1].tolist() == [3.0, 4.0, 6.0, 7.0]
    assert keys.floats["handle_left"].shape == (4, 2) and not keys.floats["handle_left"][2:].any()
    assert keys.where(keys.times > 1.5).times.tolist() == [2.0, 5.0]


@pytest.mark.parametrize("interpolation", ["LINEAR", "BEZIER"])
def test_an_extrapolated_curve_has_the_slopes_that_are_set(armature: bpy.types.Object, interpolation: str) -> None:
    curve = key(armature, PATH, 0, [0, 4, 9], [0.0, 2.0, -1.0], interpolation)
    curve.extrapolation = "LINEAR"
    inside = np.arange(0.0, 9.1, 0.5)
    before = evaluated(curve, inside)
    keys = Keys.of(curve)
    keys.extrapolate_after(0.75)
    keys.extrapolate_before(-0.5)
    write_keys(curve, keys)
    assert evaluated(curve, np.array([-2.0, 11.0])) == pytest.approx([1.0, -1.0 + 1.5], abs=1e-4)
    if interpolation == "LINEAR":
        assert evaluated(curve, inside) == pytest.approx(before, abs=1e-4), "a straight segment stays straight"
