# SPDX-License-Identifier: GPL-3.0-or-later
"""Each test has the add-on registered, and may ask for a walking character and for what Blender prints."""

from __future__ import annotations

import pytest

from ..characters import armature, registered
from .drawing import Complaints

__all__ = ["armature", "complaints", "registered"]


@pytest.fixture
def complaints(capfd: pytest.CaptureFixture[str]) -> Complaints:
    """What Blender prints while it draws."""
    return Complaints(capfd)
