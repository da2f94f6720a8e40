# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognition of a character's landmarks: by the names of joints (`names`), then by the shape of the hierarchy in the
rest pose (`body_shape`). Landmarks that neither shows stay unknown; every landmark can be set by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ...core.arrays import Array, ArrayLike
from ..joints import SIDES, BodyPoint
from ..skin import Skin
from . import body_shape
from .figure import Figure
from .foot_shape import LegJoints, foot_points
from .landmarks import Landmarks
from .names import ARM, LEG, NamedBody, end_marks, name_body, read_names

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
    """The landmarks of a character; those that names and shape do not show stay unknown, and nothing is raised.

    `parents` (joints,) has -1 for roots and names parents before children; `rest_positions` (joints, 3) and
    `rest_rotations` (joints, 4) are in world space, `tips` are ends of bones with joint indices. The rest pose may be
    any pose in which the character stands: the sides of a character without names, the heels and the tips of the toes
    come from it. `set_joints` has landmarks that a user has set, by name, on which points are then found; None is a
    joint that the character does not have.

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
    """Make a joint the landmark `name` unless that is known already or the joint is another landmark."""
    if joint is not None and name not in marks and joint not in marks.values():
        marks[name] = joint


def _limbs_and_shape(figure: Figure, named: NamedBody) -> dict[str, Any]:
    """Limbs and head by name; whole limbs, hips, neck and head without a known name by shape."""
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
    """Add the joints of limbs without a known name, by shape and by where the others are."""
    for side in SIDES:
        hip, ankle = marks.get(f"{side}_hip"), marks.get(f"{side}_ankle")
        if hip is not None and (f"{side}_knee" not in marks or ankle is None):
            roles = body_shape.leg_roles(figure, figure.limb(hip, through=ankle))
            _take_in_order(figure, named, marks, side, LEG, roles)
        ankle = marks.get(f"{side}_ankle")
        if ankle is not None:
            ball = body_shape.ball_joint(figure, figure.limb(ankle))
            if ball not in named.not_toes:
                _take_in_order(figure, named, marks, side, LEG, {"toe": ball})
        shoulder, wrist = marks.get(f"{side}_shoulder"), marks.get(f"{side}_wrist")
        if shoulder is not None and (f"{side}_elbow" not in marks or wrist is None):
            roles = body_shape.arm_roles(figure, figure.limb(shoulder, through=wrist))
            _take_in_order(figure, named, marks, side, ARM, roles)
        wrist = marks.get(f"{side}_wrist")
        if wrist is not None:
            finger = body_shape.finger_joint(figure, figure.limb(wrist))
            if finger not in named.not_fingers:
                _take_in_order(figure, named, marks, side, ARM, {"finger": finger})


def _take_in_order(
    figure: Figure,
    named: NamedBody,
    marks: dict[str, Any],
    side: str,
    roles: Sequence[str],
    found: Mapping[str, int | None],
) -> None:
    """Make the found joints landmarks whose order along the limb agrees with the known landmarks, inner ones above.

    `found` has joints by role, and `roles` the roles of the limb from the trunk outwards.
    """
    for role, joint in found.items():
        if joint is None or joint in named.trunk:
            continue
        place = roles.index(role)
        inner = [marks[name] for name in (f"{side}_{before}" for before in roles[:place]) if name in marks]
        outer = [marks[name] for name in (f"{side}_{after}" for after in roles[place + 1 :]) if name in marks]
        if all(figure.above(other, joint) for other in inner) and all(figure.above(joint, other) for other in outer):
            _take(marks, f"{side}_{role}", joint)


def _complete_trunk(figure: Figure, named: NamedBody, marks: dict[str, Any]) -> None:
    """Add hips, spine, neck and head, by names and by where the limbs branch."""
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
                _take_in_order(figure, named, marks, side, ARM, {"clavicle": next(outside, None)})
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
    """The joint where the arms branch; in a rig whose arms are children of controls, the highest spine joint below."""
    if not all(f"{side}_shoulder" in marks for side in SIDES):
        return None
    branching = figure.common_ancestor(arms)
    if branching is None or branching in named.body:
        return branching
    heights = figure.positions @ figure.up
    below = [joint for joint in named.spine if heights[joint] <= heights[list(arms)].min()]
    return below[-1] if below else None


def _hips(figure: Figure, named: NamedBody, thighs: list[int], top: int | None, by_shape: int | None) -> int | None:
    """The joint that moves legs and trunk: the nearest one with the name of a pelvis at or above their branching.

    In a rig whose legs are children of its controls, or roots, it is the pelvis or the lowest spine joint by name.
    """
    if thighs and top is not None:
        branching = figure.common_ancestor([*thighs, top])
        if branching is None or branching not in named.body:
            return next(iter((*named.hips, *named.spine)), None)
        if branching != top and branching not in thighs:
            pelvises = [pelvis for pelvis in named.hips if figure.within(branching, pelvis)]
            return pelvises[-1] if pelvises else branching
    if named.hips:
        return named.hips[0]
    if by_shape is not None or len(thighs) < 2:
        return by_shape
    branching = figure.common_ancestor(thighs)
    return None if branching in thighs else branching


# Points --------------------------------------------------------------------------------------------------------------


def _points(figure: Figure, named: NamedBody, marks: dict[str, Any]) -> dict[str, BodyPoint]:
    """The landmarks that are points: of both feet, both hands and the head."""
    points: dict[str, BodyPoint | None] = {}
    forward = _facing(figure, marks)
    for side in SIDES:
        hip, knee, ankle, ball = (marks.get(f"{side}_{role}") for role in LEG)
        if ankle is not None:
            heel = _named_heel(figure, named, ankle, side)
            foot = foot_points(figure, LegJoints(hip, knee, ankle, ball), forward, heel, named.heel_bones)
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
    """The heel of a joint with the name of one: the lowest end of its bone, or its middle where the bone is level."""
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
    """The point of the hand farthest from the wrist, at most `_LONGEST_HAND` of the forearm away."""
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
        # The end of a head bone may lie between the eyes, or anywhere in a file without bone lengths: not at the crown.
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
