# SPDX-License-Identifier: GPL-3.0-or-later
"""Armature to skeleton, action to motion and back: the only package that depends on the version of Blender."""

from .baking import Baked, Strain, Target, bake
from .checks import check_animation, check_armature, check_bones, is_locked, why_unusable
from .context import find_object, update_view_layer
from .context import scene as current_scene
from .cycles import is_marked_cyclic
from .errors import BridgeError, SourceChangedError
from .lengths import frames_to_bake
from .limits import limit_notes
from .movers import COPY_INSTEAD, COPY_SENTENCE, Mover
from .new_characters import Color, new_body, new_character, new_material
from .parenting import carry
from .plain_copies import has_movers, plain_copy
from .reading import Method, Reading, frame_range, mover_above, read, read_in_steps, read_shown
from .renaming import bone_names, renames
from .samples import SampledResult, has_samples, make_keys
from .sampling import frame_restored, set_frame
from .saved_files import is_saved_whole
from .scene_frames import in_scene_frames, scene_frame
from .selected_keys import selected_frames
from .signatures import Signature, source_signature
from .skins import is_skinned_to
from .solids import plane_of, triangles_of
from .sources import (
    Animation,
    animation_of,
    apply_result,
    has_result,
    hide_result,
    is_result,
    is_result_hidden,
    restore_source,
    results_without,
    show_result,
    source_shown,
)
from .takes import (
    Pose,
    Take,
    assign_take,
    frames_of,
    free_moved_bones,
    keep_result,
    play_as_tracks,
    show_result_of,
    stored_pose,
    takes_of,
)
from .units import format_length
from .versions import is_hidden, is_selected, select, set_hidden

__all__ = [
    "COPY_INSTEAD",
    "COPY_SENTENCE",
    "Animation",
    "Baked",
    "BridgeError",
    "Color",
    "Method",
    "Mover",
    "Pose",
    "Reading",
    "SampledResult",
    "Signature",
    "SourceChangedError",
    "Strain",
    "Take",
    "Target",
    "animation_of",
    "apply_result",
    "assign_take",
    "bake",
    "bone_names",
    "carry",
    "check_animation",
    "check_armature",
    "check_bones",
    "current_scene",
    "find_object",
    "format_length",
    "frame_range",
    "frame_restored",
    "frames_of",
    "frames_to_bake",
    "free_moved_bones",
    "has_movers",
    "has_result",
    "has_samples",
    "hide_result",
    "in_scene_frames",
    "is_hidden",
    "is_locked",
    "is_marked_cyclic",
    "is_result",
    "is_result_hidden",
    "is_saved_whole",
    "is_selected",
    "is_skinned_to",
    "keep_result",
    "limit_notes",
    "make_keys",
    "mover_above",
    "new_body",
    "new_character",
    "new_material",
    "plain_copy",
    "plane_of",
    "play_as_tracks",
    "read",
    "read_in_steps",
    "read_shown",
    "renames",
    "restore_source",
    "results_without",
    "scene_frame",
    "select",
    "selected_frames",
    "set_frame",
    "set_hidden",
    "show_result",
    "show_result_of",
    "source_shown",
    "source_signature",
    "stored_pose",
    "takes_of",
    "triangles_of",
    "update_view_layer",
    "why_unusable",
]
