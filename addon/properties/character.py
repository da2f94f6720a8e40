# SPDX-License-Identifier: GPL-3.0-or-later
"""What Poise saves on an armature object: the character's landmarks and ground, constraints, settings and results."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from typing import Any

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Collection, Context, Object, PropertyGroup

from ...solver import AVERAGE_MASS
from .automatic import own_value
from .bones import bone_mark_updater
from .cleaning import PoiseCleaning
from .constraint import PoiseConstraint
from .display import PoiseDisplay
from .live import PoiseLiveState
from .physics import PoisePhysics
from .posture import PoisePosture
from .result import PoiseAdvice, PoiseGap, PoiseIgnored, PoiseMetrics, PoiseResidual
from .selecting import follow_active, follow_proposal
from .templates import TEMPLATE_KINDS, PoiseDetection
from .timeline import PoiseTimeline

TRUNK_MARKS = ("hips", "spine", "neck", "head", "head_top")
LIMB_MARKS = (
    "clavicle",
    "shoulder",
    "elbow",
    "wrist",
    "finger",
    "fingertip",
    "hip",
    "knee",
    "ankle",
    "heel",
    "toe",
    "ball",
    "toe_tip",
)
"""The landmarks that both sides have, without "left_" or "right_"."""

MARKS = (
    *TRUNK_MARKS,
    *(f"{side}_{mark}" for side in ("left", "right") for mark in LIMB_MARKS if mark != "ball"),
    "left_ball",
    "right_ball",
)
"""The solver's landmarks by their names. Files store the index in this list, so new ones go to its end."""

POINT_MARKS = (
    "head_top",
    *(f"{side}_{mark}" for side in ("left", "right") for mark in ("heel", "ball", "toe_tip", "fingertip")),
)
"""Landmarks that are points on a bone, with an offset; the others are heads of bones. The spine is several bones."""

TARGETS = (
    ("ACTION", "New Action", "A new action beside the source, which stays as it is: the usual case"),
    ("REPLACE", "Layer on Top", "An NLA strip on top of the source that replaces it: to switch it on and off"),
    (
        "COMBINE",
        "Added Layer",
        "An NLA strip on top of the source that holds only the change: to blend it, or to put it on other motions",
    ),
)
QUALITIES = (
    ("DRAFT", "Draft", "Quick, at 30 frames a second: enough to see the result"),
    ("FINAL", "Final", "Every frame, as exact as possible: for the result that you keep"),
)
LOOPS = (
    (
        "AUTO",
        "Automatic",
        "The motion is a loop if its last frame leads to its first, or if its action is marked as cyclic",
    ),
    ("ON", "Loop", "The motion is a loop: first and last frame of the result meet as those of the source do"),
    ("OFF", "No Loop", "First and last frame of the result need not meet"),
)
CLEAN_METHODS = (
    (
        "STRETCH",
        "Stretch",
        "Limbs stretch a little, and the rest of the motion stays as near to the source as possible: for games and "
        "quick cleanups",
    ),
    (
        "RIGID",
        "No Stretch",
        "Bones keep their lengths, and the hips go where all limbs reach: for rigs that must not stretch",
    ),
    ("PRIORITIZED", "Whole Body", "The whole body shares the change, as in a solve: for large corrections"),
)
GROUND_KINDS = (
    ("PLANE", "Plane", "A level plane of a height, or the plane of an object: through its origin, across its local Z"),
    ("MESH", "Objects", "The faces of an object, or of all objects of a collection: stairs, terrain"),
    ("ESTIMATE", "Estimate", "The plane that the feet stand on in the motion"),
)
USUAL_THINNING = 0.001
"""With which thinning begins: a millimetre for a leg of a metre, which cannot be seen."""
SOLID_TYPES = ("MESH", "CURVE", "SURFACE", "FONT", "META")
"""The types of objects that have faces."""


def _clear_gaps(character: Any, context: Context) -> None:
    """Clear the list of plants off the ground, which another ground or other soles make out of date."""
    character.ground_gaps.clear()


def _average_mass(character: Any) -> float:
    return AVERAGE_MASS


def _usual_thinning(character: Any) -> float:
    return USUAL_THINNING


def _found_sole_heel(character: Any) -> float:
    return max(float(character.found_sole_heel), 0.0)


def _found_sole_ball(character: Any) -> float:
    return max(float(character.found_sole_ball), 0.0)


def _select_handle(character: Any, context: Context) -> None:
    """Select the handle of the constraint that has become the active one."""
    if character.active_constraint < len(character.constraints):
        follow_active(character.id_data, character.constraints[character.active_constraint], context)


def _go_to_proposal(character: Any, context: Context) -> None:
    """Go to the proposal that has become the active one."""
    if character.active_found < len(character.found):
        follow_proposal(character.id_data, character.found[character.active_found], context)


def _has_faces(character: Any, candidate: Any) -> bool:
    return candidate.type in SOLID_TYPES


class PoiseLandmark(PropertyGroup):
    """A landmark of the body and the bone that it is on; the spine has an entry for each of its bones."""

    mark: EnumProperty(
        name="Landmark",
        description="What it is on the body",
        items=[(mark, mark.replace("_", " ").title(), "") for mark in MARKS],
    )
    bone: StringProperty(name="Bone", description="The bone that it is on", update=bone_mark_updater())
    bone_id: StringProperty(options={"HIDDEN"})
    offset: FloatVectorProperty(
        name="Offset",
        description="Where on the bone, from its head and along its own axes",
        subtype="XYZ",
        unit="LENGTH",
    )


class PoiseLoad(PropertyGroup):
    """A mass that a bone carries."""

    bone: StringProperty(name="Bone", description="The bone that carries it", update=bone_mark_updater())
    bone_id: StringProperty(options={"HIDDEN"})
    mass: FloatProperty(
        name="Mass", description="In kilograms; it is compared with the mass of the body", default=5.0, min=0.0
    )
    offset: FloatVectorProperty(
        name="Offset",
        description="Where its centre is, from the bone's head and along its own axes",
        subtype="XYZ",
        unit="LENGTH",
    )


class PoiseCharacter(PropertyGroup):
    """The settings, constraints and results of a character."""

    # Landmarks and body
    landmarks: CollectionProperty(type=PoiseLandmark, name="Set Landmarks", description="Landmarks set by hand")
    recognised: CollectionProperty(type=PoiseLandmark, name="Landmarks", description="Landmarks as last recognised")
    missing: StringProperty(name="Missing", description="The landmarks that were not recognised")
    mass: FloatProperty(name="Mass", description="Mass of the whole body in kilograms; 0 for the default", min=0.0)
    use_mass: own_value(
        "mass",
        "Own Mass",
        "Give the mass of the whole body: only where it carries loads, whose masses are compared with it. Off: that of "
        "the body table",
        automatic=0.0,
        start=_average_mass,
    )
    use_anatomical_limits: BoolProperty(
        name="Anatomical Limits",
        description="Keep joints within the range of human ones, widened to what the motion itself does; knees and "
        "elbows bend about one axis. For large edits, where limbs would twist or bend the wrong way",
    )
    limit_notes: StringProperty(name="Limits", description="Limits of bones that are kept only nearly, or not at all")
    loads: CollectionProperty(
        type=PoiseLoad, name="Loads", description="Masses that bones carry; they count in the centre of mass"
    )
    sole_heel: FloatProperty(
        name="Sole Under Heel",
        description="How high the heel lies above the floor when the foot stands flat; -1 takes it from the rest pose",
        default=-1.0,
        min=-1.0,
        soft_max=0.2,
        unit="LENGTH",
        update=_clear_gaps,
    )
    sole_ball: FloatProperty(
        name="Sole Under Ball",
        description="How high the ball joint lies above the floor when the foot stands flat; -1 takes it from the rest "
        "pose",
        default=-1.0,
        min=-1.0,
        soft_max=0.2,
        unit="LENGTH",
        update=_clear_gaps,
    )
    use_sole_heel: own_value(
        "sole_heel",
        "Own Heel Sole",
        "Give how high the heel lies above the floor when the foot stands flat: where feet sink in or float. Off: as "
        "in the rest pose",
        automatic=-1.0,
        start=_found_sole_heel,
    )
    use_sole_ball: own_value(
        "sole_ball",
        "Own Ball Sole",
        "Give how high the ball of the foot lies above the floor when the foot stands flat: where toes sink in or "
        "float. Off: as in the rest pose",
        automatic=-1.0,
        start=_found_sole_ball,
    )
    found_sole_heel: FloatProperty(default=-1.0, unit="LENGTH", options={"HIDDEN"})
    found_sole_ball: FloatProperty(default=-1.0, unit="LENGTH", options={"HIDDEN"})

    # Ground
    use_ground: BoolProperty(
        name="Ground",
        description="Whether plants stand on a ground and feet stay above it; without, each plant keeps its own height",
        update=_clear_gaps,
    )
    ground_kind: EnumProperty(name="Kind", description="What the ground is", items=GROUND_KINDS, update=_clear_gaps)
    ground_height: FloatProperty(
        name="Height", description="How high the level ground is", unit="LENGTH", update=_clear_gaps
    )
    ground_plane: PointerProperty(
        type=Object,
        name="Plane Object",
        description="The object whose origin and local Z are the plane; without one the plane is level",
        update=_clear_gaps,
    )
    ground_mesh: PointerProperty(
        type=Object, name="Object", description="The object to stand on", poll=_has_faces, update=_clear_gaps
    )
    ground_collection: PointerProperty(
        type=Collection, name="Collection", description="The objects to stand on", update=_clear_gaps
    )
    ground_gaps: CollectionProperty(
        type=PoiseGap, name="Off the Ground", description="Plants that stand too far from the ground to be put on it"
    )

    # Constraints
    constraints: CollectionProperty(
        type=PoiseConstraint, name="Constraints", description="What the motion must satisfy"
    )
    active_constraint: IntProperty(
        name="Active Constraint",
        description="The constraint whose settings are shown, and whose handle is selected",
        min=0,
        update=_select_handle,
    )
    found: CollectionProperty(type=PoiseConstraint, name="Found", description="Constraints that detection proposes")
    active_found: IntProperty(
        name="Active Found",
        description="The proposal whose settings are shown; choosing one goes to its frame and centres the view on it",
        min=0,
        update=_go_to_proposal,
    )
    collection: PointerProperty(
        type=Collection, name="Points", description="The collection that holds the empties of the points"
    )
    owner: StringProperty(
        name="Owner",
        description="The name of the armature that the collection was made for; that of a copy differs from its own",
        options={"HIDDEN"},
    )

    # Settings
    live: BoolProperty(
        name="Live",
        description="Solve every edit of a constraint at once, and show the result while a handle is dragged",
    )
    use_range: BoolProperty(
        name="Part of Motion", description="Solve only some frames: the others stay exactly as they are"
    )
    begin: IntProperty(name="Begin", description="The first frame to solve", default=1)
    end: IntProperty(name="End", description="The last frame to solve", default=250)
    target: EnumProperty(name="Result", description="Where the result is baked to", items=TARGETS)
    tolerance: FloatProperty(
        name="Thinning",
        description="Leave out keys where curves stay this near the motion (radians or shares of the leg's length) and "
        "constraints hold; 0 keys all",
        min=0.0,
        soft_max=0.01,
        precision=4,
    )
    use_tolerance: own_value(
        "tolerance",
        "Thin Out Keys",
        "Key only the frames that are needed: where the result is edited by hand afterwards. Off: every frame is keyed",
        automatic=0.0,
        start=_usual_thinning,
    )
    loop: EnumProperty(name="Loop", description="Whether the motion is played as a loop", items=LOOPS)
    quality: EnumProperty(name="Quality", description="How exact to solve", items=QUALITIES, default="FINAL")
    clean_method: EnumProperty(name="Method", description="How feet are cleaned", items=CLEAN_METHODS)
    clean_repair: BoolProperty(
        name="Repair Faults",
        description="Interpolate faults of the capture first: a calibration pose at the begin, and bones that are "
        "somewhere else for a frame or a few",
    )
    template_kind: EnumProperty(
        name="Kind", description="What the bone does in the frames of a new example", items=TEMPLATE_KINDS
    )
    detection: PointerProperty(
        type=PoiseDetection, name="Detection", description="Examples and settings of detection, and what objects do"
    )
    least_confidence: FloatProperty(
        name="Confidence",
        description="Propose only footplants that are at least this certain: raise it where too many are found",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )

    timeline: PointerProperty(type=PoiseTimeline, name="Timeline", description="What is shown in the timeline")
    display: PointerProperty(type=PoiseDisplay, name="Display", description="What is drawn in the 3D viewport")
    # Tools
    cleaning: PointerProperty(type=PoiseCleaning, name="Clean Up", description="How feet and hands are cleaned")
    posture: PointerProperty(type=PoisePosture, name="Posture Tool", description="Settings of the posture tool")
    physics: PointerProperty(type=PoisePhysics, name="Physics", description="The motion changed by its physics")

    # Results
    live_state: PointerProperty(type=PoiseLiveState, name="Live", description="The state of the newest result")
    residuals: CollectionProperty(
        type=PoiseResidual, name="Residuals", description="By how much each constraint is missed"
    )
    advice: CollectionProperty(type=PoiseAdvice, name="Advice", description="Problems of the last solve, worst first")
    ignored: CollectionProperty(
        type=PoiseIgnored, name="Ignored", description="Problems that are not shown until their constraints change"
    )
    last_solve: StringProperty(name="Last Solve", description="The report of the last solve")
    last_clean: StringProperty(name="Last Cleanup", description="The report of the last cleanup")
    last_faults: StringProperty(name="Faults", description="The faults of the capture that the last cleanup has found")
    has_metrics: BoolProperty(name="Measured", description="Whether the feet have been measured")
    metrics_before: PointerProperty(type=PoiseMetrics, name="Before", description="The feet before cleaning")
    metrics_after: PointerProperty(type=PoiseMetrics, name="After", description="The feet after cleaning")
