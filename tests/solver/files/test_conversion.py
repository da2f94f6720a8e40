# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of times, positions and rotations between clips of other frame rates and axes."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.core import rotations
from poise.solver.files.conversion import Conversion

SKELETON = synthetic.human()
FRAMES = 61


def test_the_same_clip_changes_nothing() -> None:
    conversion = Conversion(SKELETON, FRAMES)
    vectors, quaternions = np.arange(6.0).reshape(2, 3), rotations.random(np.random.default_rng(1), 2)
    assert conversion.time(17.3) == 17.3
    assert conversion.duration(4.5) == 4.5
    assert conversion.positions(vectors) is vectors
    assert conversion.rotations(quaternions) is quaternions
    assert conversion.local_vectors(vectors, "l_hip") is vectors
    assert conversion.axes("xz") == "xz"


def test_times_scale_with_the_frame_rate_and_end_at_the_last_frame() -> None:
    conversion = Conversion(SKELETON, FRAMES, rate=0.5)
    assert conversion.time(20.0) == 10.0
    assert conversion.duration(3.0) == 1.5
    assert conversion.time(121.0) == FRAMES - 1  # half a frame after the last one
    assert conversion.time(130.0) == 65.0  # not in the clip at all: for `deform` to refuse


def test_another_up_axis_rotates_the_world_by_a_quarter_turn() -> None:
    to_z, to_y = Conversion(SKELETON, FRAMES, new_up="z"), Conversion(SKELETON, FRAMES, new_up="y")
    rng = np.random.default_rng(2)
    vectors, quaternions = rng.standard_normal((4, 3)), rotations.random(rng, 4)
    assert to_z.positions(np.array([0.0, 1.0, 0.0])) == pytest.approx([0.0, 0.0, 1.0])
    assert to_y.positions(to_z.positions(vectors)) == pytest.approx(vectors)
    turned = rotations.rotate(to_z.rotations(quaternions), vectors)
    assert turned == pytest.approx(to_z.positions(rotations.rotate(quaternions, vectors)))
    assert to_z.axes("xz") == "xy"


def test_no_negative_zeros() -> None:
    for up in ("y", "z"):
        converted = Conversion(SKELETON, FRAMES, new_up=up).positions(np.zeros(3))
        assert not np.signbit(converted).any()


def test_a_local_frame_that_differs_keeps_vectors_in_the_world() -> None:
    rng = np.random.default_rng(3)
    change, to_world, vector = rotations.random(rng), rotations.random(rng), rng.standard_normal(3)
    conversion = Conversion(SKELETON, FRAMES, joint_frame_changes={"l_hip": change})
    in_file = rotations.rotate(to_world, vector)
    in_clip = rotations.rotate(conversion.rotations(to_world, "l_hip"), conversion.local_vectors(vector, "l_hip"))
    assert in_clip == pytest.approx(in_file)
    assert conversion.local_vectors(vector, "r_hip") is vector


def test_sample_times_cover_the_same_duration() -> None:
    same = Conversion(SKELETON, FRAMES)
    assert np.array_equal(same.sample_times(FRAMES), np.arange(FRAMES))
    assert same.sample_times(FRAMES - 1) is None
    half = Conversion(SKELETON, FRAMES, rate=0.5)
    assert np.array_equal(half.sample_times(121), np.arange(0.0, 121.0, 2.0))
    assert half.sample_times(200) is None
    assert half.sample_times(120).max() == 119.0, "the last frame is never extrapolated"
