# SPDX-License-Identifier: GPL-3.0-or-later
"""Buffers and images of glTF results have names of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from poise.batch.gltf_files import own_resources, rename_resources, resources_of


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A .gltf file as Blender exports it."""
    (tmp_path / "b.bin").write_bytes(b"buffer")
    (tmp_path / "a picture.png").write_bytes(b"picture")
    path = tmp_path / "b.gltf"
    data = "data:application/octet-stream;base64,AA=="
    content = {"buffers": [{"uri": "b.bin"}, {"uri": data}], "images": [{"uri": "a%20picture.png"}, {"bufferView": 0}]}
    path.write_text(json.dumps(content))
    return path


def test_the_files_that_it_refers_to_are_found(exported: Path) -> None:
    assert {path.name for path in resources_of(exported)} == {"b.bin", "a picture.png"}


def test_resources_are_named_after_their_content(exported: Path) -> None:
    renamed = rename_resources(exported)
    assert sorted(path.suffix for path in renamed) == [".bin", ".png"]
    assert all(path.name.startswith("b-") and path.is_file() for path in renamed)
    assert sorted(resources_of(exported)) == sorted(renamed) == sorted(own_resources(exported))
    assert sorted(path.read_bytes() for path in renamed) == [b"buffer", b"picture"]
    assert {path.name for path in exported.parent.iterdir()} == {"b.gltf", *(path.name for path in renamed)}
    first = json.loads(exported.read_text())
    assert first["buffers"][1]["uri"].startswith("data:") and first["images"][1] == {"bufferView": 0}


def test_other_content_has_another_name(exported: Path) -> None:
    before = set(rename_resources(exported))
    (exported.parent / "b.bin").write_bytes(b"other")
    exported.write_text(json.dumps({"buffers": [{"uri": "b.bin"}]}))
    assert not before & set(rename_resources(exported))


def test_files_of_others_are_not_its_own(exported: Path) -> None:
    assert own_resources(exported) == set()
    assert own_resources(exported.with_name("nowhere.gltf")) == set()


@pytest.mark.parametrize("content", [b"", b"[]", b"glTF", b'{"buffers": 1}', b'{"buffers": [{"uri": 2}]}'])
def test_a_broken_file_refers_to_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.gltf").write_bytes(content)
    assert resources_of(tmp_path / "b.gltf") == []
