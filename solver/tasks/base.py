# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of all tasks: an error, its Jacobian, a priority, a weight and the joints it recruits."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core.arrays import Array, ArrayLike, BoolArray, IntArray
from ..core.errors import TaskError
from ..core.numbers import WEIGHTS_TOLD, is_weight

AXES = "xyz"


@dataclass(frozen=True)
class GoalStep:
    """The largest distance of an intermediate goal; a long move has several (Le Callennec 2006, section 3.2.3)."""

    length: float
    """In the skeleton's units."""
    angle: float
    """In radians."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Task(ABC):
    """A requirement on a posture. The first axis of every array is the frame: a posture is a batch of one."""

    priority: int = 1
    """The larger is the more important; only the order counts."""
    weight: float = 1.0
    """The weight among tasks of the same priority, which minimize the sum of weight times squared error."""
    recruit: int | Iterable[str | int] | None = None
    """The joints that may move for it: a number of joints above the effector's own (0 is that joint alone), an explicit
    set of joints, or None for all that move it."""
    name: str = ""
    """Its name in messages."""

    is_angular: ClassVar[bool] = False
    """Whether errors are in radians (or pure numbers) rather than in lengths."""
    is_inequality: ClassVar[bool] = False
    """Whether it only acts where it is violated, or where a step would violate it; it then defines `depth`."""
    is_objective: ClassVar[bool] = False
    """Whether its error is made as small as it can be rather than met; alone at the bottom it is then minimized by its
    `quadratic_model` and needs no rows."""
    frame_field: ClassVar[str] = ""
    """The field, if there is one, that may hold an array with one row for each frame. No other field may depend on the
    frames."""

    def __post_init__(self) -> None:
        if isinstance(self.priority, bool) or not isinstance(self.priority, (int, np.integer)):
            raise TaskError(f"{self.label}: the priority must be a whole number, not {self.priority!r}.")
        if not is_weight(self.weight):
            raise TaskError(f"{self.label}: the weight must be {WEIGHTS_TOLD}; to switch it off, omit it.")
        if self.recruit is None or isinstance(self.recruit, (int, np.integer)):
            if isinstance(self.recruit, bool) or (self.recruit is not None and self.recruit < 0):
                raise TaskError(f"{self.label}: the recruiting level must be 0 (the joint itself) or more.")
        elif isinstance(self.recruit, str) or not isinstance(self.recruit, Iterable):
            raise TaskError(f"{self.label}: recruit a number of joints or a list of them, not {self.recruit!r}.")
        else:
            object.__setattr__(self, "recruit", tuple(self.recruit))

    # Defined by each kind of task ----------------------------------------------------------------------------------

    @abstractmethod
    def error(self, state: WorldState) -> Array:
        """(frames, rows) target minus current value, in the skeleton's units or in radians."""

    @abstractmethod
    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        """(frames, rows, columns) the derivative of the current value: minus the derivative of `error`."""

    @abstractmethod
    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        """(joints,) the joints that move the task's value; the recruiting rule refers to them."""

    def observed_joints(self, skeleton: Skeleton) -> BoolArray:
        """(joints,) the joints whose world transforms the error depends on, other than through the centre of mass."""
        return self.influencing_joints(skeleton)

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        """(frames, rows) the error to an intermediate goal, no further away than `step`."""
        return shortened(self.cached_error(state), step.angle if self.is_angular else step.length)

    def depth(self, state: WorldState) -> Array:
        """(frames, rows) of an inequality: how far each row is beyond its boundary, negative while it is satisfied. The
        error is its positive part, and the Jacobian that of minus the depth, also where it is satisfied."""
        raise NotImplementedError(f"{self.label} is no inequality, or does not define its depth.")

    def quadratic_model(self, state: WorldState, dofs: Dofs) -> tuple[Array, Array]:
        """Half the squared error near a state: the direction of its steepest descent, (frames, columns), and its
        curvature without second derivatives of the error, (frames, columns, columns)."""
        jacobian, error = self.jacobian(state, dofs), self.cached_error(state)
        return (error[:, None] @ jacobian)[:, 0], jacobian.swapaxes(1, 2) @ jacobian

    def null_rows(self, state: WorldState) -> Array | None:
        """(frames, rows) the unit combination of rows that no joint moves and whose goal is 0 (a left null vector of
        the Jacobian); None where there is none, as in most tasks."""
        return None

    def at(self, frames: IntArray) -> Self:
        """The task of some of its frames."""
        targets = self._targets
        if targets is None or len(targets) == 1:
            return self
        return self._copy(**{self.frame_field: targets[frames]})

    def _copy(self, **changes: object) -> Self:
        """The task with other fields, not checked again; it shares the values that states have cached for this one."""
        assert self._identity
        some = copy.copy(self)
        some.__dict__.update(changes)
        return some

    @cached_property
    def _identity(self) -> object:
        """The key of this task in the caches of states; `at` copies share it."""
        return object()

    def check(self, skeleton: Skeleton, frames: int) -> None:
        """Raise TaskError or UnknownJointError if the task does not fit the skeleton or the number of frames."""
        self.influencing_joints(skeleton)
        self.recruited(skeleton)
        targets = self._targets
        if targets is not None and len(targets) not in (1, frames):
            raise TaskError(f"{self.label}: there are targets for {len(targets)} frames, but the motion has {frames}.")

    @property
    def _targets(self) -> Array | None:
        """(frames, width) the targets of the frames; None where all frames share one."""
        target: Array | None = getattr(self, self.frame_field) if self.frame_field else None
        return target if target is not None and target.ndim == 2 else None

    # Shared by all kinds -------------------------------------------------------------------------------------------

    def cached_error(self, state: WorldState) -> Array:
        """The error, cached by the state; not to be written to."""
        return state.cached((self._identity, "error"), lambda: self.error(state))

    @property
    def label(self) -> str:
        """The name of this task in messages."""
        return self.name or type(self).__name__

    @property
    def is_special(self) -> bool:
        """Whether it is an inequality, or its goals or null rows differ from those of the base class."""
        own = type(self)
        return self.is_inequality or own.goal is not Task.goal or own.null_rows is not Task.null_rows

    @property
    def effector(self) -> str | int | None:
        """The joint from which a recruiting level counts, if there is one."""
        return None

    def recruited(self, skeleton: Skeleton) -> BoolArray:
        """(joints,) the joints that may move for this task."""
        if self.recruit is None:
            return self.influencing_joints(skeleton)
        if isinstance(self.recruit, (int, np.integer)):
            if self.effector is None:
                raise TaskError(
                    f"{self.label} has no joint to count a recruiting level from; give a set of joints, or None for "
                    "all."
                )
            return skeleton.mask(skeleton.tree.chain(skeleton.index(self.effector))[: int(self.recruit) + 1])
        return skeleton.mask(self.recruit)


def shortened(errors: Array, longest: float) -> Array:
    """(frames, rows) vectors, each scaled down to `longest` if it is longer; the same array where none is."""
    squares = np.einsum("fr,fr->f", errors, errors)
    too_long = squares > longest**2
    if not too_long.any():
        return errors
    factors = np.where(too_long, longest / np.sqrt(np.where(too_long, squares, 1.0)), 1.0)
    return np.asarray(errors * factors[:, None])


def target_array(label: str, target: ArrayLike, width: int, what: str) -> Array:
    """A target that is the same in all frames, (width,), or one for each, (frames, width)."""
    try:
        array = np.array(target, dtype=np.float64)
    except (TypeError, ValueError):
        raise TaskError(f"{label}: the {what} must be numbers.") from None
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise TaskError(f"{label}: the {what} must be {width} numbers, or {width} a frame, not shape {array.shape}.")
    if not np.isfinite(array).all():
        raise TaskError(f"{label}: the {what} is not finite.")
    array.setflags(write=False)
    return array


def check_offset(label: str, offset: ArrayLike) -> None:
    """Raise if an offset on a joint is not three finite numbers."""
    if target_array(label, offset, 3, "offset").ndim != 1:
        raise TaskError(f"{label}: the offset is fixed to the joint, so it must be three numbers.")


def axis_indices(label: str, axes: str) -> list[int]:
    """The letters as indices: "xz" is [0, 2]."""
    if not axes or len(set(axes)) != len(axes) or any(axis not in AXES for axis in axes):
        raise TaskError(f"{label}: axes must be some of the letters x, y and z, each once, not {axes!r}.")
    return [AXES.index(axis) for axis in axes]
