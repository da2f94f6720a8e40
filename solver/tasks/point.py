# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of the tasks that concern one point of the body."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..body.joints import BodyPoint
from ..body.skeleton import Skeleton
from ..core.arrays import BoolArray
from .base import Task, check_offset, target_array


@dataclass(frozen=True, eq=False)
class PointTask(Task):
    """A task for a joint, or for a point on it, with three numbers as the target in its `frame_field`."""

    joint: str | int
    offset: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """Where on the joint, in its local frame."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_offset(self.label, self.offset)
        target = target_array(self.label, getattr(self, self.frame_field), 3, self.frame_field)
        object.__setattr__(self, self.frame_field, target)

    @property
    def effector(self) -> str | int:
        return self.joint

    def _point(self, skeleton: Skeleton) -> BodyPoint:
        return skeleton.resolve(self._body_point)

    @cached_property
    def _body_point(self) -> BodyPoint:
        return BodyPoint(self.joint, self.offset)

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return skeleton.tree.carriers(skeleton.index(self.joint))
