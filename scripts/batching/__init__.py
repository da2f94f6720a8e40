# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `scripts/batch.py`, which edits folders of clips without a window.

`command_line` parses the arguments, `jobs` lists which files are read and written, `clip_editing` edits one clip,
`bvh_files` and `blender_files` read and write clips, `job_runner` runs one job and writes its report, `worker_pool`
runs jobs in several processes, `progress_output` prints a line for each finished job.
"""
