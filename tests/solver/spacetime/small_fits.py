# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits of short made-up motions, made once for each process."""

from __future__ import annotations

from functools import cache

from poise.solver import synthetic
from poise.solver.spacetime import Fit, PhysicsSettings, fit

COARSE = PhysicsSettings(rate=16.0, stages=(1.0,), edit_seconds=600.0)
"""Few points, so that a fit takes about a second. A solve ends by its iterations, also on a busy machine."""


@cache
def walk_fit() -> Fit:
    """Two steps of the made-up human, walking along z."""
    return fit(synthetic.walk(steps=2, fps=30.0).clip, None, "biped", COARSE)
