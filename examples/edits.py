# SPDX-License-Identifier: GPL-3.0-or-later
"""The edited motions of Le Callennec 2006, section 5.5, on synthetic motions: each a source with its constraints.

Priorities are those of the thesis, as far as it states them; targets are our own, for our own character. All motions
have y up; the body faces z, its left is toward x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..solver.body.clip import Clip
from ..solver.body.motion import Motion
from ..solver.constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    Footplant,
    Ground,
    OrientationConstraint,
    ShapeConstraint,
)
from ..solver.constraints.source import EASE
from ..solver.core import rotations
from ..solver.core.arrays import Array
from ..solver.deformation.deform import Deformation, deform
from ..solver.deformation.settings import DeformSettings
from ..solver.synthetic.contacts import Contact, SyntheticMotion
from ..solver.synthetic.gaits import walk
from ..solver.synthetic.puppet import MIRROR, SPINE
from .golf import golf_swing
from .kick import kick

FLOOR = Ground(0.0)

LEGS = ("HumanoidRoot", "sacroiliac", *(side + name for side in MIRROR for name in ("hip", "knee", "talocrural")))
"""Pelvis and legs: enough to stay balanced while walking. Chest and arms then keep their source rotations."""

UPRIGHT, SUPPORT, BALANCE, STYLE = 4, 3, 2, 1
"""Priorities: footplants before balance, and balance before the style of the rest of the body; an upright trunk before
all of them."""


@dataclass(frozen=True, eq=False)
class Edit:
    """A source with its constraints and its ground."""

    source: Clip
    constraints: tuple[Constraint, ...]
    ground: Ground | None = FLOOR

    def deform(self, settings: DeformSettings | None = None) -> Deformation:
        """The deformation of the source by the constraints."""
        return deform(self.source, self.constraints, ground=self.ground, settings=settings)

    @property
    def plants(self) -> tuple[Footplant, ...]:
        """Its footplants, in the order of time."""
        return tuple(each for each in self.constraints if isinstance(each, Footplant))


def plant(contact: Contact, **rest: object) -> Footplant:
    """The footplant with the events of a synthetic contact; `rest` are its other attributes."""
    return Footplant(
        foot=contact.foot,
        heel_strike=contact.heel_strike,
        toe_strike=contact.toe_strike,
        heel_off=contact.heel_off,
        toe_off=contact.toe_off,
        **rest,  # type: ignore[arg-type]
    )


# Figures 5.12 and 5.13: kicks to three heights ----------------------------------------------------------------------

KICK_HEIGHTS = (1.1, 1.25, 1.4)
"""Heights of the left ankle, in sizes of the character; in the source it is 0.98."""

FAR_KICK = (1.2, 0.15)
"""Height of the kick, and its distance ahead of the source's, in sizes of the character: out of reach for a balanced
and upright body."""

PELVIS = ("HumanoidRoot", "sacroiliac", "l_hip", "l_knee", "r_hip", "r_knee", "r_talocrural")
"""The joints that bring the pelvis over the right foot, and those of the leg that kicks, which move the centre of mass
too (the recruiting rule)."""
BALANCING = (*PELVIS, *SPINE)
"""The joints that balance the body on the right foot: the trunk too, but not the arms, which would flail."""
KICKING = ("HumanoidRoot", "sacroiliac", "l_hip", "l_knee")
"""The joints that move the left ankle."""

KICK_WEIGHT = 4.0
"""The weight of the kick, the others having 1, where all have the same priority."""

Arbitration = Literal["support first", "kick first", "no balance", "weights"]
_PRIORITIES: dict[Arbitration, tuple[int, int, int]] = {
    "support first": (SUPPORT, BALANCE, STYLE),
    "kick first": (BALANCE, STYLE, SUPPORT),
    "no balance": (SUPPORT, BALANCE, STYLE),
    "weights": (STYLE, STYLE, STYLE),
}
"""The priorities of the plants, of balance and of the kick."""


def kicking(
    height: float,
    ahead: float = 0.0,
    *,
    arbitration: Arbitration = "support first",
    balancing: Sequence[str] = BALANCING,
) -> Edit:
    """The left ankle kicks to `height`, `ahead` of its place in the source, both in sizes of the character.

    By default the plants have the highest priority, then balance over the right foot, and the kick the lowest. In the
    other arbitrations the kick has the highest; or there is no balance; or all have the same priority and weights.
    """
    motion = kick()
    clip, size = motion.clip, motion.clip.skeleton.size
    _, before, after = motion.contacts
    # The kick is active between the blends of the left foot's first and second plant.
    rolling = math.ceil(EASE * clip.fps)
    goal = clip.position("l_talocrural")[motion.kick_frame]
    goal[1] = height * size
    goal[2] += ahead * size
    standing, balanced, reached = _PRIORITIES[arbitration]
    reaching = ShapeConstraint(
        "l_talocrural",
        before.toe_off + rolling,
        after.heel_strike - rolling,
        [ConstraintPoint(goal, motion.kick_frame)],
        mode="relative",
        priority=reached,
        weight=KICK_WEIGHT if arbitration == "weights" else 1.0,
        recruit=KICKING,
        name="Kick",
    )
    constraints: list[Constraint] = [*(plant(contact, priority=standing) for contact in motion.contacts), reaching]
    if arbitration != "no balance":
        right_foot = [clip.skeleton.landmarks.require(mark) for mark in ("right_heel", "right_ball")]
        constraints.append(Balance(points=right_foot, priority=balanced, recruit=balancing))
    return Edit(clip, tuple(constraints))


def far_kick(arbitration: Arbitration = "support first") -> Edit:
    """A kick that is out of reach for a body that stays balanced and leans no farther than in the source."""
    edit = kicking(*FAR_KICK, arbitration=arbitration, balancing=PELVIS)
    reaching = next(each for each in edit.constraints if isinstance(each, ShapeConstraint))
    (goal,) = reaching.points
    pelvis = edit.source.orientation("HumanoidRoot")[int(goal.begin)]
    upright = OrientationConstraint(
        "HumanoidRoot",
        reaching.begin,
        reaching.end,
        [ConstraintPoint(pelvis, goal.begin)],
        mode="relative",
        priority=STYLE if arbitration == "weights" else UPRIGHT,
        name="Upright",
    )
    return replace(edit, constraints=(*edit.constraints, upright))


# Figure 5.14: footplants --------------------------------------------------------------------------------------------

STEPS = 6
SKATE = 0.01
"""Sizes of the character by which feet slide and float in the source: as much as in captured walks."""


def sliding_walk() -> SyntheticMotion:
    """The source of the edits of footplants: a walk with sliding feet."""
    return walk(steps=STEPS, skate=SKATE, seed=1)


def enforced_walk() -> Edit:
    """A walk with sliding feet, with all of them planted."""
    motion = sliding_walk()
    standing = [plant(contact, priority=SUPPORT) for contact in motion.contacts]
    return Edit(motion.clip, (*standing, Balance(priority=BALANCE, recruit=LEGS)))


HIP_TURN, HIP_LIST = np.deg2rad((5.0, 4.0))
"""Radians that are added to the rotation and to the tilt of the pelvis in each step of a catwalk."""
LOWER = 0.01
"""The height by which the chest is lowered, in sizes of the character: legs that are almost straight do not reach the
line."""


def catwalk() -> Edit:
    """A walk with the feet on one line, pointing ahead, more motion of the hips, and the chest above the line."""
    motion = sliding_walk()
    clip = motion.clip
    standing = []
    for contact in motion.contacts:
        middle = 0.5 * (contact.heel + contact.toe)
        middle[0] = 0.0
        standing.append(plant(contact, position=middle, heading=0.0, priority=SUPPORT))
    pelvis, chest = clip.orientation("sacroiliac"), clip.position("vt1")
    swinging, carried = [], []
    for contact in motion.contacts[1:-1]:
        frame = contact.toe_strike + (contact.heel_off - contact.toe_strike) // 2
        side = 1.0 if contact.foot == "left" else -1.0
        more = rotations.exp(np.array((0.0, -side * HIP_TURN, side * HIP_LIST)))
        swinging.append(ConstraintPoint(rotations.multiply(more, pelvis[frame]), frame))
        above = (0.0, chest[frame, 1] - LOWER * clip.skeleton.size, chest[frame, 2])
        carried.append(ConstraintPoint(above, frame))
    last = clip.frames - 1
    hips = OrientationConstraint("sacroiliac", 0, last, swinging, mode="relative", priority=STYLE, name="Hips")
    upright = ShapeConstraint("vt1", 0, last, carried, mode="relative", priority=STYLE, name="Chest")
    return Edit(clip, (*standing, Balance(priority=BALANCE, recruit=(*LEGS, *SPINE)), hips, upright))


RISE = 0.14
"""Sizes of the character from one step to the next."""
NOSING = 0.2
"""Sizes of the character by which a step begins before the heel that stands on it."""
LIFTED = 0.04
"""Sizes of the character that are added to the height of a foot in the source, over the step between its plants."""


def edges(contacts: Sequence[Contact], size: float) -> Array:
    """(contacts,) the z at which the step of each contact begins; the first two contacts are on the floor."""
    return np.array([-np.inf, -np.inf, *(contact.heel[2] - NOSING * size for contact in contacts[2:])])


def stairs(contacts: Sequence[Contact], size: float) -> Ground:
    """Stairs with a step for every contact from the third on."""
    begins = edges(contacts, size)[2:]

    def height(x: Array, z: Array) -> Array:
        del x
        return np.asarray(RISE * size * np.searchsorted(begins, z, side="right"))

    return Ground(height)


def climbing() -> Edit:
    """A walk upstairs: every plant is a step higher, and the feet are lifted over the edges.

    It ends while both feet stand: after its last plant a foot would have no target.
    """
    walked = sliding_walk()
    motion = _until(walked, walked.contacts[-2].toe_off)
    standing = [plant(contact, priority=SUPPORT) for contact in motion.contacts]
    ground = stairs(motion.contacts, motion.clip.skeleton.size)
    return Edit(motion.clip, (*standing, *_lifts(motion, ground), Balance(priority=BALANCE, recruit=LEGS)), ground)


def _until(motion: SyntheticMotion, last: int) -> SyntheticMotion:
    """The motion up to a frame, at which all of its contacts have begun."""
    whole = motion.clip.motion
    clip = motion.clip.with_motion(Motion(whole.rotations[: last + 1], whole.translations[: last + 1]))
    contacts = [
        replace(each, heel_off=min(each.heel_off, last), toe_off=min(each.toe_off, last)) for each in motion.contacts
    ]
    return SyntheticMotion(clip, tuple(contacts))


def _lifts(motion: SyntheticMotion, ground: Ground) -> list[ShapeConstraint]:
    """Constraints that lift heel and ball of each foot in its swing phase before the tip of its toes passes an edge.

    They have the priority of the plants, so that they are connected to these and do not return to the source's floor.
    """
    clip, marks, size = motion.clip, motion.clip.skeleton.landmarks, motion.clip.skeleton.size
    heights = ground.heights(np.array([contact.heel for contact in motion.contacts]), clip.skeleton.up_axis)
    begins = edges(motion.contacts, size)
    lifts = []
    for number, (before, after) in enumerate(zip(motion.contacts, motion.contacts[2:], strict=False)):
        tip = clip.position(marks.require(f"{before.foot}_toe_tip"))[:, 2]
        over = {step: int(np.argmax(tip > begins[step])) - 1 for step in (number + 1, number + 2)}
        for part in ("heel", "toe"):
            point = marks.require(f"{before.foot}_{part}")
            places = clip.position(point)
            lifts.append(
                ShapeConstraint(
                    point,
                    before.toe_off,
                    after.heel_strike,
                    [
                        ConstraintPoint(places[frame] + np.array((0.0, heights[step] + LIFTED * size, 0.0)), frame)
                        for step, frame in over.items()
                        if frame > before.toe_off
                    ],
                    mode="relative",
                    priority=SUPPORT,
                    name=f"Lift of the {before.foot} {part} at frame {before.toe_off}",
                )
            )
    return lifts


# Figure 5.15: a golf swing ------------------------------------------------------------------------------------------

FARTHER_BACK, FARTHER_THROUGH = (-0.10, 0.10, 0.0), (0.10, 0.10, 0.0)
"""Displacements of the hands at both ends of the swing, in sizes of the character."""


def amplified_swing() -> Edit:
    """A golf swing in which the left hand goes farther back and farther through; the right one stays on the club,
    and the feet stay planted.

    At impact the hands are where they are in the source, since the ball has not moved.
    """
    motion = golf_swing()
    clip, size = motion.clip, motion.clip.skeleton.size
    last = clip.frames - 1
    hand = clip.position("l_wrist")
    impact = motion.impact_frame
    top, finish = int(np.argmin(hand[:impact, 0])), impact + int(np.argmax(hand[impact:, 1]))
    points = [
        ConstraintPoint(hand[top] + size * np.array(FARTHER_BACK), top),
        ConstraintPoint(hand[impact], impact),
        ConstraintPoint(hand[finish] + size * np.array(FARTHER_THROUGH), finish, last),
    ]
    leading = ShapeConstraint("l_wrist", 0, last, points, mode="relative", priority=BALANCE, name="Left hand")
    following = ShapeConstraint(
        "r_wrist",
        0,
        last,
        [ConstraintPoint(motion.grip, 0, last)],
        mode="condensed",
        reference="l_wrist",
        priority=STYLE,
        name="Right hand",
    )
    standing = [plant(contact, priority=SUPPORT) for contact in motion.contacts]
    return Edit(clip, (*standing, Balance(priority=BALANCE), leading, following))


# Figure 5.16: the climbing waiter -----------------------------------------------------------------------------------

TRAY_HAND = "r_wrist"
_ELBOW_PLACE = (-0.24, -0.20, 0.10)
"""The place of the right elbow in the frame of the chest (vt6), in sizes of the character: beside the ribs."""
_FOREARM, _FINGERS = (-0.15, 0.45, 1.0), (0.0, 0.0, 1.0)
_UP = (0.0, 1.0, 0.0)
_ARM = ("r_sternoclavicular", "r_shoulder", "r_elbow", "r_wrist")


def waiter() -> Edit:
    """A walk upstairs with a tray on the right hand: the elbow is beside the chest, the hand level."""
    edit = climbing()
    clip, size = edit.source, edit.source.skeleton.size
    last = clip.frames - 1

    def level(joint: str, along: tuple[float, float, float]) -> OrientationConstraint:
        return OrientationConstraint(
            joint,
            0,
            last,
            [ConstraintPoint(_palm_up(along), 0, last)],
            mode="condensed",
            priority=STYLE,
            recruit=_ARM,
            name="Tray" if joint == TRAY_HAND else "Forearm",
        )

    elbow = ShapeConstraint(
        "r_elbow",
        0,
        last,
        [ConstraintPoint(size * np.array(_ELBOW_PLACE), 0, last)],
        mode="condensed",
        reference="vt6",
        priority=STYLE,
        recruit=_ARM,
        name="Elbow",
    )
    upright = OrientationConstraint(
        "HumanoidRoot",
        0,
        last,
        [ConstraintPoint(clip.orientation("HumanoidRoot")[last // 2], last // 2)],
        mode="relative",
        priority=STYLE,
        name="Upright",
    )
    arm = (elbow, level("r_elbow", _FOREARM), level(TRAY_HAND, _FINGERS))
    # Balance recruits the arm too, which moves the centre of mass (the recruiting rule).
    climb = [replace(each, recruit=(*LEGS, *_ARM)) if isinstance(each, Balance) else each for each in edit.constraints]
    return Edit(clip, (*climb, *arm, upright), edit.ground)


def _palm_up(along: tuple[float, float, float]) -> Array:
    """(4,) the world rotation of the right hand, or of its forearm, that points along a direction with the palm up.

    At rest the hand points down, its palm toward the body, along x.
    """
    down = np.array(along) / np.linalg.norm(along)
    palm = np.array(_UP) - (np.array(_UP) @ down) * down
    palm /= np.linalg.norm(palm)
    return rotations.from_matrix(np.stack([palm, -down, np.cross(palm, -down)], axis=-1))
