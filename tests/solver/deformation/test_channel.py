# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels, their active runs, and the offsets at the boundaries of runs."""

from __future__ import annotations

import numpy as np

from poise.solver.constraints import (
    Constraint,
    Source,
)
from poise.solver.deformation.channel import ActiveRun, boundary_offsets
from poise.solver.deformation.timeline import Timeline

from ..made_up import point_clip
from ..standing import displaced, frame_tasks_of, standing_human
from .time_lines import ALONG_X, finely, only, shape, timeline_of


def test_a_channel_without_inactive_frames_is_the_same() -> None:
    channel, _ = only(timeline_of([shape(10, 30, ((0.0, 1.0, 0.0), 20))]))
    assert channel.without(~channel.active) is channel
    assert not channel.without(channel.active).active.any()


def some_run() -> ActiveRun:
    constraints = [shape(10, 50, ((0.0, 5.0, 0.0), 20, 30)), shape(55, 75, ((0.0, 5.0, 0.0), 65))]
    channel, _ = only(timeline_of(constraints))
    first, second = channel.active_runs()
    assert (first.first, first.last, first.first_hold(), first.last_hold()) == (10, 50, 20, 30)
    assert (second.first, second.last, second.first_hold(), second.last_hold()) == (55, 75, 65, 65)
    return first


def test_a_run_with_offsets_begins_and_ends_as_the_motion_around_it_does(rng: np.random.Generator) -> None:
    """What is added continues the given displacement and velocity outside, and is nothing while anything is held."""
    run = some_run()
    before, slope, after, slope_after = rng.standard_normal((4, 3))
    added = boundary_offsets(run, before, slope, after, slope_after, 7.5)
    assert added.shape == (41, 3)
    assert not added[10:21].any()
    # One frame inside, it has moved on by the velocity, less what an ease of 10 and of 20 frames takes back by then.
    np.testing.assert_allclose(added[0], before + slope, atol=0.5 * np.abs(slope).max() + 0.05 * np.abs(before).max())
    np.testing.assert_allclose(added[-1], after - slope_after, atol=0.5 * np.abs(slope_after).max() + 0.05)
    only_before = boundary_offsets(run, before, np.zeros(3), np.zeros(3), np.zeros(3), 7.5)
    assert not only_before[10:].any()
    share = only_before @ before / (before @ before)
    # From rest over 11 frames, and back to rest over 21: what a cubic has lost after the first, or has still to gain.
    np.testing.assert_allclose(share[0], 1.0 - (3.0 - 2.0 / 11.0) / 11.0**2)
    assert (np.diff(share[:11]) < 0.0).all()
    only_after = boundary_offsets(run, np.zeros(3), np.zeros(3), before, np.zeros(3), 7.5)
    assert not only_after[:21].any()
    share = only_after @ before / (before @ before)
    np.testing.assert_allclose(share[-1], 1.0 - (3.0 - 2.0 / 21.0) / 21.0**2)
    assert (np.diff(share[20:]) > 0.0).all()


def test_velocities_around_a_run_are_continued() -> None:
    """In the limit of fine frames: the first step inside is as long as the one outside was."""
    for side in ("before", "after"):
        misses = []
        for fine in (16, 64):
            source = Source(point_clip(ALONG_X(np.arange(80 * fine + 1) / fine), 30.0 * fine))
            channel, _ = only(Timeline.of(source, [finely(shape(10, 50, ((0.0, 5.0, 0.0), 20, 30)), fine)]))
            (run,) = channel.active_runs()
            place, slope = np.array([1.0, 2.0, 3.0]), np.array([0.4, -0.3, 0.2]) / fine
            nothing = np.zeros(3)
            if side == "before":
                added = boundary_offsets(run, place, slope, nothing, nothing, source.ease)
                misses.append(np.abs((added[0] - place) - slope).max() * fine)
            else:
                added = boundary_offsets(run, nothing, nothing, place, slope, source.ease)
                misses.append(np.abs((place - added[-1]) - slope).max() * fine)
        assert misses[1] < 0.35 * misses[0], side


def test_a_run_that_begins_and_ends_in_a_hold_has_no_offsets(rng: np.random.Generator) -> None:
    channel, _ = only(timeline_of([shape(10, 50, ((0.0, 5.0, 0.0), 10, 50))]))
    (run,) = channel.active_runs()
    assert (run.first_hold(), run.last_hold()) == (10, 50)
    assert not boundary_offsets(run, *rng.standard_normal((4, 3)), 7.5).any()


def test_runs_of_a_channel_end_where_it_is_inactive_and_where_its_owner_changes() -> None:
    clip = standing_human(61)
    hands: list[Constraint] = [
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 2, 6, 14, 18, priority=2),
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 10, 24, 28, 33, priority=1),
        displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 40, 44, 48, 52),
    ]
    timeline = frame_tasks_of(clip, hands).timeline
    (channel,) = timeline.channels
    found = channel.owned_runs()
    for first, last in found:
        assert channel.active[first : last + 1].all() and len(set(channel.owner[first : last + 1])) == 1
        for beside in (first - 1, last + 1):
            assert channel.owner[beside] != channel.owner[first]
    assert sum(last + 1 - first for first, last in found) == channel.active.sum() and len(found) == 3
    assert timeline.events().tolist() == sorted(frame for run in found for frame in run)
