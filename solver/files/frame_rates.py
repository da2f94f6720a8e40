# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame rates and the frame times that files print for them, rounded to a few digits."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import numpy as np

_WHOLE_RATES = (12, 15, 24, 25, 30, 48, 50, 60, 72, 75, 90, 96, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 480)
_NTSC_RATES = (24, 30, 48, 60, 120, 240)
"""Times 1000 / 1001."""

_LARGEST_CORRECTION = Decimal("0.02")
"""A frame time of one digit fits many rates; one that is this part away from a common rate is taken at its word."""

_PRECISION = Context(prec=40)
_FINEST_DIGIT = -60


def _frame_rates() -> list[tuple[bool, float, Decimal]]:
    """(of NTSC, frames a second, seconds a frame) of the common rates, also as single-precision programs see them."""
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

    They may be rounded or cut off. Whole rates go before those of NTSC, which a few digits cannot tell apart.
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
    """The seconds of a frame with so many digits that `frame_rate` gives the same rate, bit for bit.

    Twenty digits are more than a double holds. Rates whose frame time needs fewer (powers of 2 times powers of 5) are
    exact, and none lies so near to a common rate that its digits could be taken for that one's.
    """
    return str(Context(prec=20).divide(Decimal(1), Decimal(fps)))
