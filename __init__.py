# SPDX-License-Identifier: GPL-3.0-or-later
"""Poise: edit motion by what must hold, in order of importance.

This folder is the Blender extension and the Python package `poise` at once. Importing it needs no Blender: only
`register` and `unregister`, which Blender calls, reach for the add-on.
"""

__version__ = "0.1.0"


def register() -> None:
    """Register the add-on; called by Blender."""
    from . import addon

    addon.register()


def unregister() -> None:
    """Undo `register`; called by Blender."""
    from . import addon

    addon.unregister()
