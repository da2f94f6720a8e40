# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of Poise, which blender_manifest.toml alone states: the Python package takes it from there."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

MANIFEST = Path(__file__).with_name("blender_manifest.toml")


def _version() -> str:
    if MANIFEST.is_file():
        return str(tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["version"])
    # A wheel has no manifest; what was read when it was built is in its metadata.
    return metadata.version("poise")


VERSION = _version()
