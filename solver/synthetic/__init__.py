# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters, postures and motions with known truth, for tests and the demonstration.

Nothing in solver/ needs them.
"""

from .chains import ChainKind, bent, chain
from .contacts import Contact, SyntheticMotion
from .gaits import walk
from .hanim import human

__all__ = ["ChainKind", "Contact", "SyntheticMotion", "bent", "chain", "human", "walk"]
