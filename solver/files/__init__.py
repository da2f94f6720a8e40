# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read from and written to disk: BVH motions, constraints as JSON."""
