# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of constrained points: over the frames of their constraints, thin as they were, bold as solved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.trajectories import current_picture, trajectories_of, trajectory_picture
from poise.solver import synthetic

from .made_up import handle, mark


@pytest.fixture(scope="module")
def clip() -> solver.Clip:
    return synthetic.walk(steps=4, fps=30.0).clip


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def times(clip: solver.Clip) -> np.ndarray:
    return 1.0 + np.arange(clip.frames)


def shifted(clip: solver.Clip) -> solver.Clip:
    translations = clip.motion.translations.copy()
    translations[:, 0, 1] += 0.1
    return clip.with_motion(solver.Motion(clip.motion.rotations, translations))


def found(clip: solver.Clip, *marks: Any, result: solver.Clip | None = None, only_active: bool = False) -> Any:
    side_of = {"l_wrist": "left"}.get
    return trajectories_of(marks, times(clip), clip, result, lambda bone: side_of(bone, ""), only_active)


def test_the_path_of_a_pin_covers_its_frames(clip: solver.Clip) -> None:
    offset = (0.0, 0.1, 0.0)
    (path,) = found(clip, mark("SHAPE", bone="l_wrist", offset=offset), result=shifted(clip))
    assert path.times.tolist() == list(range(10, 21)) and path.side == "left"
    expected = clip.position(solver.BodyPoint("l_wrist", offset))[9:20]
    np.testing.assert_array_equal(path.source, expected)
    np.testing.assert_allclose(path.result - expected, np.tile([0.0, 0.1, 0.0], (11, 1)), atol=1e-9)
    assert path.at(15.0) == 5 and path.at(9.0) is None


def test_plants_of_one_foot_share_a_path_with_gaps_where_none_is_near(clip: solver.Clip) -> None:
    plants = [mark(begin=20.0, end=24.0), mark(begin=30.0, end=34.0), mark(begin=60.0, end=62.0)]
    first, second = found(clip, *plants)
    assert (first.times[0], first.times[-1]) == (13.0, 41.0), "with a quarter of a second before and after"
    assert (second.times[0], second.times[-1]) == (53.0, min(69.0, times(clip)[-1]))
    ball = clip.skeleton.landmarks.left_ball
    np.testing.assert_array_equal(first.source, clip.position(ball)[12:41])


def test_a_balance_has_the_path_of_the_centre_of_mass(clip: solver.Clip) -> None:
    (path,) = found(clip, mark("BALANCE", handle(), begin=1.0, end=1000.0))
    np.testing.assert_array_equal(path.source, clip.center_of_mass())


def test_what_constrains_no_point_has_no_path(clip: solver.Clip) -> None:
    pin = mark("SHAPE", bone="l_wrist")
    others = [
        mark("ORIENTATION", bone="l_wrist"),
        mark("SHAPE", bone="unknown"),
        replace_mark(pin, is_enabled=False),
        replace_mark(pin, is_proposal=True),
    ]
    assert not found(clip, *others)


def replace_mark(given: Any, **fields: Any) -> Any:
    return given._replace(**fields)


def test_only_the_path_of_the_active_constraint_may_be_drawn(clip: solver.Clip) -> None:
    marks = [mark("SHAPE", bone="l_wrist", is_active=True), mark("SHAPE", bone="r_wrist")]
    assert len(found(clip, *marks)) == 2 and len(found(clip, *marks, only_active=True)) == 1


def test_the_source_is_thin_and_the_result_bold(clip: solver.Clip, palette: Palette) -> None:
    pin = mark("SHAPE", bone="l_wrist")
    source = trajectory_picture(found(clip, pin), 30.0, palette)
    assert len(source.vertices["thin"].places) == 20 and "bold" not in source.vertices
    both = trajectory_picture(found(clip, pin, result=shifted(clip)), 30.0, palette)
    assert len(both.vertices["thin"].places) == len(both.vertices["bold"].places) == 20
    faint = trajectory_picture(found(clip, pin, result=shifted(clip)), 30.0, palette, strength=0.4)
    assert faint.vertices["bold"].colors[:, 3] == pytest.approx(0.4 * both.vertices["bold"].colors[:, 3])
    assert (faint.vertices["thin"].colors == both.vertices["thin"].colors).all(), "the source is never stale"


@pytest.mark.parametrize("fps, step", [(24.0, 1), (30.0, 1), (60.0, 2), (120.0, 5), (1000.0, 10)])
def test_there_are_ticks_for_frames_and_large_ones_for_every_tenth(
    clip: solver.Clip, palette: Palette, fps: float, step: int
) -> None:
    paths = found(clip, mark("SHAPE", bone="l_wrist", begin=1.0, end=60.0))
    picture = trajectory_picture(paths, fps, palette)
    large = sum(frame % (10 * step) == 0 for frame in range(1, 61))
    ticks = sum(frame % step == 0 for frame in range(1, 61)) - large
    counts = [len(picture.vertices[kind].places) if kind in picture.vertices else 0 for kind in ("ticks", "dots")]
    assert counts == [ticks, large]


def test_the_frames_of_the_active_constraint_are_highlighted_and_numbered(clip: solver.Clip, palette: Palette) -> None:
    plants = [mark(begin=20.0, end=24.0, is_active=True), mark(begin=30.0, end=34.0)]
    picture = trajectory_picture(found(clip, *plants), 30.0, palette)
    is_active = np.isclose(picture.vertices["thin"].colors[:, :3], palette.active[:3], atol=1e-6).all(axis=1)
    assert is_active.sum() == 2 * 4, "the four segments from frame 20 to frame 24"
    assert [label.text for label in picture.labels] == ["20"]


def test_the_current_frame_is_marked_on_both_paths(clip: solver.Clip, palette: Palette) -> None:
    paths = found(clip, mark("SHAPE", bone="l_wrist"), result=shifted(clip))
    picture = current_picture(paths, 12.0, palette)
    assert picture.vertices["dots"].places == pytest.approx(np.float32(paths[0].result[2:3]))
    line = [paths[0].source[2], paths[0].result[2]]
    assert picture.vertices["thin"].places == pytest.approx(np.float32(line))
    hidden = current_picture(paths, 12.0, palette, shows_source=True)
    assert hidden.vertices["dots"].places == pytest.approx(np.float32(paths[0].source[2:3]))
    assert current_picture(paths, 40.0, palette).is_empty


def test_a_clip_between_frames_has_ticks_at_whole_frames_only(clip: solver.Clip, palette: Palette) -> None:
    halves = 1.0 + 0.5 * np.arange(clip.frames)
    paths = trajectories_of([mark("SHAPE", bone="l_wrist")], halves, clip, None, lambda bone: "")
    picture = trajectory_picture(paths, replace(clip, fps=30.0).fps, palette)
    assert len(picture.vertices["ticks"].places) + len(picture.vertices["dots"].places) == 11
