# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the posture tool: pinned bones, balance, limits, ground, walls, and how many bones help."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

from .bones import bone_mark_updater

HOLDS = (
    ("PLACE", "Place", "The bone stays where it is and may turn"),
    ("BOTH", "Place and Rotation", "The bone stays where it is and does not turn: a foot or hand that stands"),
    ("ROTATION", "Rotation", "The bone keeps its direction in the world and may move: a head that stays upright"),
)

BALANCES = (
    ("OFF", "Off", "The centre of mass goes where the drag takes it"),
    ("KEEP", "Keep", "The centre of mass stays as far from the middle of the feet as it is"),
    (
        "CENTER",
        "Over Feet",
        "The centre of mass comes over the middle of the feet, also with the loads that bones carry",
    ),
)

WHOLE_BODY_LEVEL = 3
"""Bones above the dragged one that move when the whole body is first left out: hand, forearm, upper arm, clavicle."""


class PoisePin(PropertyGroup):
    """A bone that the posture tool does not move."""

    bone: StringProperty(name="Bone", description="The bone that stays", update=bone_mark_updater())
    bone_id: StringProperty(options={"HIDDEN"})
    hold: EnumProperty(name="Holds", description="What of the bone stays", items=HOLDS, default="BOTH")


class PoiseWall(PropertyGroup):
    """A plane that the body does not pass through."""

    object: PointerProperty(
        type=Object,
        name="Wall",
        description="The body stays on the side of this object that its local Z points to: turn an empty or a plane so",
    )


class PoisePosture(PropertyGroup):
    """How the posture tool drags bones."""

    use_all: BoolProperty(
        name="Whole Body",
        description="All bones help to reach the mouse, down to the feet; without, only some bones above the dragged "
        "one do. While dragging, the mouse wheel changes it",
        default=True,
    )
    recruit_level: IntProperty(
        name="Bones Above",
        description="How many bones above the dragged one move with it: 0 turns only the bone itself, 2 of a hand are "
        "the arm. While dragging, the mouse wheel changes it",
        default=WHOLE_BODY_LEVEL,
        min=0,
        soft_max=10,
    )
    keep_rotation: BoolProperty(
        name="Keep Direction",
        description="The dragged bone keeps its direction in the world if it can: a hand that pushes a door",
    )
    feet_stay: BoolProperty(
        name="Feet Stay",
        description="Both feet stay where they are, unless one of them is dragged: drag the hips to crouch",
        default=True,
    )
    balance: EnumProperty(
        name="Balance",
        description="What becomes of the balance; it counts more than where the dragged bone comes",
        items=BALANCES,
        default="KEEP",
    )
    use_limits: BoolProperty(
        name="Joint Limits",
        description="Bones keep the limits that they have (locks, IK limits, Limit Rotation), and those of a human "
        "body where Anatomical Limits of the character are on",
        default=True,
    )
    use_ground: BoolProperty(
        name="Above Ground",
        description="The body stays above the ground: that of the Ground panel, else the floor at height zero",
        default=True,
    )
    pins: CollectionProperty(type=PoisePin, name="Pins", description="Bones that stay while others are dragged")
    walls: CollectionProperty(type=PoiseWall, name="Walls", description="Planes that the body stays in front of")
