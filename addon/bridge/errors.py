# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of the bridge. Each message is one sentence that says what to do."""

from __future__ import annotations

from ...solver import PoiseError


class BridgeError(PoiseError):
    """An armature, action or object cannot be read or baked. Raised before anything is changed."""


class SourceChangedError(BridgeError):
    """What was read has changed before its result was baked: it can be read and solved again."""
