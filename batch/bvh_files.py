# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits BVH files without Blender."""

from __future__ import annotations

from typing import Any

from .. import solver
from .clip_editing import edit_clip
from .command_line import BatchOptions
from .jobs import Job
from .staging import Stage


def edit_bvh(job: Job, options: BatchOptions, stage: Stage) -> list[dict[str, Any]]:
    """Edit a BVH file, and write its result to the stage; returns the report of its clip."""
    clip = solver.read_bvh(job.source)
    done = edit_clip(clip, options, job, stage)
    if job.motion is not None and done.clip is not None:
        solver.write_bvh(done.clip, stage.place_for(job.motion))
    return [done.report | {"first_frame": 0, "reading": "bvh"}]
