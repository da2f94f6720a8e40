# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from poise.addon import bridge

pytestmark = pytest.mark.blender


@pytest.mark.parametrize("compress", [False, True])
def test_a_saved_file_is_whole_and_no_part_of_it_is(tmp_path: Path, compress: bool) -> None:
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=compress)
    content = path.read_bytes()
    assert bridge.is_saved_whole(path)
    for length in (0, 3, 8, 4096, len(content) // 2, len(content) - 9, len(content) - 1):
        path.write_bytes(content[:length])
        assert not bridge.is_saved_whole(path), length


def test_a_compressed_file_with_a_gap_is_not_whole(tmp_path: Path) -> None:
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=True)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + content[8192:])
    assert not bridge.is_saved_whole(path)
