# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of a character in the 3D viewport: footprints, points, paths, missed targets, balance and ghosts.

Geometry is computed with NumPy alone, from plain values (`marks`) and clips (`subjects`), and drawn from batches that
are kept until their geometry changes.
"""

from .handlers import register, unregister
from .picking import Hit, pick

__all__ = ["Hit", "classes", "pick", "register", "unregister"]

classes = ()
