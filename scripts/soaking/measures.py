# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Blender process holds: data-blocks, values that modules of the add-on keep, Python objects, memory."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

KEPT_TYPES = (dict, list, set)

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Holdings:
    """What the process holds at one moment."""

    data_blocks: Mapping[str, int]
    """How many each collection of bpy.data has; those without any are left out."""
    kept: Mapping[str, int]
    """How many items each module of the add-on keeps, by module and name; those without any are left out."""
    objects: int
    """Python objects that the garbage collector knows."""
    resident: int
    """Bytes in memory."""


def data_blocks() -> dict[str, int]:
    """How many data-blocks each collection of bpy.data has."""
    data: Any = bpy.data
    found = {}
    for each in bpy.types.BlendData.bl_rna.properties:
        if each.type == "COLLECTION":
            found[each.identifier] = len(getattr(data, each.identifier))
    return {name: count for name, count in found.items() if count}


def kept_values(package: str) -> dict[str, int]:
    """How many items the containers that modules below a package keep at their top have."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(package):
            continue
        for attribute, value in vars(module).items():
            if attribute.islower() and not attribute.startswith("__") and isinstance(value, KEPT_TYPES) and value:
                found[f"{name.removeprefix(package)}.{attribute}"] = len(value)
    return found


def holdings(package: str) -> Holdings:
    """What the process holds now."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
    return Holdings(data_blocks(), kept_values(package), len(gc.get_objects()), resident)
