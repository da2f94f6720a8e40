# SPDX-License-Identifier: GPL-3.0-or-later
"""The passes of a deformation: each takes the tasks of each frame and the workspace, and yields its progress."""
