# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass of a whole limb as one mass point, or as a rod of variable length (Popović 1999, sections 4.1.2 and 6.5.1).

What is replaced keeps, in the mean over a motion, its mass, its centre and its second moments, seen from the body that
carries it. So the whole body keeps them too. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...body.inertia import inertia_of, second_moments_of
from ...body.kinematics import WorldState
from ...core import rotations
from ...core.arrays import TINY, Array


@dataclass(frozen=True, eq=False)
class LimbMass:
    """The mass of some joints together, in every frame, along the axes of some body."""

    mass: float
    centers: Array
    """(frames, 3) their centre of mass, in the world."""
    second_moments: Array
    """(frames, 3, 3) about that centre, along the axes of the body."""

    @property
    def inertia(self) -> Array:
        """(3, 3) the mean inertia tensor about the centre."""
        return inertia_of(self.second_moments.mean(axis=0))


def limb_mass(world: WorldState, joints: Collection[int], frames: Array) -> LimbMass:
    """The mass of some joints, along the axes of a body with world rotations `frames` (frames, 4)."""
    skeleton, chosen = world.skeleton, np.array(sorted(joints), dtype=np.int64)
    masses = skeleton.masses[chosen]
    total = float(masses.sum())
    places = world.positions[:, chosen] + rotations.rotate(world.rotations[:, chosen], skeleton.mass_centers[chosen])
    centers = np.einsum("j,fjk->fk", masses, places) / (total or 1.0)
    back = rotations.conjugate(frames)[:, None]
    arms = rotations.rotate(back, places - centers[:, None])
    turns = rotations.to_matrix(rotations.multiply(back, world.rotations[:, chosen]))
    own = turns @ second_moments_of(skeleton.inertias[chosen]) @ turns.swapaxes(-1, -2)
    between = masses[:, None, None] * arms[..., :, None] * arms[..., None, :]
    return LimbMass(total, centers, (own + between).sum(axis=1))


@dataclass(frozen=True, eq=False)
class RodMass:
    """A limb as two bodies on a rod of variable length: one is fixed to its upper end, the other to its lower end."""

    share: float
    """Of the mass, that of the lower body."""
    upper: Array
    """(3,) from the upper end to the centre of the upper body, along the axes of the body above."""
    lower: Array
    """(3,) from the lower end to the centre of the lower body."""
    inertia: Array
    """(3, 3) what both bodies lack: the mean inertia tensor about the centre, along the axes of the body above."""


def rod_mass(limb: LimbMass, arms: Array, lengths: Array, down: Array) -> RodMass:
    """The rod that has the mean centre and second moments of a limb.

    `arms` (frames, 3) lead from the upper end to the limb's centre, `lengths` (frames,) are those of the rod, and
    `down` (3,) is its direction, all along the axes of the body above.
    """
    along = arms @ down
    share = float(np.clip((along @ lengths) / max(float(lengths @ lengths), TINY), 0.0, 1.0))
    beside = (arms - np.outer(along, down)).mean(axis=0)
    moments = limb.second_moments.mean(axis=0)
    carried = _largest_rod(moments, down)
    # Two masses that are L - g apart have the second moment s (1 - s) M (L - g)². Its mean is to be `carried`.
    reduced = share * (1.0 - share) * limb.mass
    mean, spread = float(lengths.mean()), float(lengths.var())
    apart = np.sqrt(max(carried / reduced - spread, 0.0)) if reduced > 0.0 else 0.0
    gap = mean - apart
    had = min(reduced * (apart**2 + spread), carried)
    return RodMass(
        share,
        beside + share * gap * down,
        beside - (1.0 - share) * gap * down,
        inertia_of(moments - had * np.outer(down, down)),
    )


def _largest_rod(moments: Array, down: Array) -> float:
    """The largest second moment along `down` (3,) that may be taken from second moments (3, 3) such that what is left
    is still that of a body: positive semidefinite."""
    across = np.eye(3) - np.outer(down, down)
    coupled = across @ moments @ down
    return float(down @ moments @ down - coupled @ np.linalg.pinv(across @ moments @ across, hermitian=True) @ coupled)
