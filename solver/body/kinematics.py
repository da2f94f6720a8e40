# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics and Jacobians, a batch of frames at a time.

The columns of a Jacobian are the world-frame velocities of `dofs`: turning joint `a` by the rotation vector `w` moves a
point `p` below it by `w × (p - a)`, whatever the joint's own frame is. See docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from .degrees_of_freedom import Carriers, Dofs
from .joints import BodyPoint
from .motion import Motion
from .skeleton import Skeleton

_EYE = np.eye(3)

_ALL = slice(None)

_ARM_COMPONENTS, _ARM_SIGNS = np.array([2, 1, 2, 0, 1, 0]), np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
"""The components of an arm, and their signs, in the order of `Carriers.entries`."""

LARGEST_CACHE = 256
"""Arrays that a state caches before it drops positions of points: a solve needs far fewer, but a clip's state lives as
long as the clip."""


def _not_computed() -> Array:
    raise AssertionError("the value is cached")


@dataclass(frozen=True, eq=False)
class WorldState:
    """Where every joint is, for a batch of frames."""

    skeleton: Skeleton
    motion: Motion
    """The local transforms that led here."""
    rotations: Array
    """(frames, joints, 4) world rotations."""
    positions: Array
    """(frames, joints, 3) world positions."""
    source: tuple[WorldState, IntArray] | None = None
    """The state of which this one holds some frames, (frames,), and which these are."""

    @staticmethod
    def of(skeleton: Skeleton, motion: Motion) -> WorldState:
        """Forward kinematics of every frame of a motion."""
        return WorldState(skeleton, motion, *skeleton.tree.accumulate(motion.rotations, motion.translations))

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.positions)

    @cached_property
    def _cache(self) -> dict[Hashable, Array]:
        return {}

    def cached(self, key: Hashable, compute: Callable[[], Array]) -> Array:
        """The array that `compute` returns, (frames, …), cached for this state and key; not to be written to.

        A state of some frames takes its values from the cache of the whole one.
        """
        if key not in self._cache:
            whole, frames = self.source or (self, None)
            self._cache[key] = whole._cache[key][frames] if key in whole._cache else compute()
            if len(self._cache) > LARGEST_CACHE:
                self._drop_points()
        return self._cache[key]

    def _drop_points(self) -> None:
        """Forget the positions of points, except the last one."""
        points = [key for key in self._cache if isinstance(key, BodyPoint)]
        for point in points[:-1]:
            del self._cache[point]

    def at(self, frames: IntArray) -> WorldState:
        """The state of some of the frames."""
        motion = self.motion.at(frames)
        return WorldState(self.skeleton, motion, self.rotations[frames], self.positions[frames], (self, frames))

    def with_frames(self, frames: IntArray, other: WorldState) -> WorldState:
        """This state with some frames, (some,), replaced by those of another; values cached in both are kept."""
        local_rotations, translations = self.motion.rotations.copy(), self.motion.translations.copy()
        world_rotations, positions = self.rotations.copy(), self.positions.copy()
        local_rotations[frames], translations[frames] = other.motion.rotations, other.motion.translations
        world_rotations[frames], positions[frames] = other.rotations, other.positions
        mixed = WorldState(self.skeleton, Motion(local_rotations, translations), world_rotations, positions)
        for key in self._cache.keys() & other._cached_keys():
            mixed._cache[key] = self._cache[key].copy()
            mixed._cache[key][frames] = other.cached(key, _not_computed)
        return mixed

    def _cached_keys(self) -> set[Hashable]:
        """The keys that are cached here or in the whole state."""
        return self._cache.keys() | (self.source[0]._cache.keys() if self.source else set())

    def where(self, chosen: BoolArray, other: WorldState) -> WorldState:
        """The frames of this state that are chosen, (frames,), and those of another elsewhere."""
        left = np.flatnonzero(~chosen)
        return self.with_frames(left, other.at(left))

    def point(self, point: BodyPoint) -> Array:
        """(frames, 3) world positions of a point; its joint must be an index."""
        joint = int(point.joint)
        origin = self.positions[:, joint]
        if not any(point.offset):
            return origin
        return self.cached(point, lambda: origin + rotations.rotate(self.rotations[:, joint], point.local))

    def from_parents(self, joints: IntArray, vectors: Array) -> Array:
        """Vectors (frames, joints given, 3) in the frames of these joints' local transforms, in world axes."""
        if not self.skeleton.tree.has_parent[joints].any():
            return vectors
        return rotations.rotate(self.parent_rotations(joints), vectors)

    def into_parents(self, joints: IntArray, vectors: Array) -> Array:
        """World vectors (frames, joints given, 3) in the frames of these joints' local transforms."""
        if not self.skeleton.tree.has_parent[joints].any():
            return vectors
        return rotations.rotate(rotations.conjugate(self.parent_rotations(joints)), vectors)

    def parent_rotations(self, joints: IntArray) -> Array:
        """(frames, joints given, 4) world rotations of the frames in which these joints' local transforms are.

        Not to be written to.
        """

        def gathered() -> Array:
            parent_rotations = self.rotations.take(self.skeleton.parents[joints], axis=1, mode="wrap")
            parent_rotations[:, ~self.skeleton.tree.has_parent[joints]] = rotations.IDENTITY
            return parent_rotations

        return self.cached(("parent rotations", joints.tobytes()), gathered)

    # Centre of mass ------------------------------------------------------------------------------------------------

    def with_moments(self, moments: Array) -> WorldState:
        """This state with `moments` (frames, joints, 3) given instead of computed."""
        self._cache["moments"] = moments
        return self

    @property
    def moments(self) -> Array:
        """(frames, joints, 3) first moment, relative to the joint 0, of each joint's own mass."""

        def own() -> Array:
            # Joints lead in memory, as in what `Tree` gives.
            places, world_rotations = self.positions.swapaxes(0, 1), self.rotations.swapaxes(0, 1)
            moments = rotations.rotate(world_rotations, self.skeleton.mass_centers[:, None])
            moments += places
            moments -= places[:1]
            moments *= self.skeleton.masses[:, None, None]
            return moments.swapaxes(0, 1)

        return self.cached("moments", own)

    @property
    def _subtree_moments(self) -> Array:
        """(frames, joints, 3) first moment, relative to the joint 0, of all mass that moves with each joint."""

        def summed() -> Array:
            # One large product instead of one for each frame.
            joints, frames = len(self.skeleton), self.frames
            moments = self.moments.swapaxes(0, 1).reshape(joints, 3 * frames)
            return (self.skeleton.tree.ancestry_matrix.T @ moments).reshape(joints, frames, 3).swapaxes(0, 1)

        return self.cached("subtree moments", summed)

    def center_of_mass(self) -> Array:
        """(frames, 3) world positions; a body without mass has it where its joint 0 is."""
        return self.positions[:, 0] + self.moments.sum(axis=1) / self.skeleton.mass_unit

    def subtree_center_of_mass(self, joint: int) -> Array:
        """(frames, 3) world positions of the centre of all mass that moves with a joint; where there is none, those of
        the joint."""
        mass = self._subtree_mass(joint)
        if mass == 0.0:
            return self.positions[:, joint]
        return self.positions[:, 0] + self._subtree_moments[:, joint] / mass

    def _subtree_mass(self, joint: int) -> float:
        return float(self.skeleton.masses @ self.skeleton.tree.ancestry_matrix[:, joint])

    # Jacobians -----------------------------------------------------------------------------------------------------

    def hinge_axes(self, joints: IntArray) -> Array:
        """(frames, joints given, 3) axes of hinges in the world frame."""
        return rotations.rotate(self.rotations[:, joints], self.skeleton.hinge_axes[joints])

    def point_jacobian(self, point: BodyPoint, dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of a point; its joint must be an index."""
        carriers = dofs.carriers(self.skeleton.tree, int(point.joint))
        location = self.point(point)[:, None]
        arms = location - self.positions[:, carriers.rotating]
        hinge_arms = location - self.positions[:, carriers.hinged] if carriers.hinged.size else None
        return self._velocities(dofs, carriers, carriers.shifts, arms, hinge_arms)

    def _velocities(
        self, dofs: Dofs, carriers: Carriers, shifts: Array, arms: Array, hinge_arms: Array | None
    ) -> Array:
        """(frames, 3, columns) velocities at the ends of arms (frames, joints, 3), which begin at the rotating joints
        and hinges of `carriers`, and those of translations (3, columns).

        Column k of a rotating joint is the k-th world axis crossed with its arm.
        """
        jacobian = np.empty((self.frames, 3, dofs.count))
        jacobian[:] = shifts
        jacobian.reshape(self.frames, 3 * dofs.count)[:, carriers.entries] = arms[..., _ARM_COMPONENTS] * _ARM_SIGNS
        if hinge_arms is not None:
            velocities = rotations.cross(self.hinge_axes(carriers.hinged), hinge_arms)
            jacobian[:, :, carriers.hinge_columns] = velocities.swapaxes(1, 2)
        return jacobian

    def balance_jacobian(self, points: Sequence[BodyPoint], dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of the centre of mass against the barycentre of points, joints as indices."""
        carriers = dofs.carriers(self.skeleton.tree, None)
        shifts = np.zeros((3, dofs.count))
        against = self._shares_against(points)[dofs.translating]
        for axis in range(3):
            shifts[axis, axis : dofs.translation_columns.stop : 3] = against
        hinge_arms = self.balance_arms(points, dofs.hinged) if dofs.hinged.size else None
        return self._velocities(dofs, carriers, shifts, self.balance_arms(points, dofs.rotating), hinge_arms)

    def balance_arms(self, points: Sequence[BodyPoint], joints: IntArray) -> Array:
        """(frames, joints given, 3) from each joint to the centre of the mass that it carries, times that mass's share,
        less the mean of its arms to the points that it carries."""
        root = self.positions[:, :1]
        arms = self._subtree_moments[:, joints] / self.skeleton.mass_unit
        arms -= self._shares_against(points)[joints, None] * (self.positions[:, joints] - root)
        if points:
            away = np.stack([self.point(point) for point in points], axis=1) - root
            carried = np.stack(
                [self.skeleton.tree.ancestry_matrix[int(point.joint), joints] for point in points], axis=1
            )
            arms -= (carried / len(points)) @ away
        return arms

    def _shares_against(self, points: Sequence[BodyPoint]) -> Array:
        """(joints,) the share of all mass that moving each joint moves, less the share of points that it moves."""
        if not points:
            return self.skeleton.mass_shares
        carried = sum(self.skeleton.tree.ancestry_matrix[int(point.joint)] for point in points)
        return np.asarray(self.skeleton.mass_shares - carried / len(points))

    def rotation_jacobian(self, joint: int, dofs: Dofs, seen: Array | None = None) -> Array:
        """(frames, 3, columns): angular velocity of a joint in the world; times `seen` (frames, 3, 3), if given."""
        carriers = dofs.carriers(self.skeleton.tree, joint)
        jacobian = np.zeros((self.frames, 3, dofs.count))
        jacobian[:, :, carriers.rotation_columns] = (_EYE if seen is None else seen)[..., None, :]
        if carriers.hinged.size:
            axes = self.hinge_axes(carriers.hinged).swapaxes(1, 2)
            jacobian[:, :, carriers.hinge_columns] = axes if seen is None else seen @ axes
        return jacobian

    def center_of_mass_jacobian(self, dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of the centre of mass; zero for a body without mass."""
        return self.balance_jacobian((), dofs)

    def subtree_center_of_mass_jacobian(self, joint: int, dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of the centre of all mass that moves with a joint."""
        mass = self._subtree_mass(joint)
        if mass == 0.0:
            return self.point_jacobian(BodyPoint(joint), dofs)
        tree = self.skeleton.tree
        # A joint moves what its own subtree and this one have in common: all of the smaller one, or nothing.
        above, below = tree.ancestry_matrix[joint], tree.ancestry_matrix[:, joint].copy()
        below[joint] = 0.0
        shares = above + below * self.skeleton.mass_shares * self.skeleton.mass_unit / mass

        def arms(joints: IntArray) -> Array:
            moments = self._subtree_moments[:, [joint]] * above[joints, None]
            moments = (moments + self._subtree_moments[:, joints] * below[joints, None]) / mass
            return np.asarray(moments - shares[joints, None] * (self.positions[:, joints] - self.positions[:, :1]))

        shifts = np.zeros((3, dofs.count))
        for axis in range(3):
            shifts[axis, axis : dofs.translation_columns.stop : 3] = shares[dofs.translating]
        hinge_arms = arms(dofs.hinged) if dofs.hinged.size else None
        carriers = dofs.carriers(tree, None)
        return self._velocities(dofs, carriers, shifts, arms(dofs.rotating), hinge_arms)


def integrate(state: WorldState, velocities: Array, dofs: Dofs) -> Motion:
    """The motion after one unit of time with velocities (frames, columns) in the coordinates of `dofs`.

    Joints without columns in `dofs` come back bit for bit.
    """
    local_rotations, translations = state.motion.rotations.copy(), state.motion.translations.copy()

    if dofs.translating.size:
        steps = velocities[:, dofs.translation_columns].reshape(len(velocities), len(dofs.translating), 3)
        translations[:, dofs.translating] += state.into_parents(dofs.translating, steps)
    if dofs.rotating.size:
        turns = velocities[:, dofs.rotation_columns].reshape(len(velocities), len(dofs.rotating), 3)
        joints = _ALL if len(dofs.rotating) == len(state.skeleton) else dofs.rotating
        local_rotations[:, joints] = rotations.normalize(
            rotations.multiply(rotations.exp(state.into_parents(dofs.rotating, turns)), local_rotations[:, joints])
        )
    if dofs.hinged.size:
        angles = velocities[:, dofs.hinge_columns, None] * state.skeleton.hinge_axes[dofs.hinged]
        local_rotations[:, dofs.hinged] = rotations.normalize(
            rotations.multiply(local_rotations[:, dofs.hinged], rotations.exp(angles))
        )
    return Motion(local_rotations, translations)
