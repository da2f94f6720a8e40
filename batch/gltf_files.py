# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files with their buffers and images in files of their own.

A result's buffers and images are named after their content. So an earlier result with its own buffers stays complete
until the moment when its .gltf file is replaced, and no buffer of another file can have the name.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

_HASH_DIGITS = 16


def resources_of(path: Path) -> list[Path]:
    """The files that a .gltf file refers to, as paths; none if it cannot be read."""
    try:
        content = json.loads(path.read_bytes())
        return [path.parent / unquote(part["uri"]) for part in _external_parts(content)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # the importer says what is wrong with it
        return []


def rename_resources(path: Path) -> list[Path]:
    """Name the files beside a .gltf file after their content, and change the file accordingly; returns their paths.

    Names are those of the .gltf file, a dash, digits of the content, and the former extension.
    """
    content = json.loads(path.read_bytes())
    renamed: dict[Path, Path] = {}
    for part in _external_parts(content):
        former = path.parent / unquote(part["uri"])
        if former not in renamed:
            digits = hashlib.sha256(former.read_bytes()).hexdigest()[:_HASH_DIGITS]
            renamed[former] = former.replace(path.with_name(f"{path.stem}-{digits}{former.suffix}"))
        part["uri"] = quote(renamed[former].name)
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return list(dict.fromkeys(renamed.values()))


def own_resources(path: Path) -> set[Path]:
    """The files of an earlier result at `path` that were named by `rename_resources`."""
    own = re.compile(rf"{re.escape(path.stem)}-[0-9a-f]{{{_HASH_DIGITS}}}\.\w+")
    return {file for file in resources_of(path) if own.fullmatch(file.name) and file.parent == path.parent}


def _external_parts(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The buffers and images that are files of their own."""
    for part in [*content.get("buffers", []), *content.get("images", [])]:
        if "uri" in part and not part["uri"].startswith("data:"):
            yield part
