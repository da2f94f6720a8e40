# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of the clip are frames of the scene in numbers and in errors."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.addon.bridge import in_scene_frames, scene_frame

TIMES = np.arange(11.0, 51.0, 2.0)


def test_a_frame_of_the_clip_is_one_of_the_scene_also_outside() -> None:
    assert [scene_frame(TIMES, frame) for frame in (0, 2, 2.5, -1, 100)] == [11.0, 15.0, 16.0, 9.0, 211.0]
    assert scene_frame([7.0], 3) == 10.0


def test_errors_of_the_solver_have_frames_of_the_scene() -> None:
    clip = solver.synthetic.walk(steps=2).clip
    late = solver.ShapeConstraint("l_wrist", 3, 4000, [solver.ConstraintPoint((0, 0, 0), 5)], name="Pin")
    with pytest.raises(solver.PoiseError) as caught, in_scene_frames(TIMES):
        solver.deform(clip, [late])
    assert f"its end (8011) lies outside the clip, whose frames are 11 to {11 + 2 * (clip.frames - 1)}." in str(
        caught.value
    )
    assert type(caught.value) is not solver.PoiseError, "its class is kept"


def test_a_rotation_that_is_not_finite_is_named_by_its_frame_in_the_scene() -> None:
    clip = solver.synthetic.walk(steps=2).clip
    turned = clip.motion.rotations.copy()
    turned[4, 3] = np.nan
    with pytest.raises(solver.PoiseError, match="at frame 19 is not finite"), in_scene_frames(TIMES):
        clip.with_motion(solver.Motion(turned, clip.motion.translations))
