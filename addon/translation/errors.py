# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of the translation. Its message is one sentence that says what to do."""

from __future__ import annotations

from ...solver import PoiseError


class TranslationError(PoiseError):
    """A saved constraint or setting that the solver cannot take, or a constraint of the solver that cannot be saved.

    Raised before anything is changed.
    """
