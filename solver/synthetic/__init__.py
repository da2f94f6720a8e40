# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters, postures and motions with known truth, for tests and the demonstration.

Nothing in solver/ needs them.
"""

from .chains import ChainKind, bent, chain
from .contacts import Contact, SyntheticMotion
from .gaits import walk
from .golf import GolfSwing, golf_swing
from .hanim import human
from .kick import Kick, kick

__all__ = [
    "ChainKind",
    "Contact",
    "GolfSwing",
    "Kick",
    "SyntheticMotion",
    "bent",
    "chain",
    "golf_swing",
    "human",
    "kick",
    "walk",
]
