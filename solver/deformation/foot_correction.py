# SPDX-License-Identifier: GPL-3.0-or-later
"""Correcting the feet of a clip before it is deformed: plants where the feet already stand are enforced by the legs.

The feet of a capture slide and tremble by a few hundredths of the leg while they stand. Planting them is a correction,
not an edit: if the whole body shared it, the hips would move by more than the feet did. So a clip is corrected first,
with stiff free joints, and deformed afterwards, from feet that already stand still.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace

import numpy as np

from ..body.clip import Clip
from ..body.joints import JointKind
from ..constraints import Constraint, Footplant, Ground, ground_gaps
from ..constraints.ground_estimate import NEAR
from ..core.progress import finished
from .deform import Deformation, deforming
from .progress import Progress
from .settings import DeformSettings

STIFFENING = 200.0
"""Factor on the stiffness of the free joints in a correction. Chosen on the captured clips 02_01, 13_01 and 13_35,
read at 120 and at 24 frames a second: with 20 the hips move by up to 0.039 sizes, with 100 by 0.021, with 200 by 0.018;
the knees' accelerations are the same from 50 on."""


def with_stiff_root(clip: Clip) -> Clip:
    """The clip with free joints so stiff that corrections are made by limbs, not by the whole body."""
    skeleton = clip.skeleton
    free = [joint for joint, kind in enumerate(skeleton.kinds) if kind is JointKind.FREE]
    stiff: dict[str | int, float] = {joint: STIFFENING * float(skeleton.stiffness[joint]) for joint in free}
    return replace(clip, skeleton=skeleton.with_stiffness(stiff))


def in_place(plant: Footplant, clip: Clip, ground: Ground | None) -> Footplant:
    """The same plant where the foot stands in the source: not moved, not turned, and at its own height.

    Where it stands near the ground and is to be on it, it stands on the ground: that is a correction too.
    """
    unmoved = replace(plant, position=None, heading=None, height=None, shift=(0.0, 0.0, 0.0), turn=0.0)
    if ground is None or plant.own_height or plant.height is not None:
        return replace(unmoved, own_height=True)
    (gap,) = ground_gaps(clip, [unmoved], ground)
    return unmoved if abs(gap) <= NEAR * clip.skeleton.size else replace(unmoved, own_height=True)


def is_in_place(constraint: Constraint, clip: Clip, ground: Ground | None) -> bool:
    """Whether a constraint is a footplant that only corrects the foot where it already stands."""
    if not isinstance(constraint, Footplant):
        return False
    is_moved = constraint.turn != 0.0 or bool(np.any(np.asarray(constraint.shift, dtype=np.float64) != 0.0))
    says_where = any(value is not None for value in (constraint.position, constraint.heading, constraint.height))
    if is_moved or says_where:
        return False
    return ground is None or in_place(constraint, clip, ground).own_height == constraint.own_height


def correct_and_deform(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
) -> Deformation:
    """Deform a motion as `deform` does, after its planted feet have been corrected where they already stand.

    The legs make that correction, so that the hips move by little; the rest of the deformation is shared by the whole
    body. The report is about all constraints.
    """
    return finished(correcting_and_deforming(clip, constraints, ground=ground, settings=settings, cyclic=cyclic))


def correcting_and_deforming(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
) -> Generator[Progress, None, Deformation]:
    """As `correct_and_deform`, a generator of its progress: see `deforming`. All errors are raised before its first
    step."""
    given = tuple(constraints)
    if not any(isinstance(each, Footplant) for each in given):
        return deforming(clip, given, ground=ground, settings=settings, cyclic=cyclic)
    # Compiled once without being solved, for the errors in the constraints.
    deforming(clip, given, ground=ground, settings=settings, cyclic=cyclic).close()
    return _in_two_steps(clip, given, ground, settings, cyclic)


def _in_two_steps(
    clip: Clip,
    constraints: tuple[Constraint, ...],
    ground: Ground | None,
    settings: DeformSettings | None,
    cyclic: bool,
) -> Generator[Progress, None, Deformation]:
    if all(is_in_place(each, clip, ground) for each in constraints):
        deformed = yield from deforming(
            with_stiff_root(clip), constraints, ground=ground, settings=settings, cyclic=cyclic
        )
    else:
        plants = [in_place(each, clip, ground) for each in constraints if isinstance(each, Footplant)]
        corrected = yield from deforming(with_stiff_root(clip), plants, ground=ground, settings=settings, cyclic=cyclic)
        standing = clip.with_motion(corrected.clip.motion)
        deformed = yield from deforming(standing, constraints, ground=ground, settings=settings, cyclic=cyclic)
    return replace(deformed, source=clip, clip=clip.with_motion(deformed.clip.motion))
