# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of capture: feet slide as much as asked, smoothly, and the true contacts stay."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic

from .checks import accelerations, contact_paths


@pytest.mark.parametrize("amount", [0.005, 0.02, 0.06])
@pytest.mark.parametrize("seed", [0, 7])
def test_feet_skate_as_much_as_asked_and_the_truth_stays(amount: float, seed: int) -> None:
    clean, faulty = synthetic.walk(), synthetic.walk(skate=amount, seed=seed)
    for mine, theirs in zip(faulty.contacts, clean.contacts, strict=True):
        assert np.array_equal(mine.heel, theirs.heel)
        assert np.array_equal(mine.toe, theirs.toe)
    squares = np.concatenate([((places - truth) ** 2).sum(axis=1) for _, places, truth in contact_paths(faulty)])
    size = faulty.clip.skeleton.size
    assert np.sqrt(squares.mean()) == pytest.approx(amount * size, rel=0.01)
    moved = [np.ptp(places, axis=0).max() for _, places, _ in contact_paths(faulty)]
    assert np.median(moved) > 0.3 * amount * size, "feet must slide during a plant, not only stand elsewhere"


def test_skating_is_smooth_and_of_its_seed() -> None:
    clean, one, other = synthetic.walk(), synthetic.walk(skate=0.02), synthetic.walk(skate=0.02, seed=1)
    assert np.array_equal(one.clip.motion.rotations, synthetic.walk(skate=0.02).clip.motion.rotations)
    assert np.abs(one.clip.motion.rotations - other.clip.motion.rotations).max() > 1e-3
    assert accelerations(one.clip).max() < 1.2 * accelerations(clean.clip).max()
    half = synthetic.walk(skate=0.02, fps=60.0).clip.motion.rotations[::2]
    assert np.abs(half - one.clip.motion.rotations[: len(half)]).max() < 2e-3, "a fault belongs to time, not to frames"
