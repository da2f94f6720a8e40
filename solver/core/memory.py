# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps freed memory in the process between the steps of a solve."""

from __future__ import annotations

import numpy as np

LARGEST_BLOCK = 31 * 2**20
"""Bytes: the C library of Linux does not adapt to blocks of more than 32 megabytes."""


def keep_freed_memory() -> None:
    """Let the C library of Linux keep the memory of freed arrays, up to twice `LARGEST_BLOCK`.

    A solve allocates and frees arrays of some hundred kilobytes many times a second. By default the library returns
    them to the system at once, and allocating them again, page by page, takes a fifth of the time of a solve. The
    threshold is dynamic: once a large block is freed, it keeps blocks up to that size. On other systems this does
    nothing.
    """
    np.empty(LARGEST_BLOCK, dtype=np.uint8)  # its pages are never touched: this takes microseconds
