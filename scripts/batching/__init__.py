# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips by the folder, without a window: what `scripts/batch.py` does.

`order` is what the user asks for, `files` says where things come from and go to, `editing` does it to one clip,
`bvh_files` and `blender_files` bring clips and take them away, `working` makes a report of each, `crew` has it done by
several processes.
"""
