# SPDX-License-Identifier: GPL-3.0-or-later
"""The source and its cache: each value is computed once, and dropped when it has not been used for a while."""

from __future__ import annotations

import numpy as np

from poise.solver.constraints import ConstraintPoint, DirectionConstraint, Source
from poise.solver.constraints.effectors import PointEffector
from poise.solver.constraints.source import COMPILATIONS_KEPT
from poise.solver.deformation.timeline import Timeline

from ..made_up import moving_human


def test_effector_values_are_those_of_the_clip_and_computed_once(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 8, fps=24.0)
    source = Source(clip)
    hand = PointEffector(clip.skeleton.resolve("l_wrist"))
    np.testing.assert_array_equal(source.values(hand), clip.position("l_wrist"))
    assert source.values(PointEffector(clip.skeleton.resolve("l_wrist"))) is source.values(hand)
    assert (source.frames, source.ease) == (8, 6.0)
    assert [source.frames_in(seconds) for seconds in (0.0, 0.01, 0.25)] == [1, 1, 6]


def test_times_of_frames_are_given_or_evenly_spaced(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 3, fps=24.0)
    np.testing.assert_allclose(Source(clip).seconds, [0.0, 1.0 / 24.0, 2.0 / 24.0], rtol=1e-15)
    uneven = np.array([0.0, 0.1, 0.4])
    assert Source(clip, seconds=uneven).seconds is uneven


def test_cached_values_stay_as_long_as_they_are_used(rng: np.random.Generator) -> None:
    source = Source(moving_human(rng, 2))
    often = source.cached("often", lambda: [1])
    seldom = source.cached("seldom", lambda: [2])
    for _ in range(COMPILATIONS_KEPT + 1):
        source.begin_compilation(())
        assert source.cached("often", lambda: [3]) is often
    assert source.cached("seldom", lambda: [4]) == [4] != seldom


def test_the_cache_is_bounded_while_an_effector_is_edited(rng: np.random.Generator) -> None:
    """Every other axis of a direction is another effector: their values must not be kept for ever."""
    source = Source(moving_human(rng, 8))
    sizes = []
    for number in range(5 * COMPILATIONS_KEPT):
        axis = (1.0, 0.1 * number, 0.0)
        gaze = DirectionConstraint("l_wrist", 0, 7, [ConstraintPoint((1.0, 0.0, 0.0), 3)], axis=axis)
        Timeline.of(source, [gaze])
        sizes.append(len(source._cache))
    assert max(sizes) == sizes[2 * COMPILATIONS_KEPT]
