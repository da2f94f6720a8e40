# SPDX-License-Identifier: GPL-3.0-or-later
"""The passes of a deformation: generators that take the tasks of each frame and the workspace, and yield progress.

- `boundaries`: one pass, which blends the active runs of constraints into the motion around them
- `relaxation`: two passes, which resolve blocked frames and relax unreachable targets
- `smoothing`: one pass, which filters the displacement
- `ground_clearance`: one pass, which lifts feet out of the ground
- `swing_phase`: no pass; functions that find swing phases and interpolate legs in them, for `boundaries` and `deform`

`deform` calls them in their order.
"""
