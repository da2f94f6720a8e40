# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversions between frames of the scene and frames of the clip."""

from __future__ import annotations

from ..bridge import Reading, scene_frame


def step_of(reading: Reading) -> float:
    """The number of frames of the scene from one frame of the clip to the next."""
    return float(reading.times[1] - reading.times[0]) if len(reading.times) > 1 else 1.0


def to_clip(reading: Reading, frame: float) -> float:
    """A frame of the scene as a frame of the clip, which may be fractional or outside of it."""
    return (frame - float(reading.times[0])) / step_of(reading)


def to_scene(reading: Reading, time: float) -> float:
    """A frame of the clip as a frame of the scene."""
    return scene_frame(reading.times, time)


def within(reading: Reading, time: float) -> float:
    """A time in frames of the clip, clamped to the clip."""
    return min(max(time, 0.0), reading.clip.frames - 1.0)


def nearest_frame(reading: Reading, time: float) -> int:
    """The whole frame of the clip nearest to a time in frames of the clip."""
    return round(within(reading, time))
