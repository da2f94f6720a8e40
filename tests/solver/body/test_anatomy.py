# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of joint ranges: complete, and divided by the joints that share a range."""

from __future__ import annotations

import pytest

from poise.solver.body import anatomy
from poise.solver.body.anatomy import OPPOSITE, SLACK, BallMobility, HingeMobility

RANGES = [each for each in vars(anatomy).values() if isinstance(each, BallMobility)]


@pytest.mark.parametrize("mobility", RANGES)
def test_a_ball_moves_in_two_directions_and_their_opposites(mobility: BallMobility) -> None:
    first = [name for name in mobility.swing if name in OPPOSITE]
    assert len(first) == 2
    assert set(mobility.swing) == {*first, *(OPPOSITE[name] for name in first)}
    assert mobility.twist[0] < 0.0 < mobility.twist[1]


def test_a_hinge_is_straight_inside_its_range() -> None:
    for mobility in (each for each in vars(anatomy).values() if isinstance(each, HingeMobility)):
        assert mobility.bend[0] <= 0.0 < mobility.bend[1]


def test_joints_that_share_a_range_have_it_together_and_slack_each() -> None:
    share = anatomy.SPINE.shared_by(4)
    assert share.swing == {"forward": 20.0, "back": 6.25, "out": 8.75, "in": 8.75}
    assert share.twist == (-11.25, 11.25)
    assert set(anatomy.SPINE.shared_by(100).swing.values()) == {SLACK}
