# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes of made-up characters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.body.skeleton import Up
from poise.solver.core.arrays import Array
from poise.solver.core.errors import SkeletonError
from poise.solver.synthetic.axes import from_y_up, to_y_up

LEFT, UP, AHEAD = np.eye(3)


def test_y_up_stays_as_it_is() -> None:
    vectors = np.arange(12.0).reshape(2, 2, 3)
    assert np.array_equal(from_y_up(vectors, "y"), vectors)


def test_z_up_faces_minus_y() -> None:
    assert np.array_equal(from_y_up([LEFT, UP, AHEAD], "z"), [(1, 0, 0), (0, 0, 1), (0, -1, 0)])


def test_z_up_is_a_rotation_and_not_a_mirror_image() -> None:
    assert np.linalg.det(from_y_up(np.eye(3), "z")) == pytest.approx(1.0)


@pytest.mark.parametrize("up", ["y", "z"])
def test_there_and_back_is_no_change(up: Up) -> None:
    vectors = np.arange(12.0).reshape(2, 2, 3)
    assert np.array_equal(to_y_up(from_y_up(vectors, up), up), vectors)


@pytest.mark.parametrize("convert", [from_y_up, to_y_up])
def test_another_axis_is_refused(convert: Callable[..., Array]) -> None:
    with pytest.raises(SkeletonError, match="Up must be 'y' or 'z', not 'x'"):
        convert(UP, "x")
