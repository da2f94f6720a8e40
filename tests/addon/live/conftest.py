# SPDX-License-Identifier: GPL-3.0-or-later
"""Each test has the add-on registered, and may ask for a walking character."""

from ..characters import armature, reading, registered

__all__ = ["armature", "reading", "registered"]
