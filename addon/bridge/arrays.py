# SPDX-License-Identifier: GPL-3.0-or-later
"""The array types of the bridge, and Blender's collections as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


def floats(collection: Any, attribute: str, *shape: int) -> Array:
    """(items, *shape) a float property of every item; matrices come as Blender stores them, column by column."""
    values = np.empty((len(collection), *shape), dtype=np.float32)
    collection.foreach_get(attribute, values.reshape(-1))
    return values.astype(np.float64)


def flags(collection: Any, attribute: str) -> BoolArray:
    """(items,) a boolean property of every item."""
    values = np.empty(len(collection), dtype=bool)
    collection.foreach_get(attribute, values)
    return values


def choices(collection: Any, attribute: str, names: dict[int, str]) -> tuple[str, ...]:
    """An enumeration property of every item, by its identifiers."""
    values = np.empty(len(collection), dtype=np.int32)
    collection.foreach_get(attribute, values)
    return tuple(names[value] for value in values.tolist())


def enumeration(owner: Any, attribute: str) -> dict[int, str]:
    """The identifiers of an enumeration property of a type, by their numbers."""
    return {item.value: item.identifier for item in owner.bl_rna.properties[attribute].enum_items}
