# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of a body: of its landmarks, else those of a usual one."""

from __future__ import annotations

import pytest

from poise.addon.overlay.body import BodyMeasures
from poise.solver import synthetic


def test_feet_are_measured_between_their_landmarks() -> None:
    skeleton = synthetic.walk(steps=1, fps=30.0).clip.skeleton
    body = BodyMeasures.of(skeleton)
    assert body.size == skeleton.size
    for side in ("left", "right"):
        foot = body.foot(side)
        assert 0.1 * body.size < foot.heel_to_ball < 0.3 * body.size
        assert 0.2 * foot.length < foot.ball_to_tip < 0.45 * foot.length
        assert foot.heel_clearance == skeleton.soles[f"{side}_heel"]
        assert foot.ball_clearance == skeleton.soles[f"{side}_ball"]


def test_unknown_feet_are_those_of_a_usual_body_of_the_same_size() -> None:
    skeleton = synthetic.walk(steps=1, fps=30.0).clip.skeleton
    unknown = BodyMeasures.of(skeleton.with_landmarks(left_heel=None))
    known = BodyMeasures.of(skeleton)
    assert unknown.right == known.right and unknown.left != known.left
    assert unknown.left.length == pytest.approx(known.left.length, rel=0.3)


def test_the_measures_grow_with_the_character() -> None:
    small, large = BodyMeasures.of_height(1.8), BodyMeasures.of_height(180.0)
    assert large.size == pytest.approx(100.0 * small.size)
    assert large.left.length == pytest.approx(100.0 * small.left.length) == pytest.approx(27.0)
