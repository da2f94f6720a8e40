# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits folders of clips without a window: the command `poise batch`, also as `scripts/batch.py` in Blender.

What to do: `command_line` parses the arguments, `finding` lists the motions of folders, `jobs` says which files are
read and written. How one clip is edited: `clip_editing` and `physics_editing`, for files by `bvh_files` and
`blender_files`; `staging` and `gltf_files` move complete results to their places, `job_runner` runs one job.

How many are: `completion` knows what is done already, `claims` let one process at a time work on a clip, `attempts`
claims and tries again, `clip_process` and `worker` are the two sides of a process that edits clips, `memory` bounds it,
`local_pool` runs several of them, and `cluster` runs them on a Dask cluster. `progress_output`, `run_report`,
`run_page`, `plots` and `thumbnails` say what came of it.
"""
