# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots over the frames of the scene, drawn into editors."""

from __future__ import annotations

from .noise import register, unregister

__all__ = ["register", "unregister"]

classes = ()
