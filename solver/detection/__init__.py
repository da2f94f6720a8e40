# SPDX-License-Identifier: GPL-3.0-or-later
"""From a motion to the constraints that it already satisfies (document 003, chapter 6; document 004)."""

from .detect import DetectionSettings, detect
from .kinds import Detected, Template

__all__ = ["Detected", "DetectionSettings", "Template", "detect"]
