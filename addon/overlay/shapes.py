# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry as arrays: lines, faces and dots with a colour at each vertex, and texts at places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Color = tuple[float, float, float, float]
Kind = Literal["faces", "thin", "bold", "ticks", "dots"]
KINDS: tuple[Kind, ...] = ("faces", "thin", "bold", "ticks", "dots")
"""In the order of drawing: filled areas, thin lines, bold lines, small dots, large dots."""

CORNERS = {"faces": 3, "thin": 2, "bold": 2, "ticks": 1, "dots": 1}
"""How many vertices a face, a line or a dot has."""


class Vertices(NamedTuple):
    """Vertices of one kind."""

    places: NDArray[np.float32]
    """(n, 3) in world space."""
    colors: NDArray[np.float32]
    """(n, 4)"""


class Label(NamedTuple):
    """A text beside a place."""

    text: str
    place: tuple[float, float, float]
    color: Color
    rank: int
    """Texts with smaller numbers are drawn first; one that would cover another is left out."""
    away_from: tuple[float, float, float] | None = None
    """The text is put on the side of the place that is farther from here; None: to the right."""


@dataclass(frozen=True, eq=False)
class Picture:
    """Geometry that is drawn together; immutable, so that it is known by its identity whether it has changed."""

    vertices: dict[Kind, Vertices]
    """Only kinds that have vertices."""
    labels: tuple[Label, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.vertices and not self.labels


EMPTY = Picture({}, ())


def shade(color: Sequence[float], alpha: float = 1.0, light: float = 0.0) -> Color:
    """A colour with an alpha, made lighter toward white by a share."""
    red, green, blue = (channel + light * (1.0 - channel) for channel in color[:3])
    return red, green, blue, alpha


@dataclass
class Pen:
    """Collects the geometry of a picture."""

    _places: dict[Kind, list[NDArray[np.float32]]] = field(default_factory=dict)
    _colors: dict[Kind, list[NDArray[np.float32]]] = field(default_factory=dict)
    _labels: list[Label] = field(default_factory=list)

    def put(self, kind: Kind, places: ArrayLike, color: ArrayLike) -> None:
        """Vertices (n, 3) with one colour (4,) or one for each (n, 4): three for a face, two for a line, one for a
        dot."""
        found = np.asarray(places, dtype=np.float32).reshape(-1, 3)
        if not len(found):
            return
        assert len(found) % CORNERS[kind] == 0
        self._places.setdefault(kind, []).append(found)
        colors = np.broadcast_to(np.asarray(color, dtype=np.float32), (len(found), 4))
        self._colors.setdefault(kind, []).append(colors)

    def strip(self, places: ArrayLike, color: ArrayLike, kind: Kind = "thin", is_closed: bool = False) -> None:
        """A line through places (n, 3)."""
        through = np.asarray(places, dtype=np.float32)
        following = np.roll(through, -1, axis=0) if is_closed else through[1:]
        self.put(kind, np.stack([through[: len(following)], following], axis=1), color)

    def dashes(self, places: ArrayLike, color: ArrayLike, is_closed: bool = False) -> None:
        """A thin line through places (n, 3), of which every second half of a segment is left out."""
        through = np.asarray(places, dtype=np.float32)
        following = np.roll(through, -1, axis=0) if is_closed else through[1:]
        begins = through[: len(following)]
        self.put("thin", np.stack([begins, 0.5 * (begins + following)], axis=1), color)

    def area(self, corners: ArrayLike, color: ArrayLike) -> None:
        """A filled area that is seen whole from the mean of its corners (n, 3)."""
        around = np.asarray(corners, dtype=np.float32)
        middle = np.broadcast_to(around.mean(axis=0), around.shape)
        self.put("faces", np.stack([middle, around, np.roll(around, -1, axis=0)], axis=1), color)

    def text(
        self, text: str, place: ArrayLike, color: Color, rank: int = 1, away_from: ArrayLike | None = None
    ) -> None:
        """A text beside a place (3,), on the side that is farther from another one."""
        self._labels.append(Label(text, _three(place), color, rank, None if away_from is None else _three(away_from)))

    def picture(self) -> Picture:
        """What was put."""
        # Blender reads the memory of an array row by row, whatever its order is.
        vertices = {
            kind: Vertices(
                *(np.ascontiguousarray(np.concatenate(parts[kind])) for parts in (self._places, self._colors))
            )
            for kind in KINDS
            if kind in self._places
        }
        return Picture(vertices, tuple(self._labels)) if vertices or self._labels else EMPTY


def _three(place: ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(place, dtype=np.float64).tolist()
    return x, y, z


def frames_text(begin: float, end: float) -> str:
    """One frame, or a first and a last one, as text."""
    first, last = f"{begin:.10g}", f"{end:.10g}"
    return first if first == last else f"{first}\N{EN DASH}{last}"


def runs(frames: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive numbers in a rising sequence."""
    found: list[tuple[int, int]] = []
    for frame in frames:
        if found and frame == found[-1][1] + 1:
            found[-1] = found[-1][0], frame
        else:
            found.append((frame, frame))
    return found
