# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a character's surface: invalid input, and scaling with the skeleton."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Skin
from poise.solver.core.errors import SkeletonError

from ..characters import person


def test_a_skin_is_kept_as_arrays_that_cannot_be_changed() -> None:
    skin = Skin([1, 2], [[0, 0, 1], [0, 1, 0]])
    assert len(skin) == 2 and skin.joints.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        skin.offsets[0] = 1.0


@pytest.mark.parametrize(
    ("joints", "offsets", "complaint"),
    [
        ([0, 1], [[0.0, 0.0, 0.0]], "a joint and three numbers"),
        ([0], [[0.0, 0.0]], "a joint and three numbers"),
        ([0], [[0.0, np.nan, 0.0]], "finite"),
    ],
)
def test_what_is_no_skin_is_refused(joints: list[int], offsets: list[list[float]], complaint: str) -> None:
    with pytest.raises(SkeletonError, match=complaint):
        Skin(joints, offsets)


def test_a_skin_belongs_to_joints_that_there_are() -> None:
    with pytest.raises(SkeletonError, match="skin"):
        person().replace(skin=Skin([99], [[0.0, 0.0, 0.0]]))


def test_a_skin_grows_with_its_skeleton() -> None:
    skinned = person().replace(skin=Skin([3], [[0.1, 0.2, 0.3]]))
    np.testing.assert_allclose(skinned.scaled(10.0).skin.offsets, [[1.0, 2.0, 3.0]])
