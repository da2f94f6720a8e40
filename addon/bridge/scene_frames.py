# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of the clip as frames of the scene, in numbers and in error messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...solver import PoiseError
from .arrays import Array


def scene_frame(times: Sequence[float] | Array, frame: float) -> float:
    """The frame of the scene for a frame of the clip, which may lie between two or outside; `times` as of a reading."""
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0
    return float(times[0]) + frame * step


@contextmanager
def in_scene_frames(times: Sequence[float] | Array) -> Iterator[None]:
    """Raise errors of the solver inside the context with frames of the scene."""
    try:
        yield
    except PoiseError as error:
        raise error.in_frames(lambda frame: f"{scene_frame(times, frame):g}") from error
