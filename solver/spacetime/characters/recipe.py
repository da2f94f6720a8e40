# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: which simplified character stands for a full one in a motion (Popović 1999, section 4.1).

A recipe is data that a user can write, in Python or as JSON. It names the joints that are kept; all others are fused
with the body that carries them. Joints are named by landmarks ("left_hip") or by their own names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from ...core.errors import RecipeError
from ...core.numbers import is_number
from ..handles.handle import (
    AxisHandle,
    CenterOfMassHandle,
    DistanceHandle,
    Handle,
    MidpointHandle,
    PointHandle,
    handle_from_dict,
)
from ..record_fields import record_fields

JointForm = Literal["ball", "hinge", "telescope", "mass point"]

VALUE_NAMES: Mapping[JointForm, tuple[str, ...]] = {
    "ball": ("flexion", "abduction", "twist"),
    "hinge": ("flexion",),
    "telescope": ("length",),
    "mass point": ("left", "up", "forward"),
}
"""The values of a joint of each form."""

HingeAxis = Literal["left", "fitted"]

Foot = Literal["left", "right"]


@dataclass(frozen=True)
class KeptJoint:
    """A joint of the simplified character."""

    joints: tuple[str, ...]
    """The joints of the full character that it stands for: several are limbs that move in unison and are merged into
    one."""
    form: JointForm
    """`ball`: flexion, abduction and twist. `hinge`: one rotation. `telescope`: the whole limb is a rod of variable
    length along the parent's down axis. `mass point`: the whole subtree is one mass that moves along three axes of its
    parent."""
    axis: HingeAxis = "left"
    """Of a hinge: across the body, or the one about which the source swings the limb."""
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    """The range of each value, in degrees (of a telescope and a mass point: in sizes of the character); values that the
    source has are always inside. Empty: the range of the source, widened by `margin`."""
    margin: float = 0.5
    """How much wider than the source's the range is on both sides where it is not given: radians, or a share of the
    source's range for lengths."""
    end: str = ""
    """Of a telescope: the point at its end, such as "left_ball" (of merged limbs the first one's)."""

    def __post_init__(self) -> None:
        _freeze(self, "joints", "lower", "upper")
        if not self.joints or not all(isinstance(name, str) and name for name in self.joints):
            raise RecipeError(f'A kept joint names one joint or more, such as "left_hip", not {self.joints!r}.')
        label = self.label
        _check_choice(f"The form of the {label}", self.form, get_args(JointForm))
        _check_choice(f"The axis of the {label}", self.axis, get_args(HingeAxis))
        if self.axis == "fitted" and self.form != "hinge":
            raise RecipeError(f"The {label} is no hinge: only a hinge has a fitted axis.")
        names = VALUE_NAMES[self.form]
        for which, bounds in (("lower", self.lower), ("upper", self.upper)):
            if bounds and (len(bounds) != len(names) or not all(is_number(bound) for bound in bounds)):
                many = "one finite number" if len(names) == 1 else f"{len(names)} finite numbers"
                raise RecipeError(
                    f"The {which} bounds of the {label} must be {many} ({', '.join(names)}), not {list(bounds)}."
                )
        if bool(self.lower) != bool(self.upper):
            raise RecipeError(f"The {label} has bounds on one side: give both lower and upper, or neither.")
        for name, low, high in zip(names, self.lower, self.upper, strict=False):
            if low > high:
                raise RecipeError(f"The {name} of the {label} has a lower bound ({low:g}) above its upper ({high:g}).")
        if not is_number(self.margin) or self.margin < 0.0:
            raise RecipeError(f"The margin of the {label} must be a finite number, 0 or more, not {self.margin!r}.")
        if not isinstance(self.end, str) or bool(self.end) != (self.form == "telescope"):
            raise RecipeError(f'A telescope, and only a telescope, has an end, such as "left_ball"; see the {label}.')

    @property
    def label(self) -> str:
        """Its name in messages and in the names of its values: "left hip", "left hip and right hip"."""
        return " and ".join(name.replace("_", " ") for name in self.joints)


@dataclass(frozen=True)
class KeptHandle:
    """A handle that both characters have, with its weight."""

    handle: Handle
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise RecipeError(f'A recipe has handles, such as PointHandle("left_ball"), not {self.handle!r}.')
        if not is_number(self.weight) or self.weight <= 0.0:
            label = self.handle.label
            raise RecipeError(f"The weight of the {label} must be a finite, positive number, not {self.weight!r}.")


@dataclass(frozen=True)
class Contact:
    """Where the simplified character touches the ground."""

    name: str
    feet: tuple[Foot, ...]
    """The feet whose plants it has: with two of them it stands while both do."""

    def __post_init__(self) -> None:
        _freeze(self, "feet")
        if not isinstance(self.name, str) or not self.name:
            raise RecipeError(f'A contact has a name, such as "left foot", not {self.name!r}.')
        if sorted(map(str, self.feet)) not in (["left"], ["right"], ["left", "right"]):
            raise RecipeError(
                f'The contact {self.name!r} has the feet "left", "right" or both, each once, not {list(self.feet)}.'
            )


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

    def __post_init__(self) -> None:
        _freeze(self, "joints", "handles", "contacts")
        if not isinstance(self.name, str) or not self.name:
            raise RecipeError(f"A recipe has a name, not {self.name!r}.")
        for name, kind in (("joints", KeptJoint), ("handles", KeptHandle), ("contacts", Contact)):
            for part in getattr(self, name):
                if not isinstance(part, kind):
                    raise RecipeError(f"The {name} of the recipe {self.name!r} are {kind.__name__}, not {part!r}.")
        if not self.handles:
            raise RecipeError(f"The recipe {self.name!r} has no handles: name what both characters have in common.")
        if not self.contacts:
            raise RecipeError(f"The recipe {self.name!r} has no contacts: say which feet touch the ground.")
        self._check_once("joint", [name for joint in self.joints for name in joint.joints])
        self._check_once("contact", [contact.name for contact in self.contacts])
        self._check_once("foot", [foot for contact in self.contacts for foot in contact.feet])
        if not isinstance(self.holds_ends, bool):
            raise RecipeError(
                f"The recipe {self.name!r} holds its ends or not: true or false, not {self.holds_ends!r}."
            )

    def _check_once(self, what: str, names: list[str]) -> None:
        for name in names:
            if names.count(name) > 1:
                raise RecipeError(f"The recipe {self.name!r} has the {what} {name!r} twice; leave one of them out.")

    def as_dict(self) -> dict[str, Any]:
        """The recipe as data that can be written as JSON."""
        return {
            "name": self.name,
            "joints": [asdict(joint) for joint in self.joints],
            "handles": [{"handle": kept.handle.as_dict(), "weight": kept.weight} for kept in self.handles],
            "contacts": [asdict(contact) for contact in self.contacts],
            "holds_ends": self.holds_ends,
        }


def recipe_from_dict(data: object) -> Recipe:
    """The recipe that `Recipe.as_dict` has written, or a user; a RecipeError or a HandleError says what is wrong."""
    given = record_fields("recipe", data, Recipe, RecipeError)
    for name in ("joints", "handles", "contacts"):
        if not isinstance(given[name], (list, tuple)):
            raise RecipeError(f"The {name} of a recipe are a list, not {given[name]!r}.")
    handles = []
    for entry in given["handles"]:
        kept = record_fields("handle of a recipe", entry, KeptHandle, RecipeError)
        handles.append(KeptHandle(**{**kept, "handle": handle_from_dict(kept["handle"])}))
    return Recipe(
        **{
            **given,
            "joints": tuple(
                KeptJoint(**record_fields("kept joint", entry, KeptJoint, RecipeError)) for entry in given["joints"]
            ),
            "handles": tuple(handles),
            "contacts": tuple(
                Contact(**record_fields("contact", entry, Contact, RecipeError)) for entry in given["contacts"]
            ),
        }
    )


def _freeze(part: object, *names: str) -> None:
    """Make fields of a frozen dataclass tuples: they may be given as lists, or as one value alone."""
    for name in names:
        value = getattr(part, name)
        is_several = isinstance(value, Collection) and not isinstance(value, (str, Mapping))
        object.__setattr__(part, name, tuple(value) if is_several else (value,))


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise RecipeError(f"{what} is {' or '.join(map(repr, choices))}, not {value!r}.")


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

_ARMS = MidpointHandle(CenterOfMassHandle("left_shoulder"), CenterOfMassHandle("right_shoulder"))

JUMPER = Recipe(
    "jumper",
    joints=(
        KeptJoint(("left_hip", "right_hip"), "ball", lower=(-140.0, -45.0, -45.0), upper=(50.0, 45.0, 45.0)),
        KeptJoint(("left_knee", "right_knee"), "hinge", lower=(1.0,), upper=(150.0,)),
        # At zero the foot points along the shin; standing, it is at about -75 degrees.
        KeptJoint(("left_ankle", "right_ankle"), "hinge", lower=(-125.0,), upper=(-20.0,)),
        KeptJoint(("spine",), "ball", lower=(-60.0, -40.0, -50.0), upper=(90.0, 40.0, 50.0)),
        KeptJoint(("left_shoulder", "right_shoulder"), "hinge", axis="fitted", lower=(-200.0,), upper=(120.0,)),
    ),
    handles=(
        KeptHandle(_BALLS, 4.0),
        KeptHandle(MidpointHandle("left_heel", "right_heel")),
        KeptHandle(CenterOfMassHandle(), 4.0),
        KeptHandle(CenterOfMassHandle("spine")),
        KeptHandle(_ARMS, 0.5),
        KeptHandle(AxisHandle("hips", "left"), 0.25),
        KeptHandle(AxisHandle("hips", "up"), 0.25),
        KeptHandle(AxisHandle("spine", "left"), 0.25),
        # Without it the legs, once straight, would turn freely about themselves.
        KeptHandle(MidpointHandle(AxisHandle("left_hip", "left"), AxisHandle("right_hip", "left")), 0.1),
    ),
    contacts=HOPPER.contacts,
    holds_ends=True,
)
"""For jumps with both legs, nearer to the source than the hopper and with knees: hips, knees, ankles and shoulders of
both sides move as one, and the waist bends and twists; fifteen degrees of freedom."""

RECIPES = {recipe.name: recipe for recipe in (BIPED, JUMPER, HOPPER)}
"""The recipes that `fit` takes by their names."""
