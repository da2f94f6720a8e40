# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad settings of cleaning are refused."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup.settings import CleanSettings
from poise.solver.core.errors import ConstraintError


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"averaging": -0.1}, "averaging must be a finite number of seconds"),
        ({"turning": np.nan}, "turning"),
        ({"carrying": "long"}, "carrying"),
        ({"smoothing": np.inf}, "smoothing"),
        ({"blending": -1.0}, "blending"),
        ({"lifting": None}, "lifting"),
        ({"swivel": 1.5}, "swivel must be a number from 0 to 1"),
        ({"damping": 4.0}, "damping must be an angle"),
        ({"most_stretch": 1.0}, "most_stretch"),
        ({"ground": 0.0}, "ground must be a Ground or None"),
    ],
)
def test_bad_settings_are_refused(wrong, told):
    with pytest.raises(ConstraintError, match=told):
        CleanSettings(**wrong)
