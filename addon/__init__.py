# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Poise.

So far it is an empty room: the extension installs, enables, disables and uninstalls, and registers no class, property
or handler. Only the solver is usable, as a Python package.
"""

from __future__ import annotations


def register() -> None:
    """Register the add-on's classes; there are none yet."""


def unregister() -> None:
    """Unregister what `register` registered; there is nothing yet."""
