# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame rates from rounded frame times, and back."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import numpy as np

_WHOLE_RATES = (12, 15, 24, 25, 30, 48, 50, 60, 72, 75, 90, 96, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 480)
_NTSC_RATES = (24, 30, 48, 60, 120, 240)
"""Times 1000 / 1001."""

_LARGEST_CORRECTION = Decimal("0.02")
"""Largest relative change of a frame time to that of a common rate: a frame time of one digit would fit many."""

_PRECISION = Context(prec=40)
_FINEST_DIGIT = -60


def _frame_rates() -> list[tuple[bool, float, Decimal]]:
    """(is NTSC, frames a second, seconds a frame) of the common rates, exact and rounded to single precision."""
    rates = []
    with localcontext(_PRECISION):
        exact = [(False, float(rate), 1 / Decimal(rate)) for rate in _WHOLE_RATES]
        exact += [(True, rate * 1000 / 1001, 1001 / Decimal(1000 * rate)) for rate in _NTSC_RATES]
        for ntsc, rate, seconds in exact:
            rates.append((ntsc, rate, seconds))
            rates.append((ntsc, rate, Decimal(float(np.float32(float(seconds))))))
    return rates


_COMMON_RATES = _frame_rates()


def frame_rate(frame_time: str) -> float:
    """Frames a second of a printed frame time: a common rate if the digits are those of its frame time.

    The digits may be rounded or cut off. Where both fit, whole rates are preferred to NTSC rates.
    """
    with localcontext(_PRECISION):
        seconds = Decimal(frame_time)
        exponent = seconds.as_tuple().exponent
        assert isinstance(exponent, int)  # only of NaN and infinity it is a letter
        last_digit = Decimal(1).scaleb(max(exponent, _FINEST_DIGIT))
        fitting = []
        for ntsc, rate, exact in _COMMON_RATES:
            missing = exact - seconds
            if -last_digit / 2 <= missing < last_digit and abs(missing) <= _LARGEST_CORRECTION * seconds:
                fitting.append((ntsc, abs(missing), rate))
        return min(fitting)[-1] if fitting else float(1 / seconds)


def frame_time(fps: float) -> str:
    """The seconds of a frame, printed with so many digits that `frame_rate` returns the same rate, bit for bit.

    Twenty digits are more than a double holds. Frame times that need fewer are exact, and no other rate is so near to
    a common rate that its digits would be taken for that rate.
    """
    return str(Context(prec=20).divide(Decimal(1), Decimal(fps)))
