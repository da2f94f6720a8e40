# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeping freed memory at hand between the steps of a solve."""

from __future__ import annotations

import numpy as np

LARGEST_BLOCK = 31 * 2**20
"""Bytes: the C library of Linux learns from no block of more than 32 megabytes."""


def keep_freed_memory() -> None:
    """Let the C library of Linux keep what arrays give back, up to twice `LARGEST_BLOCK`, instead of returning it.

    A solve allocates and frees arrays of some hundred kilobytes many times a second. By default the library hands these
    back to the system at once, and getting them again, page by page, takes a fifth of the time of a solve. But it
    learns: as soon as it has seen a large block being freed, it expects more of that size. Elsewhere this does nothing.
    """
    np.empty(LARGEST_BLOCK, dtype=np.uint8)  # its pages are never touched: this takes microseconds
