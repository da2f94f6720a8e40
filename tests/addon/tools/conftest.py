# SPDX-License-Identifier: GPL-3.0-or-later
"""Each test has the add-on registered, and may ask for a walking character."""

from ..characters import armature, registered

__all__ = ["armature", "registered"]
