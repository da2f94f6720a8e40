# SPDX-License-Identifier: GPL-3.0-or-later
"""From a skeleton, its motion and a recipe to a simplified character (Popović 1999, section 4.1).

Joints that the recipe does not keep are fixed where they least move the mass they carry, and their bodies are fused
with the kept joint above. Mass, centre of mass and inertia of what is fused are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..core import rotations
from ..core.arrays import Array, ArrayLike, IntArray
from ..core.errors import SkeletonError
from .body_axes import body_axes
from .character import DegreeOfFreedom, MassPart, Place, SimplifiedCharacter
from .fused_joints import fused_rotations
from .handles import AXES, AxisHandle, CenterOfMassHandle, Handle, PointHandle
from .named_points import named_joint, named_point
from .recipe import KeptJoint, Recipe

BALL_NAMES = ("flexion", "abduction", "twist")
MASS_POINT_NAMES = ("left", "up", "forward")


def simplified(clip: Clip, recipe: Recipe) -> SimplifiedCharacter:
    """The simplified character of a clip's skeleton, with joints fixed as the clip has them on average.

    Lengths and masses are those of the skeleton. Raises SkeletonError where a joint of the recipe is missing.
    """
    return _Simplification(clip, recipe).result()


@dataclass(frozen=True)
class _Segment:
    """A joint that stays, with the joints that are fused to it."""

    base: int
    """The joint of the full character at its origin."""
    members: IntArray
    mount: Array
    """(4,) from the base joint's frame to that of the body."""
    body: int


class _Simplification:
    def __init__(self, clip: Clip, recipe: Recipe) -> None:
        self.clip, self.recipe, self.skeleton = clip, recipe, clip.skeleton
        axes = body_axes(self.skeleton)
        self.axes = np.stack([axes[name] for name in AXES])
        self.local = fused_rotations(clip)
        self.offsets = clip.motion.translations.mean(axis=0)
        self.hips = named_joint(self.skeleton, "hips")
        self.kept = [tuple(named_joint(self.skeleton, name) for name in joint.joints) for joint in recipe.joints]
        self.owners = self._owners()
        self.dofs: list[DegreeOfFreedom] = []
        self.parts: dict[int, list[MassPart]] = {}
        """The mass of each joint of the full character, by joint."""
        self.inertias: list[Array] = []
        self.segments: dict[int, _Segment] = {}
        self.limb_ends: dict[int, int] = {}
        """For joints of telescopes: the body at the end; of mass points: the body of the point."""
        self.joint_of: dict[str, tuple[int, ...]] = {}

    # The parts of the full character ---------------------------------------------------------------------------------

    def _owners(self) -> IntArray:
        """(joints,) the kept joint that each joint is fused to; the hips for what is above or beside them."""
        stays = {joint for joints in self.kept for joint in joints} | {self.hips}
        owners = np.full(len(self.skeleton), self.hips)
        for joint in range(len(self.skeleton)):
            owners[joint] = next((above for above in self.skeleton.tree.chain(joint) if above in stays), self.hips)
        return owners

    def _relative(self, base: int, joint: int) -> tuple[Array, Array]:
        """Rotation (4,) and place (3,) of a fused joint in the frame of the joint that it is fused to."""
        chain = self.skeleton.tree.chain(joint)
        if base not in chain:
            # Above or beside the hips: its mean place.
            world = self.clip.world
            back = rotations.conjugate(world.rotations[:, base])
            turn = rotations.mean(rotations.multiply(back, world.rotations[:, joint]))
            return turn, rotations.rotate(back, world.positions[:, joint] - world.positions[:, base]).mean(axis=0)
        rotation, place = rotations.IDENTITY, np.zeros(3)
        for each in reversed(chain[: chain.index(base)]):
            place = place + rotations.rotate(rotation, self.offsets[each])
            rotation = rotations.multiply(rotation, self.local[each])
        return rotation, place

    def _place(self, point: BodyPoint) -> tuple[int, Array]:
        """The kept joint that carries a point, and where the point is in its frame."""
        joint = int(point.joint)
        # A kept joint's own place is carried by the body above it, and is the same in both.
        base = int(self.owners[joint])
        rotation, place = self._relative(base, joint)
        return base, place + rotations.rotate(rotation, point.local)

    # Bodies ----------------------------------------------------------------------------------------------------------

    def result(self) -> SimplifiedCharacter:
        self._add_root()
        for joint, bases in zip(self.recipe.joints, self.kept, strict=True):
            self._add(joint, bases)
        masses, centers, inertias = self._bodies()
        names = [handle for kept in self.recipe.handles for handle in _leaves(kept.handle)]
        character = SimplifiedCharacter(
            dofs=tuple(self.dofs),
            masses=masses,
            centers=centers,
            inertias=inertias,
            points=self._points(names),
            regions=self._regions(names),
            frames={h.joint: self._frame(h.joint) for h in names if isinstance(h, AxisHandle)},
            axes=self.axes,
            size=self.skeleton.size,
            joint_of=self.joint_of,
        )
        return character

    def _dof(self, name: str, kind: str, parent: int, axis: ArrayLike, offset: ArrayLike) -> int:
        self.dofs.append(
            DegreeOfFreedom(name, kind, parent, _triple(axis), _triple(offset))  # type: ignore[arg-type]
        )
        self.inertias.append(np.zeros((3, 3)))
        return len(self.dofs) - 1

    def _add_root(self) -> None:
        left, up, forward = self.axes
        for name, axis in zip("xyz", np.eye(3), strict=True):
            self._dof(f"centre of mass {name}", "translation", -1, axis, np.zeros(3))
        # Rolling is the middle one, which must stay away from a right angle: a somersault may pitch all the way.
        yaw = self._dof("heading", "rotation", -1, up, np.zeros(3))
        roll = self._dof("roll", "rotation", yaw, forward, np.zeros(3))
        body = self._dof("pitch", "rotation", roll, left, np.zeros(3))
        rest_rotations, _ = self.skeleton.rest
        self._fuse(self.hips, np.asarray(rest_rotations[self.hips]), body)

    def _fuse(self, base: int, mount: Array, body: int) -> None:
        """Give a body the mass of all joints that are fused to `base`; `mount` turns the joint's frame to the body's."""
        members = np.flatnonzero(self.owners == base)
        self.segments[base] = _Segment(base, members, mount, body)
        for joint in members:
            rotation, place = self._relative(base, int(joint))
            center = place + rotations.rotate(rotation, self.skeleton.mass_centers[joint])
            turn = rotations.to_matrix(rotations.multiply(mount, rotation))
            self._add_part(int(joint), body, self.skeleton.masses[joint], rotations.rotate(mount, center))
            self.inertias[body] = self.inertias[body] + turn @ self.skeleton.inertias[joint] @ turn.T

    def _add_part(self, joint: int, body: int, mass: float, center: Array) -> None:
        if mass > 0.0:
            self.parts.setdefault(joint, []).append(MassPart(body, float(mass), _triple(center)))

    def _add(self, joint: KeptJoint, bases: tuple[int, ...]) -> None:
        above = [int(self.owners[self.skeleton.parents[base]]) for base in bases]
        parents = {self.segments[each].body if each in self.segments else -1 for each in above}
        if parents == {-1} or len(parents) != 1:
            raise SkeletonError(
                f"The recipe {self.recipe.name!r} lists {' and '.join(joint.joints)} before the body that carries it, or "
                "merges joints that different bodies carry; list joints nearer to the hips first."
            )
        parent = parents.pop()
        origins = []
        for base, owner in zip(bases, above, strict=True):
            rotation, place = self._relative_to_parent(owner, base)
            origins.append(rotations.rotate(self.segments[owner].mount, place))
        offset = np.mean(origins, axis=0)
        label = _words(joint)
        first = len(self.dofs)
        if joint.form == "ball":
            self._add_ball(bases, parent, offset, label)
        elif joint.form == "hinge":
            self._add_hinge(joint, bases, parent, offset, label)
        elif joint.form == "telescope":
            self._add_telescope(joint, bases, parent, offset, label)
        else:
            self._add_mass_point(bases, parent, offset, label)
        self._set_ranges(joint, first)
        for name in joint.joints:
            self.joint_of[name] = tuple(range(first, len(self.dofs)))

    def _relative_to_parent(self, owner: int, base: int) -> tuple[Array, Array]:
        """Rotation and place of a kept joint in the frame of the kept joint above, with everything between fused."""
        return self._relative(owner, base)

    def _hanging(self, base: int) -> Array:
        """(4,) turns the frame of a joint so that its bone, or its mass, hangs down, by the smallest turn from rest."""
        rest_rotations, _ = self.skeleton.rest
        turn = np.asarray(rest_rotations[base])
        bone = rotations.rotate(turn, self._bone(base))
        return rotations.multiply(rotations.between(bone, -self.axes[1]), turn)

    def _bone(self, base: int) -> Array:
        """(3,) from a kept joint to the next kept one below it or, where there is none, to the mass fused to it."""
        below = [
            other
            for joints in self.kept
            for other in joints
            if other != base and int(self.owners[self.skeleton.parents[other]]) == base
        ]
        if below:
            return self._relative(base, below[0])[1]
        return self._center(base)

    def _center(self, base: int) -> Array:
        """(3,) the centre of the mass that is fused to a kept joint, in its frame."""
        moment, mass = np.zeros(3), 0.0
        for joint in np.flatnonzero(self.owners == base):
            rotation, place = self._relative(base, int(joint))
            own = float(self.skeleton.masses[joint])
            moment = moment + own * (place + rotations.rotate(rotation, self.skeleton.mass_centers[joint]))
            mass += own
        return moment / mass if mass > 0.0 else -self.axes[1]

    def _add_ball(self, bases: tuple[int, ...], parent: int, offset: Array, label: str) -> None:
        left, up, forward = self.axes
        body = parent
        for name, axis in zip(BALL_NAMES, (left, forward, up), strict=True):
            body = self._dof(f"{label} {name}", "rotation", body, axis, offset if body == parent else np.zeros(3))
        for base in bases:
            self._fuse(base, self._hanging(base), body)

    def _add_hinge(self, joint: KeptJoint, bases: tuple[int, ...], parent: int, offset: Array, label: str) -> None:
        mounts = [self._hanging(base) for base in bases]
        axis = self.axes[0]
        if joint.axis == "fitted":
            axis, mounts[0] = self._fitted_hinge(bases[0], mounts[0])
        body = self._dof(f"{label} flexion", "rotation", parent, axis, offset)
        for base, mount in zip(bases, mounts, strict=True):
            self._fuse(base, mount, body)

    def _fitted_hinge(self, base: int, mount: Array) -> tuple[Array, Array]:
        """The axis (3,) about which the source swings the mass below a joint, and the mount that lets it hang there.

        Relative to the body above, the centre of mass of the subtree swings nearly in a plane: its normal is the
        axis, where the plane is clear. The mount gives the limb its mean distance from the plane through the joint.
        """
        owner = int(self.owners[self.skeleton.parents[base]])
        world = self.clip.world
        above = rotations.multiply(self.segments[owner].mount, rotations.conjugate(world.rotations[:, owner]))
        subtree = self.skeleton.tree.ancestry[:, base]
        masses = self.skeleton.masses[subtree]
        if masses.sum() <= 0.0:
            return self.axes[0], mount
        moments = world.moments[:, subtree].sum(axis=1) / masses.sum() + world.positions[:, 0]
        arms = rotations.rotate(above, moments - world.positions[:, base])
        _, extents, directions = np.linalg.svd(arms - arms.mean(axis=0), full_matrices=False)
        left = self.axes[0]
        normal = directions[2] * np.sign(directions[2] @ left or 1.0)
        # A plane is clear where the swing within it is twice as wide as across, and not against the body's own plane.
        is_clear = extents[1] > 2.0 * extents[2] and normal @ left > 0.5
        axis = normal if is_clear else left
        along = float(np.mean(arms @ axis))
        length = float(np.mean(np.linalg.norm(arms - np.outer(arms @ axis, axis), axis=1)))
        down = -self.axes[1] - (-self.axes[1] @ axis) * axis
        hanging = along * axis + length * down / np.linalg.norm(down)
        center = rotations.rotate(mount, self._center(base))
        return axis, rotations.multiply(rotations.between(center, hanging), mount)

    def _add_telescope(self, joint: KeptJoint, bases: tuple[int, ...], parent: int, offset: Array, label: str) -> None:
        """A rod from the joint down, along which the mass of the limb is divided between its two ends.

        The share at the end is that which gives the limb's centre of mass its mean distance along the rod.
        """
        if not joint.end:
            raise SkeletonError(f"The telescope {label} of the recipe {self.recipe.name!r} has no end; name a point.")
        world, skeleton = self.clip.world, self.skeleton
        body = self._dof(f"{label} length", "translation", parent, -self.axes[1], offset)
        ends = [_side_of(joint.end, joint.joints[0], name) for name in joint.joints]
        end = np.mean([world.point(named_point(skeleton, name)) for name in ends], axis=0)
        start = world.positions[:, list(bases)].mean(axis=1)
        subtree = skeleton.tree.ancestry[:, list(bases)].any(axis=1)
        masses = skeleton.masses * subtree
        center = world.moments[:, subtree].sum(axis=1) / masses.sum() + world.positions[:, 0]
        rod = end - start
        share = float(np.mean(np.sum((center - start) * rod, axis=1) / np.sum(rod * rod, axis=1)))
        for each in np.flatnonzero(subtree):
            self._add_part(int(each), body, share * masses[each], np.zeros(3))
            self._add_part(int(each), parent, (1.0 - share) * masses[each], offset)
            self.limb_ends[int(each)] = body
        self._keep_inertia(np.flatnonzero(subtree), body, share)

    def _add_mass_point(self, bases: tuple[int, ...], parent: int, offset: Array, label: str) -> None:
        body = parent
        for name, axis in zip(MASS_POINT_NAMES, self.axes, strict=True):
            body = self._dof(f"{label} {name}", "translation", body, axis, offset if body == parent else np.zeros(3))
        subtree = self.skeleton.tree.ancestry[:, list(bases)].any(axis=1)
        for joint in np.flatnonzero(subtree):
            self._add_part(int(joint), body, self.skeleton.masses[joint], np.zeros(3))
            self.limb_ends[int(joint)] = body
        self._keep_inertia(np.flatnonzero(subtree), body, 1.0)

    def _keep_inertia(self, joints: IntArray, body: int, share: float) -> None:
        """Give a body the mean inertia that some joints have about their common centre, seen from the hips."""
        world, skeleton = self.clip.world, self.skeleton
        masses = skeleton.masses[joints]
        if masses.sum() <= 0.0:
            return
        places = world.positions[:, joints] + rotations.rotate(
            world.rotations[:, joints], skeleton.mass_centers[joints]
        )
        arms = places - (masses[:, None] * places).sum(axis=1, keepdims=True) / masses.sum()
        turns = rotations.multiply(
            rotations.multiply(self.segments[self.hips].mount, rotations.conjugate(world.rotations[:, self.hips])),
            rotations.IDENTITY,
        )
        if share < 1.0:
            # The rod's own ends have the inertia along it already.
            up = self.axes[1]
            arms = rotations.rotate(turns[:, None], arms)
            arms = arms - (arms @ up)[..., None] * up
        else:
            arms = rotations.rotate(turns[:, None], arms)
        own = rotations.to_matrix(rotations.multiply(turns[:, None], world.rotations[:, joints]))
        own = own @ skeleton.inertias[joints] @ own.swapaxes(-1, -2)
        squares = np.sum(arms * arms, axis=-1)[..., None, None] * np.eye(3)
        steiner = masses[:, None, None] * (squares - arms[..., :, None] * arms[..., None, :])
        self.inertias[body] = self.inertias[body] + (own + steiner).sum(axis=1).mean(axis=0)

    def _set_ranges(self, joint: KeptJoint, first: int) -> None:
        """Ranges that the recipe gives; those that come from the source are set when its motion has been mapped."""
        unit = np.pi / 180.0 if joint.form in ("ball", "hinge") else self.skeleton.size
        if not joint.lower and not joint.upper:
            return
        count = len(self.dofs) - first
        if len(joint.lower) != count or len(joint.upper) != count:
            raise SkeletonError(
                f"The joint {_words(joint)} of the recipe has {count} values: give {count} bounds each."
            )
        for index, low, high in zip(range(first, len(self.dofs)), joint.lower, joint.upper, strict=True):
            self.dofs[index] = replace(self.dofs[index], lower=low * unit, upper=high * unit)

    # Results ---------------------------------------------------------------------------------------------------------

    def _bodies(self) -> tuple[Array, Array, Array]:
        """Masses, centres and inertias of all bodies, from those of the joints."""
        count = len(self.dofs)
        masses, moments = np.zeros(count), np.zeros((count, 3))
        every = [part for parts in self.parts.values() for part in parts]
        for part in every:
            masses[part.body] += part.mass
            moments[part.body] += part.mass * np.array(part.center)
        centers = moments / np.where(masses > 0.0, masses, 1.0)[:, None]
        inertias = np.array(self.inertias)
        for part in every:
            arm = np.array(part.center) - centers[part.body]
            inertias[part.body] += part.mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        return masses, centers, inertias

    def _points(self, handles: Iterable[Handle]) -> dict[str, Place]:
        names = {handle.point for handle in handles if isinstance(handle, PointHandle)}
        for contact in self.recipe.contacts:
            names |= {f"{foot}_ball" for foot in contact.feet}
        return {name: self._point(named_point(self.skeleton, name)) for name in sorted(names)}

    def _point(self, point: BodyPoint) -> Place:
        joint = int(point.joint)
        if joint in self.limb_ends:
            body = self.limb_ends[joint]
            # The joint at the top of the limb belongs to the body above.
            if joint in {base for bases in self.kept for base in bases} and not any(point.offset):
                return Place(self.dofs[body].parent, self.dofs[body].offset)
            return Place(body, (0.0, 0.0, 0.0))
        base, place = self._place(point)
        segment = self.segments[base]
        return Place(segment.body, _triple(rotations.rotate(segment.mount, place)))

    def _regions(self, handles: Iterable[Handle]) -> dict[str, tuple[MassPart, ...]]:
        found = {}
        for handle in handles:
            if isinstance(handle, CenterOfMassHandle) and handle.joint is not None:
                joint = named_joint(self.skeleton, handle.joint)
                below = np.flatnonzero(self.skeleton.tree.ancestry[:, joint])
                found[handle.joint] = _merged(part for each in below for part in self.parts.get(int(each), []))
        return found

    def _frame(self, name: str) -> int:
        return self.segments[int(self.owners[named_joint(self.skeleton, name)])].body


def _leaves(handle: Handle) -> list[Handle]:
    """The handles without parts that an expression is made of."""
    return [leaf for part in handle.parts for leaf in _leaves(part)] if handle.parts else [handle]


def _merged(parts: Iterable[MassPart]) -> tuple[MassPart, ...]:
    """One part for each body."""
    by_body: dict[int, list[MassPart]] = {}
    for part in parts:
        by_body.setdefault(part.body, []).append(part)
    merged = []
    for body, own in by_body.items():
        mass = sum(part.mass for part in own)
        center = sum(part.mass * np.array(part.center) for part in own) / mass
        merged.append(MassPart(body, mass, _triple(center)))
    return tuple(merged)


def _side_of(point: str, joint: str, other: str) -> str:
    """The point of another side: "left_ball" of "left_hip" is "right_ball" of "right_hip"."""
    side, _, _ = joint.partition("_")
    other_side, _, _ = other.partition("_")
    return point.replace(side, other_side, 1) if point.startswith(side) else point


def _words(joint: KeptJoint) -> str:
    return " and ".join(name.replace("_", " ") for name in joint.joints)


def _triple(vector: ArrayLike) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in np.asarray(vector, dtype=np.float64))
    return x, y, z
