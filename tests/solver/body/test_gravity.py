# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity in a character's own units."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.gravity import ADULT_SIZE, EARTH, earth_gravity


def test_gravity_is_that_of_an_adult_of_any_scale() -> None:
    person = synthetic.human(stature=1.741)
    assert person.size == pytest.approx(ADULT_SIZE, rel=0.025), "the made-up human has the proportions of an adult"
    assert earth_gravity(person) == pytest.approx(EARTH, rel=0.025)
    assert earth_gravity(person.scaled(100.0)) == pytest.approx(100.0 * earth_gravity(person), rel=1e-12)


def test_a_fall_by_one_size_takes_as_long_for_every_character() -> None:
    for stature in (0.5, 1.75, 30.0):
        skeleton = synthetic.human(stature=stature)
        seconds = np.sqrt(2.0 * skeleton.size / earth_gravity(skeleton))
        assert seconds == pytest.approx(np.sqrt(2.0 * 0.92 / 9.81))
