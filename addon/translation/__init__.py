# SPDX-License-Identifier: GPL-3.0-or-later
"""Translation between constraints and characters as saved in the .blend and as the solver takes them."""

from .character import clip_with_settings, ground_of, reading_with_settings
from .errors import TranslationError
from .from_solver import accept_proposal, store_constraint
from .standing import hand_transform, plant_transform
from .to_solver import Translation, file_entries, span_of, translate

__all__ = [
    "Translation",
    "TranslationError",
    "accept_proposal",
    "clip_with_settings",
    "file_entries",
    "ground_of",
    "hand_transform",
    "plant_transform",
    "reading_with_settings",
    "span_of",
    "store_constraint",
    "translate",
]
