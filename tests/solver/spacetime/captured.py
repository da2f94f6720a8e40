# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of captured clips: the run and the jump that the physical method is measured on."""

from __future__ import annotations

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion

RUN = ("09_01", 2, 147)
"""A run of a second: name of the clip, first frame, and the one after the last."""

JUMP = ("13_11", 100, 401)
"""A jump forward with both legs."""


def cut(clip: Clip, begin: int, end: int | None) -> Clip:
    """The frames from `begin` to before `end`."""
    return clip.with_motion(Motion(clip.motion.rotations[begin:end], clip.motion.translations[begin:end]))
