# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of noise patterns: where signals are below their thresholds, and where examples and finds are."""

from __future__ import annotations

import numpy as np

from poise.addon.plots.lanes import DEPTH, LANE, plot_of
from poise.solver import NoiseSignal

from .made_up import pattern


def test_still_and_moving_frames_are_told_apart() -> None:
    plot = plot_of(pattern())
    assert [lane.title for lane in plot.lanes] == ["Turn", "Move"] and plot.lanes[0].is_angle
    for lane in plot.lanes:
        assert lane.still.dtype == np.float32 and len(lane.still) == 6 * 80 and len(lane.moving) == 6 * 20
        assert lane.moving[:, 0].min() == 40.5 and lane.moving[:, 0].max() == 60.5
        line = lane.threshold[0, 1]
        assert lane.still[:, 1].max() < line < lane.moving[:, 1].max() <= lane.bottom + LANE
        assert lane.threshold[:, 1].min() == line, "a constant threshold is level"


def test_lanes_and_bars_lie_above_each_other() -> None:
    plot = plot_of(pattern())
    bottoms = sorted(lane.bottom for lane in plot.lanes)
    assert bottoms[1] >= bottoms[0] + LANE and plot.height > bottoms[1] + LANE
    assert plot.lanes[0].bottom > plot.lanes[1].bottom, "the first is on top"
    assert plot.found[:, 1].max() < plot.examples[:, 1].min() < plot.examples[:, 1].max() < bottoms[0]
    assert (plot.examples[:, 0].min(), plot.examples[:, 0].max()) == (5.0, 20.0)
    assert len(plot.found) == 12 and (plot.found[:, 0].min(), plot.found[:, 0].max()) == (1.0, 100.0)


def test_thresholds_that_differ_much_and_signals_without_noise_stay_within_the_lane() -> None:
    times = np.arange(50.0)
    limits = np.geomspace(1e-6, 1e-2, 50)
    values = np.zeros(50)
    values[25] = 10.0
    made = pattern()
    lane = plot_of(type(made)(made.subject, (NoiseSignal("slip", times, values, limits),), (), (), 1.0)).lanes[0]
    places = np.concatenate([lane.still, lane.moving, lane.threshold])
    assert np.isfinite(places).all()
    assert places[:, 1].min() >= lane.bottom and places[:, 1].max() <= lane.bottom + LANE + 1e-3
    rises = np.diff(lane.threshold[:, 1])
    assert (rises > 0.0).all() and np.ptp(rises) < 1e-3, "equal ratios are equal distances"
    assert lane.threshold[0, 1] > lane.bottom + 0.05 * LANE, f"a lane reaches {DEPTH:g} times below the least threshold"
