# SPDX-License-Identifier: GPL-3.0-or-later
"""A constraint as it is saved in the .blend: one property group with the fields of every kind."""

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
from bpy.types import Context, Object, PropertyGroup

from .automatic import own_value
from .bones import PoiseBone, bone_mark_updater
from .detected import PoiseDetected
from .handle_names import rename_handles
from .points import PoisePoint, default_ease
from .selecting import follow_active

KINDS = (
    (
        "SHAPE",
        "Pin or Trajectory",
        "A point of a bone passes through given places: a hand that reaches, a foot that steps over something",
        "CURVE_PATH",
        0,
    ),
    (
        "FOOTPLANT",
        "Footplant",
        "Heel and ball of a foot stand still from touching down to leaving the ground",
        "TRIA_DOWN_BAR",
        1,
    ),
    (
        "ORIENTATION",
        "Orientation",
        "A bone is turned as its handles are: a hand that keeps a tray level",
        "ORIENTATION_GIMBAL",
        2,
    ),
    ("LOOK_AT", "Look At", "An axis of a bone points at places, or in directions: a head that looks", "HIDE_OFF", 3),
    (
        "BALANCE",
        "Balance",
        "The centre of mass stays over the feet: where an edit would make the character fall",
        "EMPTY_SINGLE_ARROW",
        4,
    ),
    ("POSE", "Hold Pose", "Bones keep a pose: a fist, a bent arm", "ARMATURE_DATA", 5),
    (
        "HANDPLANT",
        "Handplant",
        "A hand stands still, in the world or on an object that moves: a hand that leans on a wall or holds a rail",
        "VIEW_PAN",
        6,
    ),
)
PATH_KINDS = ("SHAPE", "ORIENTATION", "LOOK_AT")
"""The kinds with a path through points over a span of frames."""
POINT_KINDS = (*PATH_KINDS, "BALANCE")
"""The kinds to which points can be added. Those of a balance are displacements of the centre of mass: by how far each
empty was moved from its home."""

MODES = (
    (
        "ABSOLUTE",
        "New Path",
        "The path is a curve through the points, whatever the source does: for a gesture that you draw anew",
    ),
    (
        "RELATIVE",
        "Shifted Path",
        "The points shift the path of the source, which keeps its details: for a hand or foot that must pass elsewhere",
    ),
    (
        "CONDENSED",
        "Shift and Hold Still",
        "As a shifted path, but the bone stands still while it is held at a point: for grasping, leaning and pinning",
    ),
)
REFERENCES = (
    ("WORLD", "World", "Points stand still in the world"),
    ("BONE", "Bone", "Points move along with another bone of the character: a hand on the hip"),
    ("OBJECT", "Object", "Points move along with an object: a hand on a wheel or a door"),
)
RECRUITING = (
    ("ALL", "Whole Body", "All bones that can help may move: for far reaches, steps and crouches"),
    (
        "LEVEL",
        "Up the Chain",
        "Its own bone and some above it may move: for a hand whose arm moves and whose body stays as it is",
    ),
    ("BONES", "Listed Bones", "Only the listed bones may move: to keep all others exactly as they are"),
)
FEET = (("LEFT", "Left", "The left foot"), ("RIGHT", "Right", "The right foot"))
HANDS = (("LEFT", "Left", "The left hand"), ("RIGHT", "Right", "The right hand"))
GROUND_CHOICES = (
    ("GROUND", "On the Ground", "The plant is put on the ground at any distance: where the capture floats or sinks"),
    (
        "AUTO",
        "Where Near",
        "The plant is put on the ground where it is near (within 2 % of the leg's length), else it keeps its height",
    ),
    ("OWN", "Own Height", "The plant keeps its own height on any ground: on a box or a step that is no part of it"),
)
"""The first is the default, for plants of files that were saved before this property existed; new plants are set to the
second."""
AIMS = (
    ("PLACE", "Place", "The axis points at the location of the empty"),
    ("DIRECTION", "Direction", "The axis points along the z axis of the empty"),
)
POSE_SPACES = (
    ("LOCAL", "Local", "Bones keep their rotations relative to their parents: a fist, while the arm moves"),
    ("WORLD", "World", "Bones keep their rotations in the world: a head that stays upright, while the body leans"),
)
SUPPORTS = (
    ("FEET", "Both Feet", "Over both feet, whether they stand or not, or over the listed bones: for standing"),
    ("PLANTS", "Planted Feet", "Over the feet that footplants hold in each frame: for walking and stepping"),
)
"""The first is the default, for files that were saved before this property existed."""
AXES = (("X", "X", "The world's x axis"), ("Y", "Y", "The world's y axis"), ("Z", "Z", "The world's z axis"))


def events_of(item: Any) -> list[float]:
    """The frames of a footplant's events, of heel and ball as far as they stand."""
    heel = [item.heel_strike, item.heel_off] if item.has_heel else []
    return heel + ([item.toe_strike, item.toe_off] if item.has_toe else [])


def _fit_span_to_events(item: Any, context: Context) -> None:
    """Let a footplant begin with its first event and end with its last, and rename its handle."""
    if item.kind == "FOOTPLANT" and events_of(item):
        item.begin, item.end = min(events_of(item)), max(events_of(item))
        rename_handles(item)


_mark_bone = bone_mark_updater()


def _follow_bone(item: Any, context: Context) -> None:
    """Store the mark of the constrained bone, and rename the handles."""
    _mark_bone(item, context)
    rename_handles(item)


def _follow_foot(item: Any, context: Context) -> None:
    """Rename the handles after the foot or hand."""
    rename_handles(item)


def _select_point(item: Any, context: Context) -> None:
    """Select the handle of the point that has become the active one of the active constraint."""
    character = item.id_data.poise
    shown = character.constraints[character.active_constraint : character.active_constraint + 1]
    if len(shown) and shown[0] == item:
        follow_active(item.id_data, item, context)


class PoiseConstraint(PropertyGroup):
    """A constraint on a part of the motion. Frames are those of the scene."""

    uid: StringProperty(options={"HIDDEN"})
    name: StringProperty(name="Name", description="The name in lists and reports")
    kind: EnumProperty(name="Kind", description="What it constrains", items=KINDS)
    enabled: BoolProperty(name="Enabled", description="Use it in the next solve", default=True)
    selected: BoolProperty(
        name="Selected", description="Change it together with the others that are selected", options={"SKIP_SAVE"}
    )
    bone: StringProperty(name="Bone", description="The constrained bone", update=_follow_bone)
    bone_id: StringProperty(options={"HIDDEN"})
    offset: FloatVectorProperty(
        name="Point",
        description="Which point of the bone is held, from its head and along its own axes (y leads to its tail): "
        "where a fingertip or a held tool must be in place, not the wrist",
        subtype="XYZ",
        unit="LENGTH",
    )
    priority: IntProperty(
        name="Priority",
        description="Where not all can hold, constraints with larger numbers hold exactly, and the others come as near "
        "as they can; only the order counts",
        default=1,
    )
    weight: FloatProperty(
        name="Weight",
        description="Which comes nearer where constraints of the same priority cannot all hold: the heavier one",
        default=1.0,
        min=1e-6,
        soft_max=10.0,
    )
    exact: BoolProperty(
        name="Exact",
        description="Meet it exactly. Off: the result stays as smooth as the source and meets it as far as that "
        "allows; for a target that trembles, or that need not be touched",
        default=True,
    )
    recruit: EnumProperty(name="Bones", description="Which bones may move for it", items=RECRUITING)
    recruit_level: IntProperty(
        name="Bones Above",
        description="How many bones above its own may move too: more where it does not reach, fewer where too much of "
        "the body moves",
        default=2,
        min=0,
    )
    recruited: CollectionProperty(
        type=PoiseBone, name="Listed Bones", description="The only bones that may move for it"
    )
    begin: FloatProperty(name="Begin", description="The first frame of its activity", step=100)
    end: FloatProperty(name="End", description="The last frame of its activity", step=100)
    confidence: FloatProperty(
        name="Confidence", description="How certain the detection is", default=1.0, min=0.0, max=1.0, subtype="FACTOR"
    )

    detected: PointerProperty(
        type=PoiseDetected, name="Detected", description="What detection has found it to be, with its geometry"
    )

    # Footplants and poses
    ease_in: FloatProperty(
        name="Ease In",
        description="Frames over which a plant or a held pose is reached; -1 for a quarter of a second",
        default=-1.0,
        min=-1.0,
        step=100,
    )
    ease_out: FloatProperty(
        name="Ease Out",
        description="Frames over which the motion returns to the source; -1 for a quarter of a second",
        default=-1.0,
        min=-1.0,
        step=100,
    )
    use_ease_in: own_value(
        "ease_in",
        "Ease In",
        "Choose over how many frames a plant or a held pose is reached: more where the motion jerks into it. Off: a "
        "quarter of a second",
        automatic=-1.0,
        start=default_ease,
    )
    use_ease_out: own_value(
        "ease_out",
        "Ease Out",
        "Choose over how many frames the motion returns to the source: more where it jerks out of it. Off: a quarter "
        "of a second",
        automatic=-1.0,
        start=default_ease,
    )

    # Paths through points
    points: CollectionProperty(type=PoisePoint, name="Points", description="The points of its path")
    active_point: IntProperty(
        name="Active Point",
        description="The point whose settings are shown, and whose handle is selected",
        min=0,
        update=_select_point,
    )
    mode: EnumProperty(name="Path", description="How the bone goes from point to point", items=MODES)
    reference: EnumProperty(name="Moves With", description="What its points move along with", items=REFERENCES)
    reference_bone: StringProperty(
        name="Reference Bone",
        description="The bone that its points move along with",
        update=bone_mark_updater("reference_bone"),
    )
    reference_bone_id: StringProperty(options={"HIDDEN"})
    reference_object: PointerProperty(
        type=Object, name="Reference Object", description="The object that its points move along with"
    )
    axis: FloatVectorProperty(
        name="Axis",
        description="The axis of the bone that points at the target, in the bone's own frame",
        default=(0.0, 1.0, 0.0),
        subtype="XYZ",
    )
    aim: EnumProperty(name="Aim", description="What its handles mean", items=AIMS)

    # Footplants
    foot: EnumProperty(name="Foot", description="Which foot stands", items=FEET, update=_follow_foot)
    has_heel: BoolProperty(name="Heel", description="Whether the heel stands", default=True, update=_fit_span_to_events)
    has_toe: BoolProperty(
        name="Ball", description="Whether the ball of the foot stands", default=True, update=_fit_span_to_events
    )
    heel_strike: FloatProperty(
        name="Heel Strike",
        description="The frame at which the heel touches down",
        step=100,
        update=_fit_span_to_events,
    )
    heel_off: FloatProperty(
        name="Heel Off",
        description="The frame at which the heel leaves the ground",
        step=100,
        update=_fit_span_to_events,
    )
    toe_strike: FloatProperty(
        name="Ball Strike", description="The frame at which the ball touches down", step=100, update=_fit_span_to_events
    )
    toe_off: FloatProperty(
        name="Ball Off",
        description="The frame at which the ball leaves the ground",
        step=100,
        update=_fit_span_to_events,
    )
    ground_velocity: FloatVectorProperty(
        name="Ground Velocity",
        description="How fast the ground moves that the foot stands on, along the axes of the world: under a character "
        "that walks in place it moves against the walk",
        subtype="VELOCITY",
        unit="VELOCITY",
    )
    use_position: BoolProperty(
        name="Lock Place",
        description="Stand at the place of its handle, even where its frames or the source change afterwards. Off: "
        "where the foot stands in the source, moved as its handle was",
    )
    use_heading: BoolProperty(
        name="Lock Direction",
        description="Point as its handle does, even where its frames or the source change afterwards. Off: as the foot "
        "does in the source, turned as its handle was",
    )
    use_height: BoolProperty(
        name="Lock Height", description="Stand at a height that you give, instead of on the ground: on a step or a box"
    )
    height: FloatProperty(name="Height", description="How high the sole stands", unit="LENGTH")
    ground_choice: EnumProperty(
        name="Ground", description="Whether the plant is put on the ground", items=GROUND_CHOICES
    )

    # Handplants, which have the position and the reference of others too
    hand: EnumProperty(name="Hand", description="Which hand stands", items=HANDS, update=_follow_foot)

    # Balance
    is_whole: BoolProperty(name="All Frames", description="Constrain the whole motion", default=True)
    support: EnumProperty(name="Stands On", description="What the centre of mass stays over", items=SUPPORTS)
    displacement: FloatVectorProperty(
        name="Shift",
        description="By how much the centre of mass is moved from where it is in the source: to lean, or to shift the "
        "weight to one foot. Points add to it at their frames",
        subtype="TRANSLATION",
        unit="LENGTH",
    )
    axes: EnumProperty(
        name="Axes",
        description="Along which axes of the world the balance is kept; without Z the body may sink",
        items=AXES,
        options={"ENUM_FLAG"},
        default={"X", "Y"},
    )

    bones: CollectionProperty(
        type=PoiseBone,
        name="Bones",
        description="The bones of a held pose, or those whose middle the centre of mass stays over",
    )
    pose_space: EnumProperty(name="Space", description="What a held pose is relative to", items=POSE_SPACES)
