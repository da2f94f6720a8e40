# SPDX-License-Identifier: GPL-3.0-or-later
"""The recruiting rule (Le Callennec 2006, equation 3.18): a task recruits what less important tasks use to move it.

For a task `a` above a task `b`: every joint that moves `a` and that `b` recruits must be recruited by `a` too. Where
the rule is broken, `b` moves `a` through joints that `a` itself may not use. The solver still protects `a` (the
projector of `strict_priority` covers all recruited joints), but `b` then reaches less than the user may expect. So
every breach is a warning that names the joint sets which would keep the rule.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.joints import JointKind
from ..body.skeleton import Skeleton
from ..core.arrays import BoolArray
from ..core.errors import RecruitingWarning
from ..tasks import PoseTask, Task


@dataclass(frozen=True)
class RecruitingBreach:
    """A pair of tasks that breaks the rule."""

    higher: Task
    lower: Task
    joints: tuple[str, ...]
    """Joints that the lower task recruits and that move the higher one, which does not recruit them."""
    higher_set: tuple[str, ...]
    """The joints that the higher task would have to recruit."""
    lower_set: tuple[str, ...]
    """The joints that the lower task could recruit instead."""

    def __str__(self) -> str:
        return self.sentence((self.higher.label, self.higher.priority), (self.lower.label, self.lower.priority))

    def sentence(self, higher: tuple[str, int], lower: tuple[str, int]) -> str:
        """What breaks the rule and what would keep it; names and priorities of the tasks are given."""
        move = "moves" if len(self.joints) == 1 else "move"
        alternative = f"let {lower[0]} recruit only {', '.join(self.lower_set)}"
        return (
            f"{higher[0]} (priority {higher[1]}) is more important than {lower[0]} (priority {lower[1]}), but only the "
            f"latter recruits {', '.join(self.joints)}, which {move} both. Let {higher[0]} recruit "
            f"{', '.join(self.higher_set)}, or {alternative if self.lower_set else f'leave {lower[0]} out'}."
        )


def breaches(skeleton: Skeleton, tasks: Sequence[Task]) -> list[RecruitingBreach]:
    """Every pair of tasks that breaks the rule.

    A pose task and an objective never break it as the lower task: they only act in the null space of the others.
    """
    found = []
    can_move = skeleton.mask(skeleton.dofs.moving)
    recruited = [task.recruited(skeleton) for task in tasks]
    for higher, own in zip(tasks, recruited, strict=True):
        withheld = higher.influencing_joints(skeleton) & ~own & can_move
        if not withheld.any():
            continue
        for lower, lower_own in zip(tasks, recruited, strict=True):
            if lower.priority >= higher.priority or isinstance(lower, PoseTask) or lower.is_objective:
                continue
            shared = lower_own & withheld
            if shared.any():
                found.append(
                    RecruitingBreach(
                        higher,
                        lower,
                        _names(skeleton, shared),
                        _names(skeleton, own | shared),
                        _names(skeleton, lower_own & ~shared),
                    )
                )
    return found


def warn(skeleton: Skeleton, tasks: Sequence[Task]) -> None:
    """Issue a `RecruitingWarning` for every breach, pointing at the caller of the solver's public function."""
    for breach in breaches(skeleton, tasks):
        warnings.warn(str(breach), RecruitingWarning, stacklevel=4)


def moving_joints(skeleton: Skeleton, tasks: Sequence[Task]) -> BoolArray:
    """(joints,) the joints that a clip is deformed by: those recruited by tasks that not every joint moves.

    All joints move the balance, but arms need not swing for an error of the legs. Where there are no such tasks, or
    they recruit no free joint, all recruited joints move.
    """
    # A task is local if some joint does not move it: the balance, which all joints move, is left out.
    recruited, by_local_tasks = np.zeros((2, len(skeleton)), dtype=bool)
    for task in tasks:
        own = task.recruited(skeleton)
        recruited |= own
        if not task.influencing_joints(skeleton).all():
            by_local_tasks |= own
    is_free = np.array([kind is JointKind.FREE for kind in skeleton.kinds])
    return by_local_tasks if (by_local_tasks & is_free).any() else recruited


def _names(skeleton: Skeleton, mask: BoolArray) -> tuple[str, ...]:
    return tuple(skeleton.names[joint] for joint in np.flatnonzero(mask))
