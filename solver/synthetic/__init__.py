# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters and motions with known truth: a human, chains, walks. Nothing else in solver/ needs them."""

from .chains import ChainKind, bent, chain
from .contacts import Contact, SyntheticMotion
from .gaits import walk
from .hanim import human

__all__ = [
    "ChainKind",
    "Contact",
    "SyntheticMotion",
    "bent",
    "chain",
    "human",
    "walk",
]
