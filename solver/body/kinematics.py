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
from .degrees_of_freedom import Dofs
from .joints import BodyPoint
from .motion import Motion
from .skeleton import Skeleton

_AXES = np.arange(3)

_ALL = slice(None)


def _nothing() -> Array:
    raise AssertionError("what is known needs no computing")


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
    def _memory(self) -> dict[Hashable, Array]:
        return {}

    def remembered(self, key: Hashable, compute: Callable[[], Array]) -> Array:
        """What `compute` gives, frames leading, computed once for this state and key; not to be written to.

        The state of some frames knows what the whole one knew when it is first asked.
        """
        if key not in self._memory:
            whole, frames = self.source or (self, None)
            self._memory[key] = whole._memory[key][frames] if key in whole._memory else compute()
        return self._memory[key]

    def at(self, frames: IntArray) -> WorldState:
        """The state of some of the frames."""
        motion = self.motion.at(frames)
        return WorldState(self.skeleton, motion, self.rotations[frames], self.positions[frames], (self, frames))

    def with_frames(self, frames: IntArray, other: WorldState) -> WorldState:
        """This state with some frames, (some,), taken from another that has just those; it knows what both know."""
        turned, moved = self.motion.rotations.copy(), self.motion.translations.copy()
        world_rotations, positions = self.rotations.copy(), self.positions.copy()
        turned[frames], moved[frames] = other.motion.rotations, other.motion.translations
        world_rotations[frames], positions[frames] = other.rotations, other.positions
        mixed = WorldState(self.skeleton, Motion(turned, moved), world_rotations, positions)
        for key in self._memory.keys() & other._known():
            mixed._memory[key] = self._memory[key].copy()
            mixed._memory[key][frames] = other.remembered(key, _nothing)
        return mixed

    def _known(self) -> set[Hashable]:
        """What is remembered, or would be when it is first asked for."""
        return self._memory.keys() | (self.source[0]._memory.keys() if self.source else set())

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
        return self.remembered(point, lambda: origin + rotations.rotate(self.rotations[:, joint], point.local))

    def from_parents(self, joints: IntArray, vectors: Array) -> Array:
        """Vectors (frames, joints given, 3) in the frames of these joints' local transforms, turned to the world."""
        if (self.skeleton.parents[joints] < 0).all():
            return vectors
        return rotations.rotate(self.parent_rotations(joints), vectors)

    def into_parents(self, joints: IntArray, vectors: Array) -> Array:
        """World vectors (frames, joints given, 3), turned to the frames of these joints' local transforms."""
        if (self.skeleton.parents[joints] < 0).all():
            return vectors
        return rotations.rotate(rotations.conjugate(self.parent_rotations(joints)), vectors)

    def parent_rotations(self, joints: IntArray) -> Array:
        """(frames, joints given, 4) world rotations of the frames in which these joints' local transforms are.

        Not to be written to.
        """

        def gathered() -> Array:
            parents = self.skeleton.parents[joints]
            turned = self.rotations[:, parents]
            turned[:, parents < 0] = rotations.IDENTITY
            return turned

        return self.remembered(("parent rotations", joints.tobytes()), gathered)

    # Centre of mass ------------------------------------------------------------------------------------------------

    def with_moments(self, moments: Array) -> WorldState:
        """This state, told its `moments`."""
        self._memory["moments"] = moments
        return self

    @property
    def moments(self) -> Array:
        """(frames, joints, 3) first moment, relative to the joint 0, of each joint's own mass."""

        def own() -> Array:
            # Joints lead in memory, as in what `Tree` gives.
            places, turned = self.positions.swapaxes(0, 1), self.rotations.swapaxes(0, 1)
            moments = rotations.rotate(turned, self.skeleton.mass_centers[:, None])
            moments += places
            moments -= places[:1]
            moments *= self.skeleton.masses[:, None, None]
            return moments.swapaxes(0, 1)

        return self.remembered("moments", own)

    @property
    def _subtree_moments(self) -> Array:
        """(frames, joints, 3) first moment, relative to the joint 0, of all mass that moves with each joint."""

        def summed() -> Array:
            # One large product instead of one for each frame.
            joints, frames = len(self.skeleton), self.frames
            moments = self.moments.swapaxes(0, 1).reshape(joints, 3 * frames)
            return (self.skeleton.tree.summing.T @ moments).reshape(joints, frames, 3).swapaxes(0, 1)

        return self.remembered("subtree moments", summed)

    def center_of_mass(self) -> Array:
        """(frames, 3) world positions; a body without mass has it where its joint 0 is."""
        return self.positions[:, 0] + self.moments.sum(axis=1) / self.skeleton.mass_unit

    # Jacobians -----------------------------------------------------------------------------------------------------

    def hinge_axes(self, joints: IntArray) -> Array:
        """(frames, joints given, 3) axes of hinges in the world frame."""
        return rotations.rotate(self.rotations[:, joints], self.skeleton.hinge_axes[joints])

    def point_arms(self, point: BodyPoint, joints: IntArray) -> Array:
        """(frames, joints given, 3) from each joint to a point; zero from joints that do not carry it."""
        carries = self.skeleton.tree.carriers(int(point.joint))[joints]
        return np.where(carries[:, None], self.point(point)[:, None] - self.positions[:, joints], 0.0)

    def mass_arms(self, joints: IntArray) -> Array:
        """(frames, joints given, 3) from each joint to the centre of the mass it carries, times that mass's share."""
        return self.balance_arms((), joints)

    def point_jacobian(self, point: BodyPoint, dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of a point; its joint must be an index."""
        carries = self.skeleton.tree.carriers(int(point.joint))
        location = self.point(point)[:, None]
        jacobian = np.zeros((self.frames, 3, dofs.count))
        (carriers,) = carries[dofs.translating].nonzero()
        jacobian[:, _AXES, 3 * carriers[:, None] + _AXES] = 1.0
        (turning,) = carries[dofs.rotating].nonzero()
        _fill_turns(jacobian, dofs, turning, location - self.positions[:, dofs.rotating[turning]])
        (hinges,) = carries[dofs.hinged].nonzero()
        self._fill_hinges(jacobian, dofs, hinges, location - self.positions[:, dofs.hinged[hinges]])
        return jacobian

    def balance_jacobian(self, points: Sequence[BodyPoint], dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of the centre of mass against the barycentre of points, joints as indices."""
        jacobian = np.zeros((self.frames, 3, dofs.count))
        against = self._shares_against(points)[dofs.translating]
        for axis in range(3):
            jacobian[:, axis, axis : dofs.translation_columns.stop : 3] = against
        _fill_turns(jacobian, dofs, _ALL, self.balance_arms(points, dofs.rotating))
        if dofs.hinged.size:
            self._fill_hinges(jacobian, dofs, np.arange(len(dofs.hinged)), self.balance_arms(points, dofs.hinged))
        return jacobian

    def balance_arms(self, points: Sequence[BodyPoint], joints: IntArray) -> Array:
        """(frames, joints given, 3) what `mass_arms` has more than the mean of the points' arms."""
        root = self.positions[:, :1]
        arms = self._subtree_moments[:, joints] / self.skeleton.mass_unit
        arms -= self._shares_against(points)[joints, None] * (self.positions[:, joints] - root)
        if points:
            away = np.stack([self.point(point) for point in points], axis=1) - root
            carried = np.stack([self.skeleton.tree.summing[int(point.joint), joints] for point in points], axis=1)
            arms -= (carried / len(points)) @ away
        return arms

    def _shares_against(self, points: Sequence[BodyPoint]) -> Array:
        """(joints,) the share of all mass that moving each joint moves, less the share of points that it moves."""
        if not points:
            return self.skeleton.mass_shares
        carried = sum(self.skeleton.tree.summing[int(point.joint)] for point in points)
        return np.asarray(self.skeleton.mass_shares - carried / len(points))

    def rotation_jacobian(self, joint: int, dofs: Dofs, seen: Array | None = None) -> Array:
        """(frames, 3, columns): angular velocity of a joint in the world; times `seen` (frames, 3, 3), if given."""
        carries = self.skeleton.tree.carriers(joint)
        jacobian = np.zeros((self.frames, 3, dofs.count))
        (turning,) = carries[dofs.rotating].nonzero()
        columns = dofs.rotation_columns.start + 3 * turning[:, None] + _AXES
        jacobian[:, :, columns] = (np.eye(3) if seen is None else seen)[..., None, :]
        (hinges,) = carries[dofs.hinged].nonzero()
        if hinges.size:
            axes = self.hinge_axes(dofs.hinged[hinges]).swapaxes(1, 2)
            jacobian[:, :, dofs.hinge_columns.start + hinges] = axes if seen is None else seen @ axes
        return jacobian

    def center_of_mass_jacobian(self, dofs: Dofs) -> Array:
        """(frames, 3, columns): velocity of the centre of mass; zero for a body without mass."""
        return self.balance_jacobian((), dofs)

    def _fill_hinges(self, jacobian: Array, dofs: Dofs, hinges: IntArray, arms: Array) -> None:
        """Write the columns of some hinges (positions in `dofs.hinged`) for arms (frames, hinges, 3)."""
        if hinges.size:
            velocities = np.cross(self.hinge_axes(dofs.hinged[hinges]), arms)
            jacobian[:, :, dofs.hinge_columns.start + hinges] = velocities.swapaxes(1, 2)


def _fill_turns(jacobian: Array, dofs: Dofs, turning: IntArray | slice, arms: Array) -> None:
    """Write the columns of some rotating joints (positions in `dofs.rotating`) for arms (frames, joints, 3).

    Column k of a joint is the k-th world axis crossed with the arm.
    """
    turns = jacobian[:, :, dofs.rotation_columns]
    columns = turns.reshape(*turns.shape[:2], len(dofs.rotating), 3)  # another view of the same memory
    x, y, z = arms[..., 0], arms[..., 1], arms[..., 2]
    columns[:, 0, turning, 1] = z
    columns[:, 0, turning, 2] = -y
    columns[:, 1, turning, 0] = -z
    columns[:, 1, turning, 2] = x
    columns[:, 2, turning, 0] = y
    columns[:, 2, turning, 1] = -x


def integrate(state: WorldState, velocities: Array, dofs: Dofs) -> Motion:
    """Move for one unit of time: velocities (frames, columns) in the coordinates of `dofs`.

    Joints without columns in `dofs` come back bit for bit.
    """
    turned, moved = state.motion.rotations.copy(), state.motion.translations.copy()

    if dofs.translating.size:
        steps = velocities[:, dofs.translation_columns].reshape(len(velocities), len(dofs.translating), 3)
        moved[:, dofs.translating] += state.into_parents(dofs.translating, steps)
    if dofs.rotating.size:
        turns = velocities[:, dofs.rotation_columns].reshape(len(velocities), len(dofs.rotating), 3)
        joints = _ALL if len(dofs.rotating) == len(state.skeleton) else dofs.rotating
        turned[:, joints] = rotations.normalize(
            rotations.multiply(rotations.exp(state.into_parents(dofs.rotating, turns)), turned[:, joints])
        )
    if dofs.hinged.size:
        angles = velocities[:, dofs.hinge_columns, None] * state.skeleton.hinge_axes[dofs.hinged]
        turned[:, dofs.hinged] = rotations.normalize(rotations.multiply(turned[:, dofs.hinged], rotations.exp(angles)))
    return Motion(turned, moved)
