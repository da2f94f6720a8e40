# SPDX-License-Identifier: GPL-3.0-or-later
"""Detected constraints."""

from __future__ import annotations

import numpy as np

from poise.solver import Detected


def test_both_ends_of_a_constraint_count() -> None:
    assert Detected("point", 4, 9, np.zeros(3), np.zeros(3), 0.0).frames == 6


def test_only_spaces_have_a_rotation_and_only_lines_a_direction() -> None:
    constraint = Detected("point", 4, 9, np.zeros(3), np.zeros(3), 0.0)
    assert constraint.rotation is None and constraint.direction is None
