# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with a saved constraint: one sentence each, that says what to do."""

from __future__ import annotations

from ...solver import PoiseError


class TranslationError(PoiseError):
    """A constraint or landmark in the .blend that the solver cannot be given, or one of the solver's that a .blend
    cannot keep; nothing has been changed when it is raised."""
