# SPDX-License-Identifier: GPL-3.0-or-later
"""A deformation that follows the edits of an animator, as while a handle is dragged."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace

import numpy as np

from ..constraints import Constraint, Footplant, Handplant, OrientationConstraint
from ..constraints.shape import PathConstraint
from ..core import rotations
from .deform import Deformation
from .kept import Kept
from .progress import Progress, Steps

NUDGE = 1e-3
"""Sizes of the character, or radians: a move that is as good as none, but reaches all frames that a small one does."""


class LiveDeformation:
    """Follows constraints that change a little at a time.

    `follow` is called for every change. It solves relative to the deformation from which the edit began, so that a
    hundred small moves give the same result as a large one, and reuses what the solves before it have left.
    """

    def __init__(self, deformation: Deformation) -> None:
        """Begin with a deformation: of a clip that was never solved, that by no constraints."""
        self._begin = deformation
        """From which the present edit began."""
        self._newest = deformation
        self._kept = Kept()

    @property
    def deformation(self) -> Deformation:
        """The newest one that was solved to its end."""
        return self._newest

    def follow(
        self, constraints: Iterable[Constraint], focus: int | None = None
    ) -> Generator[Progress, None, Deformation]:
        """The source deformed by other constraints: a generator that yields its progress and returns the deformation.

        Some of what it yields has a `Progress.preview`. The first one comes soon, and is coarser than the result where
        that takes longer; small moves of a target change it little. `focus` is the frame that the animator looks at:
        a long clip is solved nearest to it first. When newer constraints are there, close the generator and follow
        these. All errors in the constraints are raised at the call.

        Constraints that have the same values as those of the newest deformation are replaced by these, which are
        compiled already: `Deformation.constraints` of the result has the ones that are meant, in the order given.
        """
        wanted = reused(tuple(constraints), (*self._newest.constraints, *self._begin.constraints))
        self._begin = self._begin_of(wanted)
        return self._finishing(self._begin.solving_again(wanted, focus, self._kept))

    def preparing(self, number: int, time: float = 0.0, focus: int | None = None) -> Steps:
        """Prepare for small moves of one of the constraints, so that the first of them is previewed as soon as others.

        A generator that changes no result; close it when there is an edit. `number` is the position of the constraint
        in `Deformation.constraints`, and `time`, in frames, that of the point that is moved where it has several. It
        ends at once where a constraint has no place that could be moved.
        """
        constraints = list(self._newest.constraints)
        moved = _nudged(constraints[number], self._newest.source.skeleton.size, time)
        if moved is None:
            return
        constraints[number] = moved
        wanted = tuple(constraints)
        yield from self._begin_of(wanted).solving_again(wanted, focus, self._kept.unseen(), prepares=True)

    def _begin_of(self, wanted: tuple[Constraint, ...]) -> Deformation:
        """From which an edit to some constraints begins: the newest deformation where it is another edit than that
        before."""
        return self._begin if _edited(wanted, self._begin) <= _edited(wanted, self._newest) else self._newest

    def _finishing(self, steps: Generator[Progress, None, Deformation]) -> Generator[Progress, None, Deformation]:
        self._newest = yield from steps
        return self._newest


def reused(constraints: tuple[Constraint, ...], former: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """The constraints, with those in place of which a former one has the same values; each of these is used once."""
    left = list(former)
    found = []
    for constraint in constraints:
        for number, other in enumerate(left):
            if _same(constraint, other):
                constraint = left.pop(number)
                break
        found.append(constraint)
    return tuple(found)


def _nudged(constraint: Constraint, size: float, time: float) -> Constraint | None:
    """A constraint that is moved by as good as nothing, of several points the one nearest to a time, in frames; None
    where it has no place of its own."""
    by = np.full(3, NUDGE * size)
    if isinstance(constraint, (Footplant, Handplant)):
        return constraint.moved(by)
    if not isinstance(constraint, PathConstraint):
        return None
    points = list(constraint.points)
    nearest = min(range(len(points)), key=lambda each: abs(points[each].begin - time))
    place = np.asarray(points[nearest].location, dtype=np.float64)
    if isinstance(constraint, OrientationConstraint):
        place = rotations.multiply(rotations.exp(np.full(3, NUDGE)), place)
    else:
        place = place + by
    points[nearest] = replace(points[nearest], location=place)
    return replace(constraint, points=points)


def _edited(constraints: tuple[Constraint, ...], deformation: Deformation) -> set[int]:
    """The positions of constraints that a deformation does not have there; -1 where it has more of them."""
    others = deformation.constraints
    changed = {number for number, each in enumerate(constraints) if number >= len(others) or each is not others[number]}
    return changed | ({-1} if len(others) > len(constraints) else set())


def _same(one: object, other: object) -> bool:
    """Whether two values are equal, and of the same type; arrays and fields of dataclasses are compared in turn."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))  # type: ignore[arg-type]
    if is_dataclass(one):
        return all(_same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
