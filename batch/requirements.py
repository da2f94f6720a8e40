# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be installed before anything else is imported; this module needs only the standard library."""

import importlib.util

NEEDED = "numpy"


def missing_requirement() -> str:
    """One sentence that says what to install; empty if all is there."""
    if importlib.util.find_spec(NEEDED) is None:
        return "Poise needs NumPy, which this Python does not have: install it with `python -m pip install numpy`."
    return ""
