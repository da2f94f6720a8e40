# SPDX-License-Identifier: GPL-3.0-or-later
"""The physical method on a character: what is fitted, what the animator changes about it, and what came of it."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import math
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

RECIPES = (
    (
        "BIPED",
        "Walk or Run",
        "For steps of one foot after the other: a stiff trunk, arms that swing, legs with hips and knees",
    ),
    (
        "HOPPER",
        "Jump, Coarse",
        "For jumps with both feet together: one leg that grows and shrinks under the mass of the upper body",
    ),
    (
        "JUMPER",
        "Jump",
        "For jumps with both feet together: hips, knees and ankles of both legs and both arms move as one, the waist "
        "bends",
    ),
)
"""Files store the numbers, so new ones go to the end."""

GRAVITIES = (
    ("EARTH", "Earth", "As the motion was made"),
    ("MOON", "Moon", "A sixth of the earth's gravity"),
    ("MARS", "Mars", "Three eighths of the earth's gravity"),
    ("JUPITER", "Jupiter", "Two and a half times the earth's gravity"),
    ("CUSTOM", "Own Factor", "Any factor of the earth's gravity"),
)
GRAVITY_FACTORS = {"EARTH": 1.0, "MOON": 0.165, "MARS": 0.378, "JUPITER": 2.53}
"""Factors of the earth's gravity."""

QUALITIES = (
    ("DRAFT", "Draft", "20 instants a second: to try an edit"),
    ("FINAL", "Final", "40 instants a second, nearer to the source: for the result that you keep"),
)

_JOINT_NUMBERS = {
    "left_hip": 1,
    "left_knee": 2,
    "left_shoulder": 3,
    "right_hip": 4,
    "right_knee": 5,
    "right_shoulder": 6,
    "spine": 7,
    "left_ankle": 8,
}
"""What files store of a joint: a number that does not depend on the recipe."""

_LIMBS = {
    "hip": "The thigh, from the hip to the knee",
    "knee": "The shin, from the knee to the foot",
    "shoulder": "The arm",
}


def _limb_items(*sides: str) -> list[tuple[str, str, str, int]]:
    found = []
    for side in sides:
        for part, words in _LIMBS.items():
            name = f"{side}_{part}"
            found.append((name, f"{side.title()} {part.title()}", words, _JOINT_NUMBERS[name]))
    return found


JOINTS = {
    "BIPED": tuple(_limb_items("left", "right")),
    "HOPPER": (
        ("left_hip", "Legs", "Both legs, which are one", _JOINT_NUMBERS["left_hip"]),
        ("spine", "Upper Body", "All above the hips", _JOINT_NUMBERS["spine"]),
    ),
    "JUMPER": tuple(
        (name, title, words, _JOINT_NUMBERS[name])
        for name, title, words in (
            ("left_hip", "Hips", "Both thighs, which are one"),
            ("left_knee", "Knees", "Both shins, which are one"),
            ("left_ankle", "Ankles", "Both feet, which are one"),
            ("spine", "Waist", "All above the hips but the arms"),
            ("left_shoulder", "Shoulders", "Both arms, which are one"),
        )
    ),
}
"""The joints of each recipe, as items of an enumeration; Blender needs them to be kept."""


def _joints(item: Any, context: Context | None) -> Any:
    """The joints of the recipe of the character that an item belongs to; of all recipes where there is none."""
    owner: Any = getattr(item, "id_data", None)
    character = getattr(owner, "poise", None)
    return JOINTS[character.physics.recipe] if character is not None else JOINTS["BIPED"]


class PoiseStance(PropertyGroup):
    """A contact with the ground that the fit has found, and how the animator changes it."""

    contact: StringProperty(name="Contact", description="Which part of the body stands")
    begin: FloatProperty(name="Begin", description="The scene's frame at which it stands in the source")
    end: FloatProperty(name="End", description="The scene's last frame at which it stands in the source")
    home: FloatVectorProperty(
        name="Home", description="Where it stands in the source", subtype="TRANSLATION", unit="LENGTH"
    )
    heading: FloatProperty(name="Heading", description="Where the foot points in the source", subtype="ANGLE")
    object: PointerProperty(
        type=Object, name="Handle", description="Move, turn or raise this empty to change where the foot stands"
    )
    earlier_strike: FloatProperty(
        name="Earlier", description="Frames by which the foot stands earlier than in the source; negative: later"
    )
    later_release: FloatProperty(
        name="Longer", description="Frames by which the foot stands longer than in the source; negative: shorter"
    )


class PoiseLimb(PropertyGroup):
    """Another length or mass of a part of the body."""

    joint: EnumProperty(
        name="Limb",
        description="The part of the body below this joint",
        items=_joints,
        default=_JOINT_NUMBERS["left_hip"],
    )
    length: FloatProperty(
        name="Length", description="Factor of its length", default=1.0, min=0.1, soft_min=0.5, soft_max=2.0
    )
    mass: FloatProperty(name="Mass", description="Factor of its mass", default=1.0, min=0.01, soft_max=10.0)


class PoiseLock(PropertyGroup):
    """A joint that cannot move."""

    joint: EnumProperty(
        name="Joint",
        description="The joint that is stiff, as in a cast",
        items=_joints,
        default=_JOINT_NUMBERS["left_hip"],
    )


class PoiseObstacle(PropertyGroup):
    """A hump on the ground."""

    object: PointerProperty(
        type=Object, name="Handle", description="Where it stands; its scale makes the hump higher or broader"
    )
    height: FloatProperty(name="Height", description="How high it is", default=0.3, min=0.0, unit="LENGTH")
    radius: FloatProperty(
        name="Radius",
        description="Where it has fallen to a third of its height",
        default=0.25,
        min=0.001,
        unit="LENGTH",
    )


class PoisePhysics(PropertyGroup):
    """The settings and edits of the physical method."""

    recipe: EnumProperty(name="Motion", description="Which simple body stands for the character", items=RECIPES)
    quality: EnumProperty(
        name="Quality", description="At how many instants the laws of motion hold", items=QUALITIES, default="FINAL"
    )
    use_range: BoolProperty(
        name="Only Frames", description="Take a part of the motion; else as much of the action as the scene plays"
    )
    begin: IntProperty(name="Begin", description="The first frame", default=1)
    end: IntProperty(name="End", description="The last frame", default=250)

    # The fit
    fitted: StringProperty(name="Fitted", description="The signature of what was fitted")
    fit_sentence: StringProperty(name="Fit", description="How near the fit is to the motion")
    stances: CollectionProperty(type=PoiseStance, name="Footprints", description="When and where the body stands")

    # Edits
    gravity: EnumProperty(name="Gravity", description="How strongly things fall", items=GRAVITIES)
    gravity_factor: FloatProperty(
        name="Gravity \N{MULTIPLICATION SIGN}",
        description="Factor of the earth's gravity",
        default=1.0,
        min=0.0,
        soft_max=3.0,
    )
    automatic_duration: BoolProperty(name="Find Duration", description="The physics decides how long the motion takes")
    duration: FloatProperty(
        name="Duration \N{MULTIPLICATION SIGN}",
        description="Factor of the time that the motion takes: 2 is half as fast, with forces to match",
        default=1.0,
        min=0.05,
        soft_min=0.5,
        soft_max=3.0,
    )
    flight: FloatProperty(
        name="Flights \N{MULTIPLICATION SIGN}",
        description="Factor of the times in the air alone: longer and higher leaps, as long on the ground as before",
        default=1.0,
        min=0.05,
        soft_min=0.5,
        soft_max=4.0,
    )
    turn: FloatProperty(
        name="Turn at End",
        description="By how much further the body has turned about the vertical at the end, to the left",
        subtype="ANGLE",
        soft_min=-2.0 * math.pi,
        soft_max=2.0 * math.pi,
    )
    free_end: BoolProperty(
        name="Free End", description="The last pose need not be that of the source: the body ends as it comes"
    )
    keep_heading: BoolProperty(
        name="Keep Heading", description="The body faces as in the source at every instant, wherever it goes"
    )
    friction: FloatProperty(
        name="Slippery Floor",
        description="How much forces along the ground are avoided",
        min=0.0,
        soft_max=1.0,
        subtype="FACTOR",
    )
    impact: FloatProperty(
        name="Softer Landing",
        description="How much hard pushes of the ground are avoided",
        min=0.0,
        soft_max=1.0,
        subtype="FACTOR",
    )
    balance: FloatProperty(
        name="Balance",
        description="How much the centre of mass stays over where the body stands",
        min=0.0,
        soft_max=1.0,
        subtype="FACTOR",
    )
    power: FloatProperty(
        name="Less Effort", description="How much strong muscles are avoided", min=0.0, soft_max=1.0, subtype="FACTOR"
    )
    limbs: CollectionProperty(type=PoiseLimb, name="Limbs", description="Parts with another length or mass")
    locks: CollectionProperty(type=PoiseLock, name="Stiff Joints", description="Joints that cannot move")
    obstacles: CollectionProperty(type=PoiseObstacle, name="Obstacles", description="Humps that the feet clear")
    spread: FloatProperty(
        name="Spread",
        description="By how much Wide Steps and Crossed Steps move each footprint to its side",
        default=0.1,
        min=0.0,
        unit="LENGTH",
    )

    # The result
    solved: StringProperty(name="Solved", description="The signature of what the result was solved from")
    result_sentence: StringProperty(name="Result", description="What came of the last solve")
    scene_end: IntProperty(
        name="Scene's End", description="The scene's last frame before a longer result has moved it", options={"HIDDEN"}
    )
    moved_scene_end: IntProperty(
        name="Moved End", description="The scene's last frame as a longer result has set it; else 0", options={"HIDDEN"}
    )


EDITS = (
    "gravity",
    "gravity_factor",
    "automatic_duration",
    "duration",
    "flight",
    "turn",
    "free_end",
    "keep_heading",
    "friction",
    "impact",
    "balance",
    "power",
)
"""The properties that hold edits by value; lists and footprints are beside them."""

OBJECTIVES = {"friction": 0.1, "impact": 0.01, "balance": 0.1, "power": 0.01}
"""The weight that a value of 1 gives each objective: chosen on the walk that tests use, where each then changes the
motion as much as can be seen."""
