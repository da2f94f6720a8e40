# SPDX-License-Identifier: GPL-3.0-or-later
"""What is saved in the .blend: `Object.poise` of armatures, and a mark on each bone that a constraint refers to."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import PointerProperty, StringProperty

from .bones import PoiseBone, current_name, follow_renames, name_bone, resolve_bone
from .character import LIMB_MARKS, MARKS, POINT_MARKS, TRUNK_MARKS, PoiseCharacter, PoiseLandmark, PoiseLoad
from .cleaning import PoiseCleaning, clean_settings
from .constraint import PATH_KINDS, POINT_KINDS, PoiseConstraint, events_of
from .detected import PoiseDetected
from .display import PoiseDisplay
from .finding import active_constraint, armature_in, character_of, constraint_of_point
from .live import PoiseLiveState
from .physics import PoiseLimb, PoiseLock, PoiseObstacle, PoisePhysics, PoiseStance
from .points import EASE, PoisePoint, backwards_sentence, ease_frames
from .posture import PoisePin, PoisePosture, PoiseWall
from .result import PoiseAdvice, PoiseFix, PoiseGap, PoiseIgnored, PoiseMetrics, PoiseResidual
from .templates import PoiseDetection, PoiseObjectEvent, PoiseTemplate
from .timeline import PoiseMarker, PoiseTimeline
from .upgrading import upgrade_file, upgrade_on_load

__all__ = [
    "EASE",
    "LIMB_MARKS",
    "MARKS",
    "PATH_KINDS",
    "POINT_KINDS",
    "POINT_MARKS",
    "TRUNK_MARKS",
    "PoiseAdvice",
    "PoiseBone",
    "PoiseCharacter",
    "PoiseCleaning",
    "PoiseConstraint",
    "PoiseDetected",
    "PoiseDetection",
    "PoiseDisplay",
    "PoiseFix",
    "PoiseGap",
    "PoiseIgnored",
    "PoiseLandmark",
    "PoiseLimb",
    "PoiseLiveState",
    "PoiseLoad",
    "PoiseLock",
    "PoiseMarker",
    "PoiseMetrics",
    "PoiseObjectEvent",
    "PoiseObstacle",
    "PoisePhysics",
    "PoisePin",
    "PoisePoint",
    "PoisePosture",
    "PoiseResidual",
    "PoiseStance",
    "PoiseTemplate",
    "PoiseTimeline",
    "PoiseWall",
    "active_constraint",
    "armature_in",
    "backwards_sentence",
    "character_of",
    "clean_settings",
    "constraint_of_point",
    "current_name",
    "ease_frames",
    "events_of",
    "follow_renames",
    "name_bone",
    "resolve_bone",
]

classes = (
    PoisePoint,
    PoiseBone,
    PoiseDetected,
    PoiseConstraint,
    PoiseTemplate,
    PoiseObjectEvent,
    PoiseDetection,
    PoiseLandmark,
    PoiseLoad,
    PoiseResidual,
    PoiseFix,
    PoiseAdvice,
    PoiseIgnored,
    PoiseGap,
    PoiseMetrics,
    PoiseMarker,
    PoiseTimeline,
    PoiseLiveState,
    PoiseDisplay,
    PoisePin,
    PoiseWall,
    PoisePosture,
    PoiseCleaning,
    PoiseStance,
    PoiseLimb,
    PoiseLock,
    PoiseObstacle,
    PoisePhysics,
    PoiseCharacter,
)


def register() -> None:
    """Add the properties of objects and bones, and upgrade the open file."""
    objects: Any = bpy.types.Object
    bones: Any = bpy.types.Bone
    pointer: Any = PointerProperty
    text: Any = StringProperty
    objects.poise = pointer(type=PoiseCharacter, name="Poise", description="Constraints, settings and results of Poise")
    bones.poise_id = text(name="Poise", description="Identifies the bone after it is renamed", options={"HIDDEN"})
    upgrade_file()
    bpy.app.handlers.load_post.append(upgrade_on_load)


def unregister() -> None:
    """Remove the properties."""
    bpy.app.handlers.load_post.remove(upgrade_on_load)
    objects: Any = bpy.types.Object
    bones: Any = bpy.types.Bone
    del objects.poise
    del bones.poise_id
