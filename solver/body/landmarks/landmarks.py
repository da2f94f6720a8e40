# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmarks of a character: joints and points by their meaning on the body, recognised or set by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import LandmarkError
from ..joints import SIDES, BodyPoint
from .names import ARM, LEG

_JOINTS = ("hips", "neck", "head", *(f"{side}_{role}" for side in SIDES for role in (*ARM, *LEG)))
_POINTS = (*(f"{side}_{point}" for side in SIDES for point in ("heel", "ball", "toe_tip", "fingertip")), "head_top")

JOINT_NAMES: tuple[str, ...] = ("hips", "spine", *_JOINTS[1:])
"""Every landmark that is a joint, or several, by its field name."""

NAMES: tuple[str, ...] = (*JOINT_NAMES, *_POINTS)
"""Every landmark by its field name."""


@dataclass(frozen=True)
class Landmarks:
    """Joints by index and points on joints, by their meaning on the body; None (of the spine: empty) where unknown."""

    hips: int | None = None
    """The joint that moves the whole body: the pelvis and everything below it."""
    spine: tuple[int, ...] = ()
    """From above the pelvis up to below the neck."""
    neck: int | None = None
    """The lowest joint of the neck."""
    head: int | None = None
    left_clavicle: int | None = None
    left_shoulder: int | None = None
    """The joint that turns the upper arm."""
    left_elbow: int | None = None
    left_wrist: int | None = None
    left_finger: int | None = None
    """The base of the middle finger, else of the index finger."""
    left_hip: int | None = None
    """The joint that turns the thigh."""
    left_knee: int | None = None
    left_ankle: int | None = None
    left_toe: int | None = None
    """The joint that bends the toes, in the ball of the foot; many characters have none."""
    right_clavicle: int | None = None
    right_shoulder: int | None = None
    right_elbow: int | None = None
    right_wrist: int | None = None
    right_finger: int | None = None
    right_hip: int | None = None
    right_knee: int | None = None
    right_ankle: int | None = None
    right_toe: int | None = None
    left_heel: BodyPoint | None = None
    """Where the heel meets the floor."""
    left_ball: BodyPoint | None = None
    """Where the toes begin: the joint that bends them, or the place on the foot where they would."""
    left_toe_tip: BodyPoint | None = None
    left_fingertip: BodyPoint | None = None
    right_heel: BodyPoint | None = None
    right_ball: BodyPoint | None = None
    right_toe_tip: BodyPoint | None = None
    right_fingertip: BodyPoint | None = None
    head_top: BodyPoint | None = None
    """The crown."""
    joint_count: int | None = None
    """How many joints the character has, where it is known: indices beyond it are refused."""

    def leg(self, side: str) -> tuple[int | None, int | None, int | None, int | None]:
        """Hip, knee, ankle and toe of the "left" or the "right"."""
        hip, knee, ankle, toe = (getattr(self, f"{_side(side)}_{role}") for role in LEG)
        return hip, knee, ankle, toe

    def arm(self, side: str) -> tuple[int | None, int | None, int | None, int | None]:
        """Clavicle, shoulder, elbow and wrist of the "left" or the "right"."""
        clavicle, shoulder, elbow, wrist = (getattr(self, f"{_side(side)}_{role}") for role in ARM[:4])
        return clavicle, shoulder, elbow, wrist

    @property
    def missing(self) -> tuple[str, ...]:
        """The unknown landmarks, in words: "left toe tip"."""
        return tuple(_words(name) for name in NAMES if getattr(self, name) in (None, ()))

    def require(self, name: str) -> Any:
        """The landmark with this field name; raises LandmarkError, which says how to set it, where it is unknown."""
        _check_name(name)
        mark = getattr(self, name)
        if mark in (None, ()):
            raise LandmarkError(
                f"The {_words(name)} of this character was not found; set it by hand, "
                f"as in landmarks.replace({name}={_example(name)})."
            )
        return mark

    def replace(self, **marks: int | Sequence[int] | BodyPoint | None) -> Landmarks:
        """A copy with some landmarks set by hand; None forgets one.

        A joint is given by its index; a point by a `BodyPoint` or, where it is in a joint's own place, by that joint's
        index; the spine by a sequence of indices.
        """
        return dataclasses.replace(self, **{name: self._checked(name, mark) for name, mark in marks.items()})

    def _checked(self, name: str, mark: int | Sequence[int] | BodyPoint | None) -> Any:
        _check_name(name)
        if name == "spine":
            if isinstance(mark, (tuple, list)):
                return tuple(self._checked_joint(name, joint) for joint in mark)
            return () if mark is None else (self._checked_joint(name, mark),)
        if mark is None:
            return None
        if name in _POINTS:
            if isinstance(mark, BodyPoint):
                return BodyPoint(self._checked_joint(name, mark.joint), mark.offset)
            return BodyPoint(self._checked_joint(name, mark))
        return self._checked_joint(name, mark)

    def _checked_joint(self, name: str, joint: object) -> int:
        if isinstance(joint, bool) or not isinstance(joint, (int, np.integer)):
            raise LandmarkError(
                f"The {_words(name)} cannot be {joint!r}; give {_example(name)}, with a joint's index for the joint."
            )
        if joint < 0 or (self.joint_count is not None and joint >= self.joint_count):
            last = "" if self.joint_count is None else f" to {self.joint_count - 1}"
            raise LandmarkError(f"The {_words(name)} cannot be joint {joint}; the joints count from 0{last}.")
        return int(joint)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _example(name: str) -> str:
    if name in _POINTS:
        return "BodyPoint(joint, offset)"
    return "(joint, joint, …)" if name == "spine" else "joint"


def _check_name(name: str) -> None:
    if name not in NAMES:
        raise LandmarkError(f"There is no landmark {name!r}; the landmarks are {', '.join(NAMES)}.")


def _side(side: str) -> str:
    if side not in SIDES:
        raise LandmarkError(f"A side is 'left' or 'right', not {side!r}.")
    return side
