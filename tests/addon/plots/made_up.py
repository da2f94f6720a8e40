# SPDX-License-Identifier: GPL-3.0-or-later
"""A noise pattern with known signals: quiet, loud, quiet."""

from __future__ import annotations

import numpy as np

from poise.addon.workflows.noise_patterns import NoisePattern, Span
from poise.addon.workflows.subjects import Subject
from poise.solver import NoiseSignal

QUIET, LOUD = slice(0, 40), slice(40, 60)
"""Frames from 1: still in the first 40, not in the next 20, still again after these."""


def pattern(bone: str = "l_wrist", threshold: float = 1e-3) -> NoisePattern:
    """Both signals are two fifths of the threshold, and a hundred times that where it is loud."""
    times = np.arange(1.0, 101.0)
    values = np.full(100, 0.4 * threshold)
    values[LOUD] *= 100.0
    limits = np.full(100, threshold)
    signals = tuple(NoiseSignal(measure, times, values, limits) for measure in ("rotation", "translation"))  # type: ignore[arg-type]
    return NoisePattern(
        Subject(bone=bone),
        signals,
        (Span(5.0, 20.0, "SPACE"),),
        (Span(1.0, 40.0, "SPACE"), Span(61.0, 100.0, "SPACE")),
        1.0,
    )
