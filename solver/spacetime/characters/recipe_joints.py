# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recipe names, on the character of a clip: its joints and points, and how its bodies move in the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

import numpy as np

from ...body.clip import Clip
from ...body.joints import BodyPoint
from ...body.skeleton import Skeleton
from ...core import rotations
from ...core.arrays import Array, BoolArray, IntArray
from ...core.errors import LandmarkError, RecipeError, SkeletonError, UnknownJointError
from ..handles.body_axes import body_axes
from ..handles.handle import AXES
from ..handles.named_points import named_joint, named_point
from .recipe import KeptJoint, Recipe

T = TypeVar("T")


class RecipeJoints:
    """The joints of the full character that a recipe keeps.

    Where the recipe does not fit the skeleton, a LandmarkError, an UnknownJointError, a SkeletonError or a RecipeError
    says why.
    """

    def __init__(self, clip: Clip, recipe: Recipe) -> None:
        self.clip, self.recipe, self.skeleton = clip, recipe, clip.skeleton
        axes = body_axes(self.skeleton)
        self.axes = np.stack([axes[name] for name in AXES])
        """(3, 3) rows: left, up and forward of the rest pose."""
        self.hips = self.joint("hips")
        self.kept = tuple(tuple(self.joint(name) for name in joint.joints) for joint in recipe.joints)
        """For each kept joint of the recipe the joints of the full character; several are merged."""
        self._check()

    def joint(self, name: str) -> int:
        """The joint of a name."""
        return self._found(name, named_joint)

    def body_point(self, name: str) -> BodyPoint:
        """The point of a name, with its joint as an index."""
        return self._found(name, named_point)

    def _found(self, name: str, find: Callable[[Skeleton, str], T]) -> T:
        """What the skeleton has by a name; the error says which recipe needs it."""
        try:
            return find(self.skeleton, name)
        except (LandmarkError, UnknownJointError) as missing:
            raise type(missing)(f"The recipe {self.recipe.name!r} needs {name!r}. {missing}") from None

    @property
    def names(self) -> list[tuple[str, int]]:
        """The names in the recipe and the joints of the full character of all kept joints."""
        return [
            (name, base)
            for joint, bases in zip(self.recipe.joints, self.kept, strict=True)
            for name, base in zip(joint.joints, bases, strict=True)
        ]

    def _check(self) -> None:
        """Raise unless all kept joints are below the hips, and each is kept once."""
        names: dict[int, str] = {}
        for name, base in self.names:
            if base == self.hips:
                raise RecipeError(f"The recipe {self.recipe.name!r} keeps {name!r}, the root, which always is kept.")
            if not self.skeleton.tree.ancestry[base, self.hips]:
                raise SkeletonError(
                    f"The recipe {self.recipe.name!r} keeps {name!r}, which the hips do not carry on this character: "
                    "keep joints below the hips."
                )
            if base in names:
                raise RecipeError(
                    f"The recipe {self.recipe.name!r} keeps {names[base]!r} and {name!r}, which are one joint here; "
                    "leave one of them out."
                )
            names[base] = name

    @cached_property
    def owners(self) -> IntArray:
        """(joints,) the kept joint, or the hips, that each joint is fused to; the hips for what is above or beside
        them."""
        stays = {self.hips, *(base for _, base in self.names)}
        owners = np.full(len(self.skeleton), self.hips)
        for joint in range(len(self.skeleton)):
            owners[joint] = next((above for above in self.skeleton.tree.chain(joint) if above in stays), self.hips)
        return owners

    def owner_above(self, base: int) -> int:
        """The kept joint, or the hips, whose body carries a kept joint."""
        return int(self.owners[self.skeleton.parents[base]])

    def subtree(self, bases: Iterable[int]) -> BoolArray:
        """(joints,) what joints carry, and they themselves."""
        return np.asarray(self.skeleton.tree.ancestry[:, list(bases)].any(axis=1))

    def ends(self, joint: KeptJoint) -> list[str]:
        """The names of the points at the end of a telescope, one for each limb: "left_ball" and "right_ball"."""
        side, _, _ = joint.joints[0].partition("_")
        if not joint.end.startswith(f"{side}_"):
            return [joint.end]
        return [f"{name.partition('_')[0]}_{joint.end.removeprefix(f'{side}_')}" for name in joint.joints]

    def rods(self, index: int) -> tuple[Array, Array]:
        """Where a telescope begins (frames, 3), and the way to its end (frames, 3); of merged limbs, the means."""
        joint = self.recipe.joints[index]
        starts = self.clip.world.positions[:, list(self.kept[index])].mean(axis=1)
        return starts, np.mean(
            [self.clip.world.point(self.body_point(name)) for name in self.ends(joint)], axis=0
        ) - starts

    def frames(self, owner: int, mount: Array) -> Array:
        """(frames, 4) world rotations of the body of a kept joint as the source moves it.

        `mount` (4,) is the rotation from the joint's frame to the body's. A body with a telescope points down along it:
        there is no joint between the two.
        """
        turns = rotations.multiply(self.clip.world.rotations[:, owner], rotations.conjugate(mount))
        rods = [
            self.rods(index)[1]
            for index, (joint, bases) in enumerate(zip(self.recipe.joints, self.kept, strict=True))
            if joint.form == "telescope" and self.owner_above(bases[0]) == owner
        ]
        if not rods:
            return turns
        down = rotations.rotate(turns, -self.axes[1])
        return rotations.multiply(rotations.between(down, np.sum(rods, axis=0)), turns)
