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
    """A float property of every item, (items, *shape); matrices as Blender stores them, column by column."""
    values = np.empty((len(collection), *shape), dtype=np.float32)
    collection.foreach_get(attribute, values.reshape(-1))
    return values.astype(np.float64)


def flags(collection: Any, attribute: str) -> BoolArray:
    """A boolean property of every item, (items,)."""
    values = np.empty(len(collection), dtype=bool)
    collection.foreach_get(attribute, values)
    return values


def enum_values(collection: Any, attribute: str, names: dict[int, str]) -> tuple[str, ...]:
    """An enum property of every item, as identifiers; `names` maps its numbers to them."""
    values = np.empty(len(collection), dtype=np.int32)
    collection.foreach_get(attribute, values)
    return tuple(names[value] for value in values.tolist())


def enum_identifiers(owner: Any, attribute: str) -> dict[int, str]:
    """The identifiers of an enum property of a Blender type, by number."""
    return {item.value: item.identifier for item in owner.bl_rna.properties[attribute].enum_items}
