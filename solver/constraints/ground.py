# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under the feet: a plane, a mesh of triangles, or a function from horizontal positions to heights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..core.arrays import Array, ArrayLike
from ..core.errors import ConstraintError
from ..core.numbers import is_number
from ..core.rotations import unit
from .height_field import HeightField

HeightFunction = Callable[[Array, Array], Array]
"""Heights (n,) at horizontal coordinates (n,), (n,): x and z where y is up, x and y where z is up."""

STEEPEST = 0.1
"""The least share of a plane's unit normal along the up axis: a plane within six degrees of a wall carries no foot."""

SLOPE_STEP = 1e-6
"""Shares of the largest coordinate of a place: how far to either side the slope of a ground that is no plane is
taken."""

EDGE_SAMPLES, EDGE_STEP = 65, 0.5
"""The ground under a foot is sampled at so many points. A jump between two neighbours by more than this share of the
foot's length is an edge, such as that of a stair: heel and ball do not both stand on it. A foot bridges lower steps: it
slopes by less than thirty degrees on them."""

NEAR = 0.02
"""Sizes of the character: a sole that is no farther from the ground stands on it."""


@runtime_checkable
class Surface(Protocol):
    """A surface with heights; see `heights`."""

    def heights(self, places: Array, up_axis: int) -> Array:
        """(n,) heights under world positions (n, 3); NaN where there is no ground."""
        ...


@dataclass(frozen=True)
class Plane:
    """A plane through a point, of any slope that a foot can stand on."""

    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    """Of any length, pointing up or down."""

    def __post_init__(self) -> None:
        for what in ("point", "normal"):
            values = np.asarray(getattr(self, what), dtype=np.float64)
            if values.shape != (3,) or not np.isfinite(values).all():
                raise ConstraintError(f"The {what} of the ground's plane must be three finite numbers.")
            x, y, z = values.tolist()
            object.__setattr__(self, what, (x, y, z))
        if not any(self.normal):
            raise ConstraintError(
                "The normal of the ground's plane has no length: give the direction that is up on it."
            )

    @property
    def unit_normal(self) -> Array:
        """(3,) the normal with a length of one."""
        return np.asarray(self.normal) / np.linalg.norm(self.normal)

    def heights(self, places: Array, up_axis: int) -> Array:
        """(n,) heights of the plane under world positions (n, 3); raises a `ConstraintError` where it is upright."""
        normal = self.unit_normal
        if abs(normal[up_axis]) < STEEPEST:
            raise ConstraintError(
                "The ground's plane stands upright like a wall: turn it so that feet can stand on it."
            )
        across = [axis for axis in range(3) if axis != up_axis]
        away = places[:, across] - np.asarray(self.point)[across]
        return np.asarray(self.point[up_axis] - away @ normal[across] / normal[up_axis])


@dataclass(frozen=True)
class Ground:
    """Heights along the up axis, in the clip's own units."""

    height: float | HeightFunction | Surface = 0.0
    """One number for a level plane; a surface, as `plane` and `of_mesh` make them; or a function of two horizontal
    coordinates that takes and gives arrays (n,)."""

    def __post_init__(self) -> None:
        if not isinstance(self.height, Surface) and not callable(self.height) and not is_number(self.height):
            raise ConstraintError(f"The ground's height must be a finite number or a function, not {self.height!r}.")

    @staticmethod
    def plane(point: ArrayLike, normal: ArrayLike) -> Ground:
        """A plane of any slope, by a point (3,) on it and its normal (3,), in world space."""
        return Ground(Plane(point, normal))  # type: ignore[arg-type]

    @staticmethod
    def of_mesh(vertices: ArrayLike, triangles: ArrayLike, headroom: float | None = None) -> Ground:
        """Stairs or terrain: triangles (t, 3) of vertices (v, 3) in world space. Beside them there is no ground.

        Where several triangles lie above each other, the highest one counts that is at most `headroom` above the given
        position; None: the highest one of all.
        """
        return Ground(HeightField(vertices, triangles, headroom))

    @property
    def level(self) -> float | None:
        """The height of a ground that is level and everywhere; None for any other."""
        return float(self.height) if isinstance(self.height, (int, float, np.number)) else None

    def heights(self, places: Array, up_axis: int, clearance: float | Array = 0.0) -> Array:
        """(n,) heights of the ground under world positions (n, 3); NaN where a surface has no ground.

        With a clearance, a number or (n,), the heights of points that lie so far above the ground, measured along its
        normal: on a slope they are higher above the ground under them.
        """
        heights = self._heights(places, up_axis)
        if not np.isfinite(heights).all() and not isinstance(self.height, Surface):
            across = [axis for axis in range(3) if axis != up_axis]
            first, second = places[np.flatnonzero(~np.isfinite(heights))[0], across]
            raise ConstraintError(f"The ground has no finite height at ({first:g}, {second:g}).")
        if not np.any(clearance) or self.level is not None:
            return heights + clearance
        normals = self.normals(places, up_axis)
        # A ball with the clearance as its radius touches a slope uphill of its middle.
        touched = places - np.asarray(clearance)[..., None] * normals
        touched[:, up_axis] = places[:, up_axis]
        on_slope = self._heights(touched, up_axis) + clearance * normals[:, up_axis]
        return np.where(np.isnan(heights), np.nan, np.fmax(heights + clearance, on_slope))

    def normals(self, places: Array, up_axis: int) -> Array:
        """(n, 3) unit normals of the ground under world positions (n, 3), pointing up; vertical at edges and where
        there is no ground."""
        normals = np.tile(np.eye(3)[up_axis], (len(places), 1))
        if isinstance(self.height, Plane):
            normal = self.height.unit_normal
            normals[:] = normal if normal[up_axis] > 0.0 else -normal
        elif self.level is None:
            under = self._heights(places, up_axis)
            for axis in (axis for axis in range(3) if axis != up_axis):
                normals[:, axis] = -self._slope(places, under, axis, up_axis)
        return unit(normals)

    def _slope(self, places: Array, under: Array, axis: int, up_axis: int) -> Array:
        """(n,) the slope of the ground along an axis: of those to either side the smaller one, so that no step of a
        stair counts; 0 where there is none."""
        largest = np.abs(places).max(axis=1)
        step = SLOPE_STEP * np.where(largest > 0.0, largest, 1.0)
        slopes = []
        for way in (step, -step):
            beside = places.copy()
            beside[:, axis] += way
            slope = (self._heights(beside, up_axis) - under) / (beside - places)[:, axis]
            slopes.append(np.where(np.isfinite(slope), slope, np.inf))
        least = np.where(np.abs(slopes[0]) < np.abs(slopes[1]), *slopes)
        return np.where(np.isfinite(least), least, 0.0)

    def _heights(self, places: Array, up_axis: int) -> Array:
        """(n,) as `heights`; a function may give values that are not finite."""
        height = self.height
        if isinstance(height, Surface):
            return height.heights(places, up_axis)
        if not callable(height):
            return np.full(len(places), float(height))
        across = [axis for axis in range(3) if axis != up_axis]
        given = height(places[:, across[0]], places[:, across[1]])
        try:
            heights = np.broadcast_to(np.asarray(given, dtype=np.float64), (len(places),))
        except (TypeError, ValueError):
            raise ConstraintError("The ground's height function must give one number for each place.") from None
        return heights

    def has_edge(self, ends: Array, length: float, up_axis: int) -> bool:
        """Whether the ground has an edge, or ends, between two places (2, 3), for a foot of some length."""
        if self.level is not None:
            return False
        shares = np.linspace(0.0, 1.0, EDGE_SAMPLES)[:, None]
        jumps = np.abs(np.diff(self.heights(ends[0] + shares * (ends[1] - ends[0]), up_axis)))
        return not bool((jumps <= EDGE_STEP * length).all())

    def lowest_allowed(self, places: Array, up_axis: int, clearance: float | Array = 0.0) -> Array:
        """(n,) as `heights`, but minus infinity where there is no ground: there points may be at any height."""
        heights = self.heights(places, up_axis, clearance)
        return np.where(np.isnan(heights), -np.inf, heights)
