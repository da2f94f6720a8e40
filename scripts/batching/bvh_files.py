# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits BVH files without Blender."""

from __future__ import annotations

from typing import Any

from poise import solver

from .clip_editing import edit_clip
from .command_line import BatchOptions
from .jobs import Job


def edit_bvh(job: Job, options: BatchOptions) -> list[dict[str, Any]]:
    """Edit a BVH file; returns the report of its clip."""
    clip = solver.read_bvh(job.source)
    done = edit_clip(clip, options, job)
    if job.motion is not None:
        job.motion.parent.mkdir(parents=True, exist_ok=True)
        solver.write_bvh(done.clip, job.motion)
    return [done.report | {"first_frame": 0, "reading": "bvh"}]
