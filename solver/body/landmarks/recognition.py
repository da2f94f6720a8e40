# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint is the left ankle, where the heel is: what a character's joints mean.

Recognition asks the names first (`joint_names`), then the shape of the hierarchy in the rest pose (`body_shape`), and
says by name what neither of them tells; anything can be set by hand.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core.arrays import Array, ArrayLike
from ...core.errors import LandmarkError
from ..joints import BodyPoint
from ..skin import Skin
from . import body_shape
from .body_shape import Limb
from .figure import Figure
from .foot_shape import Leg, foot_points
from .names import ARM, LEG, SIDES, NamedBody, end_marks, name_body, read_names

HAND_LENGTH = 0.7
"""The hand to the tip of its middle finger as a share of the forearm (188 of 269 mm, de Leva 1996)."""

HEAD_HEIGHT = 0.13
"""The crown above the head joint as a share of that joint's height above the floor: from the angle of the jaw to the
crown are 203 of 1741 mm (de Leva 1996)."""

_LONGEST_HAND = 1.1
"""The farthest that a fingertip lies from the wrist, as a share of the forearm: 0.7 in people."""

_LOWEST_CROWN, _HIGHEST_CROWN = 0.07, 0.7
"""How far the crown lies above the head joint, as a share of that joint's height above the floor: 0.13 in people, more
than half in cartoon characters."""

_LEVEL = 0.05
"""Points whose heights differ by less than this share of the foot are on one level."""

_JOINTS = ("hips", "neck", "head", *(f"{side}_{role}" for side in SIDES for role in (*ARM, *LEG)))
_POINTS = (*(f"{side}_{point}" for side in SIDES for point in ("heel", "ball", "toe_tip", "fingertip")), "head_top")

JOINT_NAMES: tuple[str, ...] = ("hips", "spine", *_JOINTS[1:])
"""Every landmark that is a joint, or several, by its field name."""

NAMES: tuple[str, ...] = (*JOINT_NAMES, *_POINTS)
"""Every landmark by its field name."""


@dataclass(frozen=True)
class Landmarks:
    """Joints by index and points on joints, by what they are on the body; None (no spine: empty) where unknown."""

    hips: int | None = None
    """The joint that moves the whole body: pelvis and all that hangs on it."""
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
        """What was not found, in words: "left toe tip"."""
        return tuple(_words(name) for name in NAMES if getattr(self, name) in (None, ()))

    def require(self, name: str) -> Any:
        """The landmark of this field name; an error that says how to set it where it is unknown."""
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


# Recognition ---------------------------------------------------------------------------------------------------------


def recognise(
    names: Sequence[str],
    parents: ArrayLike,
    rest_positions: ArrayLike,
    rest_rotations: ArrayLike,
    tips: Sequence[BodyPoint],
    up: Literal["y", "z"],
    skin: Skin | None = None,
    set_joints: Mapping[str, int | tuple[int, ...] | BodyPoint | None] | None = None,
) -> Landmarks:
    """Find the landmarks of a character; what names and shape do not tell stays unknown, and nothing is raised.

    `parents` (joints,) has -1 for roots and names parents before children; `rest_positions` (joints, 3) and
    `rest_rotations` (joints, 4) are in world space, `tips` are ends of bones with joint indices. The rest pose may be
    any pose in which the character stands: the sides of a character without names, the heels and the tips of the toes
    come from it. Points are found on the joints in `set_joints` where a user has set them, by landmark; None is a joint
    that the user says is not there.

    Left is up × forward, and forward is where the toes point.
    """
    readings = read_names(names)
    figure = Figure(parents, rest_positions, rest_rotations, tips, up, named_ends=end_marks(readings), skin=skin)
    named = name_body(names, readings, figure)
    marks: dict[str, Any] = _limbs_and_shape(figure, named)
    _complete_limbs(figure, named, marks)
    _complete_trunk(figure, named, marks)
    for name, joint in (set_joints or {}).items():
        marks.pop(name, None)
        if joint is not None:
            marks[name] = joint
    marks.update(_points(figure, named, marks))
    return Landmarks(**marks, joint_count=len(figure))


def _take(marks: dict[str, Any], name: str, joint: int | None) -> None:
    """Make a joint a landmark that nothing has been found for, unless it is another one already."""
    if joint is not None and name not in marks and joint not in marks.values():
        marks[name] = joint


def _limbs_and_shape(figure: Figure, named: NamedBody) -> dict[str, Any]:
    """Limbs and head by name; whole limbs, hips, neck and head that the names leave out by shape."""
    marks: dict[str, Any] = dict(named.limbs)
    _take(marks, "head", named.head)
    if all(f"{side}_{role}" in marks for side in SIDES for role in ("hip", "shoulder")):
        return marks
    shape = body_shape.find_body(figure)
    if _sides_contradict(shape, named.limbs):
        shape = {_other_side(name): joint for name, joint in shape.items()}
    claimed = {*marks.values(), *named.trunk}
    for side in SIDES:
        for roles in (LEG, ARM):
            limb = {f"{side}_{role}": shape[f"{side}_{role}"] for role in roles if f"{side}_{role}" in shape}
            if not any(f"{side}_{role}" in marks for role in roles) and not claimed & set(limb.values()):
                marks.update(limb)
    for name in ("hips", "neck", "head"):
        _take(marks, name, shape.get(name))
    return marks


def _sides_contradict(shape: Mapping[str, int], limbs: Mapping[str, int]) -> bool:
    """Whether a limb that is left by its shape is right by its name."""
    sides = {joint: name.split("_")[0] for name, joint in limbs.items()}
    return any(sides.get(joint, name.split("_")[0]) != name.split("_")[0] for name, joint in shape.items())


def _other_side(name: str) -> str:
    for side, other in (SIDES, SIDES[::-1]):
        if name.startswith(f"{side}_"):
            return name.replace(side, other, 1)
    return name


def _complete_limbs(figure: Figure, named: NamedBody, marks: dict[str, Any]) -> None:
    """Joints of a limb that the names leave out, from where the others are."""
    for side in SIDES:
        hip, ankle = marks.get(f"{side}_hip"), marks.get(f"{side}_ankle")
        if hip is not None and (f"{side}_knee" not in marks or ankle is None):
            _fill(figure, named, marks, side, LEG, body_shape.leg_roles(figure, _limb(figure, hip, through=ankle)))
        ankle = marks.get(f"{side}_ankle")
        if ankle is not None:
            toe = body_shape.toe_joint(figure, _limb(figure, ankle))
            if toe not in named.not_toes:
                _fill(figure, named, marks, side, LEG, {"toe": toe})
        shoulder, wrist = marks.get(f"{side}_shoulder"), marks.get(f"{side}_wrist")
        if shoulder is not None and (f"{side}_elbow" not in marks or wrist is None):
            _fill(figure, named, marks, side, ARM, body_shape.arm_roles(figure, _limb(figure, shoulder, through=wrist)))
        wrist = marks.get(f"{side}_wrist")
        if wrist is not None:
            finger = body_shape.finger_joint(figure, _limb(figure, wrist))
            if finger not in named.not_fingers:
                _fill(figure, named, marks, side, ARM, {"finger": finger})


def _limb(figure: Figure, joint: int, through: int | None = None) -> Limb:
    """The limb from a joint to its farthest point, by way of another joint where that is known."""
    if through is None:
        joints, end = figure.limb(joint)
        return Limb(tuple(joints), end)
    joints, end = figure.limb(through)
    return Limb((*figure.path(joint, through)[:-1], *joints), end)


def _fill(
    figure: Figure,
    named: NamedBody,
    marks: dict[str, Any],
    side: str,
    roles: Sequence[str],
    found: Mapping[str, int | None],
) -> None:
    """Take the found joints whose place along the limb agrees with what is known."""
    for role, joint in found.items():
        if joint is None or joint in named.trunk:
            continue
        place = roles.index(role)
        inner = [marks[name] for name in (f"{side}_{before}" for before in roles[:place]) if name in marks]
        outer = [marks[name] for name in (f"{side}_{after}" for after in roles[place + 1 :]) if name in marks]
        if all(figure.above(other, joint) for other in inner) and all(figure.above(joint, other) for other in outer):
            _take(marks, f"{side}_{role}", joint)


def _complete_trunk(figure: Figure, named: NamedBody, marks: dict[str, Any]) -> None:
    """Hips, spine, neck and head, from names and from where the limbs part."""
    arms = [marks[f"{side}_{role}"] for side in SIDES for role in ("clavicle", "shoulder") if f"{side}_{role}" in marks]
    chest = _chest(figure, named, marks, arms)
    necks = [neck for neck in named.necks if "head" not in marks or figure.above(neck, marks["head"])]
    if necks:
        marks.pop("neck", None)
        _take(marks, "neck", necks[0])
    if chest is not None and "head" not in marks:
        towards_arms = [child for child in figure.children[chest] for arm in arms if figure.within(arm, child)]
        for name, joint in body_shape.neck_and_head(figure, chest, towards_arms, named.face).items():
            _take(marks, name, joint)
    if chest is not None and "head" in marks:
        _take(marks, "neck", next(iter(figure.path(chest, marks["head"])[1:-1]), None))
    top = marks.get("neck", marks.get("head", chest))

    thighs = [marks[f"{side}_hip"] for side in SIDES if f"{side}_hip" in marks]
    _take(marks, "hips", _hips(figure, named, thighs, top, marks.pop("hips", None)))
    if chest is not None:
        for side in SIDES:
            if f"{side}_shoulder" in marks:
                between = figure.path(chest, marks[f"{side}_shoulder"])[1:-1]
                outside = (joint for joint in between if joint not in named.trunk)
                _fill(figure, named, marks, side, ARM, {"clavicle": next(outside, None)})
    if top is None:
        return
    if "hips" in marks:
        inside = figure.path(marks["hips"], top)
    else:
        lowest = next((joint for joint in named.spine if figure.within(top, joint)), None)
        inside = [] if lowest is None else figure.path(lowest, top)
    others = set(marks.values())
    marks["spine"] = tuple(joint for joint in inside if joint not in others)


def _chest(figure: Figure, named: NamedBody, marks: dict[str, Any], arms: Sequence[int]) -> int | None:
    """The joint where the arms part; in a rig whose arms hang on its controls, the highest spine joint below them."""
    if not all(f"{side}_shoulder" in marks for side in SIDES):
        return None
    parted = figure.common_ancestor(arms)
    if parted is None or parted in named.body:
        return parted
    heights = figure.positions @ figure.up
    below = [joint for joint in named.spine if heights[joint] <= heights[list(arms)].min()]
    return below[-1] if below else None


def _hips(figure: Figure, named: NamedBody, thighs: list[int], top: int | None, by_shape: int | None) -> int | None:
    """The joint that moves legs and trunk: the nearest one with the name of a pelvis at or above where they part.

    In a rig whose legs hang on its controls, or on nothing, it is the pelvis or the lowest spine joint by name.
    """
    if thighs and top is not None:
        parted = figure.common_ancestor([*thighs, top])
        if parted is None or parted not in named.body:
            return next(iter((*named.hips, *named.spine)), None)
        if parted != top and parted not in thighs:
            pelvises = [pelvis for pelvis in named.hips if figure.within(parted, pelvis)]
            return pelvises[-1] if pelvises else parted
    if named.hips:
        return named.hips[0]
    if by_shape is not None or len(thighs) < 2:
        return by_shape
    parted = figure.common_ancestor(thighs)
    return None if parted in thighs else parted


# Points --------------------------------------------------------------------------------------------------------------


def _points(figure: Figure, named: NamedBody, marks: dict[str, Any]) -> dict[str, BodyPoint]:
    points: dict[str, BodyPoint | None] = {}
    forward = _facing(figure, marks)
    for side in SIDES:
        hip, knee, ankle, toe = (marks.get(f"{side}_{role}") for role in LEG)
        if ankle is not None:
            heel = _named_heel(figure, named, ankle, side)
            foot = foot_points(figure, Leg(hip, knee, ankle, toe), forward, heel, named.heel_bones)
            points |= {f"{side}_heel": foot.heel, f"{side}_ball": foot.ball, f"{side}_toe_tip": foot.toe_tip}
        points[f"{side}_fingertip"] = _fingertip(figure, marks, side)
    heels = [heel for heel in (points.get(f"{side}_heel") for side in SIDES) if heel is not None]
    points["head_top"] = _head_top(figure, marks, _floor(figure, marks, heels))
    return {name: point for name, point in points.items() if point is not None}


def _facing(figure: Figure, marks: dict[str, Any]) -> Array | None:
    """The horizontal unit vector (3,) square to the line from the right hip to the left one; None without both."""
    hips = [marks.get(f"{side}_hip") for side in SIDES]
    if hips[0] is None or hips[1] is None:
        return None
    ahead = np.cross(figure.positions[hips[0]] - figure.positions[hips[1]], figure.up)
    length = float(np.linalg.norm(ahead))
    return ahead / length if length > 0.0 else None


def _named_heel(figure: Figure, named: NamedBody, ankle: int, side: str) -> BodyPoint | None:
    """The heel that a joint's name marks: the lowest end of its bone, or its middle where it lies level."""
    candidates: list[tuple[float, int, Array]] = []
    for joint in named.heels.get(side, ()):
        if figure.above(ankle, joint):
            ends = np.vstack([figure.positions[joint], figure.own_tips(joint)])
            heights = ends @ figure.up
            size = float(np.linalg.norm(ends - figure.positions[ankle], axis=1).max())
            place = ends[heights <= heights.min() + _LEVEL * size].mean(axis=0)
            candidates.append((float(place @ figure.up), joint, place))
    if not candidates:
        return None
    _, joint, place = min(candidates, key=lambda candidate: candidate[0])
    return figure.point(figure.parents[joint], place)


def _fingertip(figure: Figure, marks: dict[str, Any], side: str) -> BodyPoint | None:
    """The farthest point of the hand that a hand on this forearm can have."""
    wrist, finger, elbow = (marks.get(f"{side}_{role}") for role in ("wrist", "finger", "elbow"))
    if wrist is None:
        return None
    origin = figure.positions[wrist]
    forearm = None if elbow is None else origin - figure.positions[elbow]
    reach = np.inf if forearm is None else _LONGEST_HAND * float(np.linalg.norm(forearm)) or np.inf
    hand = wrist if finger is None else finger
    carriers, places = figure.tips_below(hand)
    joints = [joint for joint in figure.subtree(hand) if joint not in figure.ends]
    ends = [*zip(joints, figure.positions[joints], strict=True), *zip(carriers.tolist(), places, strict=True)]
    credible = [(joint, place) for joint, place in ends if float(np.linalg.norm(place - origin)) <= reach]
    joint, place = max(credible, key=lambda end: float(np.linalg.norm(end[1] - origin)), default=(wrist, origin))
    if finger is not None or np.any(place != origin):
        return figure.point(joint, place)
    return None if forearm is None else figure.point(wrist, origin + HAND_LENGTH * forearm)


def _head_top(figure: Figure, marks: dict[str, Any], floor: float | None) -> BodyPoint | None:
    """The crown: the highest skin of the head, else the highest end of its bone that keeps to a head's proportions.

    `floor` is the height at which the character stands, None if unknown.
    """
    head = marks.get("head")
    if head is None:
        return None
    start = figure.positions[head]
    _, skin = figure.skin_below(head)
    if len(skin):
        rises = (skin - start) @ figure.up
        top = skin[rises >= (1.0 - _LEVEL) * rises.max()]
        if rises.max() > 0.0:
            middle = np.median(figure.horizontal(top - start), axis=0)
            return figure.point(head, start + middle + float(rises.max()) * figure.up)
    tips = figure.own_tips(head)
    tips = tips[np.any(tips != start, axis=1)]
    height = 0.0 if floor is None else float(start @ figure.up) - floor
    if height > 0.0:
        # A bone that ends between the eyes, or wherever a file without bone lengths puts it, does not show the crown.
        rises = (tips - start) @ figure.up
        upright = rises >= 0.5 * np.linalg.norm(tips - start, axis=1)
        tips = tips[upright & (rises >= _LOWEST_CROWN * height) & (rises <= _HIGHEST_CROWN * height)]
    if len(tips):
        return figure.point(head, tips[int(np.argmax(tips @ figure.up))])
    return None if floor is None else figure.point(head, start + HEAD_HEIGHT * height * figure.up)


def _floor(figure: Figure, marks: dict[str, Any], heels: Sequence[BodyPoint]) -> float | None:
    """The height of the lower heel; where no heel is known, of the lowest joint below an ankle."""
    heights = [float(figure.world(int(heel.joint), heel.offset) @ figure.up) for heel in heels]
    for side in SIDES if not heights else ():
        ankle = marks.get(f"{side}_ankle")
        joints = [] if ankle is None else [joint for joint in figure.subtree(ankle) if joint not in figure.ends]
        heights += (figure.positions[joints] @ figure.up).tolist()
    return min(heights, default=None)
