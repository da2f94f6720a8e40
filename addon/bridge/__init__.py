# SPDX-License-Identifier: GPL-3.0-or-later
"""Armature to skeleton, action to motion and back: the only place that knows Blender's versions apart."""

from .baking import Baked, Target, bake
from .checks import check_animation, check_armature, check_bones, is_locked, why_unusable
from .context import scene as current_scene
from .errors import BridgeError
from .reading import Method, Reading, frame_range, read, reading_in_steps
from .renaming import bone_names, renames
from .sampling import frame_kept, set_frame
from .sources import Animation, animation_of, apply_result, is_result, restore_source, source_shown
from .versions import is_hidden, is_selected, select, set_hidden

__all__ = [
    "Animation",
    "Baked",
    "BridgeError",
    "Method",
    "Reading",
    "Target",
    "animation_of",
    "apply_result",
    "bake",
    "bone_names",
    "check_animation",
    "check_armature",
    "check_bones",
    "current_scene",
    "frame_kept",
    "frame_range",
    "is_hidden",
    "is_locked",
    "is_result",
    "is_selected",
    "read",
    "reading_in_steps",
    "renames",
    "restore_source",
    "select",
    "set_frame",
    "set_hidden",
    "source_shown",
    "why_unusable",
]
