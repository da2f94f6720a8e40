# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognition of a biped's joints by shape alone: height above the floor, branching and mirror symmetry.

A biped is a pelvis with exactly two mirrored limbs that reach down to the floor and a trunk that rises from it. Its
arms are the two mirrored limbs that leave the trunk sideways, its head is the end of the chain that rises between them.
For anything else (four legs, a chain, a prop) nothing is found.

Left is up × forward. Forward is where the feet point, or, without feet, where the knees bend to; where neither shows
it, the two sides cannot be told apart and nothing is found.

Every threshold is a share of the stature, of the leg or of the arm, with the published human proportion beside it
(de Leva 1996; see `masses`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ...core.arrays import Array, ArrayLike, IntArray
from ..joints import SIDES
from .figure import TIE, Figure, LimbChain

_FLOOR_REACH = 0.1
"""A leg ends within this share of the stature above the lowest point of the body."""
_LEG_SHARE = 0.3
"""A leg is at least this share of the stature; a human's is half."""
_RISE_SHARE = 0.2
"""The trunk and head rise at least this share of the stature above the pelvis; a human's rise by half."""
_SPARE_LEG = 0.02
"""A third limb that ends this share of the stature above the second is a skirt or a tail, not a leg."""
_ARM_REACH = 0.1
"""An arm reaches at least this share of the stature sideways, even with arms down: half a human's shoulders is 0.11."""
_MIRROR = 0.1
"""Two limbs are mirrored where their joints agree to this share of the limb's length: captured people are not even."""
_ANKLE_HEIGHT = 0.2
"""The ankle is the first joint below this share of the leg: a human's ankle is at 0.1, the knee at 0.5."""
_BALL_OF_FOOT = 2.0 / 3.0
"""Where the toes bend, as a share of the way from the ankle to their tip (0.62 and 0.66 in usual skeletons)."""
_SHOULDER_WIDTH = 1.4
"""The shoulder is the first joint this many times as far out as the hip: a human's is twice as far, the root of the
collarbone not once."""
_ARM_PARTS = np.array([0.38, 0.37, 0.25])
"""Upper arm, forearm and hand as shares of the way from the shoulder to the fingertip (282, 269 and 188 mm)."""
_COINCIDENT = 0.01
"""Joints nearer to each other than this share of their limb are in the same place."""
_FEET_POINT = 0.05
_KNEES_BEND = 0.005
"""Shares of the leg by which feet, or knees, must point forward to show the forward direction."""
_LONGEST_LIMB = 24
"""Joints in a limb: more is a rope or a tail."""


def find_body(figure: Figure) -> dict[str, int]:
    """Joints by role, limbs as "left_knee"; empty where the figure is no biped, without arms where it has none."""
    heights = figure.positions @ figure.up
    lowest, highest = _extremes(figure, figure.up)
    stature = float(highest.max() - lowest.min())
    if stature <= 0.0:
        return {}
    legs = _find_legs(figure, lowest, highest, stature)
    if legs is None:
        return {}
    fork, limbs = legs
    roles = [leg_roles(figure, limb, fork) for limb in limbs]
    size = stature * _LEG_SHARE
    if any(role not in found for found in roles for role in ("hip", "knee", "ankle")):
        return {}
    if not _mirrored(figure, roles[0], roles[1], ("hip", "knee", "ankle"), size):
        return {}
    forward = _forward(figure, roles, limbs)
    hips = _pelvis(figure, fork, heights, highest, _RISE_SHARE * stature)
    if forward is None or hips is None:
        return {}
    left = np.cross(figure.up, forward)
    if (figure.positions[roles[0]["hip"]] - figure.positions[roles[1]["hip"]]) @ left < 0.0:
        roles.reverse()
    body = {f"{side}_{role}": joint for side, found in zip(SIDES, roles, strict=True) for role, joint in found.items()}
    body["hips"] = hips
    body.update(_find_arms(figure, body, left, stature))
    return body


def _extremes(figure: Figure, axis: Array) -> tuple[Array, Array]:
    """The least and the largest coordinate along an axis of each joint's subtree, both (joints,)."""
    along = figure.positions @ axis
    lowest, highest = along.copy(), along.copy()
    tips = figure.tip_positions @ axis
    np.minimum.at(lowest, figure.tip_joints, tips)
    np.maximum.at(highest, figure.tip_joints, tips)
    for joint in reversed(range(len(figure))):
        parent = figure.parents[joint]
        if parent >= 0:
            lowest[parent] = min(lowest[parent], lowest[joint])
            highest[parent] = max(highest[parent], highest[joint])
    return lowest, highest


def _smallest(values: ArrayLike, scale: float) -> IntArray:
    """The indices of the smallest of some values (n,), and of those that exceed it by no more than `TIE * scale`.

    Joints in one place have the same value but for rounding, which must not decide between them.
    """
    array = np.asarray(values, dtype=np.float64)
    return np.flatnonzero(array <= array.min() + TIE * scale)


# Legs ----------------------------------------------------------------------------------------------------------------


def _find_legs(figure: Figure, lowest: Array, highest: Array, stature: float) -> tuple[int, list[LimbChain]] | None:
    """The joint where the legs branch, and the two legs; None where there is not exactly one pair."""
    heights = figure.positions @ figure.up
    floor = float(lowest.min())
    found: list[tuple[int, list[int]]] = []
    for joint, children in enumerate(figure.children):
        descending = [
            child
            for child in children
            if lowest[child] <= floor + _FLOOR_REACH * stature
            and heights[joint] - lowest[child] >= _LEG_SHARE * stature
            and highest[child] <= heights[joint] + _FLOOR_REACH * stature
        ]
        if len(descending) >= 2:
            descending.sort(key=lambda child: lowest[child])
            if len(descending) > 2 and lowest[descending[2]] - lowest[descending[1]] < _SPARE_LEG * stature:
                return None
            found.append((joint, descending[:2]))
    if len(found) != 1:
        return None
    fork, roots = found[0]
    limbs = [figure.limb(root) for root in roots]
    return None if any(len(limb.joints) > _LONGEST_LIMB for limb in limbs) else (fork, limbs)


def leg_roles(figure: Figure, limb: LimbChain, fork: int | None = None) -> dict[str, int]:
    """Hip, knee, ankle and ball ("toe") among the joints of one leg, as far as it has them, by role.

    Joints at its beginning that are in the same place as the joint `fork`, where the legs branch, are no hip.
    """
    places = figure.positions[list(limb.joints)]
    length = float(np.linalg.norm(np.diff(np.vstack([places, limb.end]), axis=0), axis=1).sum())
    start = 0
    if fork is not None:
        away = np.linalg.norm(places - figure.positions[fork], axis=1) > _COINCIDENT * length
        start = int(np.argmax(away)) if away.any() else 0
    while start + 1 < len(places) and np.linalg.norm(places[start + 1] - places[start]) <= _COINCIDENT * length:
        start += 1
    roles = {"hip": limb.joints[start]}

    heights = places @ figure.up
    floor = float((figure.points_below(limb.joints[start]) @ figure.up).min())
    low = np.flatnonzero(heights[start:] - floor <= _ANKLE_HEIGHT * (heights[start] - floor)) + start
    if low.size == 0 or low[0] < start + 2:
        return roles
    ankle = int(low[0])
    roles["ankle"] = limb.joints[ankle]
    between = range(start + 1, ankle)
    from_hip = np.linalg.norm(places - places[start], axis=1)
    from_ankle = np.linalg.norm(places - places[ankle], axis=1)
    off_middle = np.abs(from_hip - from_ankle)[list(between)]
    roles["knee"] = limb.joints[between[_smallest(off_middle, length)[0]]]
    ball = ball_joint(figure, LimbChain(limb.joints[ankle:], limb.end))
    if ball is not None:
        roles["toe"] = ball
    return roles


def ball_joint(figure: Figure, foot: LimbChain) -> int | None:
    """The joint at the ball, where the toes bend, among those of a foot that begins at the ankle; None without one."""
    if len(foot.joints) < 2:
        return None
    ways = np.linalg.norm(
        figure.horizontal(figure.positions[list(foot.joints)] - figure.positions[foot.joints[0]]), axis=1
    )
    whole = float(np.linalg.norm(figure.horizontal(foot.end - figure.positions[foot.joints[0]])))
    misses = np.abs(ways[1:] - _BALL_OF_FOOT * whole)
    return foot.joints[1 + int(_smallest(misses, whole)[-1])]


def _forward(figure: Figure, roles: Sequence[dict[str, int]], limbs: Sequence[LimbChain]) -> Array | None:
    """The horizontal unit vector (3,) that the character faces, perpendicular to the line between its hips; None where
    neither feet nor knees show it."""
    places = [{role: figure.positions[joint] for role, joint in found.items()} for found in roles]
    across = figure.horizontal(places[0]["hip"] - places[1]["hip"])
    width = float(np.linalg.norm(across))
    if width == 0.0:
        return None
    across /= width
    leg = float(np.linalg.norm(places[0]["hip"] - places[0]["ankle"]))
    feet = np.sum([limb.end - place["ankle"] for limb, place in zip(limbs, places, strict=True)], axis=0)
    knees = np.sum([place["knee"] - (place["hip"] + place["ankle"]) / 2.0 for place in places], axis=0)
    for hint, enough in ((feet, _FEET_POINT * leg), (knees, _KNEES_BEND * leg)):
        ahead = figure.horizontal(hint)
        ahead = ahead - (ahead @ across) * across
        length = float(np.linalg.norm(ahead))
        if length > enough:
            return ahead / length
    return None


def _pelvis(figure: Figure, fork: int, heights: Array, highest: Array, rise: float) -> int | None:
    """The lowest joint at or above the legs' fork from which something else rises; None where nothing does."""
    joint, below = fork, -1
    while joint >= 0:
        if any(child != below and highest[child] - heights[joint] >= rise for child in figure.children[joint]):
            return joint
        joint, below = figure.parents[joint], joint
    return None


def _mirrored(figure: Figure, one: dict[str, int], other: dict[str, int], roles: Sequence[str], size: float) -> bool:
    """Whether two limbs are each other's mirror image in an upright plane, to a share of their size."""
    first = figure.positions[[one[role] for role in roles]]
    second = figure.positions[[other[role] for role in roles]]
    apart = first - second
    across = figure.horizontal(apart.sum(axis=0))
    width = float(np.linalg.norm(across))
    if width == 0.0:
        return False
    across /= width
    skew = apart - (apart @ across)[:, None] * across
    middles = (first + second) @ across / 2.0
    return bool(np.linalg.norm(skew, axis=1).max() <= _MIRROR * size and np.ptp(middles) <= _MIRROR * size)


# Arms, neck and head -------------------------------------------------------------------------------------------------


def _find_arms(figure: Figure, body: dict[str, int], left: Array, stature: float) -> dict[str, int]:
    """The joints of both arms and of neck and head, given those of hips and legs; empty where there are no arms."""
    hips = body["hips"]
    hip_places = figure.positions[[body["left_hip"], body["right_hip"]]]
    middle = float(hip_places.mean(axis=0) @ left)
    hip_width = float(np.ptp(hip_places @ left)) / 2.0
    legs = (body["left_hip"], body["right_hip"])
    least, most = _extremes(figure, left)
    best: tuple[float, int, tuple[int, int]] | None = None
    for joint in figure.subtree(hips):
        children = [child for child in figure.children[joint] if not any(figure.within(leg, child) for leg in legs)]
        if len(children) < 2 or any(figure.within(joint, leg) for leg in legs):
            continue
        outward = max(children, key=lambda child: most[child])
        inward = min(children, key=lambda child: least[child])
        reach = min(float(most[outward]) - middle, middle - float(least[inward]))
        if outward != inward and reach >= _ARM_REACH * stature and (best is None or reach > best[0]):
            best = (reach, joint, (outward, inward))
    if best is None:
        return {}
    _, chest, roots = best
    limbs = [figure.limb(root) for root in roots]
    if any(len(limb.joints) > _LONGEST_LIMB for limb in limbs):
        return {}
    roles = []
    for limb in limbs:
        outward_of_middle = np.abs(figure.positions[list(limb.joints)] @ left - middle)
        wide = np.flatnonzero(outward_of_middle >= _SHOULDER_WIDTH * hip_width)
        start = int(wide[0]) if wide.size else 0
        found = arm_roles(figure, LimbChain(limb.joints[start:], limb.end))
        if start > 0:
            found["clavicle"] = limb.joints[0]
        roles.append(found)
    main = ("shoulder", "elbow", "wrist")
    if any(role not in found for found in roles for role in main):
        return {}
    if not _mirrored(figure, roles[0], roles[1], main, 2.0 * _ARM_REACH * stature):
        return {}
    arms = {f"{side}_{role}": joint for side, found in zip(SIDES, roles, strict=True) for role, joint in found.items()}
    return arms | neck_and_head(figure, chest, roots, ())


def arm_roles(figure: Figure, limb: LimbChain) -> dict[str, int]:
    """Shoulder, elbow, wrist and finger among the joints of an arm that begins at the shoulder."""
    roles = {"shoulder": limb.joints[0]}
    if not 3 <= len(limb.joints) <= _LONGEST_LIMB:
        return roles
    places = figure.positions[list(limb.joints)]

    def misfit(pair: tuple[int, int]) -> float:
        corners = np.stack([places[0], places[pair[0]], places[pair[1]], limb.end])
        parts = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        whole = float(parts.sum())
        if whole == 0.0:
            return np.inf
        upper_arm, forearm, hand = parts / whole - _ARM_PARTS
        # Many hands have no fingers, so a hand that is too short counts half.
        return float(upper_arm**2 + forearm**2 + (hand**2 if hand > 0.0 else 0.5 * hand**2))

    pairs = [(elbow, wrist) for elbow in range(1, len(places) - 1) for wrist in range(elbow + 1, len(places))]
    elbow, wrist = pairs[_smallest([misfit(pair) for pair in pairs], 1.0)[0]]
    roles |= {"elbow": limb.joints[elbow], "wrist": limb.joints[wrist]}
    finger = finger_joint(figure, LimbChain(limb.joints[wrist:], limb.end))
    if finger is not None:
        roles["finger"] = finger
    return roles


def finger_joint(figure: Figure, hand: LimbChain) -> int | None:
    """The first joint of a hand that is not in the wrist's own place."""
    wrist = figure.positions[hand.joints[0]]
    whole = float(np.linalg.norm(hand.end - wrist))
    for joint in hand.joints[1:]:
        if np.linalg.norm(figure.positions[joint] - wrist) > _COINCIDENT * whole:
            return joint
    return None


def neck_and_head(figure: Figure, chest: int, arms: Collection[int], face: Collection[int]) -> dict[str, int]:
    """Neck and head: the first joint, and the last one before it branches, of the chain that rises between the arms.

    `arms` are the chest's children that lead to the arms, `face` the joints whose names say that they are part of it.
    """
    rising = [child for child in figure.children[chest] if child not in {*arms, *figure.ends, *face}]
    if not rising:
        return {}
    tops = [float((figure.points_below(child) @ figure.up).max()) for child in rising]
    top = rising[int(np.argmax(tops))]
    if max(tops) <= float(figure.positions[chest] @ figure.up):
        return {}
    chain = [top]
    while True:
        onward = [child for child in figure.children[chain[-1]] if child not in figure.ends]
        if len(onward) != 1 or onward[0] in face:
            break
        chain.append(onward[0])
    return {"head": chain[-1]} | ({"neck": chain[0]} if len(chain) > 1 else {})
