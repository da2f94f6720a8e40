# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters and postures with known truth, for tests and the demonstration; nothing in solver/ needs them."""

from .chains import ChainKind, bent, chain
from .hanim import human

__all__ = ["ChainKind", "bent", "chain", "human"]
