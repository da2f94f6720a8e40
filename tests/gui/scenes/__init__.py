# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for a Blender with a window: each plays an animator and writes down what it sees."""
