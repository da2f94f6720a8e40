# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia of rigid bodies: second moments of mass, inertia tensors, radii of gyration and the parallel axis theorem.

The second moments of a body about a point are ∫ x xᵀ dm, (3, 3), with x from that point. They say the same as its
inertia tensor I = ∫ (|x|² 1 - x xᵀ) dm, but bodies that exist are simply those whose second moments are positive
semidefinite. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import TINY, Array, ArrayLike
from ..core.errors import SkeletonError

ROUNDING = 1e-9
"""Share of its largest entry by which an inertia tensor may miss symmetry or the triangle inequality. Tensors in files
have about six digits of which the last is rounded; those of flat bodies and rods lie exactly on the boundary."""

PARALLEL = 0.1
"""The sine of an angle below which a direction across a segment is not told from the segment's own."""


class Radii(NamedTuple):
    """Radii of gyration of a segment about three axes through its centre, in percent of its length.

    The longitudinal axis is that of the segment, the sagittal one points forward and the transverse one sideways in the
    anatomical position: standing, arms hanging, palms forward.
    """

    sagittal: float
    transverse: float
    longitudinal: float

    @property
    def spreads(self) -> Array:
        """(3,) mean squares of the distances along the sagittal, transverse and longitudinal axis, in squared lengths
        of the segment."""
        squares = (np.array(self) / 100.0) ** 2
        return np.asarray(0.5 * squares.sum() - squares)

    @property
    def swapped(self) -> Radii:
        """The same with the sagittal and the transverse axis exchanged."""
        return Radii(self.transverse, self.sagittal, self.longitudinal)


def segment_spread(radii: Radii, way: Array, normal: Array | None) -> Array:
    """(3, 3) second moments per mass, about its centre, of a segment along `way` (3,).

    The sagittal axis is `normal` (3,), a unit vector, made perpendicular to the segment. Where that is None or along
    the segment, the segment is round: sagittal and transverse axes have the mean of both.
    """
    length = float(np.linalg.norm(way))
    if length == 0.0:
        return np.zeros((3, 3))
    along = way / length
    sagittal, transverse, longitudinal = length**2 * radii.spreads
    across = None if normal is None else normal - (normal @ along) * along
    if across is None or float(np.linalg.norm(across)) < PARALLEL:
        sagittal = transverse = 0.5 * (sagittal + transverse)
        forward = np.zeros(3)
    else:
        forward = across / np.linalg.norm(across)
    # The three axes are orthonormal: the transverse one has what the identity has besides the other two.
    spread = transverse * np.eye(3) + (longitudinal - transverse) * np.outer(along, along)
    return np.asarray(spread + (sagittal - transverse) * np.outer(forward, forward))


def rod_spread(way: Array) -> Array:
    """(3, 3) second moments per mass, about its middle, of a thin rod along `way` (3,)."""
    return np.outer(way, way) / 12.0


def between_centers(mass: float, other_mass: float, way: Array) -> Array:
    """(3, 3) second moments that two bodies have, about their common centre, more than both about their own, with `way`
    (3,) from one centre to the other: the parallel axis theorem."""
    reduced = mass * other_mass / max(mass + other_mass, TINY)
    return np.asarray(reduced * np.outer(way, way))


def inertia_of(second_moments: Array) -> Array:
    """Inertia tensors (…, 3, 3) of second moments (…, 3, 3) about the same point."""
    traces = np.einsum("...kk->...", second_moments)
    return np.asarray(traces[..., None, None] * np.eye(3) - second_moments)


def second_moments_of(inertia: Array) -> Array:
    """Second moments (…, 3, 3) of inertia tensors (…, 3, 3) about the same point."""
    traces = np.einsum("...kk->...", inertia)
    return np.asarray(0.5 * traces[..., None, None] * np.eye(3) - inertia)


def checked_inertia(value: ArrayLike, name: str) -> Array:
    """The inertia tensor (3, 3) of joint `name`, given as such or as its three moments along the joint's axes.

    Raises SkeletonError unless it is finite, symmetric and that of a body: no moment is negative, and none is larger
    than the sum of the other two.
    """
    try:
        given = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise SkeletonError(f"The inertia of joint {name!r} must be numbers.") from None
    if given.shape not in ((3,), (3, 3)):
        raise SkeletonError(
            f"The inertia of joint {name!r} must be a 3 by 3 matrix or three moments, not shape {given.shape}."
        )
    if not np.isfinite(given).all():
        raise SkeletonError(f"The inertia of joint {name!r} is not finite.")
    inertia = np.diag(given) if given.ndim == 1 else given
    allowed = ROUNDING * float(np.abs(inertia).max())
    if np.abs(inertia - inertia.T).max() > allowed:
        raise SkeletonError(f"The inertia of joint {name!r} must be a symmetric matrix.")
    inertia = 0.5 * (inertia + inertia.T)
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < -allowed:
        raise SkeletonError(f"The inertia of joint {name!r} has a negative moment ({moments[0]:.6g}); give it none.")
    if moments[2] > moments[0] + moments[1] + allowed:
        raise SkeletonError(
            f"No body has the inertia of joint {name!r}: its largest moment ({moments[2]:.6g}) must not exceed the sum "
            f"of the other two ({moments[0] + moments[1]:.6g})."
        )
    return inertia
