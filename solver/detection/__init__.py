# SPDX-License-Identifier: GPL-3.0-or-later
"""From a motion to the constraints that it already satisfies (document 003, chapter 6; document 004)."""

from .baselines import detect_by_speed_and_height, detect_by_squared_displacement
from .detect import DetectionSettings, detect
from .footplants import DetectedFootplant, detect_footplants
from .handplants import DetectedHandplant, detect_handplants
from .kinds import Detected, Template
from .sliding import DetectedSlide, SlidingSettings, detect_sliding
from .stays import detect_stays

__all__ = [
    "Detected",
    "DetectedFootplant",
    "DetectedHandplant",
    "DetectedSlide",
    "DetectionSettings",
    "SlidingSettings",
    "Template",
    "detect",
    "detect_by_speed_and_height",
    "detect_by_squared_displacement",
    "detect_footplants",
    "detect_handplants",
    "detect_sliding",
    "detect_stays",
]
