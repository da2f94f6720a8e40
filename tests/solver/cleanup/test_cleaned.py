# SPDX-License-Identifier: GPL-3.0-or-later
"""The residuals and sentences of a cleaned clip."""

from __future__ import annotations

import numpy as np

from poise.solver.cleanup.cleaned import Cleaned, residuals_of
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.synthetic import walk


def test_residuals_are_distances_from_where_plants_should_stand():
    clip = walk(steps=2).clip
    limbs = limbs_of(clip.skeleton)
    path = clip.position(limbs[0].points["heel"])
    plants = (
        PlantedPoint("left leg", "heel", 4, 6, location=tuple(path[4])),
        PlantedPoint("left leg", "ball", 4, 6, location=(9.0, 9.0, 9.0), name="far one"),
    )
    residuals = residuals_of(clip, plants, limbs)
    assert np.allclose(residuals[0], np.linalg.norm(path[4:7] - path[4], axis=1))
    cleaned = Cleaned(clip, plants, residuals, {"left leg": np.array([0.0, -0.02, 0.01])}, np.zeros((clip.frames, 3)))
    assert cleaned.residual == max(each.max() for each in residuals) / clip.skeleton.size
    assert cleaned.largest_stretch == 0.02
    assert any(told.startswith("far one: at frame") and "sizes of the character" in told for told in cleaned.unmet)


def test_a_clip_without_plants_has_no_residuals_and_no_sentences():
    clip = walk(steps=1).clip
    cleaned = Cleaned(clip, (), (), {}, np.zeros((clip.frames, 3)))
    assert cleaned.residual == 0.0 and cleaned.largest_stretch == 0.0 and cleaned.unmet == ()
