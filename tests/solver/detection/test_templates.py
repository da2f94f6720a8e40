# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates: checked when they are made, and against a clip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver import Template
from poise.solver.core.errors import ConstraintError


@pytest.mark.parametrize(("stride", "least"), [(1, 3), (4, 6), (8, 10)])
def test_a_template_needs_two_displacements(stride: int, least: int) -> None:
    Template(5, 5 + least - 1).check(100, stride)
    with pytest.raises(ConstraintError, match=f"too short to learn from: at this frame rate it needs {least} frames"):
        Template(5, 5 + least - 2).check(100, stride)


def test_the_fewest_frames_depend_on_the_frame_rate() -> None:
    assert [Template.least_frames(fps) for fps in (24.0, 30.0, 60.0, 120.0)] == [3, 3, 4, 6]


@pytest.mark.parametrize(("begin", "end"), [(-1, 9), (9, 5), (95, 100)])
def test_a_template_lies_within_the_clip(begin: int, end: int) -> None:
    with pytest.raises(ConstraintError, match=f"from frame {begin} to {end} does not lie within .* 0 to 99"):
        Template(begin, end).check(100, 1)


@pytest.mark.parametrize("frame", [True, 3.0, "3", None])
def test_frames_of_templates_are_whole_numbers(frame: Any) -> None:
    with pytest.raises(ConstraintError, match="The begin of a template must be a whole frame"):
        Template(frame, 9)
    with pytest.raises(ConstraintError, match="The end of a template must be a whole frame"):
        Template(0, frame)
    Template(np.int64(3), np.int32(9)).check(20, 1)  # type: ignore[arg-type]


def test_there_are_three_kinds() -> None:
    for kind in ("space", "line", "point"):
        assert Template(0, 9, kind).kind == kind  # type: ignore[arg-type]
    with pytest.raises(ConstraintError, match="no kind of constraint 'plane'"):
        Template(0, 9, "plane")  # type: ignore[arg-type]


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan"), "wide"])
def test_a_tolerance_is_larger_than_zero(tolerance: Any) -> None:
    with pytest.raises(ConstraintError, match="tolerance of a template must be larger than zero"):
        Template(0, 9, tolerance=tolerance)
