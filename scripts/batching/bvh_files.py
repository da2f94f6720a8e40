# SPDX-License-Identifier: GPL-3.0-or-later
"""From BVH to BVH: no Blender anywhere."""

from __future__ import annotations

from typing import Any

from poise import solver

from .editing import edited
from .files import Job
from .order import Order


def edit_bvh(job: Job, order: Order) -> list[dict[str, Any]]:
    """Do what is asked for to a BVH file, and tell what was done to its clip."""
    clip = solver.read_bvh(job.source)
    done = edited(clip, order, job)
    if job.motion is not None:
        job.motion.parent.mkdir(parents=True, exist_ok=True)
        solver.write_bvh(done.clip, job.motion)
    return [done.told | {"first_frame": 0, "reading": "bvh"}]
