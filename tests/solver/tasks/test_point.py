# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tasks of a point have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.core.errors import TaskError
from poise.solver.synthetic import human
from poise.solver.tasks import AimTask, AttachmentTask, HalfSpaceTask, PositionTask, Task

PLACE = (0.1, 0.2, 0.3)


def tasks(place: Any = PLACE, **rest: Any) -> list[Task]:
    """One of each kind, for the left wrist."""
    return [
        PositionTask("l_wrist", place, **rest),
        AimTask("l_wrist", (1.0, 0.0, 0.0), place, **rest),
        AttachmentTask("l_wrist", "vt1", place, **rest),
        HalfSpaceTask("l_wrist", place, (0.0, 1.0, 0.0), **rest),
    ]


@pytest.mark.parametrize("number", range(4))
def test_the_target_is_one_for_all_frames_or_one_for_each(number: int) -> None:
    (shared, each_frame) = (tasks(place)[number] for place in (PLACE, np.tile(PLACE, (7, 1))))
    shared.check(human(), 5)
    each_frame.check(human(), 7)
    with pytest.raises(TaskError, match="targets for 7 frames"):
        each_frame.check(human(), 5)
    assert getattr(each_frame.at(np.array([0, 3])), each_frame.frame_field).shape == (2, 3)
    assert not getattr(shared, shared.frame_field).flags.writeable


@pytest.mark.parametrize("wrong", [(1.0, 2.0), (np.nan, 0.0, 0.0), "here"])
def test_targets_and_offsets_that_are_none_are_refused(wrong: Any) -> None:
    for number in range(4):
        with pytest.raises(TaskError, match=r"must be|is not finite"):
            tasks(wrong)[number]
        with pytest.raises(TaskError, match="the offset"):
            tasks(offset=wrong)[number]


def test_a_recruiting_level_counts_from_the_joint() -> None:
    for task in tasks(recruit=1):
        names = [human().names[joint] for joint in np.flatnonzero(task.recruited(human()))]
        assert task.effector == "l_wrist" and names == ["l_elbow", "l_wrist"]
