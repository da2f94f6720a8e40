# SPDX-License-Identifier: GPL-3.0-or-later
"""The recruiting rule (document 003, equation 3.18): whoever is more important must be able to answer.

For a task `a` above a task `b`: every joint that moves `a` and that `b` recruits must be recruited by `a` too. Where
the rule is broken, `b` moves `a` through joints that `a` itself may not use. Poise still protects `a` (the projector of
`hierarchy` counts all joints that anyone recruits), but `b` is then held back more than the user may expect, so the
rule's breach is a warning that says which joint sets would keep it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.skeleton import Skeleton
from ..core.arrays import BoolArray
from ..core.errors import RecruitingWarning
from ..tasks import PoseTask, Task


@dataclass(frozen=True)
class RecruitingBreach:
    """Two tasks that break the rule."""

    higher: Task
    lower: Task
    joints: tuple[str, ...]
    """Joints that the lower task recruits, that move the higher one, and that it may not use."""
    higher_set: tuple[str, ...]
    """What the higher task would have to recruit."""
    lower_set: tuple[str, ...]
    """What the lower task could recruit instead."""

    def __str__(self) -> str:
        move = "moves" if len(self.joints) == 1 else "move"
        retreat = f"let {self.lower.label} recruit only {', '.join(self.lower_set)}"
        return (
            f"{self.higher.label} (priority {self.higher.priority}) is more important than {self.lower.label} "
            f"(priority {self.lower.priority}), but only the latter recruits {', '.join(self.joints)}, which {move} "
            f"both. Let {self.higher.label} recruit {', '.join(self.higher_set)}, or "
            f"{retreat if self.lower_set else f'leave {self.lower.label} out'}."
        )


def breaches(skeleton: Skeleton, tasks: Sequence[Task]) -> list[RecruitingBreach]:
    """Every pair of tasks that breaks the rule.

    Pose attraction is never the offender: it is an optimisation within what is left, not a task that reaches out.
    """
    found = []
    can_move = skeleton.mask(skeleton.dofs.moving)
    for higher in tasks:
        serving, own = higher.serving(skeleton), higher.recruited(skeleton)
        for lower in tasks:
            if lower.priority >= higher.priority or isinstance(lower, PoseTask):
                continue
            theirs = lower.recruited(skeleton)
            stolen = theirs & serving & ~own & can_move
            if stolen.any():
                found.append(
                    RecruitingBreach(
                        higher,
                        lower,
                        _names(skeleton, stolen),
                        _names(skeleton, own | stolen),
                        _names(skeleton, theirs & ~stolen),
                    )
                )
    return found


def warn(skeleton: Skeleton, tasks: Sequence[Task]) -> None:
    """Issue a `RecruitingWarning` for every breach, pointing at the caller of the solver's public function."""
    for breach in breaches(skeleton, tasks):
        warnings.warn(str(breach), RecruitingWarning, stacklevel=4)


def _names(skeleton: Skeleton, mask: BoolArray) -> tuple[str, ...]:
    return tuple(skeleton.names[joint] for joint in np.flatnonzero(mask))
