# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters and motions with known contacts: a human, chains, a walk. The solver itself needs none."""

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
