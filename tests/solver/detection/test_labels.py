# SPDX-License-Identifier: GPL-3.0-or-later
"""The labels of captured clips: complete, in order, and within their clips."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from poise import solver
from poise.examples.detection.labels import NAMES, read_labels


def test_there_are_labels_of_ten_captures() -> None:
    assert len(NAMES) == 10 and {"02_01", "49_06"} <= set(NAMES)
    assert [name for name in NAMES if read_labels(name).hands] == ["49_06"]


@pytest.mark.parametrize("name", NAMES)
def test_events_are_in_order_and_intervals_do_not_overlap(name: str) -> None:
    labels = read_labels(name)
    assert labels.clip == f"{name}.bvh" and "Placed by eye" in labels.how
    for spans in (*labels.foot_spans.values(), *labels.hand_spans.values()):
        assert all(begin <= end for begin, end in spans)
        assert all(one[1] < other[0] for one, other in itertools.pairwise(spans))
    for label in labels.footplants:
        assert solver.Footplant(**label).stays, "a footplant that can be used as a constraint"


@pytest.mark.parametrize("name", NAMES)
def test_labels_lie_within_their_clips(mocap: Path, name: str) -> None:
    labels = read_labels(name)
    frames = solver.read_bvh(mocap / labels.clip).frames
    for spans in (*labels.foot_spans.values(), *labels.hand_spans.values()):
        # The first frame is a calibration pose.
        assert all(begin >= 1 and end < frames for begin, end in spans)
