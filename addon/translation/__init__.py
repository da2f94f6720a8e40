# SPDX-License-Identifier: GPL-3.0-or-later
"""Between what is saved in the .blend and what the solver takes."""

from .character import character_of_reading, clip_of, ground_of
from .errors import TranslationError
from .from_solver import accept, take
from .standing import stand_in_source
from .to_solver import Translated, span_of, translated

__all__ = [
    "Translated",
    "TranslationError",
    "accept",
    "character_of_reading",
    "clip_of",
    "ground_of",
    "span_of",
    "stand_in_source",
    "take",
    "translated",
]
