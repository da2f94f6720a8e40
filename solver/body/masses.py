# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of the parts of a character, and their centres.

People get the segment masses of P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
Journal of Biomechanics 29 (1996), 1223–1230, table 4: the means of college-aged men and women, referred to joint
centres. Other characters, for which there is no table, get masses in proportion to the lengths of their bones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.errors import SkeletonError
from .joints import SIDES, BodyPoint
from .landmarks.figure import Figure
from .landmarks.landmarks import Landmarks

AVERAGE_MASS = 70.0
"""Kilograms, the mass of a character whose mass is not given; only carried loads are compared with it."""


@dataclass(frozen=True)
class SegmentTable:
    """Segments of one published body: masses in percent of the whole, centres in percent of the way along a segment.

    The way is from the joint nearer to the trunk, except that the foot's is from heel to toe tip and the head's from
    crown to neck. Both arms and both legs have each of their masses.
    """

    head: float
    upper_trunk: float
    middle_trunk: float
    lower_trunk: float
    upper_arm: float
    forearm: float
    hand: float
    thigh: float
    shank: float
    foot: float
    head_center: float
    """From the crown to the cervicale (the spine of the seventh neck vertebra)."""
    head_center_above_jaw: float
    """From the crown to the angles of the jaw: the same point, for a head without a neck."""
    upper_arm_center: float
    forearm_center: float
    hand_center: float
    """From the wrist to the third knuckle."""
    whole_hand_center: float
    """From the wrist to the tip of the middle finger: the same point, for a hand without a knuckle."""
    thigh_center: float
    shank_center: float
    """From the knee to the ankle's joint centre, not to the outer ankle bone that the table's main row refers to."""
    foot_center: float
    navel: float
    xiphion: float
    cervicale: float
    """Heights (mm) above the middle of the hip joints: where lower, middle and upper trunk end."""
    shoulders: float
    """Height (mm) of the middle of the shoulder joints."""

    @property
    def total(self) -> float:
        """All segments together, in percent."""
        limbs = self.upper_arm + self.forearm + self.hand + self.thigh + self.shank + self.foot
        return self.head + self.upper_trunk + self.middle_trunk + self.lower_trunk + 2.0 * limbs


MALE = SegmentTable(
    head=6.94,
    upper_trunk=15.96,
    middle_trunk=16.33,
    lower_trunk=11.17,
    upper_arm=2.71,
    forearm=1.62,
    hand=0.61,
    thigh=14.16,
    shank=4.33,
    foot=1.37,
    head_center=50.02,
    head_center_above_jaw=59.76,
    upper_arm_center=57.72,
    forearm_center=45.74,
    hand_center=79.00,
    whole_hand_center=36.24,
    thigh_center=40.95,
    shank_center=43.95,
    foot_center=44.15,
    navel=145.7,
    xiphion=145.7 + 215.5,
    cervicale=603.3,
    shoulders=515.5,
)

FEMALE = SegmentTable(
    head=6.68,
    upper_trunk=15.45,
    middle_trunk=14.65,
    lower_trunk=12.47,
    upper_arm=2.55,
    forearm=1.38,
    hand=0.56,
    thigh=14.78,
    shank=4.81,
    foot=1.29,
    head_center=48.41,
    head_center_above_jaw=58.94,
    upper_arm_center=57.54,
    forearm_center=45.59,
    hand_center=74.74,
    whole_hand_center=34.27,
    thigh_center=36.12,
    shank_center=43.52,
    foot_center=40.14,
    navel=181.5,
    xiphion=181.5 + 205.3,
    cervicale=614.8,
    shoulders=497.9,
)

TABLES = {"male": MALE, "female": FEMALE}


def segment_masses(
    landmarks: Landmarks,
    parents: ArrayLike,
    rest_positions: ArrayLike,
    rest_rotations: ArrayLike,
    tips: Sequence[BodyPoint],
    *,
    total_mass: float = AVERAGE_MASS,
    table: str | SegmentTable = "male",
) -> tuple[Array, Array]:
    """Masses (joints,) that add up to `total_mass`, and their centres (joints, 3) in the joints' own frames.

    The rest pose is given as for `recognition.recognise`. A limb's segment moves with its upper joint, a hand and a
    foot as a whole with wrist and ankle, head and neck with the head. The trunk is a bar that is divided among the
    hips and the spine joints: each has the part up to the next, so a joint in the same place as the next has no mass.

    A segment whose joint is unknown adds its mass to the segment above it, at that one's centre: the hand to the
    forearm, the forearm to the upper arm, that and the head to the top of the trunk, the thigh to its bottom. A
    character without a trunk and a whole limb is no person: its masses are in proportion to the lengths of its bones
    (not to their cubes, as for similar bodies, so that the same tail in twice as many joints has the same mass). Where
    no bone has any length, all joints have the same mass.
    """
    if not (np.isfinite(total_mass) and total_mass >= 0.0):
        raise SkeletonError("The total mass must be a finite number that is not negative.")
    if isinstance(table, str):
        if table not in TABLES:
            raise SkeletonError(f"There is no table of masses {table!r}; take {' or '.join(map(repr, TABLES))}.")
        table = TABLES[table]
    figure = Figure(parents, rest_positions, rest_rotations, tips)
    body = _Body(figure)
    if not _weigh_person(body, landmarks, table):
        _weigh_bones(body)
    return body.result(total_mass)


class _Body:
    """Masses by joint, in any unit, with their first moments in world space."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.masses = np.zeros(len(figure))
        self.moments = np.zeros((len(figure), 3))

    def add(self, joint: int, mass: float, place: Array) -> None:
        self.masses[joint] += mass
        # Relative to the joint: a body far from the origin must not lose digits.
        self.moments[joint] += mass * (place - self.figure.positions[joint])

    def result(self, total_mass: float) -> tuple[Array, Array]:
        heavy = self.masses > 0.0
        arms = np.where(heavy[:, None], self.moments / np.where(heavy, self.masses, 1.0)[:, None], 0.0)
        centers = rotations.rotate(rotations.conjugate(self.figure.rotations), arms)
        return self.masses * (total_mass / self.masses.sum()), centers


# People --------------------------------------------------------------------------------------------------------------


def _weigh_person(body: _Body, marks: Landmarks, table: SegmentTable) -> bool:
    """Add the masses of the table; False, and nothing is added, where this is no person."""
    trunk = _trunk_joints(marks)
    limbs = [limb for side in SIDES for limb in (marks.leg(side)[:3], marks.arm(side)[1:])]
    if not trunk or all(None in limb for limb in limbs):
        return False
    bottom, axis = _trunk_axis(body.figure, marks, body.figure.positions[trunk], table)
    lower, upper = table.lower_trunk, table.upper_trunk
    for side in SIDES:
        lower += _weigh_limb(body, _leg_segments(body.figure, marks, side, table))
        upper += _weigh_limb(body, _arm_segments(body.figure, marks, side, table))
    upper += _weigh_limb(body, [_head_segment(body.figure, marks, bottom, axis, table)])
    _weigh_trunk(body, trunk, bottom, axis, table, (lower, table.middle_trunk, upper))
    return True


@dataclass(frozen=True)
class _Segment:
    joint: int | None
    mass: float
    center: Array


def _weigh_limb(body: _Body, segments: Sequence[_Segment]) -> float:
    """Add the segments of a limb, from the trunk outwards, to their joints; returns the mass without a joint."""
    pending = 0.0
    for segment in reversed(segments):
        pending += segment.mass
        if segment.joint is not None:
            body.add(segment.joint, pending, segment.center)
            pending = 0.0
    return pending


def _between(start: Array, end: Array | None, percent: float) -> Array:
    return start if end is None else start + percent / 100.0 * (end - start)


def _place(figure: Figure, mark: int | BodyPoint | None) -> Array | None:
    if mark is None:
        return None
    if isinstance(mark, BodyPoint):
        return figure.world(int(mark.joint), mark.offset)
    return np.asarray(figure.positions[mark])


def _segment(figure: Figure, joint: int | None, end: Array | None, mass: float, percent: float) -> _Segment:
    """The segment from a joint to its end; without an end its centre is the joint."""
    if joint is None:
        return _Segment(None, mass, np.zeros(3))
    return _Segment(joint, mass, _between(figure.positions[joint], end, percent))


def _leg_segments(figure: Figure, marks: Landmarks, side: str, table: SegmentTable) -> list[_Segment]:
    hip, knee, ankle, toe = marks.leg(side)
    knee_place, ankle_place = _place(figure, knee), _place(figure, ankle)
    heel = _place(figure, getattr(marks, f"{side}_heel"))
    toe_tip = _place(figure, getattr(marks, f"{side}_toe_tip"))
    foot = _Segment(ankle, table.foot, np.zeros(3))
    if heel is not None and toe_tip is not None:
        foot = _Segment(ankle, table.foot, _between(heel, toe_tip, table.foot_center))
    elif ankle is not None:
        # Without a sole: halfway along what there is of the foot.
        foot = _segment(figure, ankle, _place(figure, toe) if toe_tip is None else toe_tip, table.foot, 50.0)
    return [
        _segment(figure, hip, knee_place if knee is not None else ankle_place, table.thigh, table.thigh_center),
        _segment(figure, knee, ankle_place, table.shank, table.shank_center),
        foot,
    ]


def _arm_segments(figure: Figure, marks: Landmarks, side: str, table: SegmentTable) -> list[_Segment]:
    _, shoulder, elbow, wrist = marks.arm(side)
    elbow_place, wrist_place = _place(figure, elbow), _place(figure, wrist)
    knuckle = _place(figure, getattr(marks, f"{side}_finger"))
    percent = table.hand_center
    if knuckle is None or (wrist_place is not None and np.array_equal(knuckle, wrist_place)):
        knuckle, percent = _place(figure, getattr(marks, f"{side}_fingertip")), table.whole_hand_center
    return [
        _segment(
            figure, shoulder, elbow_place if elbow is not None else wrist_place, table.upper_arm, table.upper_arm_center
        ),
        _segment(figure, elbow, wrist_place, table.forearm, table.forearm_center),
        _segment(figure, wrist, knuckle, table.hand, percent),
    ]


def _head_segment(figure: Figure, marks: Landmarks, bottom: Array, axis: Array, table: SegmentTable) -> _Segment:
    """Head and neck, from the crown to the upper end of the trunk or, where the two do not fit together, to the jaw."""
    joint = marks.neck if marks.head is None else marks.head
    if joint is None:
        return _Segment(None, table.head, np.zeros(3))
    crown = _place(figure, marks.head_top)
    if crown is None:
        return _Segment(joint, table.head, figure.positions[joint])
    cervicale = bottom + axis
    if (crown - cervicale) @ axis > 0.0:
        return _Segment(joint, table.head, _between(crown, cervicale, table.head_center))
    return _Segment(joint, table.head, _between(crown, figure.positions[joint], table.head_center_above_jaw))


def _trunk_joints(marks: Landmarks) -> list[int]:
    """Hips and spine, from below."""
    return [*([] if marks.hips is None else [marks.hips]), *marks.spine]


def _weigh_trunk(
    body: _Body,
    joints: Sequence[int],
    bottom: Array,
    axis: Array,
    table: SegmentTable,
    masses: tuple[float, float, float],
) -> None:
    """Divide the bar from the middle of the hip joints (`bottom`) along `axis` to the neck among the trunk's joints.

    Its lower, middle and upper parts have the given masses, each spread evenly, and the table's lengths. Each joint
    gets the part from its place to that of the next joint, the lowest also the part below it.
    """
    places = body.figure.positions[list(joints)]
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        body.add(joints[-1], sum(masses), places[-1])
        return
    # Heights as shares of the bar, so that nothing here has a unit.
    along = np.clip((places - bottom) @ axis / length**2, 0.0, 1.0)
    starts = np.maximum.accumulate(np.array([0.0, *along[1:]]))
    stops = np.array([*starts[1:], 1.0])
    ends = np.array([0.0, table.navel, table.xiphion, table.cervicale]) / table.cervicale
    for mass, low, high in zip(masses, ends[:-1], ends[1:], strict=True):
        for joint, start, stop in zip(joints, starts, stops, strict=True):
            first, last = max(low, start), min(high, stop)
            if last > first:
                body.add(joint, mass * (last - first) / (high - low), bottom + (first + last) / 2.0 * axis)


def _trunk_axis(figure: Figure, marks: Landmarks, places: Array, table: SegmentTable) -> tuple[Array, Array]:
    """The middle of the hip joints (3,), and the vector (3,) from there to the cervicale.

    The shoulders show the length of a trunk best; the place of the neck differs between skeletons by about 10 cm.
    """
    hips = [figure.positions[hip] for hip in (marks.left_hip, marks.right_hip) if hip is not None]
    shoulders = [figure.positions[joint] for joint in (marks.left_shoulder, marks.right_shoulder) if joint is not None]
    bottom = np.mean(hips, axis=0) if len(hips) == 2 else places[0]
    if len(shoulders) == 2:
        return bottom, (np.mean(shoulders, axis=0) - bottom) * (table.cervicale / table.shoulders)
    top = marks.neck if marks.neck is not None else marks.head
    return bottom, (places[-1] if top is None else figure.positions[top]) - bottom


# Everything else -----------------------------------------------------------------------------------------------------


def _weigh_bones(body: _Body) -> None:
    """Give every joint the length of the bones that leave it, centred on their middles."""
    figure = body.figure
    for joint, parent in enumerate(figure.parents):
        if parent >= 0 and joint not in figure.ends:
            _weigh_bone(body, parent, figure.positions[joint])
    for joint, place in zip(figure.tip_joints.tolist(), figure.tip_positions, strict=True):
        _weigh_bone(body, joint, place)
    if not body.masses.any():
        body.masses[:] = 1.0


def _weigh_bone(body: _Body, joint: int, end: Array) -> None:
    start = body.figure.positions[joint]
    body.add(joint, float(np.linalg.norm(end - start)), (start + end) / 2.0)
