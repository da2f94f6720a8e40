# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test of the bridge begins and ends with an empty file."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest

from ..rigify import rigify

__all__ = ["empty_file", "rigify"]


@pytest.fixture(autouse=True)
def empty_file() -> Iterator[None]:
    """Nothing in the file, before and after."""
    bpy.ops.wm.read_homefile(use_empty=True)
    yield
    bpy.ops.wm.read_homefile(use_empty=True)
