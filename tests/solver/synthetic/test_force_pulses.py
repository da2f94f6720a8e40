# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulses: their integrals, their ends, and what they leave behind."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.synthetic.force_pulses import BRAKE_AND_PUSH, FADE, PUSH, Pulse

PULSES = {"push": PUSH, "brake and push": BRAKE_AND_PUSH, "fade": FADE}
every_pulse = pytest.mark.parametrize("pulse", PULSES.values(), ids=PULSES.keys())


@every_pulse
def test_speed_and_distance_are_the_integrals(pulse: Pulse) -> None:
    shares = np.linspace(-0.5, 1.7, 22001)
    step = shares[1] - shares[0]
    for gained, rate in ((pulse.speed, pulse.acceleration), (pulse.distance, pulse.speed)):
        differences = np.diff(gained(shares)) / step
        assert np.abs(differences - rate(0.5 * (shares[1:] + shares[:-1]))).max() < 2e-4


@pytest.mark.parametrize("pulse", [PUSH, BRAKE_AND_PUSH])
def test_a_push_begins_and_ends_at_zero_with_its_slope(pulse: Pulse) -> None:
    near = np.array([1e-4, 1.0 - 1e-4])
    assert np.abs(pulse.acceleration(near)).max() < 1e-6
    assert np.array_equal(pulse.acceleration([-0.1, 1.1]), [0.0, 0.0])


def test_what_is_left_behind() -> None:
    assert PUSH.speed(1.0) == pytest.approx(1.0)
    assert PUSH.speed(5.0) == pytest.approx(1.0)
    assert PUSH.distance(2.0) == pytest.approx(1.5), "half a unit in the pulse, then one unit of time at speed 1"
    assert PUSH.acceleration(0.5) == pytest.approx(15.0 / 8.0)
    assert (PUSH.acceleration(np.linspace(0.0, 1.0, 99)) >= 0.0).all()
    assert BRAKE_AND_PUSH.speed(1.0) == pytest.approx(0.0, abs=1e-12)
    assert BRAKE_AND_PUSH.acceleration(0.2) < 0.0 < BRAKE_AND_PUSH.acceleration(0.8)
    assert FADE.acceleration([0.0, 0.5, 1.0]) == pytest.approx([1.0, 0.5, 0.0])
    assert FADE.speed(1.0) == pytest.approx(0.5)
