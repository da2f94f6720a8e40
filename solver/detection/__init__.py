# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints that a motion already satisfies (Le Callennec 2006, chapter 6; Le Callennec and Boulic 2006)."""

from .baselines import detect_by_speed_and_height, detect_by_squared_displacement
from .detect import Examination, Measure, NoiseSignal, detect, examine
from .detected import Detected
from .faults import CaptureFault, faulty_joints, find_faults, repair
from .footplants import DetectedFootplant, detect_footplants
from .handplants import DetectedHandplant, detect_handplants
from .online import FootplantStream, StreamedPlant
from .rest_intervals import detect_stays
from .settings import DetectionSettings, FootplantSettings, HandplantSettings, RestSettings, SlidingSettings
from .sliding import DetectedSlide, detect_sliding
from .templates import Template

__all__ = [
    "CaptureFault",
    "Detected",
    "DetectedFootplant",
    "DetectedHandplant",
    "DetectedSlide",
    "DetectionSettings",
    "Examination",
    "FootplantSettings",
    "FootplantStream",
    "HandplantSettings",
    "Measure",
    "NoiseSignal",
    "RestSettings",
    "SlidingSettings",
    "StreamedPlant",
    "Template",
    "detect",
    "detect_by_speed_and_height",
    "detect_by_squared_displacement",
    "detect_footplants",
    "detect_handplants",
    "detect_sliding",
    "detect_stays",
    "examine",
    "faulty_joints",
    "find_faults",
    "repair",
]
