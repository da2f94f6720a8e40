# SPDX-License-Identifier: GPL-3.0-or-later
"""The soak test: rounds of edits in one Blender process, and what they leave behind."""
