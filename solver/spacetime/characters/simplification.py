# SPDX-License-Identifier: GPL-3.0-or-later
"""From a skeleton, its motion and a recipe to a simplified character (Popović 1999, section 4.1).

Joints that the recipe does not keep are fixed where they least move the mass they carry, and their bodies are fused
with the kept joint above. Mass, centre of mass and inertia of what is fused are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ...body.clip import Clip
from ...body.inertia import inertia_of
from ...core import rotations
from ...core.arrays import Array, ArrayLike, triple
from ...core.errors import RecipeError, SkeletonError
from ..handles.handle import AxisHandle, CenterOfMassHandle, Handle, PointHandle
from .character import DegreeOfFreedom, DofKind, MassPart, Place, SimplifiedCharacter
from .fused_joints import fused_rotations
from .limb_frames import hanging_rotation
from .limb_masses import limb_mass, rod_mass
from .recipe import VALUE_NAMES, KeptJoint, Recipe
from .recipe_joints import RecipeJoints
from .swing_axis import swing_axis

STEEP = 0.5
"""The sine of the angle from the vertical under which an axis of a hinge leaves no direction to hang in."""


def simplified(clip: Clip, recipe: Recipe) -> SimplifiedCharacter:
    """The simplified character of a clip's skeleton, with joints fixed as the clip has them on average.

    Lengths and masses are those of the skeleton. Where the recipe does not fit the skeleton, a LandmarkError, an
    UnknownJointError, a SkeletonError or a RecipeError says why.
    """
    if not clip.skeleton.masses.sum() > 0.0:
        raise SkeletonError("The character has no mass, so it has no physics: give it a total mass.")
    return _Simplification(clip, recipe).result()


def simplified_alike(clip: Clip, recipe: Recipe, source: Clip, known: SimplifiedCharacter) -> SimplifiedCharacter:
    """The simplified character of a clip whose skeleton has other lengths or masses than that of its source.

    `known` is the simplified character of the source, in any units. The same values give both of them the same
    posture: axes of hinges, fused joints and the frames of bodies are those of `known`. Lengths, masses and ranges of
    translations are those of the clip's skeleton.
    """
    return _Alike(clip, recipe, source, known).result()


@dataclass(frozen=True, eq=False)
class _Segment:
    """A kept joint of the full character that turns a body, with the joints that are fused to it."""

    mount: Array
    """(4,) from the joint's frame to that of the body."""
    body: int


class _Simplification:
    """The parts of a simplified character, body after body."""

    def __init__(self, clip: Clip, recipe: Recipe) -> None:
        self.clip, self.recipe, self.skeleton = clip, recipe, clip.skeleton
        self.named = RecipeJoints(clip, recipe)
        self.axes, self.hips, self.kept = self.named.axes, self.named.hips, self.named.kept
        self.owners = self.named.owners
        self.local = self._fused(clip)
        self.offsets = clip.motion.translations.mean(axis=0)
        self.dofs: list[DegreeOfFreedom] = []
        self.parts: dict[int, list[MassPart]] = {}
        """The mass of each joint of the full character, by joint."""
        self.inertias: list[Array] = []
        """(3, 3) of each body, of all its parts about their own centres."""
        self.segments: dict[int, _Segment] = {}
        self.replaced: dict[int, int] = {}
        """The joints of the full character that are no bodies of their own any more, since a telescope or a mass point
        has replaced their limb, each with the index of that in the recipe."""
        self.joint_of: dict[str, tuple[int, ...]] = {}

    def result(self) -> SimplifiedCharacter:
        """The whole character."""
        self._add_root()
        for index in range(len(self.kept)):
            self._add(index)
        masses, centers, inertias = self._bodies()
        handles = [leaf for kept in self.recipe.handles for leaf in _leaves(kept.handle)]
        mounts = {name: self.segments[base].mount for name, base in self.named.names if base in self.segments}
        turned = [handle.joint for handle in handles if isinstance(handle, AxisHandle)]
        return SimplifiedCharacter(
            dofs=tuple(self.dofs),
            masses=masses,
            centers=centers,
            inertias=inertias,
            points=self._points(handles),
            regions=self._regions(handles),
            frames={name: self._frame(name).body for name in turned},
            axes=self.axes,
            size=self.skeleton.size,
            joint_of=self.joint_of,
            mounts={"hips": self.segments[self.hips].mount, **mounts},
            frame_axes={name: self._frame_axes(name) for name in turned},
        )

    # Fused joints ----------------------------------------------------------------------------------------------------

    def _fused(self, clip: Clip) -> Array:
        """(joints, 4) the constant local rotations of joints that are not kept, as a clip has them."""
        return fused_rotations(clip, {self.hips, *(base for _, base in self.named.names)})

    def _relative(self, base: int, joint: int) -> tuple[Array, Array]:
        """Rotation (4,) and place (3,) of a joint in the frame of one above, with everything between fused."""
        chain = self.skeleton.tree.chain(joint)
        if base not in chain:
            # Above or beside the hips: as it is on average.
            world = self.clip.world
            back = rotations.conjugate(world.rotations[:, base])
            turn = rotations.mean(rotations.multiply(back, world.rotations[:, joint]))
            return turn, rotations.rotate(back, world.positions[:, joint] - world.positions[:, base]).mean(axis=0)
        rotation, place = rotations.IDENTITY, np.zeros(3)
        for each in reversed(chain[: chain.index(base)]):
            place = place + rotations.rotate(rotation, self.offsets[each])
            rotation = rotations.multiply(rotation, self.local[each])
        return rotation, place

    def _center(self, base: int) -> Array:
        """(3,) the centre of the mass that is fused to a kept joint, in its frame; zero where there is none."""
        moment, mass = np.zeros(3), 0.0
        for joint in np.flatnonzero(self.owners == base):
            rotation, place = self._relative(base, int(joint))
            own = float(self.skeleton.masses[joint])
            moment = moment + own * (place + rotations.rotate(rotation, self.skeleton.mass_centers[joint]))
            mass += own
        return moment / (mass or 1.0)

    def _bone(self, base: int) -> Array:
        """(3,) from a kept joint to the middle of the next kept ones below it or, where there is none, to the mass that
        is fused to it."""
        below = [other for _, other in self.named.names if self.named.owner_above(other) == base]
        places = [self._relative(base, other)[1] for other in below]
        return np.asarray(np.mean(places, axis=0)) if places else self._center(base)

    def _frames(self, owner: int) -> Array:
        """(frames, 4) world rotations of the body of a kept joint as the source moves it."""
        return self.named.frames(owner, self.segments[owner].mount)

    # Bodies ----------------------------------------------------------------------------------------------------------

    def _dof(self, name: str, kind: DofKind, parent: int, axis: ArrayLike, offset: ArrayLike) -> int:
        self.dofs.append(DegreeOfFreedom(name, kind, parent, triple(axis), triple(offset)))
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
        self._fuse(self.hips, np.asarray(self.skeleton.rest[0][self.hips]), body)

    def _fuse(self, base: int, mount: Array, body: int) -> None:
        """Give a body the mass of all joints that are fused to `base`; `mount` turns its frame to the body's."""
        mount = self._mount(base, mount)
        self.segments[base] = _Segment(mount, body)
        for joint in map(int, np.flatnonzero(self.owners == base)):
            rotation, place = self._relative(base, joint)
            center = place + rotations.rotate(rotation, self.skeleton.mass_centers[joint])
            self._add_part(joint, body, self.skeleton.masses[joint], rotations.rotate(mount, center))
            turn = rotations.to_matrix(rotations.multiply(mount, rotation))
            self.inertias[body] = self.inertias[body] + turn @ self.skeleton.inertias[joint] @ turn.T

    def _mount(self, base: int, mount: Array) -> Array:
        """(4,) the mount of a joint, with how it is pitched on average against its body where that points along a
        telescope."""
        turns = rotations.multiply(self.clip.world.rotations[:, base], rotations.conjugate(mount))
        turns = rotations.multiply(rotations.conjugate(self.named.frames(base, mount)), turns)
        return rotations.multiply(rotations.swing_twist(rotations.mean(turns), self.axes[0])[1], mount)

    def _add_part(self, joint: int, body: int, mass: float, center: Array) -> None:
        if mass > 0.0:
            self.parts.setdefault(joint, []).append(MassPart(body, float(mass), triple(center)))

    def _add(self, index: int) -> None:
        """Add the bodies of a kept joint of the recipe."""
        joint, bases = self.recipe.joints[index], self.kept[index]
        owners = [self.named.owner_above(base) for base in bases]
        self._check_carried(joint, owners)
        owner = owners[0]
        offset, apart = self._merged_places(bases, owners)
        first = len(self.dofs)
        if joint.form in ("ball", "hinge"):
            # Limbs that move in unison about places ± d have the momenta of one limb in the middle, if the body above
            # has the inertia that their masses would have at ± d.
            self.inertias[self._body(owner)] = self.inertias[self._body(owner)] + inertia_of(apart)
        if joint.form == "ball":
            self._add_ball(joint, bases, owner, offset)
        elif joint.form == "hinge":
            self._add_hinge(joint, bases, owner, offset)
        elif joint.form == "telescope":
            self._add_telescope(index, owner, offset)
        else:
            self._add_mass_point(index, owner, offset)
        self._set_ranges(joint, first)
        for name in joint.joints:
            self.joint_of[name] = tuple(range(first, len(self.dofs)))

    def _check_carried(self, joint: KeptJoint, owners: list[int]) -> None:
        """Raise unless one body, which is there already, carries all joints that are merged."""
        recipe = f"The recipe {self.recipe.name!r}"
        for owner in owners:
            if owner in self.replaced:
                whole = self.recipe.joints[self.replaced[owner]]
                raise RecipeError(
                    f"{recipe} keeps the {joint.label}, but the {whole.label} is a {whole.form}, which replaces all "
                    "that it carries; leave one of them out."
                )
            if owner not in self.segments:
                raise RecipeError(
                    f"{recipe} has the {joint.label} before the {self.skeleton.names[owner]}, which carries it: list "
                    "joints nearer to the hips first."
                )
        if len({self._body(owner) for owner in owners}) > 1:
            raise RecipeError(
                f"{recipe} merges the {joint.label}, which different bodies carry: merge the joints above them too."
            )

    def _merged_places(self, bases: tuple[int, ...], owners: list[int]) -> tuple[Array, Array]:
        """The place (3,) of a kept joint in the frame of the body above, of merged ones the centre of their masses; and
        the second moments (3, 3) of these masses at the joints themselves about it."""
        places = np.array(
            [
                rotations.rotate(self.segments[owner].mount, self._relative(owner, base)[1])
                for base, owner in zip(bases, owners, strict=True)
            ]
        )
        masses = np.array([self.skeleton.masses[self.named.subtree([base])].sum() for base in bases])
        weights = masses if masses.all() else np.ones(len(bases))
        offset = weights @ places / weights.sum()
        return offset, np.einsum("b,bi,bj->ij", masses, places - offset, places - offset)

    def _body(self, owner: int) -> int:
        return self.segments[owner].body

    def _add_ball(self, joint: KeptJoint, bases: tuple[int, ...], owner: int, offset: Array) -> None:
        left, up, forward = self.axes
        body, at = self._body(owner), offset
        for name, axis in zip(VALUE_NAMES["ball"], (left, forward, up), strict=True):
            body, at = self._dof(f"{joint.label} {name}", "rotation", body, axis, at), np.zeros(3)
        for base in bases:
            self._fuse(base, self._hanging(base), body)

    def _hanging(self, base: int) -> Array:
        """(4,) from the frame of a joint to that of its body, in which the limb hangs down."""
        return hanging_rotation(self.clip, base, self._bone(base), self.axes)

    def _add_hinge(self, joint: KeptJoint, bases: tuple[int, ...], owner: int, offset: Array) -> None:
        axis, mounts = self.axes[0], [self._hanging(base) for base in bases]
        if joint.axis == "fitted":
            axis, mounts = self._fitted_hinge(bases, mounts, owner)
        body = self._dof(f"{joint.label} {VALUE_NAMES['hinge'][0]}", "rotation", self._body(owner), axis, offset)
        for base, mount in zip(bases, mounts, strict=True):
            self._fuse(base, mount, body)

    def _fitted_hinge(self, bases: tuple[int, ...], mounts: list[Array], owner: int) -> tuple[Array, list[Array]]:
        """The axis (3,) about which the source swings limbs, and for each the mount (4,) that lets it hang there.

        Without a clear axis it is the left one. The mounts are those of the mean motion: with the hinge at the angle of
        the limbs' common centre of mass, the body is turned as its joint is on average.
        """
        back = rotations.conjugate(self._frames(owner))
        arms = [self._arms(base, owner) for base in bases]
        common = np.mean(arms, axis=0)
        left, up, _ = self.axes
        if not common.any():
            return left, mounts
        axis = swing_axis(common)
        axis = left if axis is None else axis * (np.sign(axis @ left) or 1.0)
        down = _across(-up, axis)
        if float(np.linalg.norm(down)) < STEEP:
            down = _across(common.mean(axis=0), axis)
        down = rotations.unit(down)
        angles = np.arctan2(common @ rotations.cross(axis, down), common @ down)
        found = []
        for base, own in zip(bases, arms, strict=True):
            turns = rotations.multiply(back, self.clip.world.rotations[:, base])
            mount = rotations.mean(rotations.multiply(rotations.from_axis_angle(axis, -angles), turns))
            # The limb, now rigid, hangs at its mean angle from the axis.
            hangs = float(np.mean(own @ axis)) * axis + float(np.linalg.norm(_across(own, axis), axis=1).mean()) * down
            aligned = rotations.between(rotations.rotate(mount, self._center(base)), hangs)
            found.append(rotations.multiply(aligned, mount))
        return axis, found

    def _arms(self, base: int, owner: int) -> Array:
        """(frames, 3) from where a joint is once all between is fused to the mass that it carries, seen from the body
        above."""
        world, frames = self.clip.world, self._frames(owner)
        place = rotations.rotate(self.segments[owner].mount, self._relative(owner, base)[1])
        away = world.subtree_center_of_mass(base) - world.positions[:, owner]
        return rotations.rotate(rotations.conjugate(frames), away) - place

    def _add_telescope(self, index: int, owner: int, offset: Array) -> None:
        joint = self.recipe.joints[index]
        down, parent = -self.axes[1], self._body(owner)
        body = self._dof(f"{joint.label} {VALUE_NAMES['telescope'][0]}", "translation", parent, down, offset)
        members = self._replace(index)
        limb = limb_mass(self.clip.world, members, self._frames(owner))
        starts, rods = self.named.rods(index)
        lengths = np.linalg.norm(rods, axis=1)
        if not lengths.all():
            raise SkeletonError(f"A telescope from the {joint.label} to {joint.end!r} would have no length.")
        arms = rotations.rotate(rotations.conjugate(self._frames(owner)), limb.centers - starts)
        rod = rod_mass(limb, arms, lengths, down)
        for member in members:
            mass = float(self.skeleton.masses[member])
            self._add_part(member, body, rod.share * mass, rod.lower)
            self._add_part(member, parent, (1.0 - rod.share) * mass, offset + rod.upper)
        self.inertias[body] = rod.inertia

    def _add_mass_point(self, index: int, owner: int, offset: Array) -> None:
        joint = self.recipe.joints[index]
        body, at = self._body(owner), offset
        for name, axis in zip(VALUE_NAMES["mass point"], self.axes, strict=True):
            body, at = self._dof(f"{joint.label} {name}", "translation", body, axis, at), np.zeros(3)
        members = self._replace(index)
        for member in members:
            self._add_part(member, body, float(self.skeleton.masses[member]), np.zeros(3))
        self.inertias[body] = limb_mass(self.clip.world, members, self._frames(owner)).inertia

    def _replace(self, index: int) -> list[int]:
        """All joints of the limbs of a telescope or a mass point, which from now on are no bodies of their own."""
        members = [int(member) for member in np.flatnonzero(self.named.subtree(self.kept[index]))]
        self.replaced |= dict.fromkeys(members, index)
        return members

    def _set_ranges(self, joint: KeptJoint, first: int) -> None:
        """Ranges that the recipe gives; those that come from the source are set when its motion has been mapped."""
        unit = np.pi / 180.0 if joint.form in ("ball", "hinge") else self.skeleton.size
        for index, (low, high) in enumerate(zip(joint.lower, joint.upper, strict=True), start=first):
            self.dofs[index] = replace(self.dofs[index], lower=low * unit, upper=high * unit)

    # Results ---------------------------------------------------------------------------------------------------------

    def _bodies(self) -> tuple[Array, Array, Array]:
        """Masses, centres and inertias of all bodies, from those of their parts."""
        count = len(self.dofs)
        masses, moments, squares = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
        for part in (part for parts in self.parts.values() for part in parts):
            center = np.array(part.center)
            masses[part.body] += part.mass
            moments[part.body] += part.mass * center
            squares[part.body] += part.mass * np.outer(center, center)
        centers = moments / np.where(masses > 0.0, masses, 1.0)[:, None]
        squares -= masses[:, None, None] * centers[:, :, None] * centers[:, None, :]
        return masses, centers, np.array(self.inertias) + inertia_of(squares)

    def _points(self, handles: Iterable[Handle]) -> dict[str, Place]:
        names = {handle.point for handle in handles if isinstance(handle, PointHandle)}
        for contact in self.recipe.contacts:
            names |= {f"{foot}_ball" for foot in contact.feet}
        return {name: self._point(name) for name in sorted(names)}

    def _point(self, name: str) -> Place:
        """Where a point of the full character is on the simplified one."""
        point = self.named.body_point(name)
        joint = int(point.joint)
        index = self.replaced.get(joint)
        if index is None:
            base = int(self.owners[joint])
            rotation, place = self._relative(base, joint)
            segment = self.segments[base]
            place = rotations.rotate(segment.mount, place + rotations.rotate(rotation, point.local))
            return Place(segment.body, triple(place))
        kept = self.recipe.joints[index]
        dofs = [self.dofs[dof] for dof in self.joint_of[kept.joints[0]]]
        if joint in self.kept[index] and not any(point.offset):
            return Place(dofs[0].parent, dofs[0].offset)
        if kept.form == "telescope" and name in self.named.ends(kept):
            return Place(self.joint_of[kept.joints[0]][-1], (0.0, 0.0, 0.0))
        raise self._gone(name, "point", index)

    def _regions(self, handles: Iterable[Handle]) -> dict[str, tuple[MassPart, ...]]:
        names = {handle.joint for handle in handles if isinstance(handle, CenterOfMassHandle)}
        return {name: self._region(name) for name in sorted(filter(None, names))}

    def _region(self, name: str) -> tuple[MassPart, ...]:
        """The parts of the mass of all that a joint carries, one for each body."""
        joint = self.named.joint(name)
        index = self.replaced.get(joint)
        if index is not None and joint not in self.kept[index]:
            raise self._gone(name, "mass", index)
        below = map(int, np.flatnonzero(self.named.subtree([joint])))
        found = _merged(part for each in below for part in self.parts.get(each, []))
        if found:
            return found
        # As on the full character, the centre of no mass is the joint itself.
        place = self._point(name)
        return (MassPart(place.body, 1.0, place.offset),)

    def _frame(self, name: str) -> _Segment:
        """The body that turns with a joint, and the rotation from the joint's frame to the body's."""
        joint = self.named.joint(name)
        if joint in self.replaced:
            raise self._gone(name, "orientation", self.replaced[joint])
        base = int(self.owners[joint])
        segment = self.segments[base]
        return _Segment(rotations.multiply(segment.mount, self._relative(base, joint)[0]), segment.body)

    def _frame_axes(self, name: str) -> Array:
        rest = self.skeleton.rest[0][self.named.joint(name)]
        turn = rotations.multiply(self._frame(name).mount, rotations.conjugate(rest))
        return rotations.rotate(turn, self.axes)

    def _gone(self, name: str, what: str, index: int) -> RecipeError:
        kept = self.recipe.joints[index]
        return RecipeError(
            f"The recipe {self.recipe.name!r} has a handle or contact for the {what} of {name!r}, but the {kept.label} "
            f"is a {kept.form}, which replaces all that it carries: leave one of them out."
        )


class _Alike(_Simplification):
    """The parts of a character with other lengths or masses than one whose simplified character is known."""

    def __init__(self, clip: Clip, recipe: Recipe, source: Clip, known: SimplifiedCharacter) -> None:
        super().__init__(clip, recipe)
        self.local = self._fused(source)
        self.known = known
        names = [("hips", self.hips), *self.named.names]
        self.mounts = {base: known.mounts[name] for name, base in names if name in known.mounts}

    def _mount(self, base: int, mount: Array) -> Array:
        return self.mounts[base]

    def _fitted_hinge(self, bases: tuple[int, ...], mounts: list[Array], owner: int) -> tuple[Array, list[Array]]:
        # The hinge is the next degree of freedom.
        return np.array(self.known.dofs[len(self.dofs)].axis), mounts


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
        masses = np.array([part.mass for part in own])
        center = masses @ np.array([part.center for part in own]) / masses.sum()
        merged.append(MassPart(body, float(masses.sum()), triple(center)))
    return tuple(merged)


def _across(vectors: Array, axis: Array) -> Array:
    """Vectors (…, 3) without their component along a unit axis (3,)."""
    return np.asarray(vectors - (vectors @ axis)[..., None] * axis)
