# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame rates from printed frame times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poise.solver.files.frame_rates import frame_rate, frame_time

WHOLE = (12, 15, 24, 25, 30, 48, 50, 60, 72, 75, 90, 96, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 480)
NTSC = (24, 30, 48, 60, 120, 240)


@pytest.mark.parametrize(
    ("printed", "rate"),
    [
        (".0083333", 120.0),
        (".0333333", 30.0),
        ("0.033333", 30.0),
        ("0.0333", 30.0),
        ("0.033", 30.0),
        ("0.016666", 60.0),  # cut off, not rounded
        ("0.0166667", 60.0),
        ("1.66667e-2", 60.0),
        ("8.33333E-03", 120.0),
        ("0.04", 25.0),
        ("0.0400000", 25.0),
        ("0.01", 100.0),
        ("0.0417", 24.0),
        ("0.041708", 24000 / 1001),
        ("0.0333667", 30000 / 1001),
        ("0.03337", 30000 / 1001),
        ("0.0334", 30000 / 1001),  # 1/30 would be neither rounded nor cut off to this
        ("0.016683", 60000 / 1001),
        ("0.010417", 96.0),
        ("0.03333333507180214", 30.0),  # 1/30 in single precision
        ("0.033333335", 30.0),
        ("0.1", 10.0),
        ("0.008", 125.0),  # one digit: 120 would be 4 % away
        ("1", 1.0),
        ("2", 0.5),
        ("0.0345", 10000 / 345),
    ],
)
def test_a_printed_frame_time_means_the_common_rate_that_its_digits_fit(printed: str, rate: float) -> None:
    assert frame_rate(printed) == rate


@pytest.mark.parametrize("digits", range(5, 18))
def test_every_common_rate_is_recognised_however_many_digits_are_printed(digits: int) -> None:
    for rate in WHOLE:
        exact = 1.0 / rate
        cut_off = math.floor(exact * 10**digits) / 10**digits
        for seconds in (exact, cut_off, float(np.float32(exact))):
            printed = f"{seconds:.{digits}f}"
            assert frame_rate(printed) == rate, f"{printed} was not read as {rate}"


@pytest.mark.parametrize("digits", range(7, 18))
def test_ntsc_rates_are_told_apart_from_whole_ones(digits: int) -> None:
    for rate in NTSC:
        printed = f"{1.001 / rate:.{digits}f}"
        assert frame_rate(printed) == rate * 1000 / 1001, f"{printed} was not read as {rate} · 1000 / 1001"


def test_what_is_written_reads_back_to_the_same_rate_bit_for_bit() -> None:
    rng = np.random.default_rng(1)
    rates = [*np.exp(rng.uniform(np.log(1e-3), np.log(1e6), 2000)).tolist()]
    rates += [float(rate) for rate in range(1, 1001)] + [rate * 1000 / 1001 for rate in NTSC] + [29.97, 23.976, 59.94]
    rates += [float(np.nextafter(rate, side)) for rate in WHOLE for side in (0.0, np.inf)]
    rates += [2.0**power * 5.0**other for power in range(-20, 21) for other in range(-8, 9)]  # finite decimals
    for rate in rates:
        assert frame_rate(frame_time(rate)) == rate, f"{rate!r} was written as {frame_time(rate)}"


def test_an_ordinary_rate_is_written_without_an_exponent() -> None:
    assert frame_time(25.0) == "0.04"
    assert frame_time(120.0) == "0.0083333333333333333333"
