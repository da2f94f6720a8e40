# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of detection's thresholds, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from poise import solver
from poise.solver.core.errors import PoiseError
from poise.solver.detection.settings import (
    DEFAULT_DETECTION,
    DEFAULT_FOOTPLANTS,
    DEFAULT_HANDPLANTS,
    DEFAULT_SLIDING,
    chosen_on,
)

GROUPS: dict[str, type[Any]] = {
    "rest": solver.RestSettings,
    "footplants": solver.FootplantSettings,
    "handplants": solver.HandplantSettings,
    "sliding": solver.SlidingSettings,
    "detection": solver.DetectionSettings,
}
"""The settings classes, by the name that stands before the point: rest.slow_share."""


@dataclass(frozen=True)
class Field:
    """A numeric threshold."""

    group: str
    name: str

    @property
    def label(self) -> str:
        """Its unique name: rest.slow_share."""
        return f"{self.group}.{self.name}"

    @property
    def default(self) -> float:
        """Its present value."""
        return float(getattr(GROUPS[self.group](), self.name))

    @property
    def chosen_on(self) -> tuple[str, ...]:
        """The motions that its present value was chosen on."""
        return chosen_on(GROUPS[self.group], self.name)


FIELDS = tuple(
    Field(group, each.name)
    for group, settings in GROUPS.items()
    for each in fields(settings)
    if each.type in ("float", "int")
)


@dataclass(frozen=True)
class AllSettings:
    """One instance of each settings class; the rest settings are those of feet and of hands."""

    footplants: solver.FootplantSettings = DEFAULT_FOOTPLANTS
    handplants: solver.HandplantSettings = DEFAULT_HANDPLANTS
    sliding: solver.SlidingSettings = DEFAULT_SLIDING
    detection: solver.DetectionSettings = DEFAULT_DETECTION


def field_named(name: str) -> Field:
    """The threshold of this name, with or without its group; raises where there is none or more than one."""
    found = [field for field in FIELDS if name in (field.name, field.label)]
    if not found:
        raise PoiseError(f"There is no threshold {name!r}; --list shows all.")
    if len(found) > 1:
        raise PoiseError(f"There are several thresholds {name!r}: say {' or '.join(field.label for field in found)}.")
    return found[0]


def parsed(assignment: str) -> tuple[Field, float]:
    """The threshold and the value of NAME=VALUE."""
    name, equals, text = assignment.partition("=")
    try:
        value = float(text)
    except ValueError:
        equals = ""
    if not equals:
        raise PoiseError(f"A change is NAME=NUMBER, as in rest_share=0.1, not {assignment!r}.")
    return field_named(name.strip()), value


def with_changes(changes: Sequence[tuple[Field, float]]) -> AllSettings:
    """The present settings with some thresholds changed."""
    values: dict[str, dict[str, float]] = {group: {} for group in GROUPS}
    for field, value in changes:
        is_whole = isinstance(getattr(GROUPS[field.group](), field.name), int)
        values[field.group][field.name] = int(value) if is_whole and value.is_integer() else value
    changed: dict[str, Any] = {group: replace(settings(), **values[group]) for group, settings in GROUPS.items()}
    footplants = replace(changed["footplants"], rest=changed["rest"])
    handplants = replace(changed["handplants"], rest=changed["rest"], footplants=footplants)
    return AllSettings(footplants, handplants, changed["sliding"], changed["detection"])
