# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits of short made-up motions, made once for each process."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from poise.examples.physics_sources import planted
from poise.solver import Footplant, synthetic
from poise.solver.spacetime import Fit, PhysicsSettings, fit

from ..standing import standing_human

COARSE = PhysicsSettings(rate=16.0, stages=(1.0,), seconds=600.0, edit_seconds=600.0)
"""Few points, so that a fit takes about a second; solves end by their iterations also on a busy machine."""


@cache
def walk_fit() -> Fit:
    """Two steps of the made-up human, walking along z."""
    return fit(synthetic.walk(steps=2, fps=30.0).clip, None, "biped", COARSE)


@cache
def running_fit() -> Fit:
    """Two steps of a made-up run, with its true contacts as plants: feet that stand do not move at all."""
    return fit(*planted(synthetic.run(steps=2, fps=30.0)), "biped", replace(COARSE, rate=30.0))


@cache
def standing_fit() -> Fit:
    """The made-up human at rest on both feet for half a second."""
    clip = standing_human(16)
    plants = [Footplant(foot=foot, heel_strike=0, toe_strike=0, heel_off=15, toe_off=15) for foot in ("left", "right")]
    return fit(clip, plants, "biped", COARSE)
