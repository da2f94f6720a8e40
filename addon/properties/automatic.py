# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches for values that have a default of their own: a file stores -1 or 0 for "automatic", and panels show a switch
and the value that will be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpy.props import BoolProperty


def own_value(
    field: str, name: str, description: str, automatic: float, start: Callable[[Any], float], least: float = 0.0
) -> Any:
    """A property that says whether a field has a value of its own; nothing is stored but the field.

    Switched off, the field is `automatic`; switched on, it begins with what `start` gives for its owner. Values below
    `least`, or equal to `automatic`, are automatic. `start` must be a function of its module: Blender evaluates
    annotations where a lambda does not see the module's names.
    """

    def is_own(owner: Any) -> bool:
        value = getattr(owner, field)
        return bool(value >= least and value != automatic)

    def set_own(owner: Any, value: bool) -> None:
        if value != is_own(owner):
            setattr(owner, field, start(owner) if value else automatic)

    return BoolProperty(name=name, description=description, get=is_own, set=set_own)
