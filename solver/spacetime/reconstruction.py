# SPDX-License-Identifier: GPL-3.0-or-later
"""Placeholder until the branch `handles` is merged."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from ..body.clip import Clip
from ..core.arrays import Array
from .handles import Handle


@dataclass(frozen=True, eq=False)
class HandleTrack:
    handle: Handle
    fitted: Array
    edited: Array
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class PlantedFoot:
    foot: str


@dataclass(frozen=True, eq=False)
class Reconstruction:
    clip: Clip


def reconstructing(source: Clip, tracks: Any, plants: Any) -> Generator[float, None, Reconstruction]:
    yield 0.0
    return Reconstruction(source)
