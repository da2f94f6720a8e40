# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: motions as BVH, constraints as JSON."""
