# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests that need the add-on registered and a walking character; conftest files take them from here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest

from poise import addon
from poise.addon import bridge

from .walking import walking_armature


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The add-on in an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True)
    addon.register()
    yield
    addon.unregister()
    bpy.ops.wm.read_homefile(use_empty=True)


@pytest.fixture
def armature(tmp_path: Path) -> bpy.types.Object:
    """A walking character, active and alone."""
    return walking_armature(tmp_path)


@pytest.fixture
def reading(armature: bpy.types.Object) -> bridge.Reading:
    """What is read of it."""
    return bridge.read(armature)
