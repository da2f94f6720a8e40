# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with an armature, an action or a file: one sentence each, that says what to do."""

from __future__ import annotations

from ...solver import PoiseError


class BridgeError(PoiseError):
    """Something in the .blend that cannot be read or baked; nothing has been changed when it is raised."""
