# SPDX-License-Identifier: GPL-3.0-or-later
"""The skeleton of a character: hierarchy, rest pose, kinds of joints, stiffness, limits, masses, landmarks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray, IntArray
from ..core.errors import LimitError, SkeletonError, UnknownJointError
from . import soles
from .degrees_of_freedom import Dofs
from .inertia import between_centers, checked_inertia, inertia_of
from .joints import SIDES, BodyPoint, JointKind, Load
from .landmarks.figure import credible_tips
from .landmarks.landmarks import JOINT_NAMES, Landmarks
from .landmarks.recognition import recognise
from .limits import BallLimit, HingeLimit, JointLimit
from .masses import AVERAGE_MASS, SegmentMasses, segment_masses
from .skin import Skin
from .tree import Tree

Up = Literal["y", "z"]

CACHED = 256
"""Masks, and points, that a skeleton caches: a solve needs the same ones in every step."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A hierarchy of joints in its rest pose. Immutable: the `with_…` methods return changed copies.

    Arrays may be given as anything that NumPy reads; fields that are not given get their defaults.
    """

    names: tuple[str, ...]
    """One name a joint, each different."""
    parents: IntArray
    """(joints,) the parent of each joint, -1 for a root; parents come before their children."""
    offsets: Array
    """(joints, 3) rest position of each joint in its parent's frame (of a root: in the world)."""
    rest_rotations: Array = field(default=None)  # type: ignore[arg-type]
    """(joints, 4) rest rotation of each joint in its parent's frame; the identity if not given."""
    kinds: tuple[JointKind, ...] = field(default=None)  # type: ignore[arg-type]
    """How each joint moves; roots are free and all others balls if not given."""
    hinge_axes: Array = field(default=None)  # type: ignore[arg-type]
    """(joints, 3) unit axis of a hinge in the joint's own frame; x if not given."""
    stiffness: Array = field(default=None)  # type: ignore[arg-type]
    """(joints,) resistance to moving: twice the stiffness costs twice as much to move as far. 1 if not given."""
    limits: Mapping[int, JointLimit] = field(default_factory=dict)
    """Limits by joint index."""
    tips: tuple[BodyPoint, ...] = ()
    """Ends of bones that carry no joint: a BVH file's End Sites, a Blender bone's tail."""
    skin: Skin | None = None
    """Points of the surface, where a mesh is bound to the skeleton."""
    up: Up = "y"
    """The axis against gravity."""
    total_mass: float = AVERAGE_MASS
    """Mass of the whole body without loads."""
    set_masses: Mapping[int, float] = field(default_factory=dict)
    """Masses set by hand, by joint index; all others come from the anthropometric table."""
    set_inertias: Mapping[int, Array] = field(default_factory=dict)
    """Inertia tensors (3, 3) set by hand, by joint index: those of a joint's mass without loads, about its centre, in
    the joint's frame; three numbers are its moments along that frame's axes. All others come from the table."""
    loads: tuple[Load, ...] = ()
    """Masses carried at points of joints."""
    set_landmarks: Mapping[str, int | tuple[int, ...] | BodyPoint | None] = field(default_factory=dict)
    """Landmarks set by hand, by their name; all others are recognised."""
    set_soles: Mapping[str, float] = field(default_factory=dict)
    """Heights above the floor of points of the feet, set by hand, by landmark; see `soles`."""

    def __post_init__(self) -> None:
        self._freeze("names", _checked_names(self.names))
        self._freeze("parents", _parents(self.parents, self.names))
        self._freeze("kinds", _kinds(self.kinds, self.names, self.parents))
        self._freeze_arrays()
        if self.up not in ("y", "z"):
            raise SkeletonError(f"Up must be 'y' or 'z', not {self.up!r}.")
        self._freeze_masses()
        self._freeze("limits", {self.index(joint): limit for joint, limit in self.limits.items()})
        self._check_limits()
        self._freeze("set_soles", soles.check_soles(self.set_soles))
        self._freeze("tips", tuple(self.resolve(tip) for tip in self.tips))
        if self.skin is not None and ((self.skin.joints < 0) | (self.skin.joints >= len(self))).any():
            raise SkeletonError(f"The joints of a skin are indices from 0 to {len(self) - 1}.")
        self._freeze("loads", tuple(Load(self.resolve(load.point), load.mass) for load in self.loads))

    def _freeze_arrays(self) -> None:
        """Check the arrays with one row for each joint; those that are not given get their defaults."""
        names, count = self.names, len(self.names)
        rest = np.tile(rotations.IDENTITY, (count, 1)) if self.rest_rotations is None else self.rest_rotations
        axes = np.tile([1.0, 0.0, 0.0], (count, 1)) if self.hinge_axes is None else self.hinge_axes
        stiffness = np.ones(count) if self.stiffness is None else self.stiffness
        self._freeze("offsets", _rows(self.offsets, names, 3, "offset"))
        self._freeze("rest_rotations", _unit_rows(rest, names, 4, "rest rotation"))
        self._freeze("hinge_axes", _unit_rows(axes, names, 3, "hinge axis"))
        self._freeze("stiffness", _stiffness(stiffness, names))

    def _freeze_masses(self) -> None:
        if not (np.isfinite(self.total_mass) and self.total_mass >= 0.0):
            raise SkeletonError("The total mass must be a finite number that is not negative.")
        set_masses = {self.index(joint): mass for joint, mass in self.set_masses.items()}
        for joint, mass in set_masses.items():
            if not (np.isfinite(mass) and mass >= 0.0):
                name = self.names[joint]
                raise SkeletonError(f"The mass of joint {name!r} must be a finite number that is not negative.")
        self._freeze("set_masses", set_masses)
        set_inertias = {}
        for joint, inertia in self.set_inertias.items():
            index = self.index(joint)
            set_inertias[index] = checked_inertia(inertia, self.names[index])
            set_inertias[index].setflags(write=False)
        self._freeze("set_inertias", set_inertias)

    def _check_limits(self) -> None:
        for joint, limit in self.limits.items():
            kind = self.kinds[joint]
            wanted = HingeLimit if kind is JointKind.HINGE else BallLimit
            if kind is JointKind.FIXED or not isinstance(limit, wanted):
                raise LimitError(
                    f"Joint {self.names[joint]!r} is {kind.value}: a {type(limit).__name__} does not fit it."
                )

    def _freeze(self, name: str, value: object) -> None:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, name, value)

    # Finding joints ------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _index_of(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def index(self, joint: str | int) -> int:
        """The index of a joint given by name or index; UnknownJointError names the most similar joint."""
        if isinstance(joint, (int, np.integer)) and not isinstance(joint, bool):
            if 0 <= joint < len(self):
                return int(joint)
            raise UnknownJointError(f"There is no joint {joint}: the skeleton has {len(self)} joints, counted from 0.")
        try:
            return self._index_of[joint]  # type: ignore[index]
        except (KeyError, TypeError):
            raise UnknownJointError(f"There is no joint {joint!r}.{self._suggestion(joint)}") from None

    def _suggestion(self, joint: object) -> str:
        import difflib

        folded = {name.casefold(): name for name in self.names}
        close = difflib.get_close_matches(str(joint).casefold(), folded, n=1, cutoff=0.4)
        return f" Did you mean {folded[close[0]]!r}?" if close else f" The root is {self.names[0]!r}."

    def mask(self, joints: Iterable[str | int]) -> BoolArray:
        """(joints,) true for the named joints."""
        named = tuple(joints)
        known = self._masks.get(named)
        if known is None:
            mask = np.zeros(len(self), dtype=bool)
            mask[[self.index(joint) for joint in named]] = True
            if len(self._masks) >= CACHED:
                self._masks.clear()
            known = self._masks[named] = mask
        return known.copy()

    @cached_property
    def _masks(self) -> dict[tuple[str | int, ...], BoolArray]:
        return {}

    def resolve(self, point: str | int | BodyPoint) -> BodyPoint:
        """A joint, or a point on one, as a point whose joint is an index."""
        if not isinstance(point, BodyPoint):
            return BodyPoint(self.index(point))
        known = self._resolved.get(point)
        if known is None:
            known = BodyPoint(self.index(point.joint), point.offset)
            if len(self._resolved) >= CACHED:
                self._resolved.clear()
            self._resolved[point] = known
        return known

    @cached_property
    def _resolved(self) -> dict[BodyPoint, BodyPoint]:
        return {}

    # Shape ---------------------------------------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Tree:
        """The hierarchy of the joints."""
        return Tree(self.parents)

    @cached_property
    def dofs(self) -> Dofs:
        """The columns of a Jacobian in which every joint may move."""
        return Dofs(self.kinds)

    @cached_property
    def rest(self) -> tuple[Array, Array]:
        """World rotations (joints, 4) and positions (joints, 3) of the rest pose."""
        return _read_only(*self.tree.accumulate(self.rest_rotations, self.offsets))

    def rest_place(self, point: str | int | BodyPoint) -> Array:
        """(3,) where a joint, or a point on one, is in the rest pose, in world space."""
        return self.resolve(point).place(*self.rest)

    def is_rigid(self, heel: BodyPoint, ball: BodyPoint) -> bool:
        """Whether no joint between two points, with joints as indices, can rotate: the heel's joint carries the ball's
        rigidly."""
        chain = self.tree.chain(int(ball.joint))
        if heel.joint not in chain or any(ball.offset):
            return heel.joint == ball.joint
        between = chain[1 : chain.index(int(heel.joint))]
        return all(self.kinds[joint] is JointKind.FIXED for joint in between)

    @cached_property
    def size(self) -> float:
        """From hip to heel along the leg: the length to which every tolerance is relative.

        A character without legs is as large as its longest chain of bones; one without any length has size 1.
        """
        legs = [self._leg_length(side) for side in SIDES]
        found = [length for length in legs if length > 0.0]
        if found:
            return float(np.mean(found))
        longest: float = self._longest_chain
        return longest or 1.0

    def _leg_length(self, side: str) -> float:
        marks = self.landmarks
        hip, knee, ankle, _ = marks.leg(side)
        heel = getattr(marks, f"{side}_heel")
        if hip is None or knee is None or ankle is None or heel is None:
            return 0.0
        _, world_positions = self.rest
        path = np.stack([*world_positions[[hip, knee, ankle]], self.rest_place(heel)])
        return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())

    @cached_property
    def _longest_chain(self) -> float:
        reach = np.zeros(len(self))
        lengths = np.linalg.norm(self.offsets, axis=1)
        for joints, parents in self.tree.generations:
            reach[joints] = reach[parents] + lengths[joints]
        tips = [
            reach[self.index(tip.joint)] + float(np.linalg.norm(tip.local))
            for tip in credible_tips(self.parents, self.rest[1], self.tips)
        ]
        return max([float(reach.max()), *tips])

    @property
    def up_axis(self) -> int:
        """1 where y is up, 2 where z is."""
        return 1 if self.up == "y" else 2

    @property
    def horizontal_axes(self) -> str:
        """The two axes across gravity: "xz" or "xy"."""
        return "xz" if self.up == "y" else "xy"

    # Landmarks and masses ------------------------------------------------------------------------------------------

    @cached_property
    def landmarks(self) -> Landmarks:
        """The landmarks, recognised by names and shape, except those set by hand."""
        rest_rotations, rest_positions = self.rest
        set_joints = {name: mark for name, mark in self.set_landmarks.items() if name in JOINT_NAMES}
        found = recognise(
            self.names, self.parents, rest_positions, rest_rotations, self.tips, self.up, self.skin, set_joints
        )
        return found.replace(**self.set_landmarks) if self.set_landmarks else found

    @cached_property
    def soles(self) -> Mapping[str, float]:
        """Heights of heels, balls and tips of toes above the floor in a flat foot, by landmark, in the clip's units.

        They come from the skin or the joints in the rest pose, except those set by hand.
        """
        return soles.soles_of(self.landmarks, self.tree, self.rest, self.up_axis, self.skin, self.set_soles)

    @cached_property
    def _mass_table(self) -> SegmentMasses:
        """Masses, centres and inertias of all joints, with those set by hand and the loads."""
        rest_rotations, rest_positions = self.rest
        masses, centers, inertias = segment_masses(
            self.landmarks, self.parents, rest_positions, rest_rotations, self.tips, total_mass=self.total_mass
        )
        masses = masses.copy()
        for joint, mass in self.set_masses.items():
            # The same shape with another density; a joint to which the table gives no mass has no shape.
            inertias[joint] *= mass / masses[joint] if masses[joint] > 0.0 else 0.0
            masses[joint] = mass
        for joint, inertia in self.set_inertias.items():
            inertias[joint] = inertia
        moments = masses[:, None] * centers
        for load in self.loads:
            joint = self.index(load.point.joint)
            if masses[joint] > 0.0:
                arm = load.point.local - moments[joint] / masses[joint]
                inertias[joint] += inertia_of(between_centers(masses[joint], load.mass, arm))
            masses[joint] += load.mass
            moments[joint] += load.mass * load.point.local
        heavy = masses > 0.0
        centers = np.where(heavy[:, None], moments / np.where(heavy, masses, 1.0)[:, None], centers)
        inertias.setflags(write=False)
        return SegmentMasses(*_read_only(masses, centers), inertias)

    @property
    def masses(self) -> Array:
        """(joints,) mass that moves with each joint, loads included."""
        return self._mass_table.masses

    @property
    def mass_centers(self) -> Array:
        """(joints, 3) where that mass has its centre, in the joint's frame."""
        return self._mass_table.centers

    @property
    def inertias(self) -> Array:
        """(joints, 3, 3) inertia tensor of that mass about its centre, in the joint's frame: mass times squared length
        in the skeleton's units."""
        return self._mass_table.inertias

    @cached_property
    def mass_unit(self) -> float:
        """The total mass with loads, or 1 where it is 0: the divisor of shares of mass."""
        return float(self.masses.sum()) or 1.0

    @cached_property
    def mass_shares(self) -> Array:
        """(joints,) the share of all mass that each joint moves: its own and that of everything below it."""
        shares = np.asarray(self.masses @ self.tree.ancestry) / self.mass_unit
        shares.setflags(write=False)
        return shares

    # Changed copies ------------------------------------------------------------------------------------------------

    def replace(self, **changes: object) -> Skeleton:
        """A copy with other fields."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def with_kinds(
        self, kinds: Mapping[str | int, JointKind | str], axes: Mapping[str | int, ArrayLike] | None = None
    ) -> Skeleton:
        """A copy in which some joints have another kind; `axes` gives the hinges' axes in their own frames."""
        new_kinds = list(self.kinds)
        for joint, kind in kinds.items():
            new_kinds[self.index(joint)] = _kind(kind, self.names[self.index(joint)])
        hinge_axes = np.array(self.hinge_axes)
        for joint, axis in (axes or {}).items():
            hinge_axes[self.index(joint)] = axis
        return self.replace(kinds=tuple(new_kinds), hinge_axes=hinge_axes)

    def with_stiffness(self, stiffness: Mapping[str | int, float]) -> Skeleton:
        """A copy in which some joints have another stiffness."""
        values = np.array(self.stiffness)
        for joint, value in stiffness.items():
            values[self.index(joint)] = value
        return self.replace(stiffness=values)

    def with_limits(self, limits: Mapping[str | int, JointLimit | None]) -> Skeleton:
        """A copy with other limits for some joints; None takes a limit away."""
        merged = dict(self.limits)
        for joint, limit in limits.items():
            merged.pop(self.index(joint), None)
            if limit is not None:
                merged[self.index(joint)] = limit
        return self.replace(limits=merged)

    def with_masses(self, masses: Mapping[str | int, float]) -> Skeleton:
        """A copy in which some joints have a mass set by hand."""
        return self.replace(set_masses=self.set_masses | {self.index(joint): mass for joint, mass in masses.items()})  # type: ignore[operator]

    def with_inertias(self, inertias: Mapping[str | int, ArrayLike]) -> Skeleton:
        """A copy in which some joints have an inertia set by hand, (3, 3) or (3,); see `set_inertias`."""
        return self.replace(
            set_inertias={**self.set_inertias, **{self.index(joint): each for joint, each in inertias.items()}}
        )

    def with_load(self, joint: str | int | BodyPoint, mass: float) -> Skeleton:
        """A copy that carries one more mass at a point of a joint."""
        return self.replace(loads=(*self.loads, Load(self.resolve(joint), mass)))

    def with_landmarks(self, **marks: str | int | BodyPoint | Sequence[str | int] | None) -> Skeleton:
        """A copy in which some landmarks are set by hand; None is a landmark that the character does not have."""
        resolved: dict[str, int | tuple[int, ...] | BodyPoint | None] = {}
        for name, mark in marks.items():
            if mark is None or isinstance(mark, BodyPoint):
                resolved[name] = mark if mark is None else self.resolve(mark)
            elif isinstance(mark, (str, int)):
                resolved[name] = self.index(mark)
            else:
                resolved[name] = tuple(self.index(joint) for joint in mark)
        changed = self.replace(set_landmarks={**self.set_landmarks, **resolved})
        changed.landmarks.replace()  # an unknown landmark is an error now, not at first use
        return changed

    def with_soles(self, **heights: float) -> Skeleton:
        """A copy with the heights of some points of the feet above the floor set by hand; see `soles`."""
        return self.replace(set_soles={**self.set_soles, **heights})

    def scaled(self, factor: float) -> Skeleton:
        """A copy a number of times larger."""
        if not (np.isfinite(factor) and factor > 0.0):
            raise SkeletonError("A skeleton is scaled by a finite, positive factor.")

        def enlarge(point: BodyPoint) -> BodyPoint:
            return BodyPoint(point.joint, tuple(factor * point.local))

        return self.replace(
            offsets=self.offsets * factor,
            tips=tuple(enlarge(tip) for tip in self.tips),
            skin=None if self.skin is None else self.skin.scaled(factor),
            set_inertias={joint: factor**2 * inertia for joint, inertia in self.set_inertias.items()},
            loads=tuple(Load(enlarge(load.point), load.mass) for load in self.loads),
            set_landmarks={
                name: enlarge(mark) if isinstance(mark, BodyPoint) else mark
                for name, mark in self.set_landmarks.items()
            },
            set_soles={name: factor * height for name, height in self.set_soles.items()},
        )


def _checked_names(given: Iterable[str]) -> tuple[str, ...]:
    names = tuple(given)
    if not names:
        raise SkeletonError("A skeleton needs at least one joint.")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise SkeletonError(f"Joint names must be words, not {name!r}.")
        if name in seen:
            raise SkeletonError(f"Two joints are called {name!r}; rename one.")
        seen.add(name)
    return names


def _parents(given: ArrayLike, names: tuple[str, ...]) -> IntArray:
    array = np.array(given)
    if array.shape != (len(names),) or not np.issubdtype(array.dtype, np.integer):
        raise SkeletonError(f"The parents of {len(names)} joints must be as many whole numbers, in one row.")
    wrong = np.flatnonzero((array >= np.arange(len(names))) | (array < -1))
    if wrong.size:
        raise SkeletonError(
            f"The parent of joint {names[wrong[0]]!r} must come before it in the list (or be -1 for a root)."
        )
    return array.astype(np.int64)


def _kinds(given: Sequence[JointKind | str] | None, names: tuple[str, ...], parents: IntArray) -> tuple[JointKind, ...]:
    if given is None:
        return tuple(JointKind.FREE if parent < 0 else JointKind.BALL for parent in parents)
    if len(given) != len(names):
        raise SkeletonError(f"There are {len(given)} kinds for {len(names)} joints; give one for each.")
    return tuple(_kind(kind, name) for kind, name in zip(given, names, strict=True))


def _kind(kind: JointKind | str, name: str) -> JointKind:
    try:
        return JointKind(kind)
    except ValueError:
        known = ", ".join(JointKind)
        raise SkeletonError(f"Joint {name!r} cannot be {kind!r}; a joint is one of {known}.") from None


def _stiffness(values: ArrayLike, names: tuple[str, ...]) -> Array:
    array = _numbers(values, "stiffness")
    if array.shape != (len(names),):
        raise SkeletonError("Stiffness must be one number for each joint.")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0.0)))
    if wrong.size:
        raise SkeletonError(f"The stiffness of joint {names[wrong[0]]!r} must be a finite, positive number.")
    return array


def _numbers(values: ArrayLike, what: str) -> Array:
    """A copy in double precision."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise SkeletonError(f"The {what} must be numbers, the same count for every joint.") from None


def _rows(values: ArrayLike, names: tuple[str, ...], width: int, what: str) -> Array:
    array = _numbers(values, f"{what}s")
    if array.shape != (len(names), width):
        raise SkeletonError(f"The {what}s must have the shape ({len(names)}, {width}), not {array.shape}.")
    wrong = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if wrong.size:
        raise SkeletonError(f"The {what} of joint {names[wrong[0]]!r} is not finite.")
    return array


def _unit_rows(values: ArrayLike, names: tuple[str, ...], width: int, what: str) -> Array:
    array = _rows(values, names, width, what)
    lengths = np.linalg.norm(array, axis=1)
    wrong = np.flatnonzero(lengths == 0.0)
    if wrong.size:
        raise SkeletonError(f"The {what} of joint {names[wrong[0]]!r} has no length.")
    return np.asarray(array / lengths[:, None])


def _read_only(first: Array, second: Array) -> tuple[Array, Array]:
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second
