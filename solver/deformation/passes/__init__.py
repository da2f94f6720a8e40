# SPDX-License-Identifier: GPL-3.0-or-later
"""The passes of a deformation. Each takes the tasks of every frame, and what the passes before it have found.

- `draft`: finds the smoothest displacement of the whole clip that meets the targets, at knots
- `boundaries`: blends the active runs of constraints into the motion around them
- `reach`: judges at knots which targets cannot be met, and relaxes them
- `projection`: moves every frame to where it meets the targets that are not relaxed
- `ground_clearance`: lifts feet out of the ground

`deform` calls them in their order.
"""
