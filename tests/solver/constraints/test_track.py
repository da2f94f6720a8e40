# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks: the frames of their activity and their displacements."""

from __future__ import annotations

import numpy as np

from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import Balance, Track
from poise.solver.constraints.effectors import PointEffector


def test_a_track_covers_as_many_frames_as_it_has_displacements(rng: np.random.Generator) -> None:
    displacement = rng.standard_normal((5, 3))
    track = Track(Balance(), PointEffector(BodyPoint(0)), 7, displacement, ((8.0, 9.0),))
    assert track.end == 11 and track.frames.tolist() == [7, 8, 9, 10, 11]
    np.testing.assert_array_equal(track.part(8, 10), displacement[1:4])
    np.testing.assert_array_equal(track.part(7, 11), displacement)
    assert track.part(9, 9).shape == (1, 3) and track.leads is None
