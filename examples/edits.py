# SPDX-License-Identifier: GPL-3.0-or-later
"""The edited motions of document 003, 5.5, on made-up motions: what each begins with and what is asked of it.

Priorities are the document's, as far as it tells them; places are our own, for our own body. All motions have y up,
the body faces z, its left toward x.
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
from ..solver.deformation.workspace import DeformSettings
from ..solver.synthetic.contacts import Contact, SyntheticMotion
from ..solver.synthetic.gaits import walk
from ..solver.synthetic.puppet import MIRROR, SPINE
from .golf import golf_swing
from .kick import kick

FLOOR = Ground(0.0)

LEGS = ("HumanoidRoot", "sacroiliac", *(side + name for side in MIRROR for name in ("hip", "knee", "talocrural")))
"""Pelvis and legs: enough to stay balanced while walking. Chest and arms then keep their source rotations."""

UPRIGHT, SUPPORT, BALANCE, STYLE = 4, 3, 2, 1
"""What the feet stand on comes before balance, and that before what is done with the rest of the body; but above all
nobody bends over."""


@dataclass(frozen=True, eq=False)
class Edit:
    """A motion, and what is asked of it."""

    source: Clip
    constraints: tuple[Constraint, ...]
    ground: Ground | None = FLOOR

    def deform(self, settings: DeformSettings | None = None) -> Deformation:
        """The motion that answers."""
        return deform(self.source, self.constraints, ground=self.ground, settings=settings)

    @property
    def plants(self) -> tuple[Footplant, ...]:
        """Those of its constraints that are footplants, in the order of time."""
        return tuple(each for each in self.constraints if isinstance(each, Footplant))


def plant(contact: Contact, **rest: object) -> Footplant:
    """The footplant that a made-up contact was meant to be; `rest` are its other attributes."""
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
"""Of the left ankle, in sizes of the character; in the source it is 0.98."""

FAR_KICK = (1.2, 0.15)
"""Height and way ahead of the source's, in sizes of the character: out of reach for who stays balanced and upright."""

PELVIS = ("HumanoidRoot", "sacroiliac", "l_hip", "r_hip", "r_knee", "r_talocrural")
"""Who brings the pelvis over the right foot."""
BALANCING = (*PELVIS, *SPINE)
"""Who moves to stay balanced on the right foot: the trunk too, but not the arms, which would flail."""
KICKING = ("HumanoidRoot", "sacroiliac", "l_hip", "l_knee")
"""Who moves the left ankle."""

KICK_WEIGHT = 4.0
"""Of the kick against the others, where all have the same priority."""

Arbitration = Literal["support first", "kick first", "no balance", "weights"]
_PRIORITIES: dict[Arbitration, tuple[int, int, int]] = {
    "support first": (SUPPORT, BALANCE, STYLE),
    "kick first": (BALANCE, STYLE, SUPPORT),
    "no balance": (SUPPORT, BALANCE, STYLE),
    "weights": (STYLE, STYLE, STYLE),
}
"""Of the plants, of balance and of the kick."""


def kicking(
    height: float,
    ahead: float = 0.0,
    *,
    arbitration: Arbitration = "support first",
    balancing: Sequence[str] = BALANCING,
) -> Edit:
    """The left ankle shall be at `height` when it kicks, `ahead` of where it was, both in sizes of the character.

    By default the feet keep their plants above all, then comes balance over the right foot, and the kick comes last;
    or the kick comes first; or there is no balance; or all have the same priority, and weights decide.
    """
    motion = kick()
    clip, size = motion.clip, motion.clip.skeleton.size
    _, before, after = motion.contacts
    # The left foot has left its first plant behind when the kick begins, and the second one is still to come.
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
    """A kick that is out of reach for who stays balanced and leans no farther than in the source."""
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
"""How far the feet slide and float in the source, in sizes of the character: as much as in captured walks."""


def sliding_walk() -> SyntheticMotion:
    """The walk that the edits of footplants begin with."""
    return walk(steps=STEPS, skate=SKATE, seed=1)


def enforced_walk() -> Edit:
    """Feet that slide stand still."""
    motion = sliding_walk()
    standing = [plant(contact, priority=SUPPORT) for contact in motion.contacts]
    return Edit(motion.clip, (*standing, Balance(priority=BALANCE, recruit=LEGS)))


HIP_TURN, HIP_LIST = np.deg2rad((5.0, 4.0))
"""By how much more the pelvis turns and lists with each step of a catwalk."""
LOWER = 0.01
"""By how much the chest is carried lower, in sizes of the character: legs that are all but stretched reach no line."""


def catwalk() -> Edit:
    """Feet in one line, pointing straight ahead; the hips swing more, and the chest goes straight above the line."""
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
    return Edit(clip, (*standing, Balance(priority=BALANCE, recruit=LEGS), hips, upright))


RISE = 0.14
"""Sizes of the character from one step to the next."""
NOSING = 0.2
"""Sizes of the character by which a step begins before the heel that stands on it."""
LIFTED = 0.04
"""Sizes of the character by which a foot is lifted higher than it was above the floor, over the step between."""


def edges(contacts: Sequence[Contact], size: float) -> Array:
    """(contacts,) where along z the step of each contact begins; the first two feet stand on the floor."""
    return np.array([-np.inf, -np.inf, *(contact.heel[2] - NOSING * size for contact in contacts[2:])])


def stairs(contacts: Sequence[Contact], size: float) -> Ground:
    """A step for every contact from the third on."""
    begins = edges(contacts, size)[2:]

    def height(x: Array, z: Array) -> Array:
        del x
        return np.asarray(RISE * size * np.searchsorted(begins, z, side="right"))

    return Ground(height)


def climbing() -> Edit:
    """The walk goes upstairs: every plant a step higher, and the feet are lifted over the edges.

    It ends while both feet stand: what a foot that has left its last step should do, no plant says.
    """
    walked = sliding_walk()
    motion = _until(walked, walked.contacts[-2].toe_off)
    standing = [plant(contact, priority=SUPPORT) for contact in motion.contacts]
    ground = stairs(motion.contacts, motion.clip.skeleton.size)
    return Edit(motion.clip, (*standing, *_lifts(motion, ground), Balance(priority=BALANCE, recruit=LEGS)), ground)


def _until(motion: SyntheticMotion, last: int) -> SyntheticMotion:
    """The motion up to a frame, which all of its contacts have begun by."""
    whole = motion.clip.motion
    clip = motion.clip.with_motion(Motion(whole.rotations[: last + 1], whole.translations[: last + 1]))
    contacts = [
        replace(each, heel_off=min(each.heel_off, last), toe_off=min(each.toe_off, last)) for each in motion.contacts
    ]
    return SyntheticMotion(clip, tuple(contacts))


def _lifts(motion: SyntheticMotion, ground: Ground) -> list[ShapeConstraint]:
    """Heel and ball of each foot that swings onto a step are high enough when the tip of its toes comes to an edge.

    They are as important as the plants, which they connect: no lift returns to the floor of the source.
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
"""By how much farther the hands go at both ends of the swing, in sizes of the character."""


def amplified_swing() -> Edit:
    """The left hand swings farther back and farther through, the right one stays on the club, the feet where they are.

    At impact the hands are where they were: the ball has not moved.
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
"""Where the right elbow is, seen from the chest (vt6), in sizes of the character: beside the ribs."""
_FOREARM, _FINGERS = (-0.15, 0.45, 1.0), (0.0, 0.0, 1.0)
_UP = (0.0, 1.0, 0.0)
_ARM = ("r_sternoclavicular", "r_shoulder", "r_elbow", "r_wrist")


def waiter() -> Edit:
    """Upstairs with a tray on the right hand: the elbow beside the chest, the hand level."""
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
    return Edit(clip, (*edit.constraints, *arm, upright), edit.ground)


def _palm_up(along: tuple[float, float, float]) -> Array:
    """(4,) world rotation of the right hand, or of its forearm, that points so and turns its palm up.

    At rest it points down, its palm toward the body, which is x.
    """
    down = np.array(along) / np.linalg.norm(along)
    palm = np.array(_UP) - (np.array(_UP) @ down) * down
    palm /= np.linalg.norm(palm)
    return rotations.from_matrix(np.stack([palm, -down, np.cross(palm, -down)], axis=-1))
