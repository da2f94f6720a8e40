# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of the parts of a character, their centres and their inertia.

People get the segment masses of P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
Journal of Biomechanics 29 (1996), 1223–1230, table 4: the means of college-aged men and women, referred to joint
centres. Other characters, for which there is no table, are thin rods along their bones, with masses in proportion to
their lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.errors import SkeletonError
from .inertia import Radii, between_centers, inertia_of, rod_spread, segment_spread
from .joints import SIDES, BodyPoint
from .landmarks.figure import Figure
from .landmarks.landmarks import Landmarks

AVERAGE_MASS = 70.0
"""Kilograms, the mass of a character whose mass is not given; only carried loads are compared with it."""


@dataclass(frozen=True)
class SegmentTable:
    """Segments of one published body: masses in percent of the whole, centres in percent of the way along a segment,
    radii of gyration in percent of the length of the same way.

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
    head_radii: Radii
    """In percent of the length from the crown to the cervicale, as `head_center`."""
    head_radii_above_jaw: Radii
    upper_trunk_radii: Radii
    """In percent of the length from the xiphion to the cervicale, not to the upper end of the breastbone that the
    table's main row refers to."""
    middle_trunk_radii: Radii
    lower_trunk_radii: Radii
    upper_arm_radii: Radii
    forearm_radii: Radii
    hand_radii: Radii
    whole_hand_radii: Radii
    thigh_radii: Radii
    shank_radii: Radii
    """In percent of the length from the knee to the ankle's joint centre, as `shank_center`."""
    foot_radii: Radii
    """The sagittal axis is perpendicular to the sole."""

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
    head_radii=Radii(30.3, 31.5, 26.1),
    head_radii_above_jaw=Radii(36.2, 37.6, 31.2),
    upper_trunk_radii=Radii(50.5, 32.0, 46.5),
    middle_trunk_radii=Radii(48.2, 38.3, 46.8),
    lower_trunk_radii=Radii(61.5, 55.1, 58.7),
    upper_arm_radii=Radii(28.5, 26.9, 15.8),
    forearm_radii=Radii(27.6, 26.5, 12.1),
    hand_radii=Radii(62.8, 51.3, 40.1),
    whole_hand_radii=Radii(28.8, 23.5, 18.4),
    thigh_radii=Radii(32.9, 32.9, 14.9),
    shank_radii=Radii(25.1, 24.6, 10.2),
    foot_radii=Radii(25.7, 24.5, 12.4),
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
    head_radii=Radii(27.1, 29.5, 26.1),
    head_radii_above_jaw=Radii(33.0, 35.9, 31.8),
    upper_trunk_radii=Radii(46.6, 31.4, 44.9),
    middle_trunk_radii=Radii(43.3, 35.4, 41.5),
    lower_trunk_radii=Radii(43.3, 40.2, 44.4),
    upper_arm_radii=Radii(27.8, 26.0, 14.8),
    forearm_radii=Radii(26.1, 25.7, 9.4),
    hand_radii=Radii(53.1, 45.4, 33.5),
    whole_hand_radii=Radii(24.4, 20.8, 15.4),
    thigh_radii=Radii(36.9, 36.4, 16.2),
    shank_radii=Radii(26.7, 26.3, 9.2),
    foot_radii=Radii(29.9, 27.9, 13.9),
)

TABLES = {"male": MALE, "female": FEMALE}


class SegmentMasses(NamedTuple):
    """The mass that moves with each joint."""

    masses: Array
    """(joints,)"""
    centers: Array
    """(joints, 3) their centres, in the joints' own frames."""
    inertias: Array
    """(joints, 3, 3) their inertia tensors about these centres, in the joints' own frames, in mass times squared
    length."""


def segment_masses(
    landmarks: Landmarks,
    parents: ArrayLike,
    rest_positions: ArrayLike,
    rest_rotations: ArrayLike,
    tips: Sequence[BodyPoint],
    *,
    total_mass: float = AVERAGE_MASS,
    table: str | SegmentTable = "male",
) -> SegmentMasses:
    """Masses that add up to `total_mass`, with their centres and their inertia.

    The rest pose is given as for `recognition.recognise`. A limb's segment moves with its upper joint, a hand and a
    foot as a whole with wrist and ankle, head and neck with the head. The trunk is a bar that is divided among the
    hips and the spine joints: each has the part up to the next, so a joint in the same place as the next has no mass.

    A segment whose joint is unknown adds its mass to the segment above it, at that one's centre and with its shape: the
    hand to the forearm, the forearm to the upper arm, that and the head to the top of the trunk, the thigh to its
    bottom. A segment without a length is a point.

    A character without a trunk and a whole limb is no person: its masses are in proportion to the lengths of its bones
    (not to their cubes, as for similar bodies, so that the same tail in twice as many joints has the same mass), each
    a thin rod. Where no bone has any length, all joints have the same mass.
    """
    if not (np.isfinite(total_mass) and total_mass >= 0.0):
        raise SkeletonError("The total mass must be a finite number that is not negative.")
    if isinstance(table, str):
        if table not in TABLES:
            raise SkeletonError(f"There is no table of masses {table!r}; take {' or '.join(map(repr, TABLES))}.")
        table = TABLES[table]
    figure = Figure(parents, rest_positions, rest_rotations, tips)
    body, person = _Body(figure), _Person.of(figure, landmarks, table)
    if person is None:
        _weigh_bones(body)
    else:
        _weigh_person(body, person)
    return body.result(total_mass)


class _Body:
    """Masses by joint, in any unit, with their first moments about the joints and their second moments about their
    centres, in world axes."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.masses = np.zeros(len(figure))
        self.moments = np.zeros((len(figure), 3))
        self.second_moments = np.zeros((len(figure), 3, 3))

    def add(self, joint: int, mass: float, place: Array, spread: Array) -> None:
        """Add a mass with its centre at `place` (3,) and its second moments `spread` (3, 3) per mass."""
        own = self.masses[joint]
        # Relative to the joint: a body far from the origin must not lose digits.
        arm = place - self.figure.positions[joint]
        if own > 0.0:
            self.second_moments[joint] += between_centers(own, mass, arm - self.moments[joint] / own)
        self.second_moments[joint] += mass * spread
        self.masses[joint] += mass
        self.moments[joint] += mass * arm

    def result(self, total_mass: float) -> SegmentMasses:
        heavy = self.masses > 0.0
        arms = np.where(heavy[:, None], self.moments / np.where(heavy, self.masses, 1.0)[:, None], 0.0)
        into_joints = rotations.conjugate(self.figure.rotations)
        turns, unit = rotations.to_matrix(into_joints), total_mass / self.masses.sum()
        inertias = turns @ inertia_of(unit * self.second_moments) @ turns.swapaxes(1, 2)
        inertias = 0.5 * (inertias + inertias.swapaxes(1, 2))  # rounding must not make them asymmetric
        return SegmentMasses(self.masses * unit, rotations.rotate(into_joints, arms), inertias)


# People --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Person:
    """A person's joints in the rest pose, with the trunk's axis and what it says about directions."""

    figure: Figure
    marks: Landmarks
    table: SegmentTable
    trunk: list[int]
    """Hips and spine, from below."""
    bottom: Array
    """(3,) the middle of the hip joints."""
    axis: Array
    """(3,) from there to the cervicale."""
    up: Array | None
    """(3,) the unit vector along the trunk; None for a trunk without a length."""
    forward: Array | None
    """(3,) the unit vector forward or back, perpendicular to the trunk; None where the sides are unknown."""

    @staticmethod
    def of(figure: Figure, marks: Landmarks, table: SegmentTable) -> _Person | None:
        """The person with these landmarks; None where they are not those of a person."""
        trunk = [*([] if marks.hips is None else [marks.hips]), *marks.spine]
        limbs = [limb for side in SIDES for limb in (marks.leg(side)[:3], marks.arm(side)[1:])]
        if not trunk or all(None in limb for limb in limbs):
            return None
        bottom, axis = _trunk_axis(figure, marks, figure.positions[trunk], table)
        length = float(np.linalg.norm(axis))
        up = axis / length if length > 0.0 else None
        return _Person(figure, marks, table, trunk, bottom, axis, up, _forward(figure, marks, up))

    def place(self, name: str) -> Array | None:
        """(3,) where a landmark is, in world space; None where it is unknown."""
        mark: int | BodyPoint | None = getattr(self.marks, name)
        if mark is None:
            return None
        if isinstance(mark, BodyPoint):
            return self.figure.world(int(mark.joint), mark.offset)
        return np.asarray(self.figure.positions[mark])


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


def _forward(figure: Figure, marks: Landmarks, up: Array | None) -> Array | None:
    """(3,) the unit vector perpendicular to the trunk and to the line through both hips, else both shoulders."""
    for left, right in ((marks.left_hip, marks.right_hip), (marks.left_shoulder, marks.right_shoulder)):
        if up is not None and left is not None and right is not None:
            across = np.cross(figure.positions[left] - figure.positions[right], up)
            length = float(np.linalg.norm(across))
            if length > 0.0:
                return np.asarray(across / length)
    return None


def _weigh_person(body: _Body, person: _Person) -> None:
    """Add the masses of the table."""
    table = person.table
    lower, upper = table.lower_trunk, table.upper_trunk
    for side in SIDES:
        lower += _weigh_limb(body, _leg_segments(person, side))
        upper += _weigh_limb(body, _arm_segments(person, side))
    upper += _weigh_limb(body, [_head_segment(person)])
    _weigh_trunk(body, person, (lower, table.middle_trunk, upper))


@dataclass(frozen=True)
class _Segment:
    joint: int | None
    mass: float
    center: Array
    """(3,) in world space."""
    spread: Array
    """(3, 3) second moments per mass about the centre, in world axes."""


def _weigh_limb(body: _Body, segments: Sequence[_Segment]) -> float:
    """Add the segments of a limb, from the trunk outwards, to their joints; returns the mass without a joint."""
    pending = 0.0
    for segment in reversed(segments):
        pending += segment.mass
        if segment.joint is not None:
            body.add(segment.joint, pending, segment.center, segment.spread)
            pending = 0.0
    return pending


def _segment(
    joint: int | None,
    mass: float,
    way: tuple[Array | None, Array | None],
    percent: float,
    radii: Radii,
    normal: Array | None,
) -> _Segment:
    """The segment of a joint, with its `way` from one end to the other; without the other end it is a point at the
    first. `normal` is its sagittal axis, as in `segment_spread`."""
    start, end = way
    if joint is None or start is None:
        return _Segment(None, mass, np.zeros(3), np.zeros((3, 3)))
    if end is None:
        return _Segment(joint, mass, start, np.zeros((3, 3)))
    center = start + percent / 100.0 * (end - start)
    return _Segment(joint, mass, center, segment_spread(radii, end - start, normal))


def _leg_segments(person: _Person, side: str) -> list[_Segment]:
    table, forward = person.table, person.forward
    hip, knee, ankle, _ = person.marks.leg(side)
    hip_place, knee_place, ankle_place, toe_place, heel, toe_tip = (
        person.place(f"{side}_{name}") for name in ("hip", "knee", "ankle", "toe", "heel", "toe_tip")
    )
    sole, percent = (heel, toe_tip), table.foot_center
    if heel is None or toe_tip is None:
        # Without a sole: halfway along what there is of the foot.
        sole, percent = (ankle_place, toe_place if toe_tip is None else toe_tip), 50.0
    thigh = (hip_place, knee_place if knee is not None else ankle_place)
    return [
        _segment(hip, table.thigh, thigh, table.thigh_center, table.thigh_radii, forward),
        _segment(knee, table.shank, (knee_place, ankle_place), table.shank_center, table.shank_radii, forward),
        _segment(ankle, table.foot, sole, percent, table.foot_radii, person.up),
    ]


def _arm_segments(person: _Person, side: str) -> list[_Segment]:
    table, forward = person.table, person.forward
    _, shoulder, elbow, wrist = person.marks.arm(side)
    shoulder_place, elbow_place, wrist_place, knuckle = (
        person.place(f"{side}_{name}") for name in ("shoulder", "elbow", "wrist", "finger")
    )
    percent, radii = table.hand_center, table.hand_radii
    if knuckle is None or (wrist_place is not None and np.array_equal(knuckle, wrist_place)):
        knuckle, percent, radii = person.place(f"{side}_fingertip"), table.whole_hand_center, table.whole_hand_radii
    upper_arm = (shoulder_place, elbow_place if elbow is not None else wrist_place)
    forearm = (elbow_place, wrist_place)
    return [
        _segment(shoulder, table.upper_arm, upper_arm, table.upper_arm_center, table.upper_arm_radii, forward),
        _segment(elbow, table.forearm, forearm, table.forearm_center, table.forearm_radii, forward),
        # In rest poses palms face the thighs or the ground, not forward as in the table: it is the transverse axis of a
        # hand that points forward.
        _segment(wrist, table.hand, (wrist_place, knuckle), percent, radii.swapped, forward),
    ]


def _head_segment(person: _Person) -> _Segment:
    """Head and neck, from the crown to the upper end of the trunk or, where the two do not fit together, to the jaw."""
    marks, table = person.marks, person.table
    joint = marks.neck if marks.head is None else marks.head
    crown, cervicale = person.place("head_top"), person.bottom + person.axis
    if joint is None or crown is None:
        place = None if joint is None else person.figure.positions[joint]
        return _segment(joint, table.head, (place, None), 0.0, table.head_radii, None)
    way, percent, radii = (crown, cervicale), table.head_center, table.head_radii
    if (crown - cervicale) @ person.axis <= 0.0:
        way, percent = (crown, person.figure.positions[joint]), table.head_center_above_jaw
        radii = table.head_radii_above_jaw
    return _segment(joint, table.head, way, percent, radii, person.forward)


def _weigh_trunk(body: _Body, person: _Person, masses: tuple[float, float, float]) -> None:
    """Divide the bar from the middle of the hip joints to the cervicale among the trunk's joints.

    Its lower, middle and upper parts have the given masses, each spread evenly, the table's lengths, and the table's
    extent across the bar. Each joint gets the part from its place to that of the next joint, the lowest also the part
    below it.
    """
    joints, bottom, axis, table = person.trunk, person.bottom, person.axis, person.table
    places = body.figure.positions[joints]
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        body.add(joints[-1], sum(masses), places[-1], np.zeros((3, 3)))
        return
    # Heights as shares of the bar, so that nothing here has a unit.
    along = np.clip((places - bottom) @ axis / length**2, 0.0, 1.0)
    starts = np.maximum.accumulate(np.array([0.0, *along[1:]]))
    stops = np.array([*starts[1:], 1.0])
    ends = np.array([0.0, table.navel, table.xiphion, table.cervicale]) / table.cervicale
    radii = (table.lower_trunk_radii, table.middle_trunk_radii, table.upper_trunk_radii)
    for mass, low, high, part in zip(masses, ends[:-1], ends[1:], radii, strict=True):
        whole = (high - low) * axis
        across = segment_spread(part, whole, person.forward)
        across -= part.spreads[2] * np.outer(whole, whole)
        for joint, start, stop in zip(joints, starts, stops, strict=True):
            first, last = max(low, start), min(high, stop)
            if last > first:
                center, spread = bottom + (first + last) / 2.0 * axis, across + rod_spread((last - first) * axis)
                body.add(joint, mass * (last - first) / (high - low), center, spread)


# Everything else -----------------------------------------------------------------------------------------------------


def _weigh_bones(body: _Body) -> None:
    """Give every joint the length of the bones that leave it as mass, each a thin rod."""
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
    body.add(joint, float(np.linalg.norm(end - start)), (start + end) / 2.0, rod_spread(end - start))
