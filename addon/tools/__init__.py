# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools in the toolbar of the 3D view."""

from __future__ import annotations

from . import posture

classes = posture.classes


def register() -> None:
    """Add the tools."""
    posture.register()


def unregister() -> None:
    """Remove the tools."""
    posture.unregister()
