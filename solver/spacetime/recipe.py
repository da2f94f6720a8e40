# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: which simplified character stands for a full one in a motion (Popović 1999, section 4.1).

A recipe is data that a user can write, in Python or as JSON. It names the joints that are kept; all others are fused
with the body that carries them. Joints are named by landmarks ("left_hip") or by their own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from ..core.errors import SkeletonError
from .handles import (
    AxisHandle,
    CenterOfMassHandle,
    DistanceHandle,
    Handle,
    MidpointHandle,
    PointHandle,
    handle_from_dict,
)

JointForm = Literal["ball", "hinge", "telescope", "mass point"]


@dataclass(frozen=True)
class KeptJoint:
    """A joint of the simplified character."""

    joints: tuple[str, ...]
    """The joints of the full character that it stands for: several are symmetric limbs that move in unison and are
    merged into one."""
    form: JointForm
    """`ball`: flexion, abduction and twist. `hinge`: one rotation. `telescope`: the whole limb is a rod of variable
    length along the parent's down axis. `mass point`: the whole subtree is one mass that moves along three axes of its
    parent."""
    axis: Literal["left", "fitted"] = "left"
    """Of a hinge: across the body, or the normal of the plane in which the source moves the limb."""
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    """The range of each value, in degrees (of a telescope and a mass point: in sizes of the character); values that the
    source has are always inside. Empty: the range of the source, widened by `margin`."""
    margin: float = 0.5
    """How much wider than the source's the range is on both sides where it is not given: radians, or a share of the
    source's range for lengths."""
    end: str = ""
    """Of a telescope: the point at its end, such as "left_ball" (of merged limbs the first one's)."""


@dataclass(frozen=True)
class KeptHandle:
    """A handle that both characters have, with its weight."""

    handle: Handle
    weight: float = 1.0


@dataclass(frozen=True)
class Contact:
    """Where the simplified character touches the ground."""

    name: str
    feet: tuple[Literal["left", "right"], ...]
    """The feet whose plants it has: with two of them it stands while both do."""


@dataclass(frozen=True)
class Recipe:
    """How to simplify a character, what it shares with the full one, and where it touches the ground."""

    name: str
    joints: tuple[KeptJoint, ...]
    """Joints nearer to the hips come first; the hips themselves are the root."""
    handles: tuple[KeptHandle, ...]
    contacts: tuple[Contact, ...]
    holds_ends: bool = False
    """Whether the first and the last pose are kept, as in a jump that begins and ends at rest."""

    def as_dict(self) -> dict[str, Any]:
        """The recipe as data that can be written as JSON."""
        return {
            "name": self.name,
            "joints": [asdict(joint) for joint in self.joints],
            "handles": [{"handle": kept.handle.as_dict(), "weight": kept.weight} for kept in self.handles],
            "contacts": [asdict(contact) for contact in self.contacts],
            "holds_ends": self.holds_ends,
        }


def recipe_from_dict(data: Mapping[str, Any]) -> Recipe:
    """The recipe that `Recipe.as_dict` has written, or a user; SkeletonError says what is wrong with it."""
    try:
        joints = tuple(_kept_joint(entry) for entry in data["joints"])
        handles = tuple(
            KeptHandle(handle_from_dict(entry["handle"]), float(entry.get("weight", 1.0))) for entry in data["handles"]
        )
        contacts = tuple(Contact(str(entry["name"]), tuple(entry["feet"])) for entry in data["contacts"])
        return Recipe(str(data["name"]), joints, handles, contacts, bool(data.get("holds_ends", False)))
    except KeyError as missing:
        raise SkeletonError(f"The recipe has no {missing.args[0]!r}; write it as Recipe.as_dict does.") from None
    except (TypeError, AttributeError, ValueError) as wrong:
        if isinstance(wrong, SkeletonError):
            raise
        raise SkeletonError(f"The recipe cannot be read: {wrong}.") from None


def _kept_joint(entry: Mapping[str, Any]) -> KeptJoint:
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    if known.get("form") not in get_args(JointForm):
        raise SkeletonError(
            f"A kept joint has the form {', '.join(map(repr, get_args(JointForm)))}, not {known.get('form')!r}."
        )
    return KeptJoint(**known)


def _limbs(side: str) -> tuple[KeptJoint, ...]:
    """Leg and arm of the biped."""
    return (
        KeptJoint((f"{side}_hip",), "ball", lower=(-130.0, -45.0, -45.0), upper=(50.0, 45.0, 45.0)),
        KeptJoint((f"{side}_knee",), "hinge", lower=(1.0,), upper=(150.0,)),
        KeptJoint((f"{side}_shoulder",), "hinge", axis="fitted", lower=(-180.0,), upper=(120.0,)),
    )


BIPED = Recipe(
    "biped",
    joints=(*_limbs("left"), *_limbs("right")),
    handles=(
        KeptHandle(PointHandle("left_ball")),
        KeptHandle(PointHandle("right_ball")),
        KeptHandle(CenterOfMassHandle(), 4.0),
        KeptHandle(CenterOfMassHandle("spine")),
        KeptHandle(CenterOfMassHandle("left_shoulder"), 0.5),
        KeptHandle(CenterOfMassHandle("right_shoulder"), 0.5),
        KeptHandle(AxisHandle("hips", "left"), 0.25),
        KeptHandle(AxisHandle("hips", "up"), 0.25),
    ),
    contacts=(Contact("left foot", ("left",)), Contact("right foot", ("right",))),
)
"""For runs and walks (Popović 1999, section 6.4.2): a rigid torso, arms with one hinge, legs without feet."""

_BALLS, _HIPS = MidpointHandle("left_ball", "right_ball"), MidpointHandle("left_hip", "right_hip")

HOPPER = Recipe(
    "hopper",
    joints=(
        KeptJoint(("left_hip", "right_hip"), "telescope", margin=0.3, end="left_ball"),
        KeptJoint(("spine",), "mass point", margin=0.5),
    ),
    handles=(
        KeptHandle(_BALLS, 4.0),
        KeptHandle(DistanceHandle(_HIPS, _BALLS)),
        KeptHandle(CenterOfMassHandle(), 4.0),
        KeptHandle(CenterOfMassHandle("spine")),
        KeptHandle(AxisHandle("hips", "left"), 0.25),
    ),
    contacts=(Contact("feet", ("left", "right")),),
    holds_ends=True,
)
"""For jumps (Popović 1999, section 6.5.1): one leg of variable length, the upper body a mass point; ten degrees of
freedom, of which six are the position and the orientation of the whole."""

RECIPES = {recipe.name: recipe for recipe in (BIPED, HOPPER)}
